/**
 * One small compressible file for every format, identical in every run. `GENERATORS` must have a row for each format, or the code does not
 * compile.
 */
import { gzipSync } from 'node:zlib'
import { concat } from '../../src/core/bytes/concat.ts'
import type { FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { mov } from '../../src/core/formats/film/film.ts'
import { las } from '../../src/core/formats/las/las.ts'
import { encodeRows } from '../../wasm/jpeg/jpeg.ts'
import { photo as grainy } from '../core/formats/jpg/photo.ts'
import { press, rawAvi, rawMovie, soundMovie, tones, wave } from '../core/formats/media-fixtures.ts'
import { buildPdf, flate, plainDocument } from '../core/formats/pdf/build.ts'
import { buildTiff, type Picture } from '../core/formats/tiff/build-tiff.ts'
import { aiffFile } from './aiff-file.ts'
import { avifOf } from './avif-file.ts'
import { dicomFile, imageElements } from './dicom-file.ts'
import { commentBlock, flacFile, paddingBlock, seekTableBlock } from './flac-file.ts'
import { heicOf } from './heic-file.ts'
import { lasFile } from './las-file.ts'
import { film as matroskaFilm } from './mkv-file.ts'
import { matroskaOf } from './mkv-from-mp4.ts'
import { looseMp3 } from './mp3-file.ts'
import { document, drawing, OFFICE, PACKAGE, relationships } from './office.ts'
import { docFile, pptFile, xlsFile } from './office97-file.ts'
import { opusFile, vorbisFile } from './ogg-file.ts'
import { jpegOf, type Parts, photo, pngOf, zipOf } from './packages.ts'
import { bmpFile, gifFile } from './picture-files.ts'
import { pressFile } from './press-file.ts'
import { rtfFile } from './rtf-file.ts'
import { hdf5File, netcdf3File, netcdf4File, niftiFile } from './science-files.ts'
import { appleLossless, oggFlac, opusSound, vorbisFixture } from './sound-file.ts'
import { flvFromMp4, tsFromMp4 } from './ts-from-mp4.ts'
import { animationOf, webpOf } from './webp-file.ts'

type Place = (result: Uint8Array) => readonly [from: number, to: number]

export interface Generated {
  /** Content of the file, if a format has several rows. */
  readonly holds: string
  readonly name: string
  /** Output to request. `undefined`: the first output of the format. */
  readonly output?: OutputId
  /**
   * Range of a lossless result in which every flipped byte must be detected. Default: the whole file. Outside this range, readers ignore
   * bytes, repair them, or accept two spellings.
   */
  readonly seenIn?: Place
  make(): Uint8Array | Promise<Uint8Array>
}

const [WIDTH, HEIGHT] = [160, 120]
const rgb = photo(WIDTH, HEIGHT)
const jpeg = () => jpegOf(rgb, WIDTH, HEIGHT, 97)
/** Returns a sequential JPEG as cameras write it; a progressive one would be smaller. */
const cameraJpeg = async () => {
  const rows = grainy(240, 180, 3)
  return concat((await encodeRows({ width: 240, height: 180, pixels: 'rgb', quality: 93, scans: 'sequential' }, [rows])).chunks)
}
const utf8 = (text: string) => new TextEncoder().encode(text)

/** RGB picture of a screen: few colours in flat areas. */
const screen = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => {
  const [x, y] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH)]
  return [250, 40, 90, 200][(Math.floor(x / 9) * 5 + Math.floor(y / 7) * 3) % 4]! - (i % 3) * 7
})

const csv = `id,name,value\n${Array.from({ length: 400 }, (_, i) => `${i},row ${i % 17},${Math.imul(i, 40503) & 0xffff}`).join('\n')}\n`
const dxf = `0\nSECTION\n2\nENTITIES\n${Array.from({ length: 200 }, (_, i) => `0\nLINE\n8\n0\n10\n${i * 3.25}\n20\n${(i % 7) / 8}\n11\n${i}.5\n21\n0.0\n`).join('')}0\nENDSEC\n0\nEOF\n`
const xml = `<?xml version="1.0"?><text>${Array.from({ length: 120 }, (_, i) => `<p n="${i}">line ${i * 7}</p>`).join('')}</text>`

