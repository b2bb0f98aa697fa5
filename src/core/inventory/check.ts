/** Compares what an original and its result hold. Jobs call it after a codec has verified its result. */

import type { Quality } from '../catalog/levels.ts'
import { type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import type { Compressed, Source } from '../model/codec.ts'
import { CodecError } from '../model/error.ts'
import { countsKept } from './compare.ts'
import type { Inventory, InventoryReader } from './inventory.ts'
import { type ForbiddenLoss, judge } from './judge.ts'
import { readerOf } from './readers.ts'

export interface InventoryRequest {
  readonly format: KnownFormat
  readonly output: OutputId
  readonly original: Source
  readonly result: Source
  readonly quality: Quality
  readonly signal: AbortSignal
}

/**
 * Outcome of a comparison. `none`: the format has no inventory. `kept`: fields for the outcome. `lost`: the result lacks items that it
 * must keep. `unreadable`: the reader cannot read the result.
 */
export type InventoryVerdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'kept'; readonly fields: Pick<Compressed, 'inventory' | 'removed' | 'verifiedBy'> }
  | { readonly kind: 'lost'; readonly loss: ForbiddenLoss }
  | { readonly kind: 'unreadable'; readonly difference: string }

/**
 * Reads the inventories of an original and its result and applies the policy. A wrapper (`zst`) holds the whole file, which the codec
 * has compared byte by byte, so only the original is read.
 * @throws CodecError if the original cannot be read, or one of the files has too many items
 */
export async function checkInventory({ format, output, original, result, quality, signal }: InventoryRequest): Promise<InventoryVerdict> {
  const reader = await readerOf(format.id)
  const resultReader = outputFacts(output).wraps ? undefined : await readerOf(output)
  if (!reader || (!resultReader && !outputFacts(output).wraps)) return { kind: 'none' }
  const before = await inventoryOfOriginal(reader, original, signal)
  if (!resultReader) return { kind: 'kept', fields: fieldsOf(before, before, [format.id], [reader]) }
  let after: Inventory
  try {
    after = await resultReader.read(result, signal)
  } catch (error) {
    if (!(error instanceof CodecError) || error.reason === 'over_budget') throw error
    return { kind: 'unreadable', difference: `the inventory reader cannot read the result: ${error.message || error.reason}` }
  }
  const { removed, forbidden } = judge(before, after, { format: format.id, output, quality })
  if (forbidden) return { kind: 'lost', loss: forbidden }
  const fields = fieldsOf(before, after, [format.id, output], [reader, resultReader])
  return { kind: 'kept', fields: removed.length > 0 ? { ...fields, removed } : fields }
}

/** Inventories of originals that are still in use, because several attempts compare with the same original. */
const KNOWN = new WeakMap<Source, Promise<Inventory>>()

function inventoryOfOriginal(reader: InventoryReader, original: Source, signal: AbortSignal): Promise<Inventory> {
  const known = KNOWN.get(original) ?? reader.read(original, signal)
  KNOWN.set(original, known)
  known.catch(() => KNOWN.delete(original))
  return known
}

function fieldsOf(before: Inventory, after: Inventory, ids: readonly string[], readers: readonly InventoryReader[]) {
  const names = ids.map((id) => `inventory reader for ${id}`)
  const libraries = readers.flatMap(({ library }) => (library === undefined ? [] : [library]))
  return { inventory: countsKept(before, after), verifiedBy: [...new Set([...names, ...libraries])] }
}
