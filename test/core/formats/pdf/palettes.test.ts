/** Checks that pictures with at most 256 colours are stored with a palette and unchanged pixels. */

import { describe, expect, it } from 'vitest'
import { imageFacts, imageFilter } from '../../../../src/core/formats/pdf/images/facts.ts'
import { decodeJbig2 } from '../../../../src/core/formats/pdf/images/jbig2.ts'
import { openRows, unpackSamples } from '../../../../src/core/formats/pdf/images/rows.ts'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { serialise } from '../../../../src/core/formats/pdf/serialise.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { fewOf } from '../../../support/thorough.ts'
import { buildPdf, flate, type Part } from './build.ts'
import { press } from './run.ts'

const [WIDTH, HEIGHT] = [300, 220]

/** Boxes and strokes in `colours` colours, like a program window. `samples`: bytes per pixel; equal bytes give equal colours. */
function screenshot(colours: number, samples: number): Uint8Array {
  const pixels = new Uint8Array(WIDTH * HEIGHT * samples)
  let seed = 11
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed >> 16
  }
  const entries = Array.from({ length: colours }, (_, i) => Array.from({ length: samples }, (_, c) => (i * (37 + 22 * c) + c * 50) & 255))
  const fill = (left: number, top: number, width: number, height: number, entry: readonly number[]) => {
    for (let y = top; y < Math.min(HEIGHT, top + height); y++)
      for (let x = left; x < Math.min(WIDTH, left + width); x++) pixels.set(entry, (y * WIDTH + x) * samples)
  }
  fill(0, 0, WIDTH, HEIGHT, entries[0]!)
  for (let i = 0; i < 40; i++) fill(next() % WIDTH, next() % HEIGHT, 20 + (next() % 90), 10 + (next() % 40), entries[i % colours]!)
  for (let i = 0; i < 2500; i++) fill(next() % WIDTH, next() % HEIGHT, 1 + (next() % 4), 1 + (next() % 2), entries[i % colours]!)
  return pixels
}

const numbers = (dict: string) => `/Type/XObject/Subtype/Image/Width ${WIDTH}/Height ${HEIGHT}${dict}`

function documentOf(dict: string, data: Uint8Array, extra: readonly Part[] = []): Uint8Array {
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 220]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>',
    { dict: '', data: `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /I Do Q` },
    { dict: numbers(`${dict}/Filter/FlateDecode`), data: flate(data) },
    ...extra,
  ])
}

/** Image streams in file order. */
async function imagesOf(bytes: Uint8Array) {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  const streams: Stream[] = []
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (object instanceof Stream && nameOf(object.dict.get('Subtype')) === 'Image') streams.push(object)
  }
  return { reader, streams }
}

async function pixelsOf(bytes: Uint8Array, index = 0): Promise<Buffer> {
  const { reader, streams } = await imagesOf(bytes)
  const stream = streams[index]!
  const facts = await imageFacts(reader, stream, await reader.filters(stream))
  const strips: Uint8Array[] = []
  const isJbig2 = imageFilter(facts!) === 'JBIG2Decode'
  const rows = isJbig2
    ? unpackSamples(decodeJbig2(await reader.raw(stream, 1 << 20), WIDTH, HEIGHT), facts!)
    : await openRows(reader, stream, facts!)
  for await (const strip of rows.strips) strips.push(strip.slice())
  return Buffer.concat(strips)
}

/** Family, base and bits per component of an image's colour space. */
async function spaceOf(bytes: Uint8Array, index = 0) {
  const { reader, streams } = await imagesOf(bytes)
  const { dict } = streams[index]!
  const space = await reader.resolve(dict.get('ColorSpace'))
  const base = Array.isArray(space) ? await reader.resolve(space[1]) : null
  return {
    family: Array.isArray(space) ? nameOf(await reader.resolve(space[0])) : nameOf(space),
    base: Array.isArray(base) ? nameOf(base[0]) : nameOf(base),
    highest: Array.isArray(space) ? space[2] : undefined,
    bits: dict.get('BitsPerComponent'),
  }
}

