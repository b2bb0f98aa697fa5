/** Helpers for tests of inventory readers. */
import { expect } from 'vitest'
import type { FormatId } from '../../src/core/catalog/index.ts'
import { FORMATS } from '../../src/core/catalog/index.ts'
import type { Quality } from '../../src/core/catalog/levels.ts'
import { type OutputId, outputFacts } from '../../src/core/catalog/outputs.ts'
import { checkInventory } from '../../src/core/inventory/check.ts'
import { readerOf } from '../../src/core/inventory/readers.ts'
import type { Codec } from '../../src/core/model/codec.ts'
import { CodecError } from '../../src/core/model/error.ts'
import { memorySource } from '../../src/core/model/source.ts'

const { signal } = new AbortController()

/** Items of a file by kind. */
export async function itemsOf(id: OutputId, file: Uint8Array): Promise<{ [kind: string]: { [item: string]: number } }> {
  const reader = await readerOf(id)
  const inventory = await reader!.read(memorySource(file, `a.${outputFacts(id).extension}`), signal)
  return Object.fromEntries([...inventory].map(([kind, items]) => [kind, Object.fromEntries(items)]))
}

/** Outcome of the comparison of an original and a result. */
export const verdictOf = (
  { format, output = format, quality = 'medium' }: { format: FormatId; output?: OutputId; quality?: Quality },
  original: Uint8Array,
  result: Uint8Array,
) =>
  checkInventory({
    format: { ...FORMATS[format], id: format } as Codec['format'],
    output,
    original: memorySource(original, 'original'),
    result: memorySource(result, 'result'),
    quality,
    metadata: undefined,
    signal,
  })

/** Expects that a reader returns an inventory or throws a CodecError, for a file cut at every `step`-th byte. */
export async function expectNoHarm(id: OutputId, file: Uint8Array, step: number): Promise<void> {
  for (let length = 0; length < file.length; length += step) await readOrRefuse(id, file.subarray(0, length))
}

/** Reads a hostile file. @throws Error if the reader throws anything but a CodecError */
export async function readOrRefuse(id: OutputId, file: Uint8Array): Promise<void> {
  await itemsOf(id, file).catch((error: unknown) => expect(error).toBeInstanceOf(CodecError))
}

/** Returns a codec that writes what `damage` makes of the results of `codec`, and does not notice. */
export const damaging = (codec: Codec, damage: (result: Uint8Array) => Uint8Array): Codec => ({
  ...codec,
  async compress(source, sink, options) {
    const parts: Uint8Array[] = []
    const collecting = {
      ...sink,
      written: 0,
      write: async (chunk: Uint8Array) => void parts.push(chunk.slice()),
      patch: () => undefined,
      abort: async () => undefined,
    }
    const outcome = await codec.compress(source, collecting, options)
    if (outcome.kind === 'compressed') await sink.write(damage(new Uint8Array(Buffer.concat(parts))))
    return outcome
  },
  verify: async () => ({ equal: true }),
})
