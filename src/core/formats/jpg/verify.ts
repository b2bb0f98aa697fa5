/** Verifies JPEG results: decodes the stored file and compares it with the upload. */

import { JpegJob, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { log10 } from '../../bytes/same-math.ts'
import { scoreOfRows } from '../../images/compare/compare.ts'
import { isExact } from '../../images/convert/claims.ts'
import { scoreOfResult } from '../../images/convert/result-score.ts'
import { dctScaleFor, type JpegEnd, jpegRaster } from '../../images/jpeg/decode.ts'
import type { Raster } from '../../images/raster/raster.ts'
import { resized } from '../../images/raster/resize.ts'
import { optionsForStored, reducedSize } from '../../images/search/fit-to-size.ts'
import { canBeScored } from '../../images/search/perceptual-search.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { freedChunks } from '../../model/source.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import { readMultiPicture } from './mpf.ts'
import { fullSizePicture } from './picture.ts'
import type { ScoredResult } from './scored-result.ts'
import { type JpegHeader, lateSegments, orientationOfJpeg, readHeader } from './segments.ts'
import { ALIKE_SCORE, SMALL_SIDE, THUMBNAIL_PSNR_DB, THUMBNAIL_SIDE } from './tuning.ts'

type Side = readonly [Source, JpegHeader]

const differs = (difference: string): Verdict => ({ equal: false, difference })

export async function verifyJpeg(
  original: Source,
  result: Source,
  outcome: Outcome,
  asked: Options,
  evidence?: ScoredResult,
): Promise<Verdict> {
  const before = await readHeader(original, asked)
  const after = await readHeader(result, asked)
  const options = optionsForStored(asked, orientationOfJpeg(before))
  if (before.width !== after.width || before.height !== after.height)
    return verifyDownsampled([original, before], [result, after], outcome, options)
  for (const fact of ['width', 'height', 'components'] as const) {
    if (before[fact] !== after[fact]) return differs(`${fact}: ${before[fact]} became ${after[fact]}`)
  }
  const exact = isExact(outcome)
  const scored =
    exact || !canBeScored(before)
      ? undefined
      : ((await knownScore(evidence, [result, after])) ?? (await scoredComparison([original, before], [result, after])))
  const ends = scored?.ends ?? (await (exact ? sameCoefficients(original, result) : thumbnailsDiffer([original, before], [result, after])))
  if (typeof ends === 'string') return differs(ends)
  const late = await lateSegments(original, ends[0].lateSegments)
  const segments = segmentsDiffer({ ...before, segments: [...before.segments, ...late] }, after)
  if (segments) return differs(segments)
  if (ends[1].lateSegments.length > 0) return differs('the result has segments between its scans')
  const tail = await trailingDataDifference(original, ends[0].endOffset, result, ends[1].endOffset)
  if (tail !== undefined) return differs(tail)
  return { equal: true, ...(scored ? { ssimulacra2: scored.score } : await score([original, before], result, outcome, options)) }
}

/** Perceptual score of the result, as viewers show both files. Empty for CMYK, whose appearance depends on the printer. */
async function score(
  [original, header]: Side,
  result: Source,
  outcome: Outcome,
  options: Options,
): Promise<{ ssimulacra2?: number | undefined }> {
  if (header.components === 4) return {}
  return await scoreOfResult({ raster: fullSizePicture(original, header), carried: {} }, result, outcome, options)
}

/**
 * Looks up the score that the quality search measured for exactly these samples, and reads the result to its end. `undefined`: the samples
 * were not scored, or the score is too low.
 */
async function knownScore(
  evidence: ScoredResult | undefined,
  [source, header]: Side,
): Promise<{ ends: [JpegEnd, JpegEnd]; score: number } | undefined> {
  if (!evidence) return undefined
  let read: JpegEnd | undefined
  const shown = jpegRaster(source, header, 8, 'natural', (ended) => {
    read = ended
  })
  const score = await evidence.scoredRows.scoreOf(shown.rows())
  return read && score !== undefined && score >= ALIKE_SCORE ? { ends: [evidence, read], score } : undefined
}

/** Decodes both files to the end and scores them. `undefined`: the score is too low to prove that they show the same picture. */
async function scoredComparison(original: Side, result: Side): Promise<{ ends: [JpegEnd, JpegEnd]; score: number } | undefined> {
  const [, { components }] = original
  if (components !== 1 && components !== 3) return undefined
  const ends: [JpegEnd?, JpegEnd?] = []
  const shown = (index: 0 | 1, [source, header]: Side) =>
    jpegRaster(source, header, 8, 'natural', (read) => {
      ends[index] = read
    })
  const score = await scoreOfRows(shown(0, original), readingToEnd(shown(1, result).rows()))
  const [before, after] = ends
  return before && after && score !== undefined && score >= ALIKE_SCORE ? { ends: [before, after], score } : undefined
}

/**
 * Yields all strips, the last one only after the source has ended, because a comparison stops after the last row and would not read to the
 * end of the file.
 */
async function* readingToEnd(strips: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: Uint8Array | undefined
  for await (const strip of strips) {
    if (last) yield last
    last = strip.slice()
  }
  if (last) yield last
}

/** Verifies a downsampled picture: it must have the requested size, and both thumbnails must be alike. */
async function verifyDownsampled([original, before]: Side, [result, after]: Side, outcome: Outcome, options: Options): Promise<Verdict> {
  const size = reducedSize(before, options)
  if (!size || size.width !== after.width || size.height !== after.height) {
    return differs(`${before.width}×${before.height} became ${after.width}×${after.height}`)
  }
  if (before.components !== after.components) return differs(`${before.components} components became ${after.components}`)
  const thumbnail = { width: Math.min(THUMBNAIL_SIDE, after.width), height: Math.min(THUMBNAIL_SIDE, after.height) }
  const dctScale = dctScaleFor(before.width, after.width)
  const ends: [JpegEnd, JpegEnd] = [unreadEnd(original), unreadEnd(result)]
  const onEndOf = (index: 0 | 1) => (read: JpegEnd) => {
    ends[index] = read
  }
  const [a, b] = await Promise.all([
    wholeOf(resized(jpegRaster(original, before, dctScale, 'natural', onEndOf(0)), thumbnail.width, thumbnail.height)),
    wholeOf(resized(jpegRaster(result, after, 8, 'natural', onEndOf(1)), thumbnail.width, thumbnail.height)),
  ])
  const late = await lateSegments(original, ends[0].lateSegments)
  const segments = segmentsDiffer({ ...before, segments: [...before.segments, ...late] }, after)
  if (segments) return differs(segments)
  const tail = await trailingDataDifference(original, ends[0].endOffset, result, ends[1].endOffset)
  if (tail) return differs(tail)
  const psnrDb = 10 * log10(65025 / (squaredError(a, b) / a.length))
  if (psnrDb < THUMBNAIL_PSNR_DB) return differs(`another picture: ${psnrDb.toFixed(1)} dB between the thumbnails`)
  return { equal: true, ...(await score([original, before], result, outcome, options)) }
}

/** End of a picture that is not read yet. */
const unreadEnd = ({ size }: Source): JpegEnd => ({ endOffset: size, lateSegments: [] })

async function wholeOf(raster: Raster): Promise<Uint8Array> {
  const whole = new Uint8Array(raster.width * raster.height * raster.channels)
  let at = 0
  for await (const strip of raster.rows()) {
    whole.set(strip, at)
    at += strip.length
  }
  return whole
}

/**
 * Compares all segments byte for byte and in order. Only the numbers of the Multi-Picture index may change. Returns the difference;
 * `undefined`: none.
 */
function segmentsDiffer(before: JpegHeader, after: JpegHeader): string | undefined {
  if (before.segments.length !== after.segments.length) return `${before.segments.length} segments became ${after.segments.length}`
  const index = readMultiPicture(before.segments)
  for (const [i, segment] of before.segments.entries()) {
    const other = after.segments[i]
    if (segment.bytes.length !== other?.bytes.length) return `segment ${i} has another length`
    const mayChange = index !== undefined && index !== 'unreadable' && index.segment === i
    if (!mayChange && !equalBytes(segment.bytes, other.bytes)) return `segment ${i} changed`
  }
  return undefined
}

/** Compares the coefficients of both files. Returns the ends of both pictures, or what differs. */
async function sameCoefficients(original: Source, result: Source): Promise<[JpegEnd, JpegEnd] | string> {
  // Read one file after the other, because the coefficients of progressive files are kept in memory.
  const hashed = async (source: Source) => {
    using job = await JpegJob.read(freedChunks(source), { kind: 'hash' })
    return { digest: job.digest(), endOffset: job.endOffset, lateSegments: job.lateSegments }
  }
  const [before, after] = [await hashed(original), await hashed(result)]
  return before.digest === after.digest ? [before, after] : 'coefficients differ'
}

/** Decodes both files completely at 1/8 of their size and compares them row by row. Returns the ends of both pictures, or what differs. */
async function thumbnailsDiffer(original: Side, result: Side): Promise<[JpegEnd, JpegEnd] | string> {
  // In tiny pictures, halved chroma would be most of the difference at 1/8; use 1/2.
  const dctScale = Math.min(original[1].width, original[1].height) < SMALL_SIDE ? 4 : 1
  const open = ([source]: Side) => JpegRows.open(freedChunks(source), { dctScale })
  // Progressive files are kept in memory. Open the larger one first, because it gets the largest pooled memory.
  const storedBytes = ([{ size }, { progressive }]: Side) => (progressive ? size : 0)
  const swapped = storedBytes(result) > storedBytes(original)
  using first = await open(swapped ? result : original)
  using second = await open(swapped ? original : result)
  const [before, after] = swapped ? [second, first] : [first, second]
  if (before.channels !== after.channels) return `${before.channels} channels became ${after.channels}`
  let squares = 0
  for (;;) {
    const [a, b] = [await before.read(16), await after.read(16)]
    if (!a || !b) break
    squares += squaredError(a, b)
  }
  const psnrDb = 10 * log10(65025 / (squares / (before.stride * before.height)))
  return psnrDb < THUMBNAIL_PSNR_DB ? `another picture: ${psnrDb.toFixed(1)} dB at ${dctScale}/8 of the size` : [before, after]
}

function squaredError(a: Uint8Array, b: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2
  return sum
}
