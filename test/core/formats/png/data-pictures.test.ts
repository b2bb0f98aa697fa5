/** Data pictures keep every sample at every level, and the receipt gives the reason; ordinary pictures are not treated as data. */

import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { bmp } from '../../../../src/core/formats/bmp/bmp.ts'
import { readHeader } from '../../../../src/core/formats/bmp/header.ts'
import { openPixels } from '../../../../src/core/formats/bmp/pixels.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import type { Quality } from '../../../../src/core/model/codec.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { decodePng, type RowForm, readPngInfo } from '../../../../wasm/png/png.ts'
import { decodeWebp } from '../../../../wasm/webp/webp.ts'
import { inEnglish, textsOf } from '../../../support/in-english.ts'
import { photo, pngOf } from '../../../support/packages.ts'
import { bmpFile } from '../../../support/picture-files.ts'
import { plainPng, randomUnitNumbers } from '../../../support/plain-png.ts'
import { pressFile } from '../../../support/press-file.ts'
import { fewOf } from '../../../support/thorough.ts'

const [WIDTH, HEIGHT] = [160, 120]
const form = (colourType: 0 | 2 | 3 | 4 | 6, bitDepth: 8 | 16, palette?: readonly number[]) => ({
  width: WIDTH,
  height: HEIGHT,
  colourType,
  bitDepth,
  ...(palette && { palette }),
})
const random = randomUnitNumbers(7)

/** Height map of hills, 0 to 1. */
const hills = (x: number, y: number) => 0.5 + 0.25 * Math.sin(x / 19 + y / 43) + 0.25 * Math.cos(y / 17 - x / 61)
/** Seed points of cells, which are areas with straight borders. */
const SEEDS = Array.from({ length: 21 }, () => [random() * WIDTH, random() * HEIGHT] as const)
function label(x: number, y: number): number {
  const distances = SEEDS.map(([a, b]) => (a - x) ** 2 + (b - y) ** 2)
  return distances.indexOf(Math.min(...distances))
}
const COLOURS = SEEDS.map(() => [random() * 255, random() * 255, random() * 255].map(Math.floor))
/** Label palette of PASCAL VOC: the bits of the index, lowest three first, fill each channel from its highest bit down. */
const VOC = Array.from({ length: 256 }, (_, index) =>
  [0, 1, 2].map((c) => [0, 1, 2].reduce((sum, bit) => sum + (((index >> (3 * bit + c)) & 1) << (7 - bit)), 0)),
).flat()
const bytesOf = (code: number) => [(code >> 16) & 255, (code >> 8) & 255, code & 255]
const normal = (x: number, y: number, depth = 20) => {
  const [a, b] = [hills(x + 1, y) - hills(x - 1, y), hills(x, y + 1) - hills(x, y - 1)].map((slope) => slope * depth)
  const length = Math.hypot(a!, b!, 1)
  return [-a! / length, -b! / length, 1 / length].map((value) => value / 2 + 0.5)
}
const noise = (from: number) => Math.floor(random() * from)

const DATA: readonly (readonly [string, Uint8Array, RegExp])[] = [
  [
    'depth in millimetres',
    plainPng(form(0, 16), (x, y) => [x < 20 ? 0 : Math.round(600 + 3_000 * hills(x, y)) + noise(9)]),
    /16-bit measurements/,
  ],
  ['disparity times 256', plainPng(form(0, 16), (x, y) => [Math.round(hills(x, y) * 96) * 256]), /16-bit measurements/],
  ['smooth heights over the whole range', plainPng(form(0, 16), (x, y) => [Math.round(hills(x, y) * 65535)]), /steps finer than 8 bits/],
  ['12 bits of a sensor', plainPng(form(0, 16), () => [2_000 + noise(1_500)]), /16-bit measurements/],
  ['depth with alpha', plainPng(form(4, 16), (x, y) => [Math.round(9_000 * hills(x, y)), 65535]), /16-bit measurements/],
  ['classes as grey values', plainPng(form(0, 8), (x, y) => [label(x, y)]), /label mask/],
  ['classes as colours', plainPng(form(2, 8), (x, y) => COLOURS[label(x, y)]!), /label mask with 21 values/],
  ['classes as indices of the VOC palette', plainPng(form(3, 8, VOC), (x, y) => [label(x, y)]), /label mask/],
  ['instances with alpha', plainPng(form(6, 8), (x, y) => [...COLOURS[label(x, y)]!, 255]), /label mask/],
  ['a normal map', plainPng(form(2, 8), (x, y) => normal(x, y).map((value) => Math.round(value * 255))), /normal map/],
  [
    'a normal map of a nearly flat surface',
    plainPng(form(2, 8), (x, y) => normal(x, y, 1).map((value) => Math.round(value * 255))),
    /normal map/,
  ],
  ['a normal map of 16 bits', plainPng(form(2, 16), (x, y) => normal(x, y).map((value) => Math.round(value * 65535))), /normal map/],
  [
    'Mapbox Terrain-RGB',
    plainPng(form(2, 8), (x, y) => bytesOf(Math.round((10_000 + 900 * hills(x, y) + random()) * 10))),
    /heights or depths/,
  ],
  ['Terrarium', plainPng(form(2, 8), (x, y) => bytesOf(Math.round((32_768 + 400 * hills(x, y)) * 256))), /heights or depths/],
  ['depth with its low byte in red', plainPng(form(2, 8), (x, y) => bytesOf(Math.round(hills(x, y) * 3e5)).reverse()), /heights or depths/],
  [
    'flow near zero with a flag',
    plainPng(form(2, 16), (x, y) => [
      32_768 + Math.round(4_000 * (hills(x, y) - 0.5)),
      32_768 + Math.round(4_000 * (hills(y, x) - 0.5)),
      1,
    ]),
    /flow map/,
  ],
  ['flow of 16 bits with a flag', plainPng(form(2, 16), (x, y) => [32_768 + noise(3_000), 32_768 - noise(3_000), (x + y) % 2]), /flow map/],
]

