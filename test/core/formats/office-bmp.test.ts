/** BMP pictures in Office documents, and PNGs that Deflate compresses again in any package. */

import { expect, it } from 'vitest'
import { readPictureHeader } from '../../../src/core/embedded/image-header.ts'
import { readPlainBmp } from '../../../src/core/embedded/plain-bmp.ts'
import { recompressPicture } from '../../../src/core/embedded/recompress.ts'
import { similarity } from '../../../src/core/embedded/similarity.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { docx } from '../../../src/core/formats/office/office.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { inEnglish } from '../../support/in-english.ts'
import { document, drawing, TYPES } from '../../support/office.ts'
import { mockInner, NOTHING_LENT, partsOf, photo, pngOf, press, text, zipOf } from '../../support/packages.ts'
import { bmpFile } from '../../support/picture-files.ts'

const [WIDTH, HEIGHT] = [300, 200]
const WITH_BMP = TYPES.replace('<Default Extension="rels"', '<Default Extension="bmp" ContentType="image/bmp"/><Default Extension="rels"')

function withBmp(pixels: Uint8Array, inches = 3) {
  const parts = document(drawing('rId7', inches, (inches * 2) / 3), [['rId7', 'media/image1.bmp']], {
    'word/media/image1.bmp': bmpFile(WIDTH, HEIGHT, pixels),
  })
  return { ...parts, '[Content_Types].xml': WITH_BMP }
}

async function pressed(pixels: Uint8Array, quality: Quality, inches?: number) {
  const zip = await zipOf(withBmp(pixels, inches))
  const { outcome, bytes } = await press(docx, zip, quality, { jpg, png })
  const parts = await partsOf(bytes)
  const [name = ''] = [...parts.keys()].filter((each) => each.startsWith('word/media/'))
  return { outcome, name, picture: parts.get(name)!, parts, size: bytes.length, zip }
}

it('converts a BMP to a PNG of the same pixels and updates name, relationship and type', async () => {
  const pixels = photo(WIDTH, HEIGHT).map((value) => value & 0xf0)
  const { outcome, name, picture, parts } = await pressed(pixels, 'high')
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'compressed',
    steps: [expect.stringContaining('1 BMP images converted to PNG or JPEG'), expect.anything()],
  })
  expect(outcome).not.toHaveProperty('loss')
  expect(name).toBe('word/media/image1.png')
  expect(await similarity(pngOf(pixels, WIDTH, HEIGHT), picture)).toMatchObject({ psnrRgbDb: Number.POSITIVE_INFINITY })
  const before = withBmp(pixels) as Record<string, string | Uint8Array>
  expect([...parts.keys()]).toEqual(Object.keys(before).map((each) => each.replace('image1.bmp', 'image1.png')))
  expect(text(parts.get('word/_rels/document.xml.rels'))).toContain('Target="media/image1.png"')
  for (const part of ['[Content_Types].xml', 'word/document.xml']) expect(text(parts.get(part))).toBe(before[part])
})

it('converts a BMP photograph to JPEG below level high', async () => {
  const { outcome, name, picture, size, zip } = await pressed(photo(WIDTH, HEIGHT), 'low', 0.8)
  expect(name).toBe('word/media/image1.jpeg')
  expect(readPictureHeader(picture)?.kind).toBe('jpg')
  expect(outcome).toMatchObject({ loss: { pictures: { measuredAt: 'pixels' } } })
  expect(size).toBeLessThan(zip.length / 2)
})

it('rejects another picture or a worse one in place of a BMP', async () => {
  const { source } = await press(docx, await zipOf(withBmp(photo(WIDTH, HEIGHT))), 'high', NOTHING_LENT)
  const { bytes, outcome, options } = await press(docx, await zipOf(withBmp(photo(WIDTH, HEIGHT, 9))), 'high', { jpg, png })
  const verdict = await docx.verify(source, memorySource(bytes, 'a.docx'), outcome, options)
  expect(verdict).toMatchObject({ equal: false, difference: expect.stringContaining('SSIM') })
})

