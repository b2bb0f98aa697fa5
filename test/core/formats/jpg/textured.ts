import { concat } from '../../../../src/core/bytes/concat.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { compress } from '../../../../src/core/pipeline/compress.ts'
import { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'

/** A grey JPEG with texture everywhere, made strip by strip. `noise`: how much noise is added, in levels for each of 256. */
export function textured(width: number, height: number, noise: number, quality: number): Uint8Array {
  const strip = new Uint8Array(width * 16)
  for (let i = 0; i < strip.length; i++) strip[i] = 120 + 60 * Math.sin(i / 700) + (Math.imul(i, 2654435761) >>> 24) * noise
  const taking = JpegJob.fromRows({ width, height, pixels: 'gray' }, { kind: 'stream', quality, trellis: false })
  for (let row = 0; row < height; row += 16) taking.write(strip.subarray(0, Math.min(16, height - row) * width))
  return concat(taking.end().write('made', 'sequential', true))
}

const options: Options = {
  quality: 'low',
  output: 'jpg',
  memoryBudget: 96 * 2 ** 20,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
}

/** Compresses a JPEG with at most 96 MiB, unless `over` says otherwise. */
export const pressTextured = (bytes: Uint8Array, over: Partial<Options> = {}) =>
  compress(jpg, memorySource(bytes, 'large.jpg'), async () => memorySink(bytes.length, 'large.jpg'), { ...options, ...over })
