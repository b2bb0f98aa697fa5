/** Decides for each picture whether to recompress it, with which predictor and which strips or tiles, or to copy it. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { BEST_LEVEL, SAMPLES_CLOSE, SAMPLES_FAST } from '../../bytes/deflate.ts'
import { levelForShare } from '../../bytes/level-choice.ts'
import { minOf } from '../../bytes/min-max.ts'
import { checkChunkSize, decodeRows } from '../../containers/tiff/decode.ts'
import type { TiffFile } from '../../containers/tiff/directory.ts'
import { COMPRESSION, isFax, type PixelStorage } from '../../containers/tiff/pixels.ts'
import { isCodecError } from '../../model/error.ts'
import { mayOptimise } from './jpeg-chunks.ts'
import { PictureSamples, type Predictor } from './samples.ts'
import { bandsOf, type ChunkLayout, cutBand, pictureRowBytes, stripLayout, tileLayout } from './strip-layout.ts'
import {
  ESTIMATE_ERROR,
  FILE_SIZES,
  GROUP4_WINS_BELOW,
  MAX_FAX_STORED_BYTES,
  NEAR_BEST,
  REPEATS,
  SLOWER_LEVEL_SHARE,
  SLOWEST_LEVEL_SHARE,
  TILES,
} from './tuning.ts'

export type PicturePlan =
  | { readonly kind: 'copy'; readonly pixels: PixelStorage }
  /** JPEG that stays JPEG, with optimised Huffman tables. */
  | { readonly kind: 'optimise'; readonly pixels: PixelStorage }
  | {
      readonly kind: 'recode'
      readonly pixels: PixelStorage
      readonly coding: 'deflate' | 'group4'
      readonly predictor: Predictor
      /** Deflate levels to try for each strip or tile; the smallest result is used. Level 12 only where it pays (`LevelChoice`). */
      readonly levels: readonly number[]
      /** Share of bytes that fast Deflate leaves of samples. */
      readonly share: number
      /** Strip or tile layout of the picture in the result. */
      readonly cut: ChunkLayout
    }

/** How far the strip or tile layout of a picture may change. */
export interface PlanLimits {
  /** Decoded bytes of all pictures in the file. */
  readonly totalBytes: number
  /** True if strips may be merged and split. False: each strip or tile keeps its area. */
  readonly mayChangeStrips: boolean
  /** Memory for rows of tiles in bytes, if strips may become tiles or tiles may change size. 0: they may not. */
  readonly tileBytes: number
}

export async function planPixels(file: TiffFile, pixels: PixelStorage, scope: PlanLimits): Promise<PicturePlan> {
  if (pixels.compression === COMPRESSION.jpeg && !(await isBetterDeflated(file, pixels))) {
    return { kind: (await mayOptimise(file, pixels)) ? 'optimise' : 'copy', pixels }
  }
  if (!pixels.decodable) return { kind: 'copy', pixels }
  checkChunkSize(pixels)
  if (isFax(pixels.compression) && !(await isSoundFax(file, pixels))) return { kind: 'copy', pixels }
  const samples = await PictureSamples.of(file, pixels)
  const asCut = { samples, best: await bestCoding(file, pixels, samples), cut: scope.mayChangeStrips ? stripLayout(pixels) : pixels }
  const { best, cut, ...chosen } = (await inTiles(file, pixels, asCut, scope)) ?? asCut
  const levels = worthwhileLevels(pixels, chosen.samples, best, scope.totalBytes)
  if (!levels) return { kind: 'copy', pixels }
  const share = shareOf(best.trial, chosen.samples)
  return { kind: 'recode', pixels, coding: best.coding, predictor: best.trial.predictor, levels, share, cut }
}

interface Candidate {
  readonly samples: PictureSamples
  readonly best: Coding
  readonly cut: ChunkLayout
}

/** Returns a plan with tiles if sampled bands of the picture are smaller in new tiles than in strips or in the present tiles. */
async function inTiles(file: TiffFile, pixels: PixelStorage, asCut: Candidate, scope: PlanLimits): Promise<Candidate | undefined> {
  const cut = tileLayout(pixels, scope.tileBytes)
  if (!cut || asCut.best.coding !== 'deflate') return undefined
  const bands = await bandsOf(file, pixels)
  const share = bands.reduce((sum, { rows }) => sum + rows.length, 0) / (pictureRowBytes(pixels) * pixels.height * pixels.planes)
  const bestIn = async (to: ChunkLayout) => {
    const chunks = (await Promise.all(bands.map((band) => cutBand(band, to)))).flat()
    const samples = new PictureSamples(file, { ...pixels, ...to }, chunks, chunks, share)
    return { samples, trial: bestAtItsLevel(pixels, samples, scope.totalBytes) }
  }
  const { samples, trial } = await bestIn(cut)
  const before = await bestIn(asCut.cut)
  if (!(trial.bytes < before.trial.bytes * TILES.maxShare)) return undefined
  return { samples, best: { coding: 'deflate', trial, bytes: trial.bytes }, cut }
}

