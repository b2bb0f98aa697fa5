/** Generates files of any size, one typical file per format, identical in every run. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import '../../wasm-hook.ts'

const { svg } = await import('../memory/documents.ts')
const { bmp, gif, jpeg, png, writeChunks } = await import('../memory/pictures.ts')
const { deck } = await import('../../../test/support/deck.ts')
const { dicomFile, imageElements } = await import('../../../test/support/dicom-file.ts')
const { lasFile } = await import('../../../test/support/las-file.ts')
const { partsOf, zipOf } = await import('../../../test/support/packages.ts')
const { randomNumbers } = await import('../../../test/support/random-numbers.ts')
const { hdf5File, netcdf3File, niftiFile } = await import('../../../test/support/science-files.ts')
const { encodeRows } = await import('../../../wasm/jpeg/jpeg.ts')

export interface GrowthFile {
  /** Name of the format in tables and curves. */
  readonly name: string
  /** Contents of the file, and which part of it grows. */
  readonly holds: string
  readonly file: string
  /** Output format. `undefined`: the format's first output. */
  readonly output?: string
  /** Largest size in MB. `undefined`: 64. */
  readonly upTo?: 16 | 256 | 500
  /** Writes a file of about `bytes` bytes to `path`. */
  make(path: string, bytes: number): void | Promise<void>
}

const utf8 = (text: string) => Buffer.from(text)

// ── Text ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const BLOCK_BYTES = 1 << 18

/** Yields lines up to about `bytes` bytes, between an opening and a closing text. */
function* lines(bytes: number, lineAt: (i: number) => string, [opening, closing] = ['', '']): Generator<Buffer> {
  yield utf8(opening)
  let i = 0
  for (let done = opening.length; done < bytes; ) {
    let block = ''
    while (block.length < BLOCK_BYTES && done + block.length < bytes) block += lineAt(i++)
    done += block.length
    yield utf8(block)
  }
  yield utf8(closing)
}

const WORDS = 'time and people who made the large river old house between years water place thing light never small under over'.split(' ')

/** Returns a generator of random words; the argument is the number of words. */
function prose(seed: number): (count: number) => string {
  const random = randomNumbers(seed)
  return (count) => Array.from({ length: count }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)]).join(' ')
}

function csvLine(): (i: number) => string {
  const random = randomNumbers(1)
  return (i) => `${i},2026-03-${1 + (i % 28)},row ${i % 17},${(random() * 1e4).toFixed(2)},${Math.floor(random() * 900)}\n`
}

function xmlLine(): (i: number) => string {
  const words = prose(2)
  return (i) => `<item id="${i}" kind="k${i % 9}"><name>${words(3)}</name><note>${words(12)}</note></item>\n`
}

function dxfLine(): (i: number) => string {
  const random = randomNumbers(3)
  const number = () => (random() * 1000).toFixed(4)
  return () => `0\nLINE\n8\n0\n10\n${number()}\n20\n${number()}\n30\n0.0\n11\n${number()}\n21\n${number()}\n31\n0.0\n`
}

// ── Samples ────────────────────────────────────────────────────────────────────────────────────────────────────────

const WAVE = Float64Array.from({ length: 4096 }, (_, i) => 60 * Math.sin((i / 4096) * 2 * Math.PI))

/** Yields rows of smooth waves with noise, 8 bits per sample. */
function* rows(width: number, height: number, channels: number): Generator<Uint8Array> {
  let noise = 1
  for (let y = 0; y < height; y++) {
    const row = new Uint8Array(width * channels)
    for (let x = 0, at = 0; x < width; x++) {
      for (let channel = 0; channel < channels; channel++) {
        noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0
        row[at++] = 120 + WAVE[(x * 5 + y * 2 + channel * 90) & 4095]! + 0.5 * WAVE[(y * 7) & 4095]! + (noise >>> 29)
      }
    }
    yield row
  }
}

const squareOf = (pixels: number) => ({ width: Math.round(Math.sqrt(pixels)), height: Math.round(Math.sqrt(pixels)) })