const wavyPath = Array.from({ length: 90 }, (_, i) => `L ${(i * 2.236067977).toFixed(8)} ${(50 + 40 * Math.sin(i / 9)).toFixed(8)}`).join(
  ' ',
)
const svg = `<?xml version="1.0"?>
<!-- Created with a drawing program -->
<svg xmlns="http://www.w3.org/2000/svg" width="200.00001" height="100" viewBox="0 0 200.00001 100">
  <g transform="translate(0.00000000,0.00000000)"><path d="M 0 50 ${wavyPath}" fill="#aaccee" stroke="#000000" stroke-width="1.00000000"/></g>
</svg>`

/** Returns a PDF page with a photograph stored as uncompressed samples. */
const scannedPage = () =>
  buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>',
    { dict: '', data: 'q 80 0 0 60 10 10 cm /I Do Q' },
    {
      dict: `/Type/XObject/Subtype/Image/Width ${WIDTH}/Height ${HEIGHT}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode`,
      data: flate(rgb),
    },
  ])

/** Returns an animation with a moving object on a static background. */
const animation = (count: number) => {
  const palette = Array.from({ length: 256 }, (_, i) => [i, (i * 3) & 255, 255 - i]).flat()
  const frames = Array.from({ length: count }, (_, frame) => ({
    delay: 10,
    pixels: Uint8Array.from({ length: 64 * 48 }, (_, i) => {
      const [x, y] = [i % 64, Math.floor(i / 64)]
      return Math.hypot(x - 12 - frame * 5, y - 24) < 8 ? 40 + ((x * y) % 9) : 128 + 50 * Math.sin(x / 11) * Math.cos(y / 7)
    }),
  }))
  return gifFile(64, 48, palette, frames)
}

const TIFF_PICTURE: Picture = { width: 97, height: 61, bits: 8, samples: 3, rowsPerStrip: 20 }
const PIXEL_SCALE = { tag: 33550, type: 12, count: 3, bytes: new Uint8Array(new Float64Array([10, 10, 0]).buffer) }

const pcm = (bits: 16 | 24) => Int32Array.from(tones(12_000, 2, 44_100), (value) => Math.round(value * 30_000) << (bits - 16))
const sound = (bits: 16 | 24) => wave(pcm(bits), bits, 2, 44_100)

const flacSound = () =>
  flacFile(
    Int32Array.from(tones(12_000, 2, 44_100), (value) => Math.round(value * 30_000)),
    { blocks: [commentBlock('TITLE=tones'), seekTableBlock(0, 9000), paddingBlock(1000)] },
  )

/** Returns the film with the brand of MP4 (ISO/IEC 14496-12, 4.3). Its boxes are those of QuickTime. */
function mp4Film(): Uint8Array {
  const film = rawMovie(10)
  film.set(utf8('isom'), 8)
  film.set(utf8('isom'), 16)
  return film
}

/** Transport stream and Flash video with H.264 and AAC. */
const tsFilm = async () => await tsFromMp4((await press(mov, rawMovie(10), 'high', 'mp4')).bytes)
const flvFilm = async () => await flvFromMp4((await press(mov, rawMovie(10), 'high', 'mp4')).bytes)

/** Matroska film with H.264 and AAC. */
const h264Film = async () => await matroskaOf((await press(mov, rawMovie(10), 'high', 'mp4')).bytes, 8000)

async function word(): Promise<Uint8Array> {
  const parts = { 'word/media/image1.jpeg': await jpeg(), 'word/media/image2.png': pngOf(screen, WIDTH, HEIGHT) }
  const content = drawing('rId1', 1, 0.75) + drawing('rId2', 1, 0.75)
  const images: [string, string][] = [
    ['rId1', 'media/image1.jpeg'],
    ['rId2', 'media/image2.png'],
  ]
  return zipOf(document(content, images, parts))
}

/** Returns an Excel or PowerPoint file: a main part with relationships and one picture. */
async function officeFile(folder: 'xl' | 'ppt', main: string): Promise<Uint8Array> {
  const types = `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="jpeg" ContentType="image/jpeg"/></Types>`
  return zipOf({
    '[Content_Types].xml': types,
    '_rels/.rels': relationships([['rId1', `${OFFICE}/officeDocument`, `${folder}/${main}`]]),
    [`${folder}/${main}`]: xml,
    [`${folder}/_rels/${main}.rels`]: relationships([['rId1', `${OFFICE}/image`, 'media/image1.jpeg']]),
    [`${folder}/media/image1.jpeg`]: await jpeg(),
  })
}

