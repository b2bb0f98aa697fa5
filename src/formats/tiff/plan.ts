/** What becomes of each picture: its predictor, its strips, or that it is copied as it is. */

import { BEST_LEVEL, deflateRaw, SAMPLES_CLOSE, SAMPLES_FAST } from '../../bytes/deflate.ts'
import { encodeGroup4 } from '../../bytes/fax/encode.ts'
import { isCodecError } from '../../codec/error.ts'
import { checkChunkSize, decodeRows, isSparse } from './decode.ts'
import type { TiffFile } from './directory.ts'
import { COMPRESSION, isFax, type Pixels, rawBytes, rowsOf } from './pixels.ts'
import { difference } from './predictor.ts'

export type Plan =
  | { readonly kind: 'copy'; readonly pixels: Pixels }
  | {
      readonly kind: 'recode'
      readonly pixels: Pixels
      readonly coding: 'deflate' | 'group4'
      readonly predictor: 1 | 2 | 3
      /** Levels of Deflate, of which each chunk takes the one that makes it smallest. */
      readonly levels: readonly number[]
      /** Rows of a strip in the result; tiles keep theirs. */
      readonly rowsPerStrip: number
      readonly stripsPerPlane: number
    }

/** Strips below this are merged, above split, into strips of about the target. */
const SMALL_STRIP_BYTES = 128 * 1024
const LARGE_STRIP_BYTES = 4 * 1024 * 1024
const TARGET_STRIP_BYTES = 512 * 1024

const SAMPLE_CHUNKS = 8
/** How far into a chunk samples go: all before them is decoded, too. */
const SPREAD_BYTES = 16 * 1024 * 1024
const SAMPLE_BYTES = 128 * 1024
/** One sample in so many is enough to tell levels apart. */
const LEVEL_SAMPLES_APART = 4
/** Where Group 4 comes to less than this share of quick Deflate, the best Deflate is no match for it. */
const WELL_BELOW = 0.8
/** Fax that is longer is left as it is. */
const MAX_FAX_STORED_BYTES = 8 * 1024 * 1024
/** Pages are looked at whole: their beginnings say little. */
const FAX_SAMPLE_BYTES = 4 * 1024 * 1024
/** What more time must bring: photographs do without, maps and drawings gain 2 to 30 %. In large files it is much time. */
const WORTH_TIME = { small: 0.985, large: 0.94 } as const
const LARGE_BYTES = 20_000_000
/** Where everything repeats itself, level 9 finds it at 100 MB per CPU second: more than a few per cent must be left for more. */
const WORTH_MORE_THAN_9 = 0.97

/** Where samples come to less than this share, other levels may find more: not in photographs and noise. */
const HAS_REPEATS = 0.5
/** Where they come to less than this, few samples say little: what repeats itself does so unevenly. */
const IS_REPEATS = 0.15
/** And here level 9 finds everything, at 100 MB per CPU second and more. */
const IS_EVEN = 0.02
/** Predictors that come to more than this times the best one on few samples are out. */
const NEAR = { usually: 1.02, inRepeats: 1.15 } as const

const MB = 1_000_000
/** Up to here the time for both levels is nothing. */
const SMALL_BYTES = 0.3 * MB

/**
 * The level that looks closest, by the bytes of all pictures. On photographs libdeflate's 12 goes at 4 MB per CPU second, 10 at 3
 * to 6, SAMPLES_CLOSE at 5 to 7; SAMPLES_FAST at 18 and with the bytes of 10, on noise at 43 and with fewer than 12. Native
 * libdeflate 9, what libtiff and GDAL come with, does 5 to 12 in such strips, and 60 on noise.
 */
function closestLevel(totalBytes: number): number {
  if (totalBytes <= SMALL_BYTES) return BEST_LEVEL
  return totalBytes <= 4 * MB ? 10 : SAMPLES_CLOSE
}

