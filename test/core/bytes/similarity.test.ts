import { describe, expect, test } from 'vitest'
import { type Channels, SimilarityMeter } from '../../../src/core/metrics/ssim-psnr.ts'
import { JpegJob } from '../../../wasm/jpeg/job.ts'
import { JpegRows } from '../../../wasm/jpeg/rows-out.ts'

/** Plain implementation of the definition in double precision, which the kernel is compared with. */
function reference(a: Float64Array, b: Float64Array, width: number, height: number) {
  const mirror = (i: number, n: number) => (i % (2 * n) < n ? i % (2 * n) : 2 * n - 1 - (i % (2 * n)))
  const w = Math.max(width, 11)
  const h = Math.max(height, 11)
  const at = (plane: Float64Array, x: number, y: number) => plane[mirror(y, height) * width + mirror(x, width)]!
  const taps = Array.from({ length: 11 }, (_, i) => Math.exp(-((i - 5) ** 2) / 4.5))
  const sum = taps.reduce((s, t) => s + t)
  let total = 0
  for (let top = 0; top + 11 <= h; top++) {
    for (let left = 0; left + 11 <= w; left++) {
      let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0]
      for (let j = 0; j < 11; j++) {
        for (let i = 0; i < 11; i++) {
          const weight = (taps[i]! * taps[j]!) / (sum * sum)
          const p = at(a, left + i, top + j)
          const q = at(b, left + i, top + j)
          x += weight * p
          y += weight * q
          xx += weight * p * p
          yy += weight * q * q
          xy += weight * p * q
        }
      }
      const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2]
      total += ((2 * x * y + c1) * (2 * (xy - x * y) + c2)) / ((x * x + y * y + c1) * (xx - x * x + yy - y * y + c2))
    }
  }
  const squares = a.reduce((s, v, i) => s + (v - b[i]!) ** 2, 0)
  return { ssim: total / ((w - 10) * (h - 10)), psnrDb: 10 * Math.log10(255 ** 2 / (squares / a.length)) }
}

function luma(pixels: Uint8Array, channels: Channels, background: number): Float64Array {
  return Float64Array.from({ length: pixels.length / channels }, (_, i) => {
    const [r, g, b] = channels < 3 ? [0, 0, 0].map(() => pixels[i * channels]!) : [...pixels.subarray(i * channels, i * channels + 3)]
    const grey = 0.299 * r! + 0.587 * g! + 0.114 * b!
    const alpha = channels % 2 ? 1 : pixels[i * channels + channels - 1]! / 255
    return grey * alpha + background * (1 - alpha)
  })
}

/** Returns a gradient with waves, and a noisy copy. `clear`: number of transparent rows at the bottom. */
function pair(width: number, height: number, channels: Channels, noise: number, clearFrom = height) {
  let state = 12345
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32
  const a = new Uint8Array(width * height * channels)
  const b = new Uint8Array(a.length)
  for (let i = 0; i < a.length; i++) {
    const pixel = Math.floor(i / channels)
    const [x, y, c] = [pixel % width, Math.floor(pixel / width), i % channels]
    const isAlpha = channels % 2 === 0 && c === channels - 1
    const value = isAlpha ? (y < clearFrom ? 255 : (x * 7) % 256) : 128 + 100 * Math.sin(x / 5 + c) * Math.cos(y / 7)
    a[i] = value
    b[i] = isAlpha && y < clearFrom ? 255 : Math.max(0, Math.min(255, value + (random() - 0.5) * noise))
  }
  return { a, b }
}

function measure(a: Uint8Array, b: Uint8Array, width: number, height: number, channels: Channels, rowsAtOnce: number) {
  const meter = new SimilarityMeter(width, height, channels)
  const step = rowsAtOnce * width * channels
  for (let at = 0; at < a.length; at += step) meter.push(a.subarray(at, at + step), b.subarray(at, at + step))
  return meter.finish()
}