/** Writes an uncompressed RGB TIFF (6.0) with strips of 16 rows. `isGeoTiff`: adds GeoTIFF tags. */
function tiff(path: string, bytes: number, isGeoTiff: boolean): void {
  const { width, height } = squareOf(bytes / 3)
  const strips = Math.ceil(height / 16)
  const doubles = (...values: number[]) => Buffer.from(new Float64Array(values).buffer)
  const shorts = (...values: number[]) => Buffer.from(new Uint16Array(values).buffer)
  const longs = (values: number[]) => Buffer.from(new Uint32Array(values).buffer)
  const tags: [tag: number, type: number, count: number, value: Buffer | number][] = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 3, shorts(8, 8, 8)],
    [259, 3, 1, 1],
    [262, 3, 1, 2],
    [273, 4, strips, longs(Array.from({ length: strips }, (_, i) => i * 16 * width * 3))],
    [277, 3, 1, 3],
    [278, 4, 1, 16],
    [279, 4, strips, longs(Array.from({ length: strips }, (_, i) => Math.min(16, height - i * 16) * width * 3))],
  ]
  if (isGeoTiff) {
    tags.push([33550, 12, 3, doubles(10, 10, 0)], [33922, 12, 6, doubles(0, 0, 0, 600_000, 4_800_000, 0)])
    tags.push([34735, 3, 8, shorts(1, 1, 0, 1, 3072, 0, 1, 32_631)])
  }
  const directory = Buffer.alloc(2 + 12 * tags.length + 4)
  directory.writeUInt16LE(tags.length)
  let at = 8 + directory.length
  const dataAt = at + tags.reduce((sum, [, , , value]) => sum + (typeof value === 'number' || value.length <= 4 ? 0 : value.length), 0)
  const offsets = tags.find(([tag]) => tag === 273)![3] as Buffer
  for (let i = 0; i < strips; i++) offsets.writeUInt32LE(offsets.readUInt32LE(4 * i) + dataAt, 4 * i)
  const behind: Buffer[] = []
  for (const [i, [tag, type, count, value]] of tags.entries()) {
    const entry = 2 + 12 * i
    directory.writeUInt16LE(tag, entry)
    directory.writeUInt16LE(type, entry + 2)
    directory.writeUInt32LE(count, entry + 4)
    if (typeof value === 'number') directory.writeUInt32LE(value, entry + 8)
    else if (value.length <= 4) value.copy(directory, entry + 8)
    else {
      directory.writeUInt32LE(at, entry + 8)
      behind.push(value)
      at += value.length
    }
  }
  const head = Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0])
  writeChunks(
    path,
    (function* () {
      yield* [head, directory, ...behind]
      yield* rows(width, height, 3)
    })(),
  )
}

/** Writes changing chords with noise as 16-bit stereo PCM at 44.1 kHz. */
function wav(path: string, bytes: number): void {
  const frames = Math.floor(bytes / 4)
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + frames * 4, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  for (const [at, value] of [[20, 1], [22, 2], [32, 4], [34, 16]] as const) head.writeUInt16LE(value, at) // biome-ignore format: offset and value pairs
  head.writeUInt32LE(44_100, 24)
  head.writeUInt32LE(176_400, 28)
  head.write('data', 36)
  head.writeUInt32LE(frames * 4, 40)
  writeChunks(
    path,
    (function* () {
      yield head
      let noise = 1
      for (let from = 0; from < frames; from += 65_536) {
        const samples = new Int16Array(2 * Math.min(65_536, frames - from))
        const step = 20 + ((from / 65_536) % 12) * 3
        for (let i = 0; i < samples.length; i++) {
          noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0
          const t = (from + (i >> 1)) * step
          samples[i] = 90 * WAVE[t & 4095]! + 60 * WAVE[(t * 3 + (i & 1) * 700) & 4095]! + ((noise >>> 22) - 512)
        }
        yield new Uint8Array(samples.buffer)
      }
    })(),
  )
}

function ffmpeg(...args: string[]): void {
  const done = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`ffmpeg: ${done.error ?? done.stderr}`)
}

