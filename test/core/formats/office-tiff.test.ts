/** TIFF pictures in Office documents. A PNG or JPEG replaces those that all readers show alike. */

import { expect, it } from 'vitest'
import { readPictureHeader } from '../../../src/core/embedded/image-header.ts'
import { toLosslessPng } from '../../../src/core/embedded/lossless-replacement.ts'
import { similarity } from '../../../src/core/embedded/similarity.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { docx } from '../../../src/core/formats/office/office.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { inEnglish } from '../../support/in-english.ts'
import { document, drawing, TYPES } from '../../support/office.ts'
import { partsOf, photo, pngOf, press, text, zipOf } from '../../support/packages.ts'
import { buildTiff, type Picture } from './tiff/build-tiff.ts'

const [WIDTH, HEIGHT] = [96, 64]
const TYPES_TIFF = TYPES.replace(
  '<Default Extension="rels"',
  '<Default Extension="tiff" ContentType="image/tiff"/><Default Extension="rels"',
)

/** RGB rows with an alpha sample after each pixel. */
const withAlpha = (rgb: Uint8Array, alpha: number) =>
  Uint8Array.from({ length: (rgb.length / 3) * 4 }, (_, i) => (i % 4 === 3 ? alpha : rgb[Math.floor(i / 4) * 3 + (i % 4)]!))
const rgbTiff = (pixels: Uint8Array, over: Partial<Picture> = {}, shape = {}) =>
  buildTiff([{ width: WIDTH, height: HEIGHT, bits: 8, samples: 3, pixels, ...over }], shape)

function withTiff(tiff: Uint8Array, inches = 3) {
  const parts = document(drawing('rId7', inches, (inches * 2) / 3), [['rId7', 'media/image1.tiff']], { 'word/media/image1.tiff': tiff })
  return { ...parts, '[Content_Types].xml': TYPES_TIFF } as Record<string, string | Uint8Array>
}

async function pressed(tiff: Uint8Array, quality: Quality, inches?: number) {
  const zip = await zipOf(withTiff(tiff, inches))
  const made = await press(docx, zip, quality, { jpg, png })
  const parts = await partsOf(made.bytes)
  const [name = ''] = [...parts.keys()].filter((each) => each.startsWith('word/media/'))
  return { ...made, name, picture: parts.get(name)!, parts }
}

it('converts an opaque TIFF to a PNG of the same pixels and updates name, relationship and type', async () => {
  const pixels = photo(WIDTH, HEIGHT).map((value) => value & 0xf0)
  const tiff = rgbTiff(withAlpha(pixels, 255), { samples: 4, compression: 5, rowsPerStrip: 16 }, { littleEndian: false })
  const { outcome, name, picture, parts } = await pressed(tiff, 'high')
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'compressed',
    steps: [expect.stringContaining('1 TIFF images converted to PNG or JPEG'), expect.anything()],
  })
  expect(outcome).not.toHaveProperty('loss')
  expect(name).toBe('word/media/image1.png')
  expect(await similarity(pngOf(pixels, WIDTH, HEIGHT), picture)).toMatchObject({ psnrRgbDb: Number.POSITIVE_INFINITY })
  expect(text(parts.get('word/_rels/document.xml.rels'))).toContain('Target="media/image1.png"')
  for (const part of ['[Content_Types].xml', 'word/document.xml']) expect(text(parts.get(part))).toBe(withTiff(tiff)[part])
})

it('converts a TIFF photograph to JPEG below level high', async () => {
  const { name, picture, outcome } = await pressed(rgbTiff(photo(WIDTH, HEIGHT)), 'low', 0.4)
  expect(name).toBe('word/media/image1.jpeg')
  expect(readPictureHeader(picture)?.kind).toBe('jpg')
  expect(outcome).toMatchObject({ loss: { pictures: { measuredAt: 'pixels' } } })
})

it('rejects another picture in place of a TIFF', async () => {
  const flat = (grey: number) => rgbTiff(photo(WIDTH, HEIGHT).map((value) => (value & 0x80) ^ grey))
  const { source, options } = await pressed(flat(0), 'high')
  const { bytes, outcome } = await pressed(flat(0x80), 'high')
  const verdict = await docx.verify(source, memorySource(bytes, 'a.docx'), outcome, options)
  expect(verdict).toMatchObject({ equal: false, difference: expect.stringContaining('SSIM') })
})

const short = (tag: number, value: number) => ({ tag, type: 3, count: 1, bytes: Uint8Array.of(value, 0) })
const profile = (space: string) => {
  const bytes = new Uint8Array(128)
  bytes.set(new TextEncoder().encode(space), 16)
  return { tag: 34675, type: 7, count: bytes.length, bytes }
}

it.each<[string, Partial<Picture>]>([
  ['is translucent', { samples: 4, pixels: withAlpha(photo(WIDTH, HEIGHT), 254) }],
  ['is turned', { extra: [short(274, 6)] }],
  ['has 16 bits', { bits: 16, pixels: new Uint8Array(WIDTH * HEIGHT * 6) }],
  ['has planes', { planar: true }],
  ['has tiles', { tile: [64, 64] }],
  ['has a grey profile', { extra: [profile('GRAY')] }],
  ['carries what PNG has no place for', { extra: [{ tag: 34377, type: 7, count: 4, bytes: new Uint8Array(4) }] }],
])('a TIFF that %s stays one', async (_, over) => {
  expect(await toLosslessPng(rgbTiff(photo(WIDTH, HEIGHT), over))).toBeUndefined()
})

it('leaves multi-page and truncated TIFFs unchanged', async () => {
  const page: Picture = { width: WIDTH, height: HEIGHT, bits: 8, samples: 3, pixels: photo(WIDTH, HEIGHT) }
  expect(await toLosslessPng(buildTiff([page, page]))).toBeUndefined()
  expect(await toLosslessPng(rgbTiff(photo(WIDTH, HEIGHT), { compression: 5 }).subarray(0, 2000))).toBeUndefined()
})

it('keeps profile, resolution and texts of a TIFF in the PNG', async () => {
  const rational = (tag: number) => ({ tag, type: 5, count: 1, bytes: new Uint8Array(Uint32Array.of(300, 1).buffer) })
  const made = new TextEncoder().encode('a scanner\0')
  const extra = [rational(282), rational(283), short(296, 2), { tag: 305, type: 2, count: made.length, bytes: made }, profile('RGB ')]
  const found = Buffer.from((await toLosslessPng(rgbTiff(photo(WIDTH, HEIGHT), { extra })))!)
  expect(found.includes('tEXtSoftware\0a scanner')).toBe(true)
  expect(found.includes('iCCPICC profile\0')).toBe(true)
  expect(found.readUInt32BE(found.indexOf('pHYs') + 4)).toBe(11811)
})
