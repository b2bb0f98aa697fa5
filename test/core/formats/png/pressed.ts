/** Compresses a picture with the PNG codec at a level and decodes the result. */

import { png } from '../../../../src/core/formats/png/png.ts'
import type { Quality } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { decodePng, PngEncoder, QUICK_EFFORT } from '../../../../wasm/png/png.ts'

const OPTIONS = {
  memoryBudget: 96 * 1024 * 1024,
  signal: new AbortController().signal,
  progress: () => undefined,
  output: 'png' as const,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged' as const, reason: 'no_gain' as const }) },
}

export interface Pressed {
  /** Size of the result in bytes. */
  readonly size: number
  readonly colourType: number
  readonly rgba: Uint8Array
}

/** @param rgba a square picture @throws Error if no smaller result exists */
export async function pressed(rgba: Uint8Array, side: number, quality: Quality): Promise<Pressed> {
  using encoder = new PngEncoder({ width: side, height: side, colourType: 6, bitDepth: 8 }, QUICK_EFFORT)
  for (let at = 0; at < rgba.length; at += side * 4) encoder.writeRow(rgba.subarray(at, at + side * 4))
  const source = memorySource(Buffer.concat(encoder.finish()), 'test.png')
  const { result } = await openJob(png, source, {}, { ...OPTIONS, quality } as never).whole(async () =>
    memorySink(source.size, source.name),
  )
  if (!result) throw new Error('unchanged')
  const bytes = await readAll(result)
  const out = new Uint8Array(rgba.length)
  async function* whole() {
    yield bytes
  }
  const { header } = await decodePng(whole(), 'rgba8', (row, y) => out.set(row, y * side * 4))
  return { size: bytes.length, colourType: header.colourType, rgba: out }
}
