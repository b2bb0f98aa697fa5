/**
 * Tests pictures with a mask. Hidden pixels, which are usually black, must not be averaged into visible ones, because that gives dark rims.
 */
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { mayHaveRims, restoreHiddenPixels } from '../../../../src/core/formats/pdf/images/opacity.ts'
import { RowScaler } from '../../../../src/core/formats/pdf/images/scale.ts'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { SimilarityMeter } from '../../../../src/core/metrics/ssim-psnr.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { fewOf } from '../../../support/thorough.ts'
import { buildPdf, flate } from './build.ts'
import { press } from './run.ts'

const SIDE = 600
/** Side of the picture in points: 600 pixels at 600 dpi. */
const POINTS = 72
const RADIUS = 250
/** Minimum luma value of the disc. */
const LIGHT = 190

const distance = (x: number, y: number) => Math.hypot(x + 0.5 - SIDE / 2, y + 0.5 - SIDE / 2)

/** Light disc on a black background. */
function disc(channels: 1 | 3): Uint8Array {
  const pixels = new Uint8Array(SIDE * SIDE * channels)
  let seed = 5
  for (let i = 0; i < SIDE * SIDE; i++) {
    const [x, y] = [i % SIDE, Math.floor(i / SIDE)]
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    if (distance(x, y) > RADIUS + 0.5) continue
    for (let c = 0; c < channels; c++)
      pixels[i * channels + c] = LIGHT + 15 + 30 * Math.sin((x + y * (c + 1)) / 60) ** 2 + ((seed >> (16 + c)) % 6)
  }
  return pixels
}

/** Opacity of the disc with a soft edge, 0 to 255. */
function opacity(): Uint8Array {
  return Uint8Array.from({ length: SIDE * SIDE }, (_, i) =>
    Math.round(255 * Math.min(1, Math.max(0, RADIUS + 0.5 - distance(i % SIDE, Math.floor(i / SIDE))))),
  )
}

const softMask = (more = '') => ({
  dict: `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode${more}`,
  data: flate(opacity()),
})

/** Stencil mask: 1 outside of the disc. */
function stencil() {
  const rowBytes = (SIDE + 7) >> 3
  const bits = new Uint8Array(rowBytes * SIDE)
  for (const [i, value] of opacity().entries()) {
    const [x, y] = [i % SIDE, Math.floor(i / SIDE)]
    if (value < 128) bits[y * rowBytes + (x >> 3)]! |= 128 >> (x & 7)
  }
  const dict = `/Type/XObject/Subtype/Image/ImageMask true/Width ${SIDE}/Height ${SIDE}/BitsPerComponent 1/Filter/FlateDecode`
  return { dict, data: flate(bits) }
}

function page(picture: { dict: string; data: Uint8Array }, mask: { dict: string; data: Uint8Array }, points = POINTS): Uint8Array {
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>',
    { dict: '', data: `q ${points} 0 0 ${points} 10 10 cm /I Do Q` },
    { dict: `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/BitsPerComponent 8${picture.dict}`, data: picture.data },
    mask,
  ])
}

const samples = (mask: string, channels: 1 | 3 = 3) => ({
  dict: `/ColorSpace/Device${channels === 1 ? 'Gray' : 'RGB'}/Filter/FlateDecode/${mask} 6 0 R`,
  data: flate(disc(channels)),
})

async function jpeg() {
  const { chunks } = await encodeRows({ width: SIDE, height: SIDE, pixels: 'rgb', quality: 96, subsampled: false }, [disc(3)])
  return { dict: '/ColorSpace/DeviceRGB/Filter/DCTDecode/SMask 6 0 R', data: new Uint8Array(Buffer.concat(chunks)) }
}

async function pictureOf(bytes: Uint8Array) {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (!(object instanceof Stream) || nameOf(object.dict.get('Subtype')) !== 'Image') continue
    if (!object.dict.has('SMask') && !object.dict.has('Mask')) continue
    const [width, height] = ['Width', 'Height'].map((key) => object.dict.get(key) as number) as [number, number]
    const isJpeg = nameOf(object.dict.get('Filter')) === 'DCTDecode'
    const rows = isJpeg ? await JpegRows.open(await reader.raw(object, 1 << 24)) : undefined
    const pixels = rows ? (await rows.read(height))! : await reader.decoded(object, 1 << 24)
    return { width, height, pixels, channels: pixels.length / (width * height) }
  }
  throw new Error('no picture')
}

/** Darkest sample among the clearly visible pixels. With a stencil mask, pixels are either visible or hidden. */
function darkest({ width, height, pixels, channels }: Awaited<ReturnType<typeof pictureOf>>, ofStencil = false): number {
  const shows = ofStencil ? opacity().map((value) => (value < 128 ? 0 : 255)) : opacity()
  let least = 255
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let [sum, count] = [0, 0]
      for (let v = Math.floor((y * SIDE) / height); v < ((y + 1) * SIDE) / height; v++)
        for (let u = Math.floor((x * SIDE) / width); u < ((x + 1) * SIDE) / width; u++, count++) sum += shows[v * SIDE + u]!
      if (sum / count < 0.06 * 255) continue
      for (let c = 0; c < channels; c++) least = Math.min(least, pixels[(y * width + x) * channels + c]!)
    }
  }
  return least
}

/** Luma PSNR in dB of the stored picture, compared with the averaged original, including hidden pixels. */
function storedPsnrDb(before: Uint8Array, { width, height, pixels, channels }: Awaited<ReturnType<typeof pictureOf>>): number {
  const scaler = new RowScaler({ width: SIDE, height: SIDE, channels }, { width, height })
  const means = Array.from(scaler.push(before), (rows) => rows.slice())
  const meter = new SimilarityMeter(width, height, channels as 1 | 3)
  meter.push(concat(means), pixels)
  return meter.finish().psnrDb
}

