/** HDR in PNG: bit depth and signalling stay at every level, AVIF keeps both, and SDR formats are rejected. */

import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { outputFacts } from '../../../../src/core/catalog/outputs.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { boxesOf } from '../../../../src/core/images/avif/container.ts'
import { readGrid, singleFile } from '../../../../src/core/images/avif/file.ts'
import { AvifCodec } from '../../../../src/core/images/avif/libaom.ts'
import { HdrMeter, hlgLight, pqLight } from '../../../../src/core/images/compare/hdr-meter.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { optionsOf } from '../../../../src/core/pipeline/job.ts'
import { chunk } from '../../../../wasm/png/chunks.ts'
import { readPngInfo } from '../../../../wasm/png/png.ts'
import { pictureLossOf } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { NOTHING_LENT, press } from '../../../support/packages.ts'
import { plainPng, randomUnitNumbers } from '../../../support/plain-png.ts'
import { pressFile } from '../../../support/press-file.ts'
import { fewOf } from '../../../support/thorough.ts'

const [WIDTH, HEIGHT] = [96, 72]
const PQ = chunk('cICP', Uint8Array.of(9, 16, 0, 1))
const HLG = chunk('cICP', Uint8Array.of(9, 18, 0, 1))
const halves = (...values: number[]) => Uint8Array.from(values.flatMap((value) => [value >> 8, value & 255]))
const longs = (...values: number[]) => Uint8Array.from(values.flatMap((value) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255)))
/** Chromaticities of BT.2020 (red, green, blue, white); luminance 1,000 and 0.005 cd/m². */
const PRIMARIES = halves(35400, 14600, 8500, 39850, 6550, 2300, 15635, 16450)
const MASTERING = chunk('mDCV', concat([PRIMARIES, longs(10_000_000, 50)]))
const LIGHT = chunk('cLLI', longs(10_000_000, 4_000_000))

/** Smooth light with fine texture, in PQ or HLG code values. */
const scene = (x: number, y: number, c: number) =>
  Math.round(26_000 + 14_000 * Math.sin(x / 40 + c) * Math.cos(y / 31) + 2_000 * Math.sin(x / 3 + y / 5 + c) + x * 20)
const colours = (bitDepth: 8 | 16, ...more: Uint8Array[]) =>
  plainPng(
    { width: WIDTH, height: HEIGHT, colourType: 2, bitDepth },
    (x, y) => [0, 1, 2].map((c) => (bitDepth === 16 ? scene(x, y, c) : scene(x, y, c) >> 8)),
    ...more,
  )
const translucent = plainPng(
  { width: WIDTH, height: HEIGHT, colourType: 6, bitDepth: 16 },
  (x, y) => [scene(x, y, 0), scene(x, y, 1), scene(x, y, 2), Math.round((x / (WIDTH - 1)) * 65535)],
  PQ,
)

/** ICC profile whose only tag is `cicp`. */
function profiled(): Uint8Array {
  const profile = new Uint8Array(156)
  profile.set(longs(156), 0)
  profile.set(Buffer.from('acsp'), 36)
  profile.set(concat([longs(1), Buffer.from('cicp'), longs(144, 12)]), 128)
  profile.set(concat([Buffer.from('cicp'), longs(0), Uint8Array.of(9, 16, 0, 1)]), 144)
  return chunk('iCCP', concat([Buffer.from('HDR\0\0'), deflateSync(profile)]))
}

const infoOf = (bytes: Uint8Array) => readPngInfo(memorySource(bytes, '').stream())

