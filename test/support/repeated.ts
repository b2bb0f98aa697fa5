/** Generates files with one structure repeated many times, to find code whose time grows with the square of the number. */
import { deflateSync } from 'node:zlib'
import { concat } from '../../src/core/bytes/concat.ts'
import type { FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { chunk } from '../../wasm/png/chunks.ts'
import { rawAvi, rawMovie, tones, wave } from '../core/formats/media-fixtures.ts'
import { buildPdf, type Part, plainDocument } from '../core/formats/pdf/build.ts'
import { buildTiff } from '../core/formats/tiff/build-tiff.ts'
import { dicomFile, type Element, imageElements } from './dicom-file.ts'
import { lasFile } from './las-file.ts'
import { body, document, drawing, relationships } from './office.ts'
import { jpegOf, photo, zipOf } from './packages.ts'
import { gifFile } from './picture-files.ts'
import { netcdf3File, niftiFile } from './science-files.ts'

export interface Repeated {
  readonly format: FormatId
  readonly what: string
  /** Output to request. `undefined`: the first output of the format. */
  readonly output?: OutputId
  /** Number of repetitions of the first run. The test doubles it. */
  readonly times: number
  make(times: number): Uint8Array | Promise<Uint8Array>
}

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const utf8 = (text: string) => new TextEncoder().encode(text)
const each = <T>(times: number, make: (i: number) => T): T[] => Array.from({ length: times }, (_, i) => make(i))

// ── Pictures ───────────────────────────────────────────────────────────────────────────────────────────────────────

const small = photo(32, 32)
let smallJpeg: Promise<Uint8Array> | undefined
/** Returns a small JPEG with extra bytes after its first marker. */
async function jpegWith(more: Uint8Array[]): Promise<Uint8Array> {
  smallJpeg ??= jpegOf(small, 32, 32)
  const file = await smallJpeg
  return concat([file.subarray(0, 2), ...more, file.subarray(2)])
}
const segment = (marker: number, content: Uint8Array) => concat([Uint8Array.of(0xff, marker, 0, content.length + 2), content])

const PNG_SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
const PNG_HEADER = chunk('IHDR', Uint8Array.of(0, 0, 0, 64, 0, 0, 0, 64, 8, 0, 0, 0, 0))
const pngRows = deflateSync(new Uint8Array(65 * 64), { level: 0 })
const pngFile = (chunks: Uint8Array[]) => concat([PNG_SIGNATURE, PNG_HEADER, ...chunks, chunk('IEND', new Uint8Array())])

const grey = each(256, (i) => [i, i, i]).flat()
const gifFrames = (times: number) =>
  gifFile(
    4,
    4,
    grey,
    each(times, (i) => ({ delay: 4, pixels: new Uint8Array(16).fill(i % 251) })),
  )
function gifWith(more: Uint8Array[]): Uint8Array {
  const file = gifFile(16, 16, grey, [{ delay: 0, pixels: new Uint8Array(256).fill(7) }])
  return concat([file.subarray(0, -1), ...more, file.subarray(-1)])
}

const svgFile = (content: string, more = '') => utf8(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99"${more}>${content}</svg>`)

const PICTURES: Repeated[] = [
  { format: 'jpg', what: 'comments', times: 4000, make: (n) => jpegWith(each(n, (i) => segment(0xfe, latin(`${i % 10}`)))) },
  { format: 'jpg', what: 'application segments', times: 4000, make: (n) => jpegWith(each(n, (i) => segment(0xed, latin(`x${i % 10}`)))) },
  { format: 'jpg', what: 'fill bytes', times: 60_000, make: (n) => jpegWith([new Uint8Array(n).fill(0xff)]) },
  {
    format: 'jpg',
    what: 'quantisation tables',
    times: 4000,
    make: (n) => jpegWith(each(n, () => segment(0xdb, new Uint8Array(65).fill(1, 1)))),
  },
  {
    format: 'png',
    what: 'text chunks',
    times: 4000,
    make: (n) => pngFile([...each(n, (i) => chunk('tEXt', latin(`a\0${i % 10}`))), chunk('IDAT', pngRows)]),
  },
  {
    format: 'png',
    what: 'data chunks of a byte',
    times: 2000,
    make: (n) =>
      pngFile([
        chunk('tEXt', latin(`a\0${'x'.repeat(n)}`)),
        ...each(n, (i) => chunk('IDAT', pngRows.subarray(i, i === n - 1 ? undefined : i + 1))),
      ]),
  },
  { format: 'gif', what: 'frames', times: 300, make: gifFrames },
  { format: 'gif', what: 'comments', times: 20_000, make: (n) => gifWith(each(n, () => Uint8Array.of(0x21, 0xfe, 1, 65, 0))) },
  {
    format: 'gif',
    what: 'sub-blocks of a byte',
    times: 50_000,
    make: (n) => gifWith([Uint8Array.of(0x21, 0xfe), ...each(n, () => Uint8Array.of(1, 65)), Uint8Array.of(0)]),
  },
  {
    format: 'svg',
    what: 'elements',
    times: 2000,
    make: (n) => svgFile(each(n, (i) => `<path d="M${i % 90}.12345 1.5l2.00001 3"/>`).join('')),
  },
  {
    format: 'svg',
    what: 'definitions that are used',
    times: 300,
    make: (n) =>
      svgFile(
        `<defs>${each(n, (i) => `<path id="a${i}" d="M0 ${i % 90}h2v3"/>`).join('')}</defs>${each(n, (i) => `<use href="#a${i}"/>`).join('')}`,
      ),
  },
  {
    format: 'svg',
    what: 'steps of a path',
    times: 10_000,
    make: (n) => svgFile(`<path d="M0 0${each(n, (i) => `l${(i % 7) / 3} ${(i % 5) / 7}`).join('')}"/>`),
  },
  { format: 'tiff', what: 'strips', times: 4000, make: (n) => buildTiff([{ width: 16, height: n, bits: 8, samples: 1, rowsPerStrip: 1 }]) },
  { format: 'tiff', what: 'pages', times: 300, make: (n) => buildTiff(each(n, () => ({ width: 8, height: 8, bits: 8, samples: 1 }))) },
]

// ── Documents ──────────────────────────────────────────────────────────────────────────────────────────────────────

const page = (more: string) => [
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R${more}>>`,
]
const word = (parts: Record<string, string | Uint8Array>, content: string, images: [string, string][] = []) =>
  zipOf(document(content, images, parts))
const placed = async (n: number) =>
  word({ 'word/media/image1.jpeg': await jpegOf(small, 32, 32) }, drawing('rId1', 1, 1).repeat(n), [['rId1', 'media/image1.jpeg']])
const epub = (parts: Record<string, string>) =>
  zipOf({ mimetype: 'application/epub+zip', 'META-INF/container.xml': '<container/>', ...parts })
const parts = (n: number, name: (i: number) => string, content = 'some text of a part, again and again'.repeat(9)) =>
  Object.fromEntries(each(n, (i) => [name(i), content]))

const mailPart = (i: number) =>
  `--b\r\nContent-Type: text/plain; name="a${i}.txt"\r\nContent-Transfer-Encoding: base64\r\n\r\n${btoa(`part ${i} `.repeat(30)).replace(/.{76}/g, '$&\r\n')}\r\n`
const mail = (head: string, content: string) => utf8(`From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n${head}\r\n${content}`)
const nestedMail = (n: number) => {
  const open = each(n, (i) => `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\n`).join('')
  const close = each(n, (i) => `--b${n - 1 - i}--\r\n`).join('')
  return utf8(
    `From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n${open}Content-Type: text/plain\r\n\r\n${'hello '.repeat(99)}\r\n${close}`,
  )
}

const DOCUMENTS: Repeated[] = [
  {
    format: 'pdf',
    what: 'objects',
    times: 3000,
    make: (n) =>
      buildPdf(
        plainDocument(
          1,
          each(n, (i) => `<</A ${i}/B[1 2 3]>>`),
          `/More[${each(n, (i) => `${i + 5} 0 R`).join(' ')}]`,
        ),
      ),
  },
  { format: 'pdf', what: 'pages', times: 60, make: (n) => buildPdf(plainDocument(n)) },
  {
    format: 'pdf',
    what: 'operators of a page',
    times: 10_000,
    make: (n) => buildPdf([...page('/Resources<<>>'), { dict: '', data: each(n, (i) => `${i % 90}.12345 1 m 2 3 l S`).join('\n') }]),
  },
  {
    format: 'pdf',
    what: 'annotations',
    times: 1000,
    make: (n) =>
      buildPdf([
        ...page(`/Annots[${each(n, (i) => `${5 + i} 0 R`).join(' ')}]`),
        { dict: '', data: '0 0 m S' },
        ...each(n, (i): Part => `<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(note ${i})>>`),
      ]),
  },
  {
    format: 'docx',
    what: 'parts',
    times: 100,
    make: (n) =>
      word(
        parts(n, (i) => `word/part${i}.xml`),
        '',
      ),
  },
  {
    format: 'docx',
    what: 'paragraphs',
    times: 6000,
    make: (n) => word({}, each(n, (i) => `<w:p><w:r><w:t>line ${i}</w:t></w:r></w:p>`).join('')),
  },
  { format: 'docx', what: 'places of one picture', times: 300, make: placed },
  {
    format: 'docx',
    what: 'relationships',
    times: 3000,
    make: (n) =>
      zipOf({
        ...document('', [], {}),
        'word/document.xml': body(''),
        'word/_rels/document.xml.rels': relationships(each(n, (i) => [`rId${i}`, 'urn:x', `part${i}.xml`])),
      }),
  },
  { format: 'epub', what: 'chapters', times: 100, make: (n) => epub(parts(n, (i) => `chapter${i}.xhtml`)) },
  { format: 'kmz', what: 'files', times: 100, make: (n) => zipOf({ 'doc.kml': '<kml/>', ...parts(n, (i) => `files/${i}.txt`) }) },
  {
    format: 'eml',
    output: 'eml',
    what: 'parts',
    times: 400,
    make: (n) => mail('Content-Type: multipart/mixed; boundary=b\r\n', `${each(n, mailPart).join('')}--b--\r\n`),
  },
  {
    format: 'eml',
    output: 'eml',
    what: 'header lines',
    times: 20_000,
    make: (n) => mail(each(n, (i) => `X-A: ${i % 100}\r\n`).join(''), 'hello '.repeat(99)),
  },
  {
    format: 'eml',
    output: 'eml',
    what: 'comments that never end',
    times: 25_000,
    make: (n) => mail(`Content-Transfer-Encoding: ${'('.repeat(n)}\r\n`, 'hello '.repeat(99)),
  },
  { format: 'eml', output: 'eml', what: 'parts in parts', times: 1000, make: nestedMail },
  { format: 'text', what: 'lines', times: 100_000, make: (n) => utf8(each(n, (i) => `${i % 1000},line\n`).join('')) },
  {
    format: 'dxf',
    what: 'entities',
    times: 3000,
    make: (n) => utf8(`0\nSECTION\n2\nENTITIES\n${each(n, (i) => `0\nLINE\n8\n0\n10\n${i}.25\n`).join('')}0\nENDSEC\n0\nEOF\n`),
  },
]

// ── Sound, films, science ──────────────────────────────────────────────────────────────────────────────────────────

const sound = Int32Array.from(tones(4000, 1, 44_100), (value) => Math.round(value * 30_000))
/** Returns a film with extra boxes after its first box (ISO/IEC 14496-12, 4.2). */
function movieWith(more: Uint8Array): Uint8Array {
  const film = rawMovie(4)
  const first = new DataView(film.buffer, film.byteOffset).getUint32(0)
  const moved = concat([film.subarray(0, first), more, film.subarray(first)])
  const stco = Buffer.from(moved).indexOf('stco', first + more.length, 'latin1')
  const view = new DataView(moved.buffer)
  for (let i = 0; i < view.getUint32(stco + 8); i++) view.setUint32(stco + 12 + 4 * i, view.getUint32(stco + 12 + 4 * i) + more.length)
  return moved
}
const free = (n: number) => concat(each(n, () => Uint8Array.of(0, 0, 0, 8, ...latin('free'))))

const elements = (n: number): Element[] => [
  ...each(n, (i): Element => [0x00110000 + 0x1000 + (i % 0xefff), 'LO', `value ${i}`]),
  ...imageElements({ width: 16, height: 16 }, 'explicit').slice(6),
]
const items = (n: number): Element[] => {
  const [first, second, ...rest] = imageElements({ width: 16, height: 16 }, 'explicit')
  return [first!, [second![0], 'SQ', each(n, (i): Element[] => [[0x00080100, 'SH', `C${i % 100}`]])], ...rest]
}

const SCIENCE: Repeated[] = [
  {
    format: 'wav',
    what: 'chunks',
    times: 100,
    make: (n) =>
      wave(
        sound,
        16,
        1,
        44_100,
        each(n, (i): [string, Uint8Array] => ['note', latin(`${i % 10}abc`)]),
      ),
  },
  { format: 'mov', what: 'free boxes', times: 4000, make: (n) => movieWith(free(n)) },
  { format: 'mov', what: 'frames', times: 30, make: (n) => rawMovie(n, 16, 16) },
  { format: 'avi', what: 'frames', times: 30, make: (n) => rawAvi(n, 16, 16) },
  { format: 'dicom', what: 'elements', times: 4000, make: (n) => dicomFile(elements(n), 'explicit') },
  { format: 'dicom', what: 'items of a sequence', times: 4000, make: (n) => dicomFile(items(n), 'explicit') },
  { format: 'las', what: 'variable-length records', times: 2000, make: (n) => lasFile({ format: 3, points: 200, vlrs: n }) },
  { format: 'las', what: 'points', times: 10_000, make: (n) => lasFile({ format: 3, points: n }) },
  { format: 'nifti', what: 'slices', times: 60, make: (n) => niftiFile(24, 20, n) },
  // The series starts at 256 KB, because Zstandard uses faster settings for smaller inputs, so doubling is not twice the work.
  { format: 'netcdf3', what: 'numbers', times: 80_000, make: netcdf3File },
]

export const REPEATED: readonly Repeated[] = [...PICTURES, ...DOCUMENTS, ...SCIENCE]