/** Returns the best predictor at the level that will be used. Slower levels often find what a predictor would gain. */
function bestAtItsLevel(pixels: PixelStorage, samples: PictureSamples, totalBytes: number): Trial {
  const bytesAt = (predictor: Predictor, level: number) => samples.deflatedBytes('all', predictor, level)
  const quickly = predictors(pixels).map((predictor) => ({ predictor, quickBytes: bytesAt(predictor, SAMPLES_FAST) }))
  const leastBytes = minOf(quickly.map(({ quickBytes }) => quickBytes))
  const share = leastBytes / samples.rawBytes('all')
  const closer = share < REPEATS.evenBelow ? 9 : totalBytes <= FILE_SIZES.mediumBytes ? 10 : SAMPLES_CLOSE
  const trials = quickly
    .filter(({ quickBytes }) => quickBytes <= leastBytes * NEAR_BEST.atAnyLevel)
    .map(({ predictor, quickBytes }) => {
      const closerBytes = share > REPEATS.noneAbove ? quickBytes : bytesAt(predictor, closer)
      return { predictor, quickBytes, bytes: closerBytes < quickBytes * worthTime(totalBytes) ? closerBytes : quickBytes }
    })
  const best = trials.reduce((least, one) => (one.bytes < least.bytes ? one : least))
  return { ...best, level9Bytes: share > REPEATS.noneAbove ? best.quickBytes : bytesAt(best.predictor, 9) }
}

/** True if a JPEG picture is smaller with Deflate (nearly empty pictures, drawings) and all its strips can be decoded. */
async function isBetterDeflated(file: TiffFile, pixels: PixelStorage): Promise<boolean> {
  if (!pixels.decodable) return false
  checkChunkSize(pixels)
  try {
    const samples = await PictureSamples.of(file, pixels)
    const bytes = minOf(predictors(pixels).map((predictor) => samples.deflatedBytes('all', predictor, SAMPLES_FAST)))
    if (!gains(pixels, samples, bytes)) return false
    for (let index = 0; index < pixels.offsets.length; index++) for await (const rows of decodeRows(file, pixels, index)) discard(rows)
    return true
  } catch (error) {
    if (isCodecError(error, 'malformed')) return false
    throw error
  }
}

/** Compressed sizes of a picture's samples with one predictor. */
interface Trial {
  readonly predictor: Predictor
  /** Bytes of the few samples at the fast level, and at level 9. Without many repeats, level 9 counts as the fast level. */
  readonly quickBytes: number
  readonly level9Bytes: number
  /** Expected bytes of all samples with this predictor. */
  readonly bytes: number
}

interface Coding {
  readonly coding: 'deflate' | 'group4'
  readonly trial: Trial
  /** Expected bytes of all samples with this coding. */
  readonly bytes: number
}

/** Returns Group 4 if it is smaller and restores every byte, otherwise Deflate with its best predictor. */
async function bestCoding(file: TiffFile, pixels: PixelStorage, samples: PictureSamples): Promise<Coding> {
  const group4Bytes = samples.group4Bytes()
  const deflated = bestPredictor(pixels, samples, group4Bytes)
  if (!(group4Bytes < deflated.bytes)) return { coding: 'deflate', trial: deflated, bytes: deflated.bytes }
  if (await isPaddedWithZeros(file, pixels)) return { coding: 'group4', trial: deflated, bytes: group4Bytes }
  const alone = bestPredictor(pixels, samples, Number.POSITIVE_INFINITY)
  return { coding: 'deflate', trial: alone, bytes: alone.bytes }
}

/** Returns the best predictor. A few samples decide, unless several predictors give nearly the same size. */
function bestPredictor(pixels: PixelStorage, samples: PictureSamples, group4Bytes: number): Trial {
  const quick = predictors(pixels).map((predictor) => ({ predictor, quickBytes: samples.deflatedBytes('few', predictor, SAMPLES_FAST) }))
  const leastBytes = minOf(quick.map(({ quickBytes }) => quickBytes))
  const share = leastBytes / samples.rawBytes('few')
  const near = quick.filter(
    ({ quickBytes }) => quickBytes <= leastBytes * (share < REPEATS.unevenBelow ? NEAR_BEST.whereUneven : NEAR_BEST.usually),
  )
  const needsAll = near.length > 1 && samples.few.length < samples.all.length
  const trials = near.map(({ predictor, quickBytes }): Trial => {
    const allBytes = needsAll
      ? samples.deflatedBytes('all', predictor, SAMPLES_FAST)
      : quickBytes * (samples.rawBytes('all') / samples.rawBytes('few'))
    const isSettled = share > REPEATS.noneAbove || group4Bytes < allBytes * GROUP4_WINS_BELOW
    const level9Bytes = isSettled ? quickBytes : samples.deflatedBytes('few', predictor, 9)
    return { predictor, quickBytes, level9Bytes, bytes: allBytes * Math.min(1, level9Bytes / quickBytes) }
  })
  return trials.reduce((best, one) => (one.bytes < best.bytes ? one : best))
}