/** Writes one minute of MP3 at 320 kbit/s, repeated. */
function mp3(path: string, bytes: number): void {
  const minute = `${path}.minute.mp3`
  const chord = 'aevalsrc=0.2*sin(880*t*(1+floor(mod(t\\,7))))+0.1*sin(3000*t)+0.05*(random(0)-0.5):s=44100:d=60'
  ffmpeg('-f', 'lavfi', '-i', chord, '-ac', '2', '-b:a', '320k', minute)
  ffmpeg('-stream_loop', '-1', '-i', minute, '-t', String(bytes / 40_000), '-c', 'copy', path)
  rmSync(minute)
}

function mp4(path: string, bytes: number): void {
  const seconds = String(Math.max(1, bytes / 500_000))
  ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25', '-t', seconds, '-vf', 'noise=alls=12:allf=t:all_seed=1'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '4M', '-minrate', '4M', '-maxrate', '4M', '-bufsize', '4M'],
    ...['-pix_fmt', 'yuv420p', '-threads', '1', path],
  )
}

// ── Documents ──────────────────────────────────────────────────────────────────────────────────────────────────────

const [PAGE_WIDTH, PAGE_HEIGHT] = [2480, 3508]

/**
 * Yields the rows of a scanned A4 page at 300 dpi: lines of strokes on grainy paper, as in `test/conformance/core/formats/pdf/scans.ts`.
 */
function* pageRows(): Generator<Uint8Array> {
  let seed = 1
  for (let y = 0; y < PAGE_HEIGHT; y++) {
    const row = new Uint8Array(PAGE_WIDTH * 3)
    for (let x = 0; x < PAGE_WIDTH; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      const ink = y % 62 < 34 && x > 200 && x < 2280 && ((x * 7 + ((y / 9) | 0) * 31 + ((x / 40) | 0) * 13) % 23) + ((y * 3) % 7) < 11
      row.fill((ink ? 40 : 235) + ((seed >> 16) % 9), x * 3, x * 3 + 3)
    }
    yield row
  }
}

let page: Promise<Buffer> | undefined
const scannedPage = () =>
  (page ??= encodeRows({ width: PAGE_WIDTH, height: PAGE_HEIGHT, pixels: 'rgb', quality: 88, scans: 'sequential' }, pageRows()).then(
    ({ chunks }) => Buffer.concat(chunks),
  ))

/** Returns the picture with a numbered JPEG comment, so that each copy is a different file. */
const numbered = (picture: Uint8Array, number: number) =>
  Buffer.concat([picture.subarray(0, 2), Buffer.from([0xff, 0xfe, 0, 4, number >> 8, number & 255]), picture.subarray(2)])

