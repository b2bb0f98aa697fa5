/** Sources for measurements of memory: text and pictures that repeat, of any size. */
import { gzipSync } from 'node:zlib'
import { concat } from '../../../../../src/core/bytes/concat.ts'
import type { Source } from '../../../../../src/core/model/codec.ts'
import { rangeStream } from '../../../../../src/core/model/source.ts'
import { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../../../wasm/png/png.ts'
import { buildTiff } from '../../../../core/formats/tiff/build-tiff.ts'
import { gridItem, heifFile } from '../../../../support/avif-file.ts'
import { hevcItem, planesOf, SRGB } from '../../../../support/heic-file.ts'
import { block, ebmlHeader, element, info, number, tracks, withChecksum } from '../../../../support/mkv-file.ts'
import { AAC, filmOf } from '../../../../support/mkv-tracks.ts'
import { pptFile, xlsFile } from '../../../../support/office97-file.ts'
import { opusFile } from '../../../../support/ogg-file.ts'
import { zipOf } from '../../../../support/packages.ts'
import { rtfFile } from '../../../../support/rtf-file.ts'
import { longFlac, longOpus, longVorbis } from './long-sound.ts'
import { manyFlvFrames, manyTsFrames } from './many-frames.ts'

/** Words that compress as prose does, the same at every read. */
function words(offset: number, length: number): Uint8Array {
  const chunk = new Uint8Array(length)
  for (let i = 0; i < length; i++) {
    const at = offset + i
    const word = Math.imul((at >>> 3) ^ (at >>> 11), 2654435761) >>> 21
    chunk[i] = at % 8 === 7 ? 32 : 97 + ((Math.imul(word + (at % 8), 40503) >>> 9) % 26)
  }
  return chunk
}

function computed(size: number, name: string, read: (offset: number, length: number) => Uint8Array): Source {
  const ranged = async (offset: number, length: number) => read(offset, Math.max(0, Math.min(length, size - offset)))
  return { name, size, read: ranged, stream: () => rangeStream(size, ranged) }
}

/** An uncompressed RGB picture in one strip: a small one whose header says that it is tall. */
function tallTiff(bytes: number): Source {
  const width = 6000
  const height = Math.floor(bytes / (width * 3))
  const small = buildTiff([{ width, height: 1, bits: 8, samples: 3 }])
  const view = new DataView(small.buffer)
  const strip = width * 3
  const shift = (height - 1) * strip
  view.setUint32(4, view.getUint32(4, true) + shift, true)
  for (let at = 8 + strip; at < small.length - 8; at += 2) {
    const tag = view.getUint16(at, true)
    if (tag === 257 || tag === 278) view.setUint32(at + 8, height, true)
    if (tag === 279) view.setUint32(at + 8, height * strip, true)
    if (tag === 258 && view.getUint32(at + 4, true) === 3) view.setUint32(at + 8, view.getUint32(at + 8, true) + shift, true)
  }
  return computed(small.length + shift, 'tall.tif', (offset, length) => {
    const chunk = words(offset, length)
    for (let i = 0; i < length; i++) {
      const at = offset + i
      if (at < 8) chunk[i] = small[at]!
      else if (at >= 8 + height * strip) chunk[i] = small[at - shift]!
    }
    return chunk
  })
}

/** Noise in one strip of JPEG of about so many bytes, with more behind its end than a new one has. */
function jpegTiff(bytes: number): Uint8Array {
  const [width, height] = [4000, Math.round(bytes / 4000 / 0.85)]
  const taking = JpegJob.fromRows({ width, height, pixels: 'gray' }, { kind: 'stream', quality: 95, trellis: false })
  const strip = new Uint8Array(width * 16)
  for (let y = 0; y < height; y += 16) {
    for (let i = 0; i < strip.length; i++) strip[i] = 110 + 30 * Math.sin((y + i) / 700) + (Math.imul(y * width + i, 2654435761) >>> 26)
    taking.write(strip.subarray(0, Math.min(16, height - y) * width))
  }
  using job = taking.end()
  const made = job.write('made', 'sequential')
  const pixels = concat([...made, new Uint8Array(bytes >> 4)])
  return buildTiff([{ width, height, bits: 8, samples: 1, compression: 7, pixels }])
}

/** JPEG of waves with grain. */
function photograph(pixels: number): Uint8Array {
  const [width, rows] = [12_000, 16 * Math.round(pixels / 12_000 / 16)]
  // The engine that makes the largest picture holds its whole file.
  const quality = rows > 16_000 ? 60 : 92
  const taking = JpegJob.fromRows({ width, height: rows, pixels: 'rgb', subsampled: true }, { kind: 'stream', quality, trellis: false })
  const strip = new Uint8Array(width * 3 * 16)
  for (let y = 0; y < rows; y += 16) {
    if (y % 512 === 0)
      for (let i = 0; i < strip.length; i++)
        strip[i] = 128 + 60 * Math.sin(i / 300 + y / 530) + (Math.imul(i * 7919 + y, 2654435761) >>> 27)
    taking.write(strip)
  }
  using job = taking.end()
  return concat([...job.write('made', 'sequential')])
}

/** PNG with alpha, as high as a band of AVIF's tiles. */
const widePng = (width: number) => wavesAsPng(width, 200, 4)

/** A picture of so many megapixels, 4000 pixels wide. */
const photoPng = (megapixels: number) => wavesAsPng(4000, megapixels * 250, 3)

function wavesAsPng(width: number, height: number, channels: 3 | 4): Uint8Array {
  using encoder = new PngEncoder({ width, height, colourType: channels === 3 ? 2 : 6, bitDepth: 8 }, QUICK_EFFORT)
  const row = new Uint8Array(width * channels)
  for (let y = 0; y < height; y++) {
    for (let i = 0; i < row.length; i++) row[i] = 128 + 60 * Math.sin(i / 300 + y / 53) + (Math.imul(i * 7919 + y, 2654435761) >>> 28)
    encoder.writeRow(row)
  }
  return concat([...encoder.finish()])
}

/** A camera's picture: a grid of tiles with exact samples, so that a JPEG is smaller. */
function heicGrid(size: number): Uint8Array {
  const side = 512
  const columns = Math.ceil(Math.sqrt((size * 4) / 3) / side)
  const rows = Math.ceil((columns * 3) / 4)
  const pixels = new Uint8Array(side * side * 3)
  for (let i = 0; i < pixels.length; i++) pixels[i] = 128 + 60 * Math.sin(i / 300) + (Math.imul(i, 2654435761) >>> 28)
  const grid = gridItem(1, columns, rows, { width: columns * side, height: rows * side }, [SRGB], true)
  const tile = hevcItem(2, planesOf(pixels, { width: side, height: side }), [], true)
  const tiles = Array.from({ length: columns * rows }, (_, i) => ({ ...tile, id: 2 + i }))
  const references = [['dimg', 1, tiles.map(({ id }) => id)]] as const
  return heifFile({ brand: 'heic', items: [grid, ...tiles], references })
}

/** Film with `count` entries of its index, five elements each, and a second of blocks. */
function indexedFilm(count: number): Uint8Array {
  const front = concat([info(), tracks()])
  const cluster = element(0x1f43b675, [number(0xe7, 0), ...Array.from({ length: 25 }, (_, i) => block(1, 40 * i, 2000))])
  const entry = (i: number) => element(0xbb, [number(0xb3, i), element(0xb7, [number(0xf7, 1, 1), number(0xf1, front.length)])])
  const cues = withChecksum(
    0x1c53bb6b,
    Array.from({ length: count }, (_, i) => entry(i)),
  )
  return concat([ebmlHeader(), element(0x18538067, [front, cluster, cues])])
}

/** Film of sound with frames of 40 bytes. */
function soundFilm(count: number): Uint8Array {
  const packet = Uint8Array.from({ length: 40 }, (_, i) => (i * 89) & 255)
  const frames = Array.from({ length: count }, (_, i) => ({
    track: 2,
    time: Math.round((i * 1024) / 48),
    bytes: packet,
  }))
  return filmOf({ tracks: [AAC], frames })
}

const pictureOf = (megapixels: number) => ({ kind: 'jpg', bytes: photograph(megapixels * 1e6) }) as const

/** Text of `bytes` bytes in memory. */
const textOf = (bytes: number) => concat(Array.from({ length: Math.ceil(bytes / 65_536) }, (_, i) => words(i * 65_536, 65_536)))

/** Sources that are computed as they are read, from their size in bytes. */
export const COMPUTED: { readonly [what: string]: ((bytes: number) => Source) | undefined } = {
  text: (bytes) => computed(bytes, 'words.txt', words),
  tiff: tallTiff,
}

/** Sources that are made as a whole. */
export const FILES: { readonly [what: string]: ((millions: number) => Uint8Array | Promise<Uint8Array>) | undefined } = {
  'tiff-jpeg': (megabytes) => jpegTiff(megabytes * 1e6),
  png: (thousandPixels) => widePng(thousandPixels * 1000),
  'png-photo': photoPng,
  jpg: (megapixels) => photograph(megapixels * 1e6),
  heic: (megapixels) => heicGrid(megapixels * 1e6),
  ppt: (megapixels) => pptFile([pictureOf(megapixels)]),
  xls: (megapixels) => xlsFile([pictureOf(megapixels)]),
  rtf: (megapixels) => rtfFile([{ keyword: 'jpegblip', bytes: pictureOf(megapixels).bytes }]),
  opus: (megabytes) => opusFile(Math.round((megabytes * 1e6) / 138)),
  'long-opus': (megabytes) => longOpus(megabytes * 1e6),
  'long-vorbis': (megabytes) => longVorbis(megabytes * 1e6),
  'long-flac': (megabytes) => longFlac(megabytes * 1e6),
  mkv: (thousandEntries) => indexedFilm(thousandEntries * 1000),
  ts: (tenThousandFrames) => manyTsFrames(tenThousandFrames * 10_000),
  flv: (tenThousandFrames) => manyFlvFrames(tenThousandFrames * 10_000),
  'mkv-sound': (tenThousandFrames) => soundFilm(tenThousandFrames * 10_000),
  gz: (megabytes) => new Uint8Array(gzipSync(textOf(megabytes * 1e6), { level: 1 })),
  zip: (megabytes) => zipOf({ 'words.txt': textOf(megabytes * 1e6).subarray(0, megabytes * 1e6) }),
}