describe('similarity', () => {
  test.each<[number, number, Channels, number, number]>([
    [64, 48, 1, 20, 1],
    [61, 40, 3, 90, 7],
    [37, 50, 4, 40, 50],
    [30, 33, 2, 60, 4],
    [11, 11, 1, 30, 11],
    [12, 11, 3, 30, 2],
    [14, 12, 1, 200, 5],
    [5, 30, 3, 30, 3],
    [40, 3, 4, 30, 1],
    [1, 1, 1, 99, 1],
    [2, 4, 3, 50, 4],
  ])('%i×%i, %i channels, noise %i', (width, height, channels, noise, rowsAtOnce) => {
    const { a, b } = pair(width, height, channels, noise, Math.ceil(height * 0.6))
    const expected = (channels % 2 ? [0] : [0, 255]).map((background) =>
      reference(luma(a, channels, background), luma(b, channels, background), width, height),
    )
    const got = measure(a, b, width, height, channels, rowsAtOnce)
    expect(got.ssim).toBeCloseTo(Math.min(...expected.map((e) => e.ssim)), 4)
    expect(got.psnrDb).toBeCloseTo(Math.min(...expected.map((e) => e.psnrDb)), 3)
  })

  test.each<[number, number, Channels]>([
    [150, 60, 3],
    [101, 70, 4],
    [70, 64, 1],
    [9, 40, 4],
  ])('%i×%i, %i channels, equal except for a few pixels', (width, height, channels) => {
    const { a } = pair(width, height, channels, 0, Math.ceil(height * 0.6))
    const b = a.slice()
    for (const [x, y] of [
      [0, 0],
      [33, 12],
      [64, 39],
      [width - 1, 25],
      [5, height - 1],
    ] as const)
      for (let c = 0; c < channels; c++) b[(y * width + Math.min(x, width - 1)) * channels + c]! ^= 0x1f
    const expected = (channels % 2 ? [0] : [0, 255]).map((background) =>
      reference(luma(a, channels, background), luma(b, channels, background), width, height),
    )
    const got = measure(a, b, width, height, channels, 7)
    expect(got.ssim).toBeCloseTo(Math.min(...expected.map((e) => e.ssim)), 5)
    expect(got.psnrDb).toBeCloseTo(Math.min(...expected.map((e) => e.psnrDb)), 3)
  })

  test('equal pictures have perfect figures', () => {
    const { a } = pair(40, 40, 3, 0)
    expect(measure(a, a, 40, 40, 3, 8)).toEqual({ ssim: 1, psnrDb: Number.POSITIVE_INFINITY, psnrRgbDb: Number.POSITIVE_INFINITY })
  })

  test('a colour error that luma does not show lowers the RGB PSNR', () => {
    const a = new Uint8Array(20 * 20 * 3).fill(100)
    const b = a.map((v, i) => (i % 3 === 2 ? 160 : i % 3 === 0 ? 77 : v))
    const got = measure(a, b, 20, 20, 3, 20)
    expect(got.psnrDb).toBeGreaterThan(50)
    expect(got.psnrRgbDb).toBeCloseTo(10 * Math.log10(255 ** 2 / ((60 ** 2 + 23 ** 2) / 3)), 3)
  })

  test('fully transparent pixels do not count', () => {
    const a = new Uint8Array(16 * 16 * 4)
    const b = a.map((_, i) => (i % 4 === 3 ? 0 : 200))
    expect(measure(a, b, 16, 16, 4, 16).psnrRgbDb).toBe(Number.POSITIVE_INFINITY)
  })

  test('a wrong number of rows is rejected', () => {
    const meter = new SimilarityMeter(10, 20, 1)
    expect(() => meter.push(new Uint8Array(15), new Uint8Array(15))).toThrow(RangeError)
    expect(() => meter.push(new Uint8Array(10), new Uint8Array(20))).toThrow(RangeError)
    expect(() => meter.push(new Uint8Array(210), new Uint8Array(210))).toThrow(RangeError)
    expect(() => meter.finish()).toThrow(RangeError)
    expect(() => new SimilarityMeter(0, 20, 1)).toThrow(RangeError)
    expect(() => new SimilarityMeter(1e9, 20, 1)).toThrow(RangeError)
  })

  test.each([
    [64, 48],
    [9, 40],
    [70, 5],
  ])('the JPEG engine’s figures of grey %i×%i equal the definition', async (width, height) => {
    const { a } = pair(width, height, 1, 0)
    const taking = JpegJob.fromRows({ width, height, pixels: 'gray' })
    taking.write(a)
    using job = taking.end()
    const figures = await job.requantise(30)
    const decoded = async (which: 'read' | 'made') => {
      const rows = await JpegRows.open(Buffer.concat(job.write(which, 'sequential', true)))
      return Float64Array.from((await rows.read(height)) ?? [])
    }
    const expected = reference(await decoded('read'), await decoded('made'), width, height)
    expect(expected.ssim).toBeLessThan(0.999)
    expect(figures.ssim).toBeCloseTo(expected.ssim, 3) // another inverse DCT rounds some pixels differently
    expect(figures.psnrDb).toBeCloseTo(expected.psnrDb, 1)
  })
})
