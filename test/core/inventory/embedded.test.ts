/** What embedded files lose is in the receipt of their container, and converted pictures keep their metadata. */
import { crc32, deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { chunksOfJpeg, chunksOfPng } from '../../../src/core/embedded/crop-metadata.ts'
import { recompressPicture } from '../../../src/core/embedded/recompress.ts'
import { eml } from '../../../src/core/formats/eml/eml.ts'
import { kmz } from '../../../src/core/formats/kmz/kmz.ts'
import { docx } from '../../../src/core/formats/office/office.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { message } from '../../../src/core/i18n/message.ts'
import type { InnerResult, Removed } from '../../../src/core/model/codec.ts'
import { sumRemoved } from '../../../src/core/model/removed.ts'
import { innerCodecs } from '../../../src/core/pipeline/inner.ts'
import { document, drawing } from '../../support/office.ts'
import { jpegOf, mockInner, photo, pngOf, press, zipOf } from '../../support/packages.ts'

const loose = await jpegOf(photo(320, 240), 320, 240, 98)
const tight = await jpegOf(photo(320, 240), 320, 240, 70)
const lost: Removed[] = [
  { kind: 'metadata', count: 2, why: 'editor_only' },
  { kind: 'chunks', count: 1, why: 'stale' },
]
const losing = mockInner(
  (): InnerResult => ({
    kind: 'compressed',
    bytes: tight,
    output: 'jpg',
    outcome: { kind: 'compressed', steps: [message('exact')], removed: lost },
  }),
)
const doubled = [
  { kind: 'metadata', count: 4, why: 'editor_only' },
  { kind: 'chunks', count: 2, why: 'stale' },
]

test('sums removals by kind and reason', () => {
  const other: Removed = { kind: 'metadata', count: 1, why: 'stale' }
  expect(sumRemoved([...lost, other, ...lost])).toEqual([...doubled, other])
})

test('packages, office documents and mails list what their pictures lost', async () => {
  const map = await press(kmz, await zipOf({ 'doc.kml': '<kml/>', 'a.jpg': loose, 'b.jpg': loose }), 'medium', losing)
  expect(map.outcome).toMatchObject({ kind: 'compressed', removed: doubled })
  const parts = document(
    drawing('a', 3, 2) + drawing('b', 3, 2),
    [
      ['a', 'media/a.jpeg'],
      ['b', 'media/b.jpeg'],
    ],
    {
      'word/media/a.jpeg': loose,
      'word/media/b.jpeg': loose,
    },
  )
  const office = await press(docx, await zipOf(parts), 'medium', losing)
  expect(office.outcome).toMatchObject({ kind: 'compressed', removed: doubled })
  const part = `--b\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(loose).toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`
  const mail = `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part}${part}--b--\r\n`
  const letter = await press(eml, new Uint8Array(Buffer.from(mail)), 'medium', losing, 'eml')
  expect(letter.outcome).toMatchObject({ kind: 'compressed', removed: expect.arrayContaining(doubled) })
})

/** Inserts a chunk behind the header of a PNG. */
function withChunk(png: Uint8Array, type: string, data: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return new Uint8Array(Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]))
}

const inner = innerCodecs(PRESS_CODECS, {
  quality: 'medium',
  output: 'docx',
  memoryBudget: 100_000_000,
  signal: new AbortController().signal,
  progress: () => undefined,
})
const asJpeg = (png: Uint8Array) =>
  recompressPicture(png, 'a.png', { inner, quality: 'medium', signal: new AbortController().signal }, { mayBecomeJpeg: true })

test('a PNG in a document becomes a JPEG with its comment and resolution', async () => {
  const plain = pngOf(photo(400, 300), 400, 300)
  const phys = Buffer.alloc(9)
  phys.writeUInt32BE(5906, 0)
  phys.writeUInt32BE(5906, 4)
  phys[8] = 1
  const made = await asJpeg(withChunk(withChunk(plain, 'tEXt', Buffer.from('Author\0Ann')), 'pHYs', phys))
  expect(made?.output).toBe('jpg')
  const bytes = Buffer.from(made!.bytes)
  expect(bytes.includes('Author: Ann')).toBe(true)
  expect([...bytes.subarray(13, 18)]).toEqual([1, 0, 150, 0, 150])
})

test('a PNG in a document stays a PNG if a JPEG cannot store its metadata', async () => {
  const made = await asJpeg(withChunk(pngOf(photo(400, 300), 400, 300), 'tIME', Uint8Array.of(7, 232, 1, 2, 3, 4, 5)))
  expect(made?.output).toBe('png')
  expect(Buffer.from(made!.bytes).includes('tIME')).toBe(true)
  const suggested = await asJpeg(withChunk(pngOf(photo(400, 300), 400, 300), 'bKGD', Uint8Array.of(0, 255, 0, 255, 0, 255)))
  expect(suggested?.output).toBe('jpg')
})

const segment = (marker: number, body: Uint8Array | string) => {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 255]), bytes])
}
const jpegWith = (...segments: Buffer[]) => new Uint8Array(Buffer.concat([tight.subarray(0, 2), ...segments, tight.subarray(2)]))

test('a cropped picture keeps EXIF, XMP and comments, or is not cropped', async () => {
  const exif = segment(0xe1, 'Exif\0\0MM\0*\0\0\0\u0008\0\0\0\0\0\0')
  const xmp = segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>')
  const chunks = chunksOfJpeg(jpegWith(exif, xmp, segment(0xfe, 'Größe')))
  expect(chunks?.map(({ type }) => type)).toEqual(expect.arrayContaining(['eXIf', 'iTXt', 'tEXt']))
  expect(chunksOfJpeg(jpegWith(segment(0xed, 'Photoshop 3.0\0')))).toBeUndefined()
  const png = pngOf(photo(40, 30), 40, 30)
  const texts = await chunksOfPng(withChunk(png, 'zTXt', Buffer.concat([Buffer.from('Title\0\0'), deflateSync('Sea')])))
  expect(texts?.map(({ type }) => type)).toEqual(['zTXt'])
  expect(await chunksOfPng(withChunk(png, 'prVt', Uint8Array.of(1)))).toBeUndefined()
})
