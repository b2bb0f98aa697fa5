/** Decodes what was stored and compares it with the upload. */

import { JpegJob, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { scoreOfRows } from '../../images/compare/compare.ts'
import { scoreOfResult } from '../../images/convert/result-score.ts'
import { isExact } from '../../images/convert/verify-output.ts'
import { dctScaleFor, type JpegEnd, jpegRaster } from '../../images/jpeg/decode.ts'
import type { Raster } from '../../images/raster/raster.ts'
import { resized, sizeWithin } from '../../images/raster/resize.ts'
import { canBeScored } from '../../images/search/perceptual-search.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { chunksOf } from '../../model/source.ts'
import { tailDifference } from '../../model/trailing-data.ts'
import { wholeSize } from './convert.ts'
import { readMultiPicture } from './mpf.ts'
import type { ScoredResult } from './recompress.ts'
import { type JpegHeader, lateSegments, readHeader } from './segments.ts'
import { AFAR_PIXELS, ALIKE_SCORE, SMALL_SIDE, THUMBNAIL_PSNR_DB } from './tuning.ts'

type Side = readonly [Source, JpegHeader]

const differs = (difference: string): Verdict => ({ equal: false, difference })

export async function verifyJpeg(
  original: Source,
  result: Source,
  outcome: Outcome,
  options: Options,
  evidence?: ScoredResult,
): Promise<Verdict> {
  const before = await readHeader(original, options)
  const after = await readHeader(result, options)
  if (before.width !== after.width || before.height !== after.height)
    return downsampled([original, before], [result, after], outcome, options)
  for (const fact of ['width', 'height', 'components'] as const) {
    if (before[fact] !== after[fact]) return differs(`${fact}: ${before[fact]} became ${after[fact]}`)
  }
  const exact = isExact(outcome)
  const scored =
    exact || !canBeScored(before)
      ? undefined
      : ((await asLookedAt(evidence, [result, after])) ?? (await alikeAndScored([original, before], [result, after])))
  const ends = scored?.ends ?? (await (exact ? sameCoefficients(original, result) : alike([original, before], [result, after])))
  if (typeof ends === 'string') return differs(ends)
  const late = await lateSegments(original, ends[0].lateSegments)
  const segments = segmentsDiffer({ ...before, segments: [...before.segments, ...late] }, after)
  if (segments) return differs(segments)
  if (ends[1].lateSegments.length > 0) return differs('segments between scans')
  const tail = await tailDifference(original, ends[0].endOffset, result, ends[1].endOffset)
  if (tail !== undefined) return differs(tail)
  return { equal: true, ...(scored ? { ssimulacra2: scored.score } : await score([original, before], result, outcome, options)) }
}

/** As readers show both; of inks nobody says how they look. */
async function score(
  [original, header]: Side,
  result: Source,
  outcome: Outcome,
  options: Options,
): Promise<{ ssimulacra2?: number | undefined }> {
  if (header.components === 4) return {}
  return await scoreOfResult({ raster: wholeSize(original, header), carried: {} }, result, outcome, options)
}

/** The result read to its end, where its samples are those that were looked at and scored beside the upload: they stood there sample by sample. */
async function asLookedAt(
  evidence: ScoredResult | undefined,
  [source, header]: Side,
): Promise<{ ends: [JpegEnd, JpegEnd]; score: number } | undefined> {
  if (!evidence) return undefined
  let read: JpegEnd | undefined
  const shown = jpegRaster(source, header, 8, 'natural', (ended) => {
    read = ended
  })
  const score = await evidence.at.scoreOf(shown.rows())
  return read && score !== undefined && score >= ALIKE_SCORE ? { ends: [evidence, read], score } : undefined
}

/** Both read to the end, side by side as readers show them; undefined where their score does not say that they are the same picture. */
async function alikeAndScored(original: Side, result: Side): Promise<{ ends: [JpegEnd, JpegEnd]; score: number } | undefined> {
  const [, { components }] = original
  if (components !== 1 && components !== 3) return undefined
  const ends: [JpegEnd?, JpegEnd?] = []
  const shown = (index: 0 | 1, [source, header]: Side) =>
    jpegRaster(source, header, 8, 'natural', (read) => {
      ends[index] = read
    })
  const score = await scoreOfRows(shown(0, original), toTheEnd(shown(1, result).rows()))
  const [before, after] = ends
  return before && after && score !== undefined && score >= ALIKE_SCORE ? { ends: [before, after], score } : undefined
}

/** Strips, the last of which comes when all was read: who compares rows asks for nothing behind it. */
async function* toTheEnd(strips: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: Uint8Array | undefined
  for await (const strip of strips) {
    if (last) yield last
    last = strip.slice()
  }
  if (last) yield last
}

/** A picture for a document that became smaller: of the size it had to have, and both the same seen from afar. */
async function downsampled([original, before]: Side, [result, after]: Side, outcome: Outcome, options: Options): Promise<Verdict> {
  const size = options.fitWithin && !options.lossless && sizeWithin(before.width, before.height, options.fitWithin)
  if (!size || size.width !== after.width || size.height !== after.height) {
    return differs(`${before.width}×${before.height} became ${after.width}×${after.height}`)
  }
  if (before.components !== after.components) return differs(`${before.components} components became ${after.components}`)
  const segments = segmentsDiffer(before, after)
  if (segments) return differs(segments)
  const side = { width: Math.min(AFAR_PIXELS, after.width), height: Math.min(AFAR_PIXELS, after.height) }
  const dctScale = dctScaleFor(before.width, after.width)
  const ends = [original.size, result.size] as [number, number]
  const seen = (index: 0 | 1) => (read: JpegEnd) => {
    ends[index] = read.endOffset
  }
  const [a, b] = await Promise.all([
    wholeOf(resized(jpegRaster(original, before, dctScale, 'natural', seen(0)), side.width, side.height)),
    wholeOf(resized(jpegRaster(result, after, 8, 'natural', seen(1)), side.width, side.height)),
  ])
  const tail = await tailDifference(original, ends[0], result, ends[1])
  if (tail) return differs(tail)
  const psnrDb = 10 * Math.log10(65025 / (squaredError(a, b) / a.length))
  if (psnrDb < THUMBNAIL_PSNR_DB) return differs(`another picture: ${psnrDb.toFixed(1)} dB from afar`)
  return { equal: true, ...(await score([original, before], result, outcome, options)) }
}

async function wholeOf(raster: Raster): Promise<Uint8Array> {
  const whole = new Uint8Array(raster.width * raster.height * raster.channels)
  let at = 0
  for await (const strip of raster.rows()) {
    whole.set(strip, at)
    at += strip.length
  }
  return whole
}

/** All segments, byte for byte and in order; of the multi-picture index only its numbers may change. */
function segmentsDiffer(before: JpegHeader, after: JpegHeader): string | undefined {
  if (before.segments.length !== after.segments.length) return `${before.segments.length} segments became ${after.segments.length}`
  const index = readMultiPicture(before.segments)
  for (const [i, segment] of before.segments.entries()) {
    const other = after.segments[i]
    if (segment.bytes.length !== other?.bytes.length) return `segment ${i} changed its length`
    const mayChange = index !== undefined && index !== 'unreadable' && index.segment === i
    if (!mayChange && Buffer.compare(segment.bytes, other.bytes) !== 0) return `segment ${i} changed`
  }
  return undefined
}

/** Both pictures, read to the end, or what differs. */
async function sameCoefficients(original: Source, result: Source): Promise<[JpegEnd, JpegEnd] | string> {
  // One after the other: progressive files are held.
  const hashed = async (source: Source) => {
    using job = await JpegJob.read(chunksOf(source), { kind: 'hash' })
    return { digest: job.digest(), endOffset: job.endOffset, lateSegments: job.lateSegments }
  }
  const [before, after] = [await hashed(original), await hashed(result)]
  return before.digest === after.digest ? [before, after] : 'coefficients differ'
}

/** Both decoded from the first to the last bit, at an eighth of the size, and compared row by row. */
async function alike(original: Side, result: Side): Promise<[JpegEnd, JpegEnd] | string> {
  // Of a few pixels, chroma that was halved would be most of the difference.
  const dctScale = Math.min(original[1].width, original[1].height) < SMALL_SIDE ? 4 : 1
  const opened = ([source]: Side) => JpegRows.open(chunksOf(source), { dctScale })
  // Progressive files are held: the larger of them comes first and takes the largest memory there is.
  const held = ([{ size }, { progressive }]: Side) => (progressive ? size : 0)
  const swapped = held(result) > held(original)
  using first = await opened(swapped ? result : original)
  using second = await opened(swapped ? original : result)
  const [before, after] = swapped ? [second, first] : [first, second]
  if (before.channels !== after.channels) return `${before.channels} channels became ${after.channels}`
  let squares = 0
  for (;;) {
    const [a, b] = [await before.read(16), await after.read(16)]
    if (!a || !b) break
    squares += squaredError(a, b)
  }
  const psnrDb = 10 * Math.log10(65025 / (squares / (before.stride * before.height)))
  return psnrDb < THUMBNAIL_PSNR_DB ? `another picture: ${psnrDb.toFixed(1)} dB at ${dctScale}/8 of the size` : [before, after]
}

function squaredError(a: Uint8Array, b: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2
  return sum
}