describe('a picture with at most 256 colours', () => {
  it.each([
    [2, 2],
    [4, 2],
    [13, undefined],
    [17, 8],
    [256, 8],
  ])('with %i RGB colours gets a palette at every level and keeps every pixel', async (colours, bits) => {
    const pixels = screenshot(colours, 3)
    const bytes = documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8', pixels)
    for (const quality of fewOf(['low', 'medium', 'high'] as const, 1)) {
      const { outcome, bytes: result } = await press(bytes, quality)
      expect(inEnglish(withFidelity(outcome))).toMatchObject({
        fidelity: 'lossless',
        steps: expect.arrayContaining(['1 images stored losslessly with a palette or fewer bits per pixel']),
      })
      expect(await spaceOf(result)).toEqual({
        family: 'Indexed',
        base: 'DeviceRGB',
        highest: colours - 1,
        bits: bits ?? expect.any(Number),
      })
      expect((await pixelsOf(result)).equals(Buffer.from(pixels))).toBe(true)
    }
  })

  it('becomes smaller than its RGB samples', async () => {
    const pixels = screenshot(13, 3)
    const bytes = documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8', pixels)
    const { reader, streams } = await imagesOf((await press(bytes, 'high')).bytes)
    const keyed = documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8/Mask[1 1 1 1 1 1]', pixels)
    const whole = await imagesOf((await press(keyed, 'high')).bytes)
    expect(await reader.length(streams[0]!)).toBeLessThan((await whole.reader.length(whole.streams[0]!)) * 0.9)
  })

  it.each([
    ['DeviceCMYK', '/DeviceCMYK', 4],
    ['ICCBased', '[/ICCBased 6 0 R]', 3],
  ])('keeps its colour space %s as the base of the palette', async (family, space, samples) => {
    const pixels = screenshot(13, samples)
    const profile = { dict: '/N 3/Alternate/DeviceRGB', data: 'not read by anybody here, only kept' }
    const bytes = documentOf(`/ColorSpace${space}/BitsPerComponent 8/Intent/Perceptual`, pixels, [profile])
    const { outcome, bytes: result } = await press(bytes, 'high')
    expect(withFidelity(outcome)).toMatchObject({ fidelity: 'lossless' })
    expect(await spaceOf(result)).toEqual({ family: 'Indexed', base: family, highest: 12, bits: expect.any(Number) })
    expect((await pixelsOf(result)).equals(Buffer.from(pixels))).toBe(true)
    expect(nameOf((await imagesOf(result)).streams[0]!.dict.get('Intent'))).toBe('Perceptual')
  })

  it('with two colours gets two bits per pixel, because pdfimages reads one bit as black and white', async () => {
    const coloured = screenshot(2, 3)
    const first = await press(documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8', coloured), 'high')
    expect(await spaceOf(first.bytes)).toMatchObject({ family: 'Indexed', highest: 1, bits: 2 })
    expect((await pixelsOf(first.bytes)).equals(Buffer.from(coloured))).toBe(true)
    const drawn = screenshot(2, 1)
    const rgb = Uint8Array.from({ length: drawn.length * 3 }, (_, i) => (drawn[Math.floor(i / 3)] === drawn[0] ? 0 : 255))
    const second = await press(documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8', rgb), 'high')
    expect(await spaceOf(second.bytes)).toMatchObject({ family: 'Indexed', highest: 1, bits: 1 })
    expect((await pixelsOf(second.bytes)).equals(Buffer.from(rgb))).toBe(true)
  })

  it.each([
    ['DeviceRGB', [255, 255, 255], [206, 120, 131]],
    ['DeviceGray', [230], [17]],
  ])('with two scattered colours in %s also gets more than one bit per pixel', async (space, light, dark) => {
    const pixels = new Uint8Array(WIDTH * HEIGHT * light.length)
    for (let i = 0, seed = 5; i < WIDTH * HEIGHT; i++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      pixels.set((seed >> 16) % 5 ? light : dark, i * light.length)
    }
    for (const quality of ['high', 'low'] as const) {
      const { outcome, bytes } = await press(documentOf(`/ColorSpace/${space}/BitsPerComponent 8`, pixels), quality)
      expect(outcome.kind).toBe('compressed')
      expect((await spaceOf(bytes)).bits).toBeGreaterThan(1)
      expect((await pixelsOf(bytes)).equals(Buffer.from(pixels))).toBe(true)
    }
  })

  it('with few greys gets fewer bits per pixel', async () => {
    const even = screenshot(4, 1).map((value) => (value % 4) * 85)
    const first = await press(documentOf('/ColorSpace/DeviceGray/BitsPerComponent 8', even), 'high')
    expect(await spaceOf(first.bytes)).toMatchObject({ family: 'DeviceGray', bits: 2 })
    expect((await pixelsOf(first.bytes)).equals(Buffer.from(even))).toBe(true)
  })

  it('whose palette has unused entries gets a smaller palette', async () => {
    const table = Array.from({ length: 256 }, (_, i) =>
      [i, 255 - i, (i * 7) & 255].map((v) => v.toString(16).padStart(2, '0')).join(''),
    ).join('')
    const indices = screenshot(3, 1)
    const bytes = documentOf(`/ColorSpace[/Indexed/DeviceRGB 255<${table}>]/BitsPerComponent 8`, indices)
    const { bytes: result } = await press(bytes, 'high')
    expect(await spaceOf(result)).toEqual({ family: 'Indexed', base: 'DeviceRGB', highest: 2, bits: 2 })
    expect((await pixelsOf(result)).equals(await pixelsOf(bytes))).toBe(true)
  })

  it('keeps its soft mask, which gets no palette', async () => {
    const mask = { dict: numbers('/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode'), data: flate(screenshot(7, 1)) }
    const bytes = documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8/SMask 6 0 R', screenshot(13, 3), [mask])
    const { bytes: result } = await press(bytes, 'high')
    const spaces = [await spaceOf(result, 0), await spaceOf(result, 1)]
    expect(spaces.map((space) => space.family).sort()).toEqual(['DeviceGray', 'Indexed'])
    for (const index of [0, 1]) {
      const at = spaces[index]!.family === 'Indexed' ? 0 : 1
      expect((await pixelsOf(result, index)).equals(await pixelsOf(bytes, at))).toBe(true)
    }
  })

  it.each([
    ['colour key masking, whose ranges refer to samples', '/ColorSpace/DeviceRGB/BitsPerComponent 8/Mask[0 3 0 90 0 120]', []],
    [
      'a calibrated colour space, which PDFium shows differently with a palette',
      '/ColorSpace[/CalRGB<</WhitePoint[0.95 1 1.09]/Gamma[2.2 2.2 2.2]>>]/BitsPerComponent 8',
      [],
    ],
    ['a /Decode array', '/ColorSpace/DeviceRGB/BitsPerComponent 8/Decode[0 1 0.2 0.9 0 1]', []],
    [
      'a soft mask with a matte colour, which has one value per component',
      '/ColorSpace/DeviceRGB/BitsPerComponent 8/SMask 6 0 R',
      [{ dict: numbers('/ColorSpace/DeviceGray/BitsPerComponent 8/Matte[0 0 0]'), data: new Uint8Array(WIDTH * HEIGHT).fill(128) }],
    ],
  ] as const)('keeps its samples with %s', async (_why, dict, extra) => {
    const { bytes } = await press(documentOf(dict, screenshot(13, 3), extra), 'high')
    const { reader, streams } = await imagesOf(bytes)
    const image = streams.find((stream) => stream.dict.get('BitsPerComponent') === 8 && !stream.dict.has('Matte'))!
    expect(image.dict.get('BitsPerComponent')).toBe(8)
    expect(Buffer.from(await reader.decoded(image, 1 << 20)).equals(Buffer.from(screenshot(13, 3)))).toBe(true)
    if (dict.includes('Mask[')) expect(serialise(image.dict.get('Mask')!, String)).toBe('[0 3 0 90 0 120]')
  })

  it('keeps its samples with 257 colours', async () => {
    const pixels = screenshot(13, 3)
    for (let i = 0; i < 257; i++) pixels.set([i & 255, i >> 8, 77], i * 3)
    const { bytes } = await press(documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8', pixels), 'high')
    expect(await spaceOf(bytes)).toMatchObject({ family: 'DeviceRGB', bits: 8 })
  })

  it('keeps 16 bits per sample', async () => {
    const deep = new Uint8Array(WIDTH * HEIGHT * 2)
    for (const [i, value] of screenshot(13, 1).entries()) deep.set([value, 255 - value], i * 2)
    const { bytes } = await press(documentOf('/ColorSpace/DeviceGray/BitsPerComponent 16', deep), 'high')
    expect(await spaceOf(bytes)).toMatchObject({ family: 'DeviceGray', bits: 16 })
  })
})

/** Round dots in three colours on white with anti-aliased edges, like text on a screen: hundreds of colours. */
function smoothDots(): Uint8Array {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3).fill(255)
  const inks = [
    [200, 0, 0],
    [0, 0, 190],
    [0, 0, 0],
  ]
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const [column, row] = [Math.floor(x / 15), Math.floor(y / 11)]
      const distance = Math.hypot((x % 15) - 7 - (column % 5) / 5, (y % 11) - 5 - (row % 3) / 3)
      const cover = Math.max(0, Math.min(1, 4.2 - distance))
      for (let c = 0; c < 3; c++) pixels[(y * WIDTH + x) * 3 + c] = Math.round(255 + (inks[row % 3]![c]! - 255) * cover)
    }
  }
  return pixels
}

