import { concat } from '../../../../src/core/bytes/concat.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'

/** Grey JPEG with texture everywhere, generated strip by strip. `noise`: amplitude of added noise in levels, of 256. */
export function textured(width: number, height: number, noise: number, quality: number): Uint8Array {
  const strip = new Uint8Array(width * 16)
  for (let i = 0; i < strip.length; i++) strip[i] = 120 + 60 * Math.sin(i / 700) + (Math.imul(i, 2654435761) >>> 24) * noise
  const rowInput = JpegJob.fromRows({ width, height, pixels: 'gray' }, { kind: 'stream', quality, trellis: false })
  for (let row = 0; row < height; row += 16) rowInput.write(strip.subarray(0, Math.min(16, height - row) * width))
  return concat(rowInput.end().write('made', 'sequential', true))
}

/** Compresses a JPEG with a memory budget of 96 MiB, unless `over` changes it. */
export const pressTextured = (bytes: Uint8Array, over: Partial<Options> = {}) =>
  openJob(jpg, memorySource(bytes, 'large.jpg'), {}, { quality: 'low', ...over }).whole(async () => memorySink(bytes.length, 'large.jpg'))