describe('HDR PNG stays lossless and keeps its bit depth and signalling', () => {
  it.each([
    ['16 bits of PQ', colours(16, PQ, MASTERING, LIGHT), 16, ['cICP', 'mDCV', 'cLLI']],
    ['16 bits of HLG', colours(16, HLG), 16, ['cICP']],
    ['8 bits of PQ', colours(8, PQ), 8, ['cICP']],
    ['a profile with a cicp tag', colours(16, profiled()), 16, ['iCCP']],
    ['light levels alone', colours(16, LIGHT), 16, ['cLLI']],
    ['chunks of a gain map', colours(16, chunk('gmAP', Uint8Array.of(1, 2, 3))), 16, ['gmAP']],
    ['PQ with alpha', translucent, 16, ['cICP']],
    ['16 bits of linear light by cICP', colours(16, chunk('cICP', Uint8Array.of(1, 8, 0, 1))), 16, ['cICP']],
    ['16 bits of linear light by gAMA', colours(16, chunk('gAMA', longs(100_000))), 16, ['gAMA']],
  ] as const)('%s', async (_, file, bits, types) => {
    const sizes = []
    for (const quality of fewOf(['low', 'medium', 'high'] as const, 1)) {
      const { outcome, bytes, defect } = await pressFile(png, file, 'hdr.png', { quality })
      expect(defect).toBeUndefined()
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'compressed',
        steps: expect.arrayContaining([expect.stringMatching(/^(?:HDR|linear-light).* kept unchanged$/)]),
      })
      expect(outcome).not.toHaveProperty('loss')
      const { header, chunks } = await infoOf(bytes)
      expect(header.bitDepth).toBe(bits)
      expect(chunks.map(({ type }) => type)).toEqual(types)
      sizes.push(bytes.length)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  })

  it('keeps 16 bits even if 8 bits would hold the samples', async () => {
    const file = plainPng({ width: 64, height: 64, colourType: 2, bitDepth: 16 }, (x, y) => [x * 257, y * 257, 0], PQ)
    const { bytes } = await pressFile(png, file, 'hdr.png', { quality: 'low' })
    expect((await infoOf(bytes)).header.bitDepth).toBe(16)
  })

  it('does not downsample HDR that a document shows smaller', async () => {
    const { outcome, bytes } = await pressFile(png, colours(16, PQ), 'a.png', { quality: 'low', fitWithin: { width: 48, height: 32 } })
    expect(outcome.kind).toBe('compressed')
    expect((await infoOf(bytes)).header).toMatchObject({ width: WIDTH, bitDepth: 16 })
  })
})

/** Properties of an AVIF file by type, without box headers. */
function propertiesOf(file: Uint8Array): Map<string, Uint8Array> {
  const meta = boxesOf(file).find(({ type }) => type === 'meta')!
  const iprp = boxesOf(meta.body.subarray(4)).find(({ type }) => type === 'iprp')!
  return new Map(boxesOf(boxesOf(iprp.body)[0]!.body).map(({ type, body }) => [type, body]))
}

/** Decoded 10-bit samples of the first tile. */
async function decoded(file: Uint8Array, what: 'tiles' | 'alphas' = 'tiles') {
  const { grid, ...all } = readGrid(file)!
  using codec = await AvifCodec.open('decoder')
  return codec.decode16(singleFile(all[what][0]!, grid.tileWidth, grid.tileHeight), 10)!
}

const LOW_PQ = colours(16, PQ)
let lowPressed: ReturnType<typeof press> | undefined
/** Compresses `LOW_PQ` to AVIF once for several tests. */
const lowAvif = () => (lowPressed ??= press(png, LOW_PQ, 'low', NOTHING_LENT, 'avif'))