/** Returns an OpenDocument package with one picture. */
const openDocument = (kind: string) =>
  bundle(
    {
      mimetype: `application/vnd.oasis.opendocument.${kind}`,
      'content.xml': xml.replace('<text>', `<text><frame width="5cm" height="4cm"><image href="Pictures/a.jpg"/></frame>`),
      'META-INF/manifest.xml': '<manifest/>',
    },
    'Pictures/a.jpg',
  )

const bundle = async (parts: Parts, photoName: string) => zipOf({ ...parts, [photoName]: await jpeg() })

async function mail(): Promise<Uint8Array> {
  const attachment = Buffer.from(await jpeg())
    .toString('base64')
    .replace(/.{76}(?=.)/g, '$&\r\n')
  const part = (type: string, body: string, more = '') => `--=_b\r\nContent-Type: ${type}${more}\r\n\r\n${body}\r\n`
  return utf8(
    `From: a@example.org\r\nSubject: hello\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="=_b"\r\n\r\n${part(
      'text/plain; charset=utf-8',
      csv.replaceAll('\n', '\r\n'),
    )}${part('image/jpeg; name="a.jpg"', attachment, '\r\nContent-Transfer-Encoding: base64')}--=_b--\r\n`,
  )
}

const lazFile = async () => (await pressFile(las, lasFile({ format: 3, points: 1500, vlrs: 2 }), 'a.las')).bytes

const one = (name: string, make: Generated['make'], holds = 'file', more: Partial<Generated> = {}): Generated => ({
  holds,
  name,
  make,
  ...more,
})
const share =
  (from: number, to: number): Place =>
  ({ length }) => [Math.ceil(length * from), Math.floor(length * to)]

/** Range of the data of a ZIP's first entry (APPNOTE.TXT 4.3.7). Local headers only repeat the directory. */
const inFirstEntry: Place = (zip) => {
  const view = new DataView(zip.buffer, zip.byteOffset)
  const from = 30 + view.getUint16(26, true) + view.getUint16(28, true)
  return [from, from + view.getUint32(18, true)]
}
const zipped = (name: string, make: Generated['make']) => one(name, make, 'file', { seenIn: inFirstEntry })

const inText =
  (opening: string, closing: string): Place =>
  (bytes) => {
    const text = Buffer.from(bytes)
    const from = text.indexOf(opening) + opening.length
    return [from, text.indexOf(closing, from)]
  }

/** Two lossless frames, the second of which replaces a part of the first. */
function webpAnimation(): Uint8Array {
  const frame = (width: number, height: number) => webpOf(photo(width, height), { width, height, channels: 3 })
  return animationOf({ width: WIDTH, height: HEIGHT }, [
    { file: frame(WIDTH, HEIGHT), x: 0, y: 0, width: WIDTH, height: HEIGHT },
    { file: frame(80, 64), x: 20, y: 10, width: 80, height: 64, milliseconds: 50 },
  ])
}