async function scans(path: string, bytes: number): Promise<void> {
  const picture = await scannedPage()
  const count = Math.max(1, Math.round(bytes / picture.length))
  const kids = Array.from({ length: count }, (_, i) => `${3 + 3 * i} 0 R`).join(' ')
  writeChunks(
    path,
    (function* () {
      const offsets: number[] = []
      let at = 0
      const piece = (content: string | Uint8Array) => {
        const made = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
        at += made.length
        return made
      }
      const object = (content: string) => {
        offsets.push(at)
        return piece(`${offsets.length} 0 obj\n${content}`)
      }
      yield piece('%PDF-1.4\n')
      yield object('<</Type/Catalog/Pages 2 0 R>>\nendobj\n')
      yield object(`<</Type/Pages/Count ${count}/Kids[${kids}]>>\nendobj\n`)
      for (let i = 0; i < count; i++) {
        const resources = `/Resources<</XObject<</I ${5 + 3 * i} 0 R>>>>`
        yield object(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents ${4 + 3 * i} 0 R${resources}>>\nendobj\n`)
        yield object('<</Length 28>>\nstream\nq 595 0 0 842 0 0 cm /I Do Q\nendstream\nendobj\n')
        const image = numbered(picture, i)
        const size = `/Width ${PAGE_WIDTH}/Height ${PAGE_HEIGHT}/ColorSpace/DeviceRGB/BitsPerComponent 8`
        yield object(`<</Type/XObject/Subtype/Image${size}/Filter/DCTDecode/Length ${image.length}>>\nstream\n`)
        yield piece(image)
        yield piece('\nendstream\nendobj\n')
      }
      const start = at
      const places = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
      yield piece(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${places}`)
      yield piece(`trailer\n<</Size ${offsets.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`)
    })(),
  )
}

const PHOTOGRAPH = 'ppt/media/image1.jpeg'
let photograph: Promise<Uint8Array> | undefined

async function presentation(path: string, bytes: number): Promise<void> {
  photograph ??= deck(1, 12_000_000).then(async (small) => (await partsOf(small)).get(PHOTOGRAPH)!)
  const picture = await photograph
  const count = Math.max(1, Math.round(bytes / picture.length))
  const parts = [...(await partsOf(await deck(count, 400)))]
  const full = parts.map(([name, content], i): [string, Uint8Array] => [name, name.endsWith('.jpeg') ? numbered(picture, i) : content])
  writeChunks(path, [await zipOf(Object.fromEntries(full))])
}

/** Writes an EPUB with chapters of 200 KB. ZIP level 1 reduces a chapter to about a third. */
async function book(path: string, bytes: number): Promise<void> {
  const words = prose(4)
  const chapter = () => `<html><body>${Array.from({ length: 400 }, () => `<p>${words(90)}</p>`).join('\n')}</body></html>`
  const chapters = Array.from({ length: Math.max(1, Math.round(bytes / 65_000)) }, (_, i) => [`chapter${i}.xhtml`, chapter()] as const)
  const container = { mimetype: 'application/epub+zip', 'META-INF/container.xml': '<container/>' }
  writeChunks(path, [await zipOf({ ...container, ...Object.fromEntries(chapters) })])
}

async function places(path: string, bytes: number): Promise<void> {
  const random = randomNumbers(5)
  const degrees = () => (random() * 90).toFixed(6)
  const place = (i: number) =>
    `<Placemark><name>${i}</name><Point><coordinates>${degrees()},${degrees()},0</coordinates></Point></Placemark>\n`
  const kml = Buffer.concat([...lines(bytes * 4, place, ['<kml><Document>\n', '</Document></kml>\n'])])
  writeChunks(path, [await zipOf({ 'doc.kml': kml })])
}

/** Writes a zipped ESRI Shapefile with points and an index. */
async function shapes(path: string, bytes: number): Promise<void> {
  const random = randomNumbers(6)
  const count = Math.round(bytes / 20)
  const [shp, shx] = [Buffer.alloc(100 + 28 * count), Buffer.alloc(100 + 8 * count)]
  for (const file of [shp, shx]) {
    file.writeInt32BE(9994, 0)
    file.writeInt32BE(file.length / 2, 24)
    file.writeInt32LE(1000, 28)
    file.writeInt32LE(1, 32)
  }
  for (let i = 0; i < count; i++) {
    const at = 100 + 28 * i
    shp.writeInt32BE(i + 1, at)
    shp.writeInt32BE(10, at + 4)
    shp.writeInt32LE(1, at + 8)
    shp.writeDoubleLE(Math.round(random() * 1e7) / 1e5, at + 12)
    shp.writeDoubleLE(Math.round(random() * 1e7) / 1e5, at + 20)
    shx.writeInt32BE(at / 2, 100 + 8 * i)
    shx.writeInt32BE(10, 104 + 8 * i)
  }
  writeChunks(path, [await zipOf({ 'a.shp': shp, 'a.shx': shx, 'a.prj': 'GEOGCS[]' })])
}

/** Writes a mail with scanned pages as attachments. */
async function mail(path: string, bytes: number): Promise<void> {
  const picture = await scannedPage()
  const count = Math.max(1, Math.round(bytes / picture.length / 1.37))
  const base64 = (i: number) =>
    numbered(picture, i)
      .toString('base64')
      .replace(/.{76}(?=.)/g, '$&\r\n')
  const opening = 'From: a@example.org\r\nSubject: scans\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'
  writeChunks(
    path,
    (function* () {
      yield utf8(opening)
      for (let i = 0; i < count; i++)
        yield utf8(`--b\r\nContent-Type: image/jpeg; name="${i}.jpg"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(i)}\r\n`)
      yield utf8('--b--\r\n')
    })(),
  )
}

// ── List ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const of = (name: string, holds: string, file: string, make: GrowthFile['make'], more: Partial<GrowthFile> = {}): GrowthFile => ({
  name,
  holds,
  file,
  make,
  ...more,
})