describe('a drawing with anti-aliased edges and more than 256 colours', () => {
  it('gets the palette of a PNG at low and medium, and keeps every pixel at high', async () => {
    const pixels = smoothDots()
    // With fewer colours the picture would get an exact palette.
    for (let i = 0; i < 300; i++) pixels.set([(i * 7) & 255, 255 - (i >> 1), (i * 5) & 255], (WIDTH * 5 + i) * 3)
    const bytes = documentOf('/ColorSpace/DeviceRGB/BitsPerComponent 8', pixels)
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes: result } = await press(bytes, quality)
      sizes.push(result.length)
      if (quality === 'high') {
        expect(withFidelity(outcome)).toMatchObject({ fidelity: 'lossless' })
        expect((await pixelsOf(result)).equals(Buffer.from(pixels))).toBe(true)
        continue
      }
      expect(inEnglish(withFidelity(outcome))).toMatchObject({
        fidelity: 'perceptual',
        steps: expect.arrayContaining(['1 images reduced to a palette of fewer colours']),
      })
      expect(await spaceOf(result)).toMatchObject({ family: 'Indexed', base: 'DeviceRGB' })
    }
    expect(sizes[0]).toBeLessThanOrEqual(sizes[1]!)
    expect(sizes[1]).toBeLessThan(sizes[2]! * 0.8)
  })
})
