/**
 * A process of its own, so that its memory is the job's: runs one codec on a source that is computed as it is read, throws the
 * result into a file, and prints how far the resident memory rose above what the loaded modules take.
 */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { concat } from '../../../../../src/core/bytes/concat.ts'
import { EFFORTS } from '../../../../../src/core/catalog/effort.ts'
import type { OutputId } from '../../../../../src/core/catalog/outputs.ts'
import { mkv } from '../../../../../src/core/formats/film/mkv/mkv.ts'
import { gz } from '../../../../../src/core/formats/gz/gz.ts'
import { heic } from '../../../../../src/core/formats/heic/heic.ts'
import { jpg } from '../../../../../src/core/formats/jpg/jpg.ts'
import { opus } from '../../../../../src/core/formats/ogg/ogg.ts'
import { png } from '../../../../../src/core/formats/png/png.ts'
import { text } from '../../../../../src/core/formats/text/text.ts'
import { tiff } from '../../../../../src/core/formats/tiff/tiff.ts'
import { zip } from '../../../../../src/core/formats/zip/zip.ts'
import type { Source } from '../../../../../src/core/model/codec.ts'
import { memorySource, rangeStream } from '../../../../../src/core/model/source.ts'
import { type JobRequest, openJob } from '../../../../../src/core/pipeline/job.ts'
import { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../../../wasm/png/png.ts'
import { buildTiff } from '../../../../core/formats/tiff/build-tiff.ts'
import { gridItem, heifFile } from '../../../../support/avif-file.ts'
import { hevcItem, planesOf, SRGB } from '../../../../support/heic-file.ts'
import { block, ebmlHeader, element, info, number, tracks, withChecksum } from '../../../../support/mkv-file.ts'
import { AAC, filmOf } from '../../../../support/mkv-tracks.ts'
import { opusFile } from '../../../../support/ogg-file.ts'
import { zipOf } from '../../../../support/packages.ts'
import { fileSink } from './files.ts'

/** `side`: frame of a rendition in pixels. `undefined`: the whole file is compressed. */
const [what = 'text', output = 'zst', megabytes = '20', effort = 'balanced', side] = process.argv.slice(2)
const bytes = Number(megabytes) * 1_000_000

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

function source(size: number, name: string, read: (offset: number, length: number) => Uint8Array): Source {
  const ranged = async (offset: number, length: number) => read(offset, Math.max(0, Math.min(length, size - offset)))
  return { name, size, read: ranged, stream: () => rangeStream(size, ranged) }
}

/** An uncompressed RGB picture in one strip: a small one whose header says that it is tall. */
function tallTiff(): Source {
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
  return source(small.length + shift, 'tall.tif', (offset, length) => {
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
function jpegTiff(): Source {
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
  const whole = memorySource(buildTiff([{ width, height, bits: 8, samples: 1, compression: 7, pixels }]), 'strip.tif')
  const read = (offset: number, length: number) => {
    peak = Math.max(peak, used())
    return whole.read(offset, length)
  }
  heldForTheTest = whole.size
  return { ...whole, read, stream: () => rangeStream(whole.size, read) }
}

/** Waves with grain, of so many megapixels: never held, requantised while it is read as often as it is looked at. */
function photograph(): Source {
  const [width, rows] = [12_000, 16 * Math.round((Number(megabytes) * 1e6) / 12_000 / 16)]
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
  const file = memorySource(concat([...job.write('made', 'sequential')]), 'photograph.jpg')
  heldForTheTest = file.size
  return file
}

/** Rows of so many thousand pixels with alpha, as many as a band of AVIF's tiles has. */
function widePng(): Source {
  const width = Number(megabytes) * 1000
  using encoder = new PngEncoder({ width, height: 200, colourType: 6, bitDepth: 8 }, QUICK_EFFORT)
  const row = new Uint8Array(width * 4)
  for (let y = 0; y < 200; y++) {
    for (let i = 0; i < row.length; i++) row[i] = 128 + 60 * Math.sin(i / 300 + y / 53) + (Math.imul(i * 7919 + y, 2654435761) >>> 28)
    encoder.writeRow(row)
  }
  const file = memorySource(concat([...encoder.finish()]), 'wide.png')
  heldForTheTest = file.size
  return file
}

/** A camera's picture of so many megapixels: a grid of tiles with exact samples, so that a JPEG is smaller. */
function heicGrid(): Source {
  const side = 512
  const columns = Math.ceil(Math.sqrt((Number(megabytes) * 1e6 * 4) / 3) / side)
  const rows = Math.ceil((columns * 3) / 4)
  const pixels = new Uint8Array(side * side * 3)
  for (let i = 0; i < pixels.length; i++) pixels[i] = 128 + 60 * Math.sin(i / 300) + (Math.imul(i, 2654435761) >>> 28)
  const grid = gridItem(1, columns, rows, { width: columns * side, height: rows * side }, [SRGB], true)
  const tile = hevcItem(2, planesOf(pixels, { width: side, height: side }), [], true)
  const tiles = Array.from({ length: columns * rows }, (_, i) => ({ ...tile, id: 2 + i }))
  const references = [['dimg', 1, tiles.map(({ id }) => id)]] as const
  const file = memorySource(heifFile({ brand: 'heic', items: [grid, ...tiles], references }), 'grid.heic')
  heldForTheTest = file.size
  return file
}

/** Opus packets of 20 ms, one on each page, of about so many bytes. */
function opusSound(): Source {
  const file = memorySource(opusFile(Math.round(bytes / 138)), 'sound.opus')
  heldForTheTest = file.size
  return file
}

/** Film with as many entries of its index as a thousand times `megabytes`, five elements each, and a second of blocks. */
function indexedFilm(): Source {
  const front = concat([info(), tracks()])
  const cluster = element(0x1f43b675, [number(0xe7, 0), ...Array.from({ length: 25 }, (_, i) => block(1, 40 * i, 2000))])
  const entry = (i: number) => element(0xbb, [number(0xb3, i), element(0xb7, [number(0xf7, 1, 1), number(0xf1, front.length)])])
  const cues = withChecksum(
    0x1c53bb6b,
    Array.from({ length: Number(megabytes) * 1000 }, (_, i) => entry(i)),
  )
  const file = memorySource(concat([ebmlHeader(), element(0x18538067, [front, cluster, cues])]), 'film.mkv')
  heldForTheTest = file.size
  return file
}

/** Film of sound with ten thousand times `megabytes` frames of 40 bytes. */
function soundFilm(): Source {
  const packet = Uint8Array.from({ length: 40 }, (_, i) => (i * 89) & 255)
  const frames = Array.from({ length: Number(megabytes) * 10_000 }, (_, i) => ({
    track: 2,
    time: Math.round((i * 1024) / 48),
    bytes: packet,
  }))
  const file = memorySource(filmOf({ tracks: [AAC], frames }), 'film.mkv')
  heldForTheTest = file.size
  return file
}

/** Text in one member of a gzip file, at the fastest level. */
function gzippedWords(): Source {
  const text = concat(Array.from({ length: Math.ceil(bytes / 65_536) }, (_, i) => words(i * 65_536, 65_536)))
  const file = memorySource(new Uint8Array(gzipSync(text, { level: 1 })), 'words.txt.gz')
  heldForTheTest = file.size
  return file
}

/** Archive of one text, deflated at the fastest level. */
async function zippedWords(): Promise<Source> {
  const text = concat(Array.from({ length: Math.ceil(bytes / 65_536) }, (_, i) => words(i * 65_536, 65_536))).subarray(0, bytes)
  const file = memorySource(await zipOf({ 'words.txt': text }), 'words.zip')
  heldForTheTest = file.size
  return file
}

const isText = what === 'text'
/**
 * Text leans on native zlib, which only resident memory shows. Others do not: there heap, buffers and Wasm memories that are
 * alive count, for what an allocator keeps of freed pages swings by tens of megabytes from run to run.
 */
function used(): number {
  if (isText) return process.memoryUsage.rss()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
const before = used()
let peak = before
/** Bytes of a source that is not computed. */
let heldForTheTest = 0
const SOURCES: { readonly [what: string]: (() => Source | Promise<Source>) | undefined } = {
  tiff: tallTiff,
  'tiff-jpeg': jpegTiff,
  png: widePng,
  jpg: photograph,
  heic: heicGrid,
  opus: opusSound,
  mkv: indexedFilm,
  'mkv-sound': soundFilm,
  gz: gzippedWords,
  zip: zippedWords,
}
const input = (await SOURCES[what]?.()) ?? source(bytes, 'words.txt', words)
// Buffers that only building the source needed are freed a little after the collection.
globalThis.gc?.()
await new Promise((resolve) => setTimeout(resolve, 100))
const codec = { text, png, jpg, heic, opus, mkv, 'mkv-sound': mkv, gz, zip }[what] ?? tiff
const path = join(tmpdir(), `whittle-peak-${process.pid}`)
const sampled = setInterval(() => (peak = Math.max(peak, used())), isText ? 5 : 50)
let collectedMs = 0
const request: JobRequest = {
  output: output as OutputId,
  lossless: what === 'mkv-sound',
  effort: EFFORTS.find((name) => name === effort),
  ...(side ? { rendition: { width: Number(side), height: Number(side), fit: 'contain' } } : {}),
  progress: () => {
    // Some codecs report each page, and a collection takes tens of milliseconds.
    if (performance.now() - collectedMs < 100) return
    // Garbage of the computed source is not the codec's memory.
    globalThis.gc?.()
    collectedMs = performance.now()
    peak = Math.max(peak, used())
  },
}
const { outcome } = await openJob(codec, input, {}, request).whole(async () => fileSink(path, input.size, 'result'))
clearInterval(sampled)
rmSync(path, { force: true })
console.log(JSON.stringify({ kind: outcome.kind, bytes: input.size, peakMB: Math.round((peak - before - heldForTheTest) / 1e6) }))