async function samplesOf(file: Uint8Array, rows: RowForm): Promise<Buffer> {
  const all: Uint8Array[] = []
  await decodePng(memorySource(file, '').stream(), rows, (row) => void all.push(row.slice()))
  return Buffer.from(concat(all))
}

describe('data in PNG keeps every sample at every level, with the reason in the receipt', () => {
  it.each(DATA)('%s', async (_, file, why) => {
    for (const quality of fewOf(['low', 'medium', 'high'] as const, 1)) {
      const { outcome, bytes, defect } = await pressFile(png, file, 'data.png', { quality })
      expect(defect).toBeUndefined()
      if (outcome.kind !== 'compressed') throw new Error(`unchanged at ${quality}`)
      expect(outcome.loss).toBeUndefined()
      expect(textsOf(outcome.steps)[0]).toMatch(why)
      expect((await samplesOf(bytes, 'rgba16')).equals(await samplesOf(file, 'rgba16'))).toBe(true)
    }
  })

  it.each([
    'classes as grey values',
    'classes as indices of the VOC palette',
    'depth in millimetres',
  ])('keeps the stored numbers of %s, not only the colours', async (name) => {
    const [, file] = DATA.find(([known]) => known === name)!
    const { bytes } = await pressFile(png, file, 'data.png', { quality: 'low' })
    expect((await samplesOf(bytes, 'native')).equals(await samplesOf(file, 'native'))).toBe(true)
    const [before, after] = await Promise.all([file, bytes].map((each) => readPngInfo(memorySource(each, '').stream())))
    expect(after!.header).toEqual(before!.header)
  })

  it('keeps lookup tables lossless: Hald of level 5, and a strip of 16 squares', async () => {
    const graded = (r: number, g: number, b: number) => [r ** 0.9, g, b ** 1.1 * 0.9].map((value) => Math.round(value * 255))
    const hald = plainPng({ width: 125, height: 125, colourType: 2, bitDepth: 8 }, (x, y) => {
      const at = y * 125 + x
      return graded((at % 25) / 24, (Math.floor(at / 25) % 25) / 24, Math.floor(at / 625) / 24)
    })
    const strip = plainPng({ width: 256, height: 16, colourType: 2, bitDepth: 8 }, (x, y) => graded((x % 16) / 15, y / 15, (x >> 4) / 15))
    for (const file of [hald, strip]) {
      const { outcome } = await pressFile(png, file, 'lut.png', { quality: 'low' })
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'compressed',
        steps: expect.arrayContaining([expect.stringContaining('lookup table')]),
      })
      expect(outcome).not.toHaveProperty('loss')
    }
  })

  it('does not downsample a mask that a document shows smaller', async () => {
    const [, file] = DATA.find(([name]) => name === 'classes as colours')!
    const { bytes } = await pressFile(png, file, 'a.png', { quality: 'low', fitWithin: { width: 40, height: 30 } })
    expect((await readPngInfo(memorySource(bytes, '').stream())).header.width).toBe(WIDTH)
  })
})