export const GENERATORS: Readonly<Record<FormatId, readonly [Generated, ...Generated[]]>> = {
  pdf: [
    // PDF readers repair the syntax around a stream, so only flips inside streams are detected.
    one('a.pdf', () => buildPdf(plainDocument(3)), 'drawings', { seenIn: inText('stream\n', '\nendstream') }),
    one('a.pdf', scannedPage, 'photograph'),
  ],
  ofd: [zipped('a.ofd', () => bundle({ 'OFD.xml': xml, 'Doc_0/Pages/Page_0/Content.xml': xml }, 'Doc_0/Res/a.jpg'))],
  docx: [zipped('a.docx', word)],
  xlsx: [zipped('a.xlsx', () => officeFile('xl', 'workbook.xml'))],
  pptx: [zipped('a.pptx', () => officeFile('ppt', 'presentation.xml'))],
  odt: [zipped('a.odt', () => openDocument('text'))],
  ods: [zipped('a.ods', () => openDocument('spreadsheet'))],
  odp: [zipped('a.odp', () => openDocument('presentation'))],
  odg: [zipped('a.odg', () => openDocument('graphics'))],
  // Readers ignore the sectors' rests, free table entries and some fields of the directory.
  doc: [one('a.doc', () => docFile({ free: 4 }), 'file', { seenIn: (bytes) => [512, Math.min(bytes.length, 6000)] })],
  xls: [
    one('a.xls', async () => xlsFile([{ kind: 'jpg', bytes: await jpeg() }], { free: 4 }), 'file', {
      seenIn: (bytes) => [512, Math.min(bytes.length, 2000)],
    }),
  ],
  ppt: [
    one('a.ppt', async () => pptFile([{ kind: 'jpg', bytes: await jpeg(), shown: [1, 0.75] }], { free: 4 }), 'file', {
      seenIn: (bytes) => [512, Math.min(bytes.length, 2000)],
    }),
  ],
  rtf: [
    one('a.rtf', async () => rtfFile([{ keyword: 'jpegblip', bytes: await jpeg(), goal: [1440, 1080] }]), 'picture', {
      seenIn: inText('{\\rtf1', '{\\pict'),
    }),
    one('a.rtf', async () => rtfFile([{ keyword: 'jpegblip', bytes: await jpeg() }]), 'packed whole', { output: 'zst' }),
  ],
  jpg: [
    one('a.jpg', cameraJpeg),
    one('a.jpg', jpeg, 'to WebP', { output: 'webp' }),
    one('a.jpg', jpeg, 'to JPEG XL', { output: 'jxl', seenIn: share(0.3, 1) }),
  ],
  png: [
    one('a.png', () => pngOf(rgb, WIDTH, HEIGHT), 'photograph'),
    one('a.png', () => pngOf(screen, WIDTH, HEIGHT), 'screen'),
    one('a.png', () => pngOf(rgb, WIDTH, HEIGHT), 'to JPEG', { output: 'jpg' }),
    // Bits after the end of the last byte's data have no meaning.
    one('a.png', () => pngOf(rgb, WIDTH, HEIGHT), 'to JPEG XL', { output: 'jxl', seenIn: share(0.3, 0.99) }),
  ],
  // Bytes of the header that decoders ignore are not in the range.
  webp: [
    one('a.webp', () => webpOf(grainy(240, 180, 3), { width: 240, height: 180, channels: 3 }, 96), 'photograph'),
    one('a.webp', () => webpOf(screen, { width: WIDTH, height: HEIGHT, channels: 3 }), 'lossless screen', { seenIn: share(0.5, 1) }),
    one('a.webp', webpAnimation, 'animation', { seenIn: share(0.5, 1) }),
    one('a.webp', () => webpOf(screen, { width: WIDTH, height: HEIGHT, channels: 3 }), 'to PNG', { output: 'png' }),
  ],
  avif: [
    one('a.avif', () => avifOf(grainy(240, 180, 3), { width: 240, height: 180 }, 98), 'photograph'),
    one('a.avif', () => avifOf(grainy(160, 120, 3), { width: 160, height: 120 }, 95), 'to JPEG', { output: 'jpg' }),
    one('a.avif', () => avifOf(screen, { width: WIDTH, height: HEIGHT }, 95), 'screen to PNG', { output: 'png' }),
  ],
  heic: [
    one('a.heic', () => heicOf(grainy(160, 120, 3), { width: 160, height: 120 }), 'to JPEG', { output: 'jpg' }),
    one('a.heic', () => heicOf(screen, { width: WIDTH, height: HEIGHT }), 'screen to PNG', { output: 'png' }),
    one('a.heic', () => heicOf(grainy(120, 96, 3), { width: 120, height: 96 }), 'photograph'),
  ],
  // The first half of the file is a partly unused palette, and names.
  gif: [
    one('a.gif', () => animation(8), 'animation', { seenIn: share(0.5, 1) }),
    one('a.gif', () => animation(1), 'still', { seenIn: share(0.5, 1) }),
  ],
  bmp: [one('a.bmp', () => bmpFile(WIDTH, HEIGHT, rgb), 'photograph'), one('a.bmp', () => bmpFile(WIDTH, HEIGHT, screen), 'screen')],
  // Range of the strips. The tables after them contain padding.
  tiff: [one('a.tif', () => buildTiff([TIFF_PICTURE]), 'file', { seenIn: share(0.1, 0.7) })],
  geotiff: [one('a.tif', () => buildTiff([{ ...TIFF_PICTURE, extra: [PIXEL_SCALE] }]), 'file', { seenIn: share(0.1, 0.7) })],
  // Small changes of other numbers may be invisible in the drawing.
  svg: [one('a.svg', () => utf8(svg), 'file', { seenIn: inText('<svg xmlns', ' width') })],
  // Range of the samples. The tables before them contain flags without effect.
  mp4: [one('a.mp4', mp4Film, 'file', { seenIn: share(0.2, 1) })],
  aiff: [
    one('a.aiff', () => aiffFile(pcm(24), 24), '16 bits in 24'),
    one('a.aiff', () => aiffFile(pcm(16), 16), 'to FLAC', { output: 'flac' }),
  ],
  m4a: [one('a.m4a', () => soundMovie(50), 'file', { seenIn: share(0.4, 1) }), one('a.m4a', appleLossless, 'to FLAC', { output: 'flac' })],
  mov: [one('a.mov', () => rawMovie(10), 'file', { seenIn: share(0.2, 1) })],
  avi: [one('a.avi', () => rawAvi(10, 64, 48, 8000))],
  // The first frame is a seek table, which decoders ignore.
  mp3: [one('a.mp3', () => looseMp3(40_000), 'file', { seenIn: share(0.2, 1) })],
  wav: [
    one('a.wav', () => sound(16), '16 bits'),
    one('a.wav', () => sound(24), '16 bits in 24'),
    one('a.wav', () => sound(16), 'to FLAC', { output: 'flac' }),
    one('a.wav', () => sound(16), 'to Opus', { output: 'opus' }),
  ],
  mkv: [one('a.mkv', () => matroskaFilm()), one('a.mkv', h264Film, 'to MP4', { output: 'mp4', seenIn: share(0.6, 1) })],
  // Bit rates in front of the frames are hints that no decoder needs.
  ts: [one('a.ts', tsFilm, 'to MP4', { seenIn: share(0.3, 1) })],
  flv: [one('a.flv', flvFilm, 'to MP4', { seenIn: share(0.6, 1) })],
  webm: [one('a.webm', () => matroskaFilm({ type: 'webm', live: true }))],
  ogg: [
    one('a.ogg', () => vorbisFile(60)),
    one('a.ogg', () => vorbisFixture('chord.ogg'), 'to MP3', { output: 'mp3' }),
    one('a.ogg', () => oggFlac(pcm(16), 2), 'to FLAC', { output: 'flac', seenIn: share(0.3, 1) }),
  ],
  opus: [one('a.opus', () => opusFile(60)), one('a.opus', opusSound, 'sound'), one('a.opus', opusSound, 'to M4A', { output: 'm4a' })],
  // The first fifth has sizes of frames and a vendor, which decoders ignore.
  flac: [one('a.flac', flacSound, 'file', { seenIn: share(0.2, 1) }), one('a.flac', flacSound, 'to MP3', { output: 'mp3' })],
  epub: [zipped('a.epub', () => bundle({ mimetype: 'application/epub+zip', 'META-INF/container.xml': xml, 'a.xhtml': xml }, 'a.jpg'))],
  eml: [one('a.eml', mail, 'packed whole'), one('a.eml', mail, 'attachments', { output: 'eml' })],
  text: [one('a.csv', () => utf8(csv))],
  dxf: [one('a.dxf', () => utf8(dxf))],
  kmz: [zipped('a.kmz', () => bundle({ 'doc.kml': xml }, 'files/a.jpg'))],
  shapefile: [zipped('a.zip', () => zipOf({ 'a.shp': csv, 'a.shx': csv.slice(9), 'a.dbf': csv.slice(5), 'a.prj': 'GEOGCS[]' }))],
  zip: [zipped('a.zip', () => zipOf({ 'a.txt': csv, 'b/c.bin': xml }))],
  gz: [one('a.csv.gz', () => new Uint8Array(gzipSync(csv, { level: 1 })), 'file', { seenIn: share(0.1, 1) })],
  dicom: [one('a.dcm', () => dicomFile(imageElements({ width: 90, height: 70, stored: 12 }, 'explicit'), 'explicit'))],
  nifti: [one('a.nii', () => niftiFile(24, 20, 10))],
  las: [one('a.las', () => lasFile({ format: 3, points: 1500, vlrs: 2 }))],
  laz: [one('a.laz', lazFile)],
  // Range of the data chunks. The rest contains unused space for objects.
  hdf5: [one('a.h5', () => hdf5File(10_000, 1), 'file', { seenIn: share(0.5, 1) })],
  netcdf: [one('a.nc', netcdf4File, 'file', { seenIn: share(0.2, 0.6) })],
  netcdf3: [one('a.nc', () => netcdf3File(3000))],
  data: [one('a.dat', () => Uint8Array.from({ length: 20_000 }, (_, i) => (i % 4 === 0 ? 0 : 0x80 | ((i * i) >> 7))))],
}
