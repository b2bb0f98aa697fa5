import { expect, test } from 'vitest'
import { scaledBicubic } from '../../../src/core/images/raster/bicubic.ts'
import { resized } from '../../../src/core/images/raster/resize.ts'
import { type FilterWindow, type RowSample, Scaler } from '../../../wasm/scale/scale.ts'

const noise = (length: number) => Uint8Array.from({ length }, (_, at) => Math.imul(at * 7 + (at >> 5), 2654435761) >>> 24)

async function* strips(bytes: Uint8Array, rowBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += rowBytes * 7) yield bytes.subarray(at, at + rowBytes * 7)
}

async function whole(rows: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of rows) parts.push(part.slice())
  return new Uint8Array(Buffer.concat(parts))
}

/** Reference implementation: each output sample is the weighted sum of input samples across and down. */
function defined(
  bytes: Uint8Array,
  width: number,
  channels: number,
  across: readonly FilterWindow[],
  down: readonly FilterWindow[],
  alpha: boolean,
) {
  const out = new Uint8ClampedArray(across.length * down.length * channels)
  for (const [y, row] of down.entries()) {
    for (const [x, column] of across.entries()) {
      const sums = new Float64Array(channels)
      for (const [j, a] of row.weights.entries()) {
        for (const [i, b] of column.weights.entries()) {
          const at = ((row.first + j) * width + column.first + i) * channels
          const opacity = alpha ? bytes[at + 3]! / 255 : 1
          for (let c = 0; c < channels; c++) sums[c]! += a * b * bytes[at + c]! * (alpha && c < 3 ? opacity : 1)
        }
      }
      const opacity = alpha ? Math.min(255, Math.max(0, sums[3]!)) / 255 : 1
      for (let c = 0; c < channels; c++) {
        const sum = alpha && c < 3 ? (opacity > 0 ? sums[c]! / opacity : 0) : sums[c]!
        out[(y * across.length + x) * channels + c] = sum
      }
    }
  }
  return new Uint8Array(out.buffer)
}

/** Taps of varying lengths with uneven, partly negative weights. */
const taps = (from: number, to: number, most: number): FilterWindow[] =>
  Array.from({ length: to }, (_, index) => {
    const length = Math.min(from, 1 + (index % most))
    const first = Math.min(from - length, Math.floor((index * from) / to))
    return { first, weights: Float32Array.from({ length }, (_, tap) => (tap === 0 ? 1.3 : -0.3 / Math.max(1, length - 1))) }
  }).map((tap, index, all) => ({ ...tap, first: Math.max(...all.slice(0, index + 1).map(({ first }) => first)) }))

test.each([
  [40, 30, 1, 13, 9, false],
  [17, 23, 2, 40, 50, false],
  [300, 70, 3, 100, 33, false],
  [9, 8, 4, 27, 30, true],
  [60, 50, 4, 21, 20, true],
])('scales %i × %i with %i channels to %i × %i like the reference', (width, height, channels, toWidth, toHeight, alpha) => {
  const bytes = noise(width * height * channels)
  const within = (from: number, to: number) =>
    taps(from, to, 4).map(({ first, weights }) => ({ first: Math.min(first, from - weights.length), weights }))
  const [across, down] = [within(width, toWidth), within(height, toHeight)]
  const scaler = new Scaler({ width, height, channels, across, down, alpha })
  const parts: Uint8Array[] = []
  for (const part of scaler.push(bytes)) parts.push(part.slice())
  const all = Buffer.concat(parts)
  const wanted = defined(bytes, width, channels, across, down, alpha)
  expect(all.length).toBe(wanted.length)
  expect(Math.max(...wanted.map((value, at) => Math.abs(value - all[at]!)))).toBeLessThanOrEqual(alpha ? 2 : 1)
})

test('keeps a picture of one colour unchanged when it is scaled down or up', async () => {
  const flat = new Uint8Array(90 * 70 * 3).fill(77)
  const raster = { width: 90, height: 70, channels: 3 as const, rows: () => strips(flat, 270) }
  const small = await whole(resized(raster, 31, 23).rows())
  expect(small.length).toBe(31 * 23 * 3)
  expect(small.every((value) => value === 77)).toBe(true)
  const large = await whole(scaledBicubic(strips(flat, 270), 3, raster, { width: 200, height: 150 }))
  expect(large.length).toBe(200 * 150 * 3)
  expect(large.every((value) => value === 77)).toBe(true)
})

test('returns the same rows for a sample as for the whole picture', async () => {
  const bytes = noise(50 * 40 * 3)
  const size = { width: 111, height: 97 }
  const all = await whole(scaledBicubic(strips(bytes, 150), 3, { width: 50, height: 40 }, size))
  const sample: RowSample = { period: 20, span: 6 }
  const some = await whole(scaledBicubic(strips(bytes, 150), 3, { width: 50, height: 40 }, size, sample))
  const wanted = Array.from({ length: 97 }, (_, row) => row).filter((row) => row % 20 < 6)
  expect(Buffer.compare(some, Buffer.concat(wanted.map((row) => all.subarray(row * 333, row * 333 + 333))))).toBe(0)
})
