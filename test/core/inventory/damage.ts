/** Checks that inventories find damage that the codec's own verification would miss. */
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import type { InventoryKind } from '../../../src/core/catalog/inventory/kinds.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { checkInventory, type InventoryVerdict } from '../../../src/core/inventory/check.ts'
import type { Inventory } from '../../../src/core/inventory/inventory.ts'
import { readerOf } from '../../../src/core/inventory/readers.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { isCodecError } from '../../../src/core/model/error.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'

const signal = new AbortController().signal

/** Reads the inventory of a file. */
export async function inventoryOf(format: OutputId, bytes: Uint8Array): Promise<Inventory> {
  const reader = await readerOf(format)
  return await reader!.read(memorySource(bytes, 'file'), signal)
}

/** Returns the number of items by kind. */
export const countsOf = (inventory: Inventory): Record<string, number> =>
  Object.fromEntries([...inventory].map(([kind, items]) => [kind, [...items.values()].reduce((sum, count) => sum + count, 0)]))

/** Returns the items of a kind, each once. */
export const itemsOf = (inventory: Inventory, kind: InventoryKind): string[] => [...(inventory.get(kind)?.keys() ?? [])]

/** Reads the inventory, or returns the reason why that fails. Any error that is no `CodecError` fails the test. */
export async function readOrReason(format: OutputId, bytes: Uint8Array): Promise<Inventory | string> {
  try {
    return await inventoryOf(format, bytes)
  } catch (error) {
    if (isCodecError(error)) return error.reason
    throw error
  }
}

/** Compares the inventories of an original and a result at level `medium`. */
export const verdictOf = (
  format: FormatId,
  original: Uint8Array,
  result: Uint8Array,
  output: OutputId = FORMATS[format].outputs[0],
): Promise<InventoryVerdict> =>
  checkInventory({
    ...{ format: FORMATS[format], output, quality: 'medium', metadata: undefined, signal },
    ...{ original: memorySource(original, 'original'), result: memorySource(result, 'result') },
  })

/** Returns a codec that damages its results and does not notice it. */
export const damaging = (codec: Codec, damage: (result: Uint8Array) => Uint8Array): Codec => ({
  ...codec,
  async compress(source, sink, options) {
    const sound = memorySink(Number.POSITIVE_INFINITY, source.name)
    const outcome = await codec.compress(source, sound, options)
    if (outcome.kind === 'compressed') await sink.write(damage(sound.bytes().slice()))
    return outcome
  },
  verify: async () => ({ equal: true }),
})