/** `mayRestrip`: strips may be merged and split. Otherwise every chunk keeps its place. `totalBytes`: of all pictures of the file. */
export async function planPixels(file: TiffFile, pixels: Pixels, totalBytes: number, mayRestrip: boolean): Promise<Plan> {
  if (!pixels.decodable) return { kind: 'copy', pixels }
  checkChunkSize(pixels)
  if (isFax(pixels.compression) && !(await isSoundFax(file, pixels))) return { kind: 'copy', pixels }
  const samples = await sampleRows(file, pixels)
  const sizeOf = (some: readonly Uint8Array[], predictor: Predictor, level: number) => trial(file, pixels, some, predictor, level)
  const few = samples.filter((_, i) => isOfFew(i, samples.length))
  let bilevel = pixels.bits === 1 && pixels.samples === 1 ? group4Trial(pixels, samples) : Number.POSITIVE_INFINITY
  let deflated = bestPredictor(pixels, samples, few, bilevel, sizeOf)
  if (bilevel < deflated.size && !(await isPaddedWithZeros(file, pixels))) {
    bilevel = Number.POSITIVE_INFINITY
    deflated = bestPredictor(pixels, samples, few, bilevel, sizeOf)
  }
  const coding = bilevel < deflated.size ? 'group4' : 'deflate'
  const { predictor } = deflated
  const close = closestLevel(totalBytes)
  let levels: readonly number[] = [SAMPLES_FAST, close]
  if (totalBytes > SMALL_BYTES && coding === 'deflate') levels = [levelFor(deflated, few, close, totalBytes, sizeOf)]
  const size = Math.min(bilevel, deflated.size)
  if (pixels.compression !== COMPRESSION.none && !gains(pixels, samples, size, () => sizeOf(samples, predictor, SAMPLES_FAST))) {
    if (coding === 'group4' || !gains(pixels, samples, sizeOf(samples, predictor, close))) return { kind: 'copy', pixels }
    if (!levels.includes(close)) levels = [close]
  }
  const rowsPerStrip = mayRestrip ? newRowsPerStrip(pixels) : pixels.chunkHeight
  const stripsPerPlane = pixels.tiled ? pixels.chunksPerPlane : Math.ceil(pixels.height / rowsPerStrip)
  return { kind: 'recode', pixels, coding, predictor, levels, rowsPerStrip, stripsPerPlane }
}

type Predictor = 1 | 2 | 3
type SizeOf = (samples: readonly Uint8Array[], predictor: Predictor, level: number) => number

/** What a predictor makes of the samples: `size` of all of them, the others of few. `nine` only where much repeats itself. */
interface Tried {
  readonly predictor: Predictor
  readonly fast: number
  readonly nine: number
  readonly size: number
}

/** Few samples tell predictors apart, unless they come to nearly the same. */
function bestPredictor(pixels: Pixels, samples: readonly Uint8Array[], few: readonly Uint8Array[], bilevel: number, sizeOf: SizeOf): Tried {
  const quick = predictors(pixels).map((predictor) => ({ predictor, fast: sizeOf(few, predictor, SAMPLES_FAST) }))
  const least = Math.min(...quick.map(({ fast }) => fast))
  const share = least / bytesOf(few)
  const near = quick.filter(({ fast }) => fast <= least * (share < IS_REPEATS ? NEAR.inRepeats : NEAR.usually))
  const whole = near.length > 1 && few.length < samples.length
  const tried = near.map(({ predictor, fast }) => {
    const size = whole ? sizeOf(samples, predictor, SAMPLES_FAST) : fast * (bytesOf(samples) / bytesOf(few))
    const nine = share > HAS_REPEATS || bilevel < size * WELL_BELOW ? fast : sizeOf(few, predictor, 9)
    return { predictor, fast, nine, size: size * Math.min(1, nine / fast) }
  })
  return tried.reduce((best, one) => (one.size < best.size ? one : best))
}

/** Every row decodes as the recommendations have it. */
async function isSoundFax(file: TiffFile, pixels: Pixels): Promise<boolean> {
  if (pixels.lengths.some((length) => length > MAX_FAX_STORED_BYTES)) return false
  try {
    for (let index = 0; index < pixels.offsets.length; index++) for await (const _ of decodeRows(file, pixels, index));
    return true
  } catch (error) {
    if (isCodecError(error, 'malformed')) return false
    throw error
  }
}

/** Whether Group 4, which has no bits behind the last column, brings every byte back. */
async function isPaddedWithZeros(file: TiffFile, pixels: Pixels): Promise<boolean> {
  const { rowBytes, chunkWidth, compression, lengths } = pixels
  const padding = 0xff >> (chunkWidth % 8 || 8)
  if (padding === 0 || isFax(compression)) return true
  for (let index = 0; index < lengths.length; index++) {
    for await (const block of decodeRows(file, pixels, index)) {
      for (let at = rowBytes - 1; at < block.length; at += rowBytes) if (block[at]! & padding) return false
    }
  }
  return true
}

function group4Trial(pixels: Pixels, samples: readonly Uint8Array[]): number {
  const sizes = samples.map((sample) => encodeGroup4(sample, pixels.chunkWidth, sample.length)?.length ?? Number.POSITIVE_INFINITY)
  return sizes.reduce((sum, size) => sum + size, 0)
}

function levelFor({ predictor, fast, nine }: Tried, few: readonly Uint8Array[], close: number, totalBytes: number, sizeOf: SizeOf): number {
  const fastShare = fast / bytesOf(few)
  if (fastShare > HAS_REPEATS) return SAMPLES_FAST
  if (fastShare < IS_EVEN) return nine <= fast ? 9 : SAMPLES_FAST
  const closest = sizeOf(few, predictor, close)
  if (Math.min(nine, closest) >= fast * WORTH_TIME[totalBytes < LARGE_BYTES ? 'small' : 'large']) return SAMPLES_FAST
  return closest < nine * WORTH_MORE_THAN_9 ? close : 9
}

