/** Pictures below 128 pixels a side reach the score of their level, measured as published SSIMULACRA 2 programs do. */
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { mostExactBytes } from '../../../src/core/catalog/small-pictures.ts'
import { bmp } from '../../../src/core/formats/bmp/bmp.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { PerceptualMeter, ScoreMeter } from '../../../src/core/metrics/perceptual.ts'
import { encodeRows } from '../../../wasm/jpeg/jpeg.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../wasm/png/png.ts'
import { pressFile } from '../../support/press-file.ts'
import { photo } from './jpg/photo.ts'

const GOALS = { high: 85, medium: 72, low: 60 } as const
const LEVELS = ['high', 'medium', 'low'] as const
const SIZES = [
  [64, 64],
  [100, 76],
  [112, 300],
  [127, 127],
] as const

function pngOf(rgb: Uint8Array, width: number, height: number): Uint8Array {
  using encoder = new PngEncoder({ width, height, colourType: 2, bitDepth: 8 }, QUICK_EFFORT)
  for (let at = 0; at < rgb.length; at += width * 3) encoder.writeRow(rgb.subarray(at, at + width * 3))
  return concat([...encoder.finish()])
}

/** 24-bit BMP of `rgb` rows, which are given from the top. */
function bmpOf(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const stride = (width * 3 + 3) & ~3
  const file = new Uint8Array(54 + stride * height)
  const view = new DataView(file.buffer)
  file.set([0x42, 0x4d])
  for (const [at, value] of [
    [2, file.length],
    [10, 54],
    [14, 40],
    [18, width],
    [22, -height],
    [34, stride * height],
  ] as const)
    view.setInt32(at, value, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, 24, true)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) for (let c = 0; c < 3; c++) file[54 + y * stride + 3 * x + c] = rgb[(y * width + x) * 3 + 2 - c] ?? 0
  return file
}

/** Drawing of seven colours; the seventh has only three pixels. */
function drawing(width: number, height: number): Uint8Array {
  const colours = [0xffffff, 0xd02020, 0x2040c0, 0x20a040, 0xf0c020, 0x303030]
  const rgb = new Uint8Array(width * height * 3)
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)]
    const colour = i % 1500 === 700 ? 0x8040a0 : (colours[((x >> 3) * 7 + (y >> 2) * 3) % 6] ?? 0)
    for (let c = 0; c < 3; c++) rgb[3 * i + c] = (colour >> (16 - 8 * c)) & 255
  }
  return rgb
}

describe('score of small pictures', () => {
  it.each(SIZES)('is equal in searches and receipts at %i × %i', (width, height) => {
    const was = photo(width, height, 3)
    const is = was.map((value, at) => (at % 5 === 0 ? value ^ 12 : value))
    using all = new PerceptualMeter(width, height, 3)
    using alone = new ScoreMeter(width, height, 3)
    for (const meter of [all, alone]) meter.push(was, is)
    const [searched, published] = [all.finish().score, alone.finish()]
    expect(searched).toBeLessThan(95)
    expect(searched).toBeCloseTo(published ?? Number.NaN, 5)
  })

  const FILES = { png: [png, pngOf], bmp: [bmp, bmpOf] } as const
  it.each(['png', 'bmp'] as const)('reaches the score of the level or stays lossless (%s)', async (format) => {
    const [codec, fileOf] = FILES[format]
    for (const [width, height] of SIZES.slice(0, 2))
      for (const level of LEVELS) {
        const { outcome, defect } = await pressFile(codec, fileOf(photo(width, height, 3, 2), width, height), `a.${format}`, {
          quality: level,
        })
        expect(defect).toBeUndefined()
        const score = outcome.kind === 'compressed' ? outcome.loss?.pictures?.ssimulacra2 : undefined
        expect(score ?? 100, `${width} × ${height} at ${level}`).toBeGreaterThanOrEqual(GOALS[level])
      }
  })

  it('reaches the score of the level or stays lossless (JPEG)', async () => {
    for (const [width, height] of SIZES) {
      const file = concat((await encodeRows({ width, height, pixels: 'rgb', quality: 96 }, [photo(width, height, 3, 4)])).chunks)
      for (const level of LEVELS) {
        const { outcome } = await pressFile(jpg, file, 'a.jpg', { quality: level })
        const score = outcome.kind === 'compressed' ? outcome.loss?.pictures?.ssimulacra2 : undefined
        expect(score ?? 100, `${width} × ${height} at ${level}`).toBeGreaterThanOrEqual(GOALS[level])
      }
    }
  })
})

describe('colours of small pictures', () => {
  it.each(['png', 'bmp'] as const)('are all kept if dropping some saves almost nothing (%s)', async (format) => {
    const [codec, fileOf] = format === 'png' ? ([png, pngOf] as const) : ([bmp, bmpOf] as const)
    const file = fileOf(drawing(96, 96), 96, 96)
    for (const level of LEVELS) {
      const { outcome } = await pressFile(codec, file, `a.${format}`, { quality: level })
      expect(outcome.kind === 'compressed' && !outcome.loss, level).toBe(true)
    }
  })

  it('are dropped to save 10 % and at least 64 bytes', () => {
    const small = { width: 127, height: 500 }
    expect(mostExactBytes(100, small)).toBe(164)
    expect(mostExactBytes(9000, small)).toBe(10_000)
    expect(mostExactBytes(9000, { width: 128, height: 128 })).toBe(9000)
  })
})
