import { FORMATS, type FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import type { Quality } from '../../src/core/model/codec.ts'
import type { Generated } from './generators.ts'
import { pressAs } from './receipts.ts'

export type GeneratedResult = { readonly file: Uint8Array } & Awaited<ReturnType<typeof pressAs>>

const results = new Map<string, Promise<GeneratedResult>>()

/** Returns a generated file and its result. Each is compressed once per process, so callers must not change the bytes. */
export function generatedOnce(
  id: FormatId,
  { holds, name, make, output: own }: Generated,
  quality: Quality,
  output: OutputId = own ?? FORMATS[id].outputs[0],
): Promise<GeneratedResult> {
  const key = [id, holds, quality, output].join()
  const known = results.get(key)
  if (known) return known
  const result = (async () => {
    const file = await make()
    return { file, ...(await pressAs(id, name, file, output, quality)) }
  })()
  results.set(key, result)
  return result
}