describe('data in another format', () => {
  const mask = DATA.find(([name]) => name === 'classes as colours')![1]
  const depth = DATA.find(([name]) => name === 'depth in millimetres')![1]

  it('converts a mask to WebP losslessly', async () => {
    const { outcome, bytes } = await pressFile(png, mask, 'mask.png', { quality: 'low', output: 'webp' })
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining([expect.stringMatching(/compressed losslessly, .*label mask/)]),
    })
    const rgba = await samplesOf(mask, 'rgba8')
    expect(Buffer.from(decodeWebp(bytes, WIDTH, HEIGHT)!).equals(rgba)).toBe(true)
  })

  it.each([
    ['a mask as JPEG', mask, 'jpg'],
    ['a mask as AVIF', mask, 'avif'],
    ['depths as WebP', depth, 'webp'],
  ] as const)('warns about data as %s', async (_, file, output) => {
    const { outcome } = await pressFile(png, file, 'data.png', { quality: 'high', output })
    if (outcome.kind === 'compressed')
      expect(textsOf(outcome.steps)).toEqual(expect.arrayContaining([expect.stringMatching(/^warning: .* not kept/)]))
    else expect(outcome.reason).toMatch(/no_gain|unsupported_feature|below_floor/)
  })

  it('keeps every colour of a label BMP as PNG', async () => {
    const rgb = Uint8Array.from(
      { length: WIDTH * HEIGHT * 3 },
      (_, i) => COLOURS[label(Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH))]![i % 3]!,
    )
    const { outcome, bytes } = await pressFile(bmp, bmpFile(WIDTH, HEIGHT, rgb), 'a.bmp', { quality: 'low', output: 'png' })
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.arrayContaining([expect.stringContaining('label mask')]) })
    expect((await samplesOf(bytes, 'rgb8')).equals(Buffer.from(rgb))).toBe(true)
  })
})

describe('data in BMP', () => {
  it('keeps the index of every pixel', async () => {
    const file = new Uint8Array(54 + 1024 + WIDTH * HEIGHT)
    const view = new DataView(file.buffer)
    file.set([0x42, 0x4d])
    const fields = [
      [2, file.length],
      [10, 1078],
      [14, 40],
      [18, WIDTH],
      [22, HEIGHT],
      [26, 0x80001],
      [34, WIDTH * HEIGHT],
    ] as const
    for (const [at, value] of fields) view.setUint32(at, value, true)
    for (let i = 0; i < 256; i++) file.set([VOC[i * 3 + 2]!, VOC[i * 3 + 1]!, VOC[i * 3]!], 54 + i * 4)
    for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) file[1078 + (HEIGHT - 1 - y) * WIDTH + x] = label(x, y)
    const { outcome, bytes, defect } = await pressFile(bmp, file, 'mask.bmp', { quality: 'low' })
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.arrayContaining([expect.stringContaining('label mask')]) })
    expect(Buffer.from(bytes.subarray(54, 1078)).equals(Buffer.from(file.subarray(54, 1078)))).toBe(true)
    const header = await readHeader(memorySource(bytes, ''))
    const pixels = await openPixels(memorySource(bytes, ''), header, { signal: new AbortController().signal } as never)
    let y = 0
    for await (const row of pixels.rows('top-down')) {
      expect([...row.subarray(0, WIDTH)]).toEqual(Array.from({ length: WIDTH }, (_, x) => label(x, y)))
      y++
    }
    expect(y).toBe(HEIGHT)
  })
})

describe('ordinary pictures are not treated as data', () => {
  const shaded = photo(WIDTH, HEIGHT)
  it.each([
    ['a photograph', pngOf(shaded, WIDTH, HEIGHT)],
    [
      'a grey photograph of 16 bits, whose noise hides the low byte',
      plainPng(form(0, 16), (x, y) => [Math.round(4_000 + 55_000 * hills(x, y)) + noise(2_000)]),
    ],
    [
      'a grey photograph of 8 bits, stored with another gamma in 16',
      plainPng(form(0, 16), (x, y) => [Math.round((Math.min(255, Math.round(20 + 200 * hills(x, y)) + noise(30)) / 255) ** 1.3 * 65535)]),
    ],
    [
      'a drawing with smooth borders',
      plainPng(form(2, 8), (x, y) => {
        const cover = Math.min(1, Math.max(0, (Math.hypot(x - 80, y - 60) - 40) / 2 + 0.5))
        return [cover * 255, 40 + cover * 200, 90].map(Math.round)
      }),
    ],
    ['a sky of one hue', plainPng(form(2, 8), (_, y) => [110 + y / 2, 170 + y / 3 + noise(3), 235].map(Math.round))],
    ['text of dots', plainPng(form(0, 8), (x, y) => [(x * 7 + y * 3) % 5 < 2 && y % 12 < 8 ? 0 : 255])],
  ] as const)('%s', async (_, file) => {
    const quality: Quality = 'medium'
    const { outcome } = await pressFile(png, file, 'a.png', { quality })
    if (outcome.kind === 'compressed') expect(textsOf(outcome.steps).join()).not.toContain('data')
  })
})
