/**
 * Resolution and comments of pictures that change their format. PNG and JPEG can store both; for other formats the receipt reports what was
 * removed.
 */

import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { bmp } from '../../../src/core/formats/bmp/bmp.ts'
import { metadataOf } from '../../../src/core/formats/jpg/carried.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { readHeader } from '../../../src/core/formats/jpg/segments.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { jfifDensity, resolutionOfJfif } from '../../../src/core/images/convert/descriptive-metadata.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { readPngInfo } from '../../../wasm/png/png.ts'
import { inEnglish, textsOf } from '../../support/in-english.ts'
import { jpegOf, photo } from '../../support/packages.ts'
import { bmpFile } from '../../support/picture-files.ts'
import { plainPng } from '../../support/plain-png.ts'
import { pressFile } from '../../support/press-file.ts'

const [WIDTH, HEIGHT] = [96, 64]
const PIXELS = photo(WIDTH, HEIGHT)
const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))
const longs = (...values: number[]) => Uint8Array.from(values.flatMap((value) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255)))
const picture = (...more: Uint8Array[]) =>
  plainPng(
    { width: WIDTH, height: HEIGHT, colourType: 2, bitDepth: 8 },
    (x, y) => [...PIXELS.subarray((y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3)],
    ...more,
  )
/** 300 dots an inch. */
const PHYS = chunk('pHYs', concat([longs(11811, 11811), Uint8Array.of(1)]))

it('keeps 300 dpi and plain and compressed texts of a PNG as JPEG', async () => {
  const file = picture(
    PHYS,
    chunk('tEXt', ascii('Author\0Ada')),
    chunk('zTXt', concat([ascii('Comment\0\0'), deflateSync(ascii('caf\xe9'))])),
    chunk('iTXt', concat([ascii('Title\0\0\0en\0\0'), new TextEncoder().encode('Größe')])),
  )
  const { outcome, bytes, defect } = await pressFile(png, file, 'a.png', { output: 'jpg' })
  expect(defect).toBeUndefined()
  if (outcome.kind !== 'compressed') throw new Error('nothing was gained')
  expect(textsOf(outcome.steps).join()).not.toContain('not kept')
  const carried = metadataOf(await readHeader(memorySource(bytes, 'a.jpg'), { memoryBudget: 9e7 }))
  expect(carried.resolution).toEqual({ x: 11811, y: 11811, unit: 'metre' })
  expect(carried.comments?.map(({ text }) => text)).toEqual(['Author: Ada', 'café', 'Title: Größe'])
})

it.each(['webp', 'avif'] as const)('a PNG as %s says that resolution and texts go', async (output) => {
  const { outcome } = await pressFile(png, picture(PHYS, chunk('tEXt', ascii('Author\0Ada'))), 'a.png', { output })
  expect(inEnglish(outcome)).toMatchObject({ steps: expect.arrayContaining([expect.stringMatching(/^not kept, .* pHYs, tEXt$/)]) })
})

/** A JPEG of few colours and large areas, with 240 dpi and a comment. It is smaller as PNG. */
async function describedJpeg(): Promise<Uint8Array> {
  const plain = await jpegOf(new Uint8Array(WIDTH * HEIGHT * 3).fill(200), WIDTH, HEIGHT)
  const jfif = concat([ascii('\xff\xe0\0\x10JFIF\0\x01\x01\x01'), Uint8Array.of(0, 240, 0, 240, 0, 0)])
  const comment = concat([ascii('\xff\xfe\0\x0e'), new TextEncoder().encode('Grüße, Ada')])
  comment[3] = comment.length - 2
  const at = 2 + (plain[2] === 0xff && plain[3] === 0xe0 ? 2 + plain[4]! * 256 + plain[5]! : 0)
  return concat([plain.subarray(0, 2), jfif, comment, plain.subarray(at)])
}

it('keeps resolution and comment of a JPEG as PNG', async () => {
  const { outcome, bytes, defect } = await pressFile(jpg, await describedJpeg(), 'a.jpg', { output: 'png' })
  expect(defect).toBeUndefined()
  if (outcome.kind !== 'compressed') throw new Error('nothing was gained')
  expect(textsOf(outcome.steps).join()).not.toContain('not kept')
  const { chunks } = await readPngInfo(memorySource(bytes, 'a.png').stream())
  expect([...chunks.find(({ type }) => type === 'pHYs')!.data]).toEqual([...longs(9449, 9449), 1])
  expect(new TextDecoder('latin1').decode(chunks.find(({ type }) => type === 'tEXt')!.data)).toBe('Comment\0Grüße, Ada')
})

it('reports that a JPEG as WebP loses resolution and comment', async () => {
  const { outcome } = await pressFile(jpg, await describedJpeg(), 'a.jpg', { output: 'webp' })
  expect(inEnglish(outcome)).toMatchObject({
    steps: expect.arrayContaining([expect.stringMatching(/^not kept, .*: comment, print resolution \(DPI\)$/)]),
  })
})

it('keeps the resolution of a BMP as PNG and JPEG', async () => {
  const file = bmpFile(WIDTH, HEIGHT, PIXELS)
  new DataView(file.buffer, file.byteOffset).setUint32(38, 3937, true)
  new DataView(file.buffer, file.byteOffset).setUint32(42, 3937, true)
  const asPng = await pressFile(bmp, file, 'a.bmp', { output: 'png' })
  const { chunks } = await readPngInfo(memorySource(asPng.bytes, 'a.png').stream())
  expect([...chunks.find(({ type }) => type === 'pHYs')!.data]).toEqual([...longs(3937, 3937), 1])
  const asJpeg = await pressFile(bmp, file, 'a.bmp', { output: 'jpg' })
  const { resolution } = metadataOf(await readHeader(memorySource(asJpeg.bytes, 'a.jpg'), { memoryBudget: 9e7 }))
  expect(resolution).toEqual({ x: 3937, y: 3937, unit: 'metre' })
})

it('writes JFIF densities in dots an inch if they are whole, otherwise in dots a centimetre', () => {
  expect([...jfifDensity({ x: 2835, y: 2835, unit: 'metre' })]).toEqual([1, 0, 72, 0, 72])
  expect([...jfifDensity({ x: 4000, y: 8000, unit: 'metre' })]).toEqual([2, 0, 40, 0, 80])
  expect([...jfifDensity({ x: 4, y: 3, unit: 'ratio' })]).toEqual([0, 0, 4, 0, 3])
  expect([...jfifDensity(undefined)]).toEqual([0, 0, 1, 0, 1])
  expect(resolutionOfJfif(Uint8Array.of(1, 1, 0, 0, 4, 0, 3))).toEqual({ x: 4, y: 3, unit: 'ratio' })
  expect(resolutionOfJfif(Uint8Array.of(1, 1, 0, 0, 1, 0, 1))).toBeUndefined()
})