/** Deflate levels to try for each strip or tile. `undefined`: the stored data is not larger, so the picture is copied. */
function worthwhileLevels(pixels: PixelStorage, samples: PictureSamples, best: Coding, totalBytes: number): readonly number[] | undefined {
  const { coding, trial, bytes } = best
  // Where level 12 will not pay, level 10 says as much about the sizes.
  const closest = closestLevel(totalBytes)
  const asked = closest === BEST_LEVEL ? levelForShare(shareOf(trial, samples)) : closest
  const single = totalBytes > FILE_SIZES.smallBytes && coding === 'deflate'
  const levels = single ? [levelFor(trial, samples, { closest, asked }, totalBytes)] : [SAMPLES_FAST, closest]
  if (pixels.compression === COMPRESSION.none) return levels
  const exactly = () => samples.deflatedBytes('all', trial.predictor, SAMPLES_FAST)
  if (gains(pixels, samples, bytes, exactly)) return levels
  if (coding === 'group4') return undefined
  const doesGain = (level: number) => gains(pixels, samples, samples.deflatedBytes('all', trial.predictor, level))
  if (!doesGain(asked) && (asked === closest || !doesGain(closest))) return undefined
  return levels.includes(closest) ? levels : [closest]
}

/** Slowest Deflate level that the size of all pictures allows. */
function closestLevel(totalBytes: number): number {
  return totalBytes <= FILE_SIZES.mediumBytes ? BEST_LEVEL : SAMPLES_CLOSE
}

/** Share of bytes that fast Deflate leaves of the few samples. */
const shareOf = ({ quickBytes }: Trial, samples: PictureSamples): number => quickBytes / samples.rawBytes('few')

/** The slowest level, and a faster one that is asked first. */
interface Closest {
  readonly closest: number
  readonly asked: number
}

function levelFor(trial: Trial, samples: PictureSamples, { closest, asked }: Closest, totalBytes: number): number {
  const { predictor, quickBytes, level9Bytes } = trial
  const share = shareOf(trial, samples)
  if (share > REPEATS.noneAbove) return SAMPLES_FAST
  if (share < REPEATS.evenBelow && totalBytes > FILE_SIZES.mediumBytes) return level9Bytes <= quickBytes ? 9 : SAMPLES_FAST
  const worth = totalBytes <= FILE_SIZES.mediumBytes ? SLOWEST_LEVEL_SHARE.small : SLOWEST_LEVEL_SHARE.large
  const isEnough = (bytes: number) => bytes < Math.min(level9Bytes * worth, quickBytes * worthTime(totalBytes))
  if (asked !== closest && isEnough(samples.deflatedBytes('few', predictor, asked))) return closest
  const closestBytes = samples.deflatedBytes('few', predictor, closest)
  if (Math.min(level9Bytes, closestBytes) >= quickBytes * worthTime(totalBytes)) return SAMPLES_FAST
  return closestBytes < level9Bytes * worth || level9Bytes >= quickBytes ? closest : 9
}

const worthTime = (totalBytes: number): number => (totalBytes < FILE_SIZES.largeBytes ? SLOWER_LEVEL_SHARE.small : SLOWER_LEVEL_SHARE.large)

/** True if every fax row decodes as ITU-T T.4 and T.6 require. */
async function isSoundFax(file: TiffFile, pixels: PixelStorage): Promise<boolean> {
  if (pixels.lengths.some((length) => length > MAX_FAX_STORED_BYTES)) return false
  try {
    for (let index = 0; index < pixels.offsets.length; index++) for await (const _ of decodeRows(file, pixels, index));
    return true
  } catch (error) {
    if (isCodecError(error, 'malformed')) return false
    throw error
  }
}

/** True if Group 4 restores every byte. It does not store the bits after the last column, so they must be zero. */
async function isPaddedWithZeros(file: TiffFile, pixels: PixelStorage): Promise<boolean> {
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

/** Predictors that libtiff and GDAL can read for these samples. */
function predictors(pixels: PixelStorage): Predictor[] {
  const { bits, floating } = pixels
  if (floating) return [16, 24, 32, 64].includes(bits) ? (bits === 16 || bits === 32 ? [1, 3, 2] : [1, 3]) : [1]
  return bits === 8 || bits === 16 || bits === 32 ? [1, 2] : [1]
}

/**
 * True if recompression is expected to beat the stored size, given `bytes` for the samples. Near the limit, `exactly` computes a better
 * estimate.
 */
function gains(pixels: PixelStorage, samples: PictureSamples, bytes: number, exactly?: () => number): boolean {
  const storedBytes = pixels.lengths.reduce((sum, length) => sum + length, 0)
  const expectedBytes = bytes / samples.share
  if (exactly && expectedBytes > storedBytes * (1 - ESTIMATE_ERROR)) return gains(pixels, samples, Math.min(bytes, exactly()))
  return expectedBytes < storedBytes
}
