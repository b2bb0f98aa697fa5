import { describe, expect, it } from 'vitest'
import { readHeifFile } from '../../../src/core/containers/heif/meta.ts'
import { readHeifPicture } from '../../../src/core/containers/heif/picture.ts'
import { box, words } from '../../../src/core/containers/isobmff/box.ts'
import { avif, convertibleAvif } from '../../../src/core/formats/avif/avif.ts'
import { codedPictureOf } from '../../../src/core/images/avif/file.ts'
import { AvifCodec, type Chroma } from '../../../src/core/images/avif/libaom.ts'
import { colourViewOf } from '../../../src/core/images/heif/planes.ts'
import { wholeRgba } from '../../../src/core/images/raster/raster.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { type JobRequest, optionsOf } from '../../../src/core/pipeline/job.ts'
import { decodeAv1 } from '../../../wasm/dav1d/dav1d.ts'
import * as file from '../../support/avif-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { photoExif } from '../../support/picture-metadata.ts'
import { pressFile } from '../../support/press-file.ts'
import { photo } from './jpg/photo.ts'

const SIZE = { width: 96, height: 64 }
const { signal } = new AbortController()
const press = (bytes: Uint8Array, request: JobRequest = {}) => pressFile(avif, bytes, 'a.avif', { quality: 'low', ...request })

/** Coded picture with these code points, in 8 bits. */
async function codedAs(primaries: number, transfer: number, matrix: number, fullRange: boolean, chroma: Chroma) {
  const { redWeight, blueWeight } = colourViewOf({ primaries, matrix, fullRange })
  using codec = await AvifCodec.open('both', { coding: { primaries, transfer, matrix, fullRange, redWeight, blueWeight } })
  const pixels = new Uint8ClampedArray(SIZE.width * SIZE.height * 4).fill(255)
  const colours = photo(SIZE.width, SIZE.height, 3)
  for (let i = 0; i < SIZE.width * SIZE.height; i++)
    for (let c = 0; c < 3; c++) pixels[4 * i + c] = colours[3 * i + (chroma === 'grey' ? 1 : c)]!
  return codedPictureOf(codec.encode({ pixels, ...SIZE }, 98, 10, chroma).slice())
}

/** Coding of a file: its property, that of the bitstream, and the properties of the picture and its alpha plane. */
async function formOf(bytes: Uint8Array) {
  const source = memorySource(bytes, 'a.avif')
  const heif = await readHeifFile(source, signal)
  const picture = await readHeifPicture(source, heif)
  const [{ offset, length }] = heif.places.get(picture.colour.tiles[0]!.id)!.extents as [{ offset: number; length: number }]
  using decoded = decodeAv1(bytes.slice(offset, offset + length), { mostPixels: 1 << 20, operatingPoint: 0 })
  const named = (id: number) =>
    heif
      .propertiesOf(id)
      .filter(({ type }) => /irot|imir|clap|pasp/.test(type))
      .map(({ type, essential, content }) => `${type} ${essential} ${content.bytes.join(' ')}`)
  return {
    nclx: picture.colours.nclx,
    coded: decoded.info,
    colour: named(heif.primary),
    alpha: picture.alphaItem === undefined ? undefined : named(picture.alphaItem),
  }
}

async function shownPixels(bytes: Uint8Array) {
  const { raster } = await convertibleAvif(memorySource(bytes, 'a.avif'), optionsOf(avif.format, {}, { output: 'png' }))
  return { width: raster.width, height: raster.height, pixels: new Uint8Array((await wholeRgba(raster)).buffer) }
}

/** Mean difference of the shown pixels. */
async function meanDifference(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [one, other] = [await shownPixels(a), await shownPixels(b)]
  expect([one.width, one.height]).toEqual([other.width, other.height])
  return one.pixels.reduce((sum, value, i) => sum + Math.abs(value - other.pixels[i]!), 0) / one.pixels.length
}