describe('AVIF of HDR', () => {
  it('has no more bits than the facts of the output', async () => {
    const { bytes } = await lowAvif()
    const [, , , , channels, ...depths] = propertiesOf(bytes).get('pixi')!
    expect(depths).toEqual(Array.from({ length: channels! }, () => outputFacts('avif').holds?.bits))
  })

  it('has 10 bits, nclx, mdcv and clli, and keeps the order of levels', async () => {
    const sizes = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes, defect } = await pressFile(png, colours(16, PQ, MASTERING, LIGHT), 'hdr.png', { quality, output: 'avif' })
      expect(defect).toBeUndefined()
      const properties = propertiesOf(bytes)
      expect([...properties.get('colr')!]).toEqual([...Buffer.from('nclx'), 0, 9, 0, 16, 0, 6, 0x80])
      expect([...properties.get('pixi')!.subarray(4)]).toEqual([3, 10, 10, 10])
      expect([...properties.get('mdcv')!]).toEqual([
        ...halves(8500, 39850, 6550, 2300, 35400, 14600, 15635, 16450),
        ...longs(10_000_000, 50),
      ])
      expect([...properties.get('clli')!]).toEqual([...halves(1000, 400)])
      expect(pictureLossOf(outcome)!.ssimulacra2).toBeGreaterThanOrEqual({ low: 60, medium: 72, high: 82 }[quality])
      sizes.push(bytes.length)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  })

  it('has the same code points in the coded frame as in the container', async () => {
    const { bytes } = await lowAvif()
    const bits = [...readGrid(bytes)!.tiles[0]!.frame.subarray(0, 20)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
    expect(bits).toContain('000010010001000000000110') // bits of the code points 9, 16 and 6
  })

  it('keeps samples that 8 bits cannot represent', async () => {
    const { outcome, bytes } = await pressFile(png, colours(16, PQ), 'hdr.png', { quality: 'high', output: 'avif' })
    const tile = await decoded(bytes)
    let [squares, fine] = [0, 0]
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++)
        for (let c = 0; c < 3; c++) {
          const sample = tile.samples[(y * tile.width + x) * 4 + c]!
          squares += (sample / 1023 - scene(x, y, c) / 65535) ** 2
          if (sample % 4) fine++
        }
    const rgbDb = -10 * Math.log10(squares / (WIDTH * HEIGHT * 3))
    expect(rgbDb).toBeGreaterThan(38)
    expect(fine).toBeGreaterThan(WIDTH * HEIGHT)
    expect(pictureLossOf(outcome)!.psnrDb).toBeLessThan(rgbDb + 8)
  })

  it('keeps alpha', async () => {
    const { outcome, bytes, defect } = await pressFile(png, translucent, 'hdr.png', { quality: 'medium', output: 'avif' })
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    const alpha = await decoded(bytes, 'alphas')
    for (const x of [0, 25, 50, 95]) expect(Math.abs(alpha.samples[x * 4]! - (x / (WIDTH - 1)) * 1023)).toBeLessThan(16)
  })

  it('uses a grid with cropped last tiles above the tile size', async () => {
    const file = plainPng({ width: 530, height: 520, colourType: 2, bitDepth: 16 }, (x, y) => [0, 1, 2].map((c) => scene(x, y, c)), HLG)
    const { outcome, bytes, defect } = await pressFile(png, file, 'hdr.png', { quality: 'low', output: 'avif' })
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: [expect.stringContaining('HLG'), expect.stringContaining('2×2 tiles')],
    })
    expect(readGrid(bytes)!.grid).toMatchObject({ width: 530, height: 520 })
  }, 60_000)

  it('meets a target size', async () => {
    const { bytes, outcome } = await pressFile(png, colours(16, PQ), 'hdr.png', { quality: 'high', output: 'avif', targetSize: 1200 })
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeLessThanOrEqual(1200)
  })

  it('verification rejects changed signalling', async () => {
    const { outcome, bytes, options } = await lowAvif()
    const altered = bytes.slice()
    altered[Buffer.from(altered).indexOf('nclx') + 7] = 13
    const verdict = await png.verify(memorySource(LOW_PQ, 'hdr.png'), memorySource(altered, ''), outcome, options)
    expect(verdict).toEqual({ equal: false, difference: 'the colour signalling was lost' })
  })
})

describe('SDR formats', () => {
  it.each(['jpg', 'webp'] as const)('rejects %s with a reason', async (output) => {
    for (const file of [colours(16, PQ), colours(8, HLG), colours(16, profiled()), translucent]) {
      const { outcome } = await pressFile(png, file, 'hdr.png', { quality: 'medium', output })
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'unchanged',
        reason: 'unsupported_feature',
        detail: expect.stringMatching(/HDR \((PQ|HLG)\)/),
      })
    }
  })

  it('does not offer a JPEG to a document', async () => {
    const { inner } = optionsOf(png.format, { jpg, png }, { quality: 'low' })
    expect(await inner.compress(colours(8, PQ), 'a.png', { output: 'jpg' })).toEqual({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})

it('converts PQ and HLG signals to light as the standards define', () => {
  expect(pqLight(1)).toBeCloseTo(10_000, 3)
  expect(pqLight(0.58)).toBeCloseTo(203, -1)
  expect(hlgLight(1)).toBeCloseTo(1_000, 0)
  expect(hlgLight(0.75)).toBeCloseTo(203, -1)
})

it('lowers the score for differences in highlights only', () => {
  const [side, random] = [128, randomUnitNumbers()]
  const bright = (x: number, noise: number) => Math.round(48_000 + 60 * x + noise * 6_000 * random())
  const rows = (noise: number) =>
    Uint16Array.from({ length: side * side * 4 }, (_, i) => (i % 4 === 3 ? 65535 : bright((i >> 2) % side, noise)))
  expect(pqLight(48_000 / 65535)).toBeGreaterThan(203)
  const signalling = { primaries: 9, transfer: 16, fullRange: true }
  const scoreOf = (noise: number) => {
    using meter = new HdrMeter({ width: side, height: side }, signalling, false)
    meter.push(rows(0), rows(noise))
    return meter.finish().score!
  }
  expect(scoreOf(0)).toBe(100)
  expect(scoreOf(1)).toBeLessThan(60)
})