/** Predictors that libtiff and GDAL read for these samples. */
function predictors(pixels: Pixels): Predictor[] {
  const { bits, floating } = pixels
  if (floating) return [16, 24, 32, 64].includes(bits) ? (bits === 16 || bits === 32 ? [1, 3, 2] : [1, 3]) : [1]
  return bits === 8 || bits === 16 || bits === 32 ? [1, 2] : [1]
}

function newRowsPerStrip(pixels: Pixels): number {
  const { tiled, rowBytes, chunkHeight, height, lengths } = pixels
  const stripBytes = rowBytes * chunkHeight
  const fits = stripBytes >= SMALL_STRIP_BYTES && stripBytes <= LARGE_STRIP_BYTES
  const single = chunkHeight >= height && stripBytes <= LARGE_STRIP_BYTES
  if (tiled || fits || single || lengths.some((length) => length === 0)) return chunkHeight
  const rows = Math.max(1, Math.round(TARGET_STRIP_BYTES / rowBytes))
  return Math.min(rows, height)
}

/** Some rows of some chunks across the picture, and of large chunks from several places. */
export async function sampleRows(file: TiffFile, pixels: Pixels): Promise<Uint8Array<ArrayBuffer>[]> {
  const present = [...pixels.lengths.keys()].filter((index) => !isSparse(pixels, index))
  const samples: Uint8Array<ArrayBuffer>[] = []
  const sampleBytes = isFax(pixels.compression) ? FAX_SAMPLE_BYTES : SAMPLE_BYTES
  // Small strips: several together make a sample, as they may be merged.
  const stripBytes = pixels.rowBytes * pixels.chunkHeight
  const run = pixels.tiled ? 1 : Math.max(1, Math.min(present.length, Math.floor(sampleBytes / Math.max(1, stripBytes))))
  const groups = Math.min(SAMPLE_CHUNKS, Math.ceil(present.length / run))
  const apart = groups > 1 ? (present.length - run) / (groups - 1) : 0
  for (let group = 0; group < groups; group++) {
    const begin = Math.round(group * apart)
    for (const index of present.slice(begin, begin + run)) {
      samples.push(...(await sampleOfChunk(file, pixels, index, sampleBytes, Math.floor(SAMPLE_CHUNKS / groups))))
    }
  }
  return samples
}

/** Up to `places` runs of rows from one chunk, far from one another, of `sampleBytes` each; of a long one, from its beginning. */
async function sampleOfChunk(
  file: TiffFile,
  pixels: Pixels,
  index: number,
  sampleBytes: number,
  places: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const { rowBytes } = pixels
  const rows = Math.max(1, Math.min(rowsOf(pixels, index), Math.floor(SPREAD_BYTES / rowBytes)))
  const count = Math.max(1, Math.min(places, Math.ceil((rows * rowBytes) / sampleBytes)))
  const taken = Math.max(1, Math.min(Math.floor(sampleBytes / rowBytes), Math.floor(rows / count)))
  const samples: Uint8Array<ArrayBuffer>[] = []
  let [row, filled] = [0, 0]
  for await (const block of decodeRows(file, pixels, index)) {
    const end = row + block.length / rowBytes
    while (samples.length < count || filled < taken) {
      const last = filled === 0 || filled === taken
      const place = last ? samples.length : samples.length - 1
      const from = Math.round(count > 1 ? (place * (rows - taken)) / (count - 1) : 0) + (last ? 0 : filled)
      if (from >= end) break
      if (last) {
        samples.push(new Uint8Array(taken * rowBytes))
        filled = 0
      }
      const part = block.subarray((from - row) * rowBytes, (from - row + taken - filled) * rowBytes)
      samples.at(-1)!.set(part, filled * rowBytes)
      filled += part.length / rowBytes
    }
    row = end
    if (samples.length === count && filled === taken) break
  }
  return samples
}

/** What each sample comes to. */
function trials(file: TiffFile, pixels: Pixels, samples: readonly Uint8Array[], predictor: number, level: number): number[] {
  return samples.map((sample) => {
    if (predictor === 1) return deflateRaw(sample, level).length
    const rows = sample.slice()
    difference(rows, { ...pixels, littleEndian: file.littleEndian }, predictor)
    return deflateRaw(rows, level).length
  })
}

const trial = (...args: Parameters<typeof trials>): number => sum(trials(...args))
const bytesOf = (samples: readonly Uint8Array[]): number => samples.reduce((total, { length }) => total + length, 0)
const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)
const isOfFew = (index: number, count: number) => index % LEVEL_SAMPLES_APART === Math.min(1, count - 1)

/** An estimate from few samples may be too low by so much. */
const DOUBT = 0.1

/** Whether compressing anew is expected to beat what is stored, when the samples come to `size` bytes, or, in doubt, to `exactly`. */
function gains(pixels: Pixels, samples: readonly Uint8Array[], size: number, exactly?: () => number): boolean {
  const stored = pixels.lengths.reduce((sum, length) => sum + length, 0)
  const expected = (size / bytesOf(samples)) * rawBytes(pixels)
  if (exactly && expected > stored * (1 - DOUBT)) return gains(pixels, samples, Math.min(size, exactly()))
  return expected < stored
}