export const GROWTH_FILES: readonly GrowthFile[] = [
  of('CSV', 'lines, to Zstandard', 'a.csv', (path, bytes) => writeChunks(path, lines(bytes, csvLine())), { upTo: 500 }),
  of('XML', 'elements, to Zstandard', 'a.xml', (path, bytes) =>
    writeChunks(path, lines(bytes, xmlLine(), ['<?xml version="1.0"?>\n<items>\n', '</items>\n'])),
  ),
  of('WAV', 'chords with hiss, to FLAC', 'a.wav', wav, { output: 'flac', upTo: 500 }),
  of('MP3', 'a minute at 320 kbit/s, repeated', 'a.mp3', mp3),
  of('PDF', 'scans of A4 at 300 dpi', 'a.pdf', scans, { upTo: 256 }),
  of('PPTX', 'photographs of 12 megapixels', 'a.pptx', presentation, { upTo: 256 }),
  of('EPUB', 'chapters', 'a.epub', book),
  of('KMZ', 'places', 'a.kmz', places),
  of('TIFF', 'strips', 'a.tif', (path, bytes) => tiff(path, bytes, false), { upTo: 500 }),
  of('GeoTIFF', 'strips', 'a.tif', (path, bytes) => tiff(path, bytes, true), { upTo: 256 }),
  of('PNG', 'a square with grain', 'a.png', (path, bytes) => png(path, squareOf(bytes / 2), 3)),
  of('BMP', 'a square with grain, to PNG', 'a.bmp', (path, bytes) => bmp(path, squareOf(bytes / 3)), { output: 'png' }),
  of('JPEG', 'a square with grain', 'a.jpg', (path, bytes) => jpeg(path, squareOf(bytes / 1.4), 96, 'sequential')),
  of('GIF', 'frames of 640 × 480', 'a.gif', (path, bytes) =>
    gif(path, { width: 640, height: 480 }, Math.max(1, Math.round(bytes / 347_000))),
  ),
  of('LAS', 'points', 'a.las', (path, bytes) => writeChunks(path, [lasFile({ format: 3, points: Math.round(bytes / 34) })]), { upTo: 256 }),
  of('NetCDF', 'numbers, to Zstandard', 'a.nc', (path, bytes) => writeChunks(path, [netcdf3File(Math.round(bytes / 4))]), { upTo: 256 }),
  of('HDF5', 'numbers', 'a.h5', (path, bytes) => writeChunks(path, [hdf5File(Math.round(bytes / 4), 1)]), { upTo: 256 }),
  of('NIfTI', 'slices', 'a.nii', (path, bytes) => writeChunks(path, [niftiFile(256, 256, Math.round(bytes / 131_072))])),
  of('DICOM', 'frames of 512 × 512', 'a.dcm', (path, bytes) => {
    const picture = { width: 512, height: 512, stored: 12, frames: Math.max(2, Math.round(bytes / 524_288)) }
    writeChunks(path, [dicomFile(imageElements(picture, 'explicit'), 'explicit')])
  }),
  of('DXF', 'lines, to Zstandard', 'a.dxf', (path, bytes) =>
    writeChunks(path, lines(bytes, dxfLine(), ['0\nSECTION\n2\nENTITIES\n', '0\nENDSEC\n0\nEOF\n'])),
  ),
  of('SVG', 'paths of 60 points', 'a.svg', (path, bytes) => svg(path, Math.round(bytes / 1000), 60), { upTo: 16 }),
  of('EML', 'scans as attachments', 'a.eml', mail, { output: 'eml' }),
  of('MP4', 'seconds of 360p at 4 Mbit/s', 'a.mp4', mp4),
  of('SHP', 'points, zipped', 'a.zip', shapes),
]