describe('AVIF of AVIF keeps the coding of colours', () => {
  it.each([
    [1, 13, 1, true, 'halved'],
    [2, 2, 2, true, 'halved'],
    [2, 2, 2, false, 'full'],
    [1, 4, 1, false, 'full'],
    [9, 1, 9, false, 'full'],
    [12, 13, 12, true, 'full'],
    [5, 6, 4, true, 'full'],
    [1, 13, 0, true, 'full'],
    [2, 2, 2, false, 'grey'],
    [1, 13, 6, true, 'grey'],
  ] as const)('code points %i/%i/%i, full range: %s, chroma: %s', async (primaries, transfer, matrix, fullRange, chroma) => {
    const coded = await codedAs(primaries, transfer, matrix, fullRange, chroma)
    for (const colour of [coded.colour, []]) {
      const bytes = file.heifFile({ items: [file.codedItem(1, coded, SIZE, colour)] })
      const { outcome, bytes: result, defect } = await press(bytes)
      expect(defect).toBeUndefined()
      expect(outcome.kind).toBe('compressed')
      const form = await formOf(result)
      expect(form.nclx).toEqual({ primaries, transfer, matrix, fullRange })
      expect(form.coded).toMatchObject({ primaries, transfer, matrix, fullRange, hasChroma: chroma !== 'grey' })
      expect(await meanDifference(bytes, result)).toBeLessThan(6)
    }
  })

  it('with ten bits, which become a grid of tiles', async () => {
    const samples = Uint16Array.from({ length: SIZE.width * SIZE.height * 4 }, (_, i) =>
      i % 4 === 3 ? 1023 : Math.round(512 + 400 * Math.sin(i / 900) * Math.cos(i / 77)),
    )
    const coding = { primaries: 9, transfer: 16, matrix: 9, fullRange: false, redWeight: 0.2627, blueWeight: 0.0593 }
    using codec = await AvifCodec.open('both', { coding })
    const coded = codedPictureOf(codec.encode16({ samples, ...SIZE }, { quality: 98, speed: 10, chroma: 'full', bits: 10 }).slice())
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, SIZE, [...coded.colour, file.irot(1)])] })
    const { outcome, bytes: result, defect } = await press(bytes)
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    const points = { primaries: 9, transfer: 16, matrix: 9, fullRange: false }
    expect(await formOf(result)).toMatchObject({ nclx: points, coded: { ...points, bits: 10 }, colour: ['irot true 1'] })
  })

  it('and stays unchanged with YCgCo, which has no encoder', async () => {
    const coded = await codedAs(1, 13, 6, true, 'full')
    const { outcome } = await press(file.heifFile({ items: [file.codedItem(1, coded, SIZE, [file.nclx(1, 13, 8)])] }))
    expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})

describe('AVIF of AVIF keeps rotation, mirroring, crop and pixel shape', () => {
  const pasp = box('pasp', words(1, 1))

  it('of the picture and of its alpha plane, each as they were', async () => {
    const coded = await codedAs(1, 13, 6, true, 'full')
    const alpha = await codedAs(2, 2, 6, true, 'none')
    const crop = file.clap({ width: 80, height: 60 }, 2, 2)
    const bytes = file.heifFile({
      items: [
        file.codedItem(1, coded, SIZE, [...coded.colour, pasp, crop, file.irot(1), file.imir(0)]),
        file.codedItem(2, alpha, SIZE, [file.auxC(file.ALPHA_URN), file.irot(3)], true),
      ],
      references: [['auxl', 2, [1]]],
    })
    const { outcome, bytes: result, defect } = await press(bytes)
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    const [before, after] = [await formOf(bytes), await formOf(result)]
    expect(after.colour).toEqual(before.colour)
    expect(after.alpha).toEqual(before.alpha)
    expect(await meanDifference(bytes, result)).toBeLessThan(6)
  })

  it('with the orientation in EXIF, which viewers ignore', async () => {
    const coded = await codedAs(1, 13, 6, true, 'full')
    const picture = file.codedItem(1, coded, SIZE, [...coded.colour, file.irot(3)])
    const exif = photoExif(false, 6)
    const bytes = file.heifFile({ items: [picture, file.exifItem(2, exif)], references: [['cdsc', 2, [1]]] })
    const { bytes: result, defect } = await press(bytes)
    expect(defect).toBeUndefined()
    expect((await formOf(result)).colour).toEqual(['irot true 3'])
    expect(Buffer.from(result).includes(exif)).toBe(true)
  })

  it('reduced: the box limits the picture as it is shown', async () => {
    const coded = await codedAs(1, 13, 6, true, 'full')
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, SIZE, [...coded.colour, file.irot(1)])] })
    const { bytes: result, defect } = await press(bytes, { fitWithin: { width: 32, height: 4096, isRequired: true } })
    expect(defect).toBeUndefined()
    expect(await shownPixels(result)).toMatchObject({ width: 32, height: 48 })
  })
})