/** A PNG of one grey with an unused chunk: `noise` incompressible bytes, then blanks. */
function padded(bytes: number, noise = 0): Uint8Array {
  const plain = pngOf(new Uint8Array(300).fill(90), 10, 10)
  const chunk = new Uint8Array(12 + bytes).fill(32)
  new DataView(chunk.buffer).setUint32(0, bytes)
  chunk.set(new TextEncoder().encode('teXt'), 4)
  for (let i = 0; i < noise; i++) chunk[8 + i] = Math.imul(i + 1, 2_654_435_761) >>> 24
  return new Uint8Array(Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(33)]))
}

it('reads palettes, top-down rows and 32 bits, and refuses BMPs that readers show differently', () => {
  const file = (bits: number, pixels: readonly number[], change: (view: DataView) => void = () => undefined) => {
    const palette = bits <= 8 ? Array.from({ length: 4 << bits }, (_, i) => (i % 4 === 3 ? 0 : 255 - i)) : []
    const bytes = new Uint8Array(54 + palette.length + pixels.length)
    bytes.set([0x42, 0x4d])
    bytes.set(palette, 54)
    bytes.set(pixels, 54 + palette.length)
    const view = new DataView(bytes.buffer)
    for (const [at, value] of [
      [10, 54 + palette.length],
      [14, 40],
      [18, 3],
      [22, 2],
    ] as const)
      view.setUint32(at, value, true)
    view.setUint16(26, 1, true)
    view.setUint16(28, bits, true)
    change(view)
    return readPlainBmp(bytes)
  }
  const rows = (bmp: ReturnType<typeof file>) => bmp && [0, 1].map((y) => [...bmp.row(y)])
  const entry = (index: number) => [255 - index * 4 - 2, 255 - index * 4 - 1, 255 - index * 4]
  expect(rows(file(8, [0, 1, 2, 9, 3, 4, 5, 9]))).toEqual([[3, 4, 5].flatMap(entry), [0, 1, 2].flatMap(entry)])
  expect(rows(file(4, [0x12, 0x30, 9, 9, 0x45, 0x60, 9, 9]))).toEqual([[4, 5, 6].flatMap(entry), [1, 2, 3].flatMap(entry)])
  expect(rows(file(1, [0b10100000, 9, 9, 9, 0b01000000, 9, 9, 9]))).toEqual([[0, 1, 0].flatMap(entry), [1, 0, 1].flatMap(entry)])
  const deep = (fourth: number) => Array.from({ length: 24 }, (_, i) => (i % 4 === 3 ? fourth : i))
  const topDown = (view: DataView) => view.setInt32(22, -2, true)
  expect(rows(file(32, deep(255), topDown))).toEqual([
    [2, 1, 0, 6, 5, 4, 10, 9, 8],
    [14, 13, 12, 18, 17, 16, 22, 21, 20],
  ])
  expect(file(32, deep(128))).toBeUndefined()
  expect(file(32, deep(255), (view) => view.setUint32(30, 3, true))).toBeUndefined()
  expect(file(8, [0, 1, 2, 9, 3, 4, 5])).toBeUndefined()
  expect(file(8, [0, 1, 2, 9, 3, 4, 5, 9], (view) => view.setUint32(46, 257, true))).toBeUndefined()
})

it('chooses a PNG by its size inside the package, so that a stronger level is never larger', async () => {
  // The PNG of level `low` is the smallest file of the three, but deflates least.
  const made = { low: padded(2000, 1500), medium: padded(2400), high: padded(3000) }
  const inner = mockInner((_bytes, _name, { quality = 'low' }) => ({
    kind: 'compressed',
    bytes: made[quality === 'ultra' ? 'low' : quality],
    output: 'png',
    outcome: { kind: 'compressed', steps: [] },
  }))
  const options = { inner, quality: 'low' as const, signal: new AbortController().signal }
  const best = await recompressPicture(padded(6000), 'a.png', options)
  expect(best?.bytes.length).toBe(made.medium.length)
})