describe.each(fewOf(['low', 'medium'] as const, 1))('a light disc whose black background a mask hides, at level %s', (quality) => {
  it.each([
    ['samples below a soft mask', () => page(samples('SMask'), softMask()), 3],
    ['grey samples below a soft mask', () => page(samples('SMask', 1), softMask()), 1],
    ['samples below a stencil', () => page(samples('Mask'), stencil()), 3],
  ] as const)('is downsampled without a dark rim, and hidden pixels meet the floors: %s', async (what, make, channels) => {
    const { outcome, bytes } = await press(make(), quality)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const picture = await pictureOf(bytes)
    expect(picture.width).toBeLessThan(SIDE)
    expect(darkest(picture, what.endsWith('stencil'))).toBeGreaterThan(LIGHT - 20)
    expect(storedPsnrDb(disc(channels), picture)).toBeGreaterThan(30)
  })

  it('has no dark rim as a downsampled JPEG, and hidden pixels meet the floors', async () => {
    const source = page(await jpeg(), softMask())
    const [before, after] = [await pictureOf(source), await pictureOf((await press(source, quality)).bytes)]
    expect(after.width).toBeLessThan(SIDE)
    expect(darkest(after)).toBeGreaterThan(LIGHT - 20)
    expect(storedPsnrDb(before.pixels, after)).toBeGreaterThan(30)
  })

  it('becomes a full-size JPEG without a dark rim', async () => {
    const { bytes } = await press(page(samples('SMask'), softMask(), 600), quality)
    const picture = await pictureOf(bytes)
    expect(picture.width).toBe(SIDE)
    expect(bytes.length).toBeLessThan(page(samples('SMask'), softMask(), 600).length * 0.8)
    expect(darkest(picture)).toBeGreaterThan(LIGHT - 20)
  })

  it('keeps every sample if its soft mask has a matte colour', async () => {
    const { bytes } = await press(page(samples('SMask'), softMask('/Matte[0 0 0]')), quality)
    const picture = await pictureOf(bytes)
    expect(Buffer.compare(picture.pixels, disc(3))).toBe(0)
  })
})

it('a small picture in a large hidden frame keeps 30 dB in its visible part', async () => {
  const small = (x: number, y: number) => distance(x, y) < 90
  const source = new Uint8Array(SIDE * SIDE)
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++)
      source[y * SIDE + x] = small(x, y) ? 128 + 70 * Math.sin(x * 0.23) * Math.cos(y * 0.19) + ((x * y) % 23) : 0
  const shows = Uint8Array.from({ length: SIDE * SIDE }, (_, i) => (small(i % SIDE, Math.floor(i / SIDE)) ? 255 : 0))
  const { chunks } = await encodeRows({ width: SIDE, height: SIDE, pixels: 'gray', quality: 97 }, [source])
  const data = new Uint8Array(Buffer.concat(chunks))
  const original = (await (await JpegRows.open(data)).read(SIDE))!
  const dict = '/ColorSpace/DeviceGray/Filter/DCTDecode/SMask 6 0 R'
  const { bytes } = await press(page({ dict, data }, { dict: softMask().dict, data: flate(shows) }, 216), 'low')
  const { width, pixels } = await pictureOf(bytes)
  const step = SIDE / width
  expect(Buffer.compare(pixels, original)).not.toBe(0)
  let [squares, count] = [0, 0]
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) {
      if (distance((x + 0.5) * step, (y + 0.5) * step) > 90 - 3 * step) continue
      let [sum, weight] = [0, 0]
      for (let v = Math.floor(y * step); v < (y + 1) * step; v++) {
        for (let u = Math.floor(x * step); u < (x + 1) * step; u++) {
          const share =
            (Math.min(u + 1, (x + 1) * step) - Math.max(u, x * step)) * (Math.min(v + 1, (y + 1) * step) - Math.max(v, y * step))
          sum += share * original[v * SIDE + u]!
          weight += share
        }
      }
      squares += (sum / weight - pixels[y * width + x]!) ** 2
      count++
    }
  }
  expect(10 * Math.log10(255 ** 2 / (squares / count))).toBeGreaterThan(30)
})

it('downsampling keeps hidden colours and does not mix them with visible ones', () => {
  const weighted = Uint8Array.from({ length: 30 }, () => 200)
  const stored = Uint8Array.from({ length: 30 }, (_, i) => i)
  const shows = Uint8Array.of(0, 5, 12, 13, 60, 255, 255, 200, 14, 0)
  restoreHiddenPixels(weighted, stored, shows)
  for (const [i, value] of shows.entries())
    expect([...weighted.subarray(i * 3, i * 3 + 3)]).toEqual(value < 13 ? [i * 3, i * 3 + 1, i * 3 + 2] : [200, 200, 200])
})

it('mayHaveRims is true only at hard mask edges between different colours', () => {
  const [width, height] = [64, 16]
  const edge = (pixels: number) =>
    Uint8Array.from({ length: width * height }, (_, i) => Math.min(255, Math.max(0, ((i % width) - 20) * (255 / pixels))))
  const flat = new Uint8Array(width * height * 3).fill(200)
  const cut = (opacity: Uint8Array) => flat.map((value, i) => (opacity[Math.floor(i / 3)]! === 0 ? 0 : value))
  expect(mayHaveRims(cut(edge(2)), edge(2), width)).toBe(true)
  expect(mayHaveRims(cut(edge(32)), edge(32), width)).toBe(false)
  expect(mayHaveRims(flat, edge(2), width)).toBe(false)
})
