/** Encodes pictures of other formats as JPEG with the lowest quality that reaches the target. Transparent pixels are drawn on white. */

import { type IntakeMode, JpegJob } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { LEVELS } from '../../catalog/levels.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import { overBudget, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { commentText, jfifDensity } from '../convert/descriptive-metadata.ts'
import { onWhite, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isSteeredByScore } from '../search/perceptual-search.ts'
import { requantiseToScore, startingQuality, streamToScore } from './perceptual-search.ts'
import {
  type QualitySearchResult,
  qualityAfterMiss,
  reachesWithinStreamedTolerance,
  requantiseToSize,
  requantiseToTarget,
  sampleEvery,
  searchQuality,
  writeSmallest,
} from './quality-search.ts'
import {
  BYTES_PER_COLUMN,
  BYTES_PER_PIXEL,
  ENCODER_BASE_BYTES,
  HIGHEST_QUALITY,
  LEAST_ESTIMATE_RATIO,
  LEAST_WATCHED_BYTES,
  STORED_COEFFICIENTS_MAX_BYTES,
  STREAMED_CAUTION,
} from './tuning.ts'

const SIDE_MAX = 65535

export async function encodeJpeg(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const { width, height } = raster
  if (request.lossless) throw unsupported('jpeg_never_exact')
  if (Math.max(width, height) > SIDE_MAX) throw unsupported(message('jpeg_ends_at_pixels_side', { limit: SIDE_MAX }))
  if (Math.min(width, height) < 11) throw unsupported('too_small_to_be_measured')
  const flat = onWhite(raster)
  const neededBytes = (mode: 'stored' | 'streamed') =>
    ENCODER_BASE_BYTES + width * BYTES_PER_COLUMN[mode] + width * height * BYTES_PER_PIXEL[mode]
  const stored = fitsMemoryBudget(request.options, neededBytes('stored'), STORED_COEFFICIENTS_MAX_BYTES)
  if (!stored && !fitsMemoryBudget(request.options, neededBytes('streamed')))
    throw overBudget(message('too_many_pixels_for_jpeg', { width, height }))
  if (!stored && request.targetSize !== undefined) throw overBudget('wanted_size_needs_whole_picture_in_memory')
  const head = headOf(carried)
  const steeredByScore = isSteeredByScore(flat, request)
  const result = await (stored ? fromStored(flat, head.length, request, steeredByScore) : fromStreamed(flat, request, steeredByScore))
  using job = result.job
  const { quality, figures, reached } = result
  if (!reached && request.options.onlyReached) throw unsupported('colours_jpeg_does_not_keep')
  job.release('read')
  const { coded } = writeSmallest(job, figures)
  const [first = new Uint8Array(), ...rest] = coded
  const step = message(job.info.sampling.startsWith('2x2') ? 'jpeg_at_quality_halved' : 'jpeg_at_quality', { quality })
  const isOpaque = flat === raster || raster.channels === flat.channels
  return {
    chunks: [head, first.subarray(2), ...rest],
    loss: pixelLoss(figures),
    step: isOpaque ? step : message('transparency_on_white', { what: step }),
    steeredByScore,
  }
}

async function coefficientsOf(raster: Raster, request: EncodeRequest, intake: IntakeMode, subsampled: boolean): Promise<JpegJob> {
  const { width, height, channels } = raster
  const rowInput = JpegJob.fromRows({ width, height, pixels: channels === 1 ? 'gray' : 'rgb', subsampled }, intake)
  let bytesSinceYield = 0
  for await (const strip of raster.rows()) {
    rowInput.write(strip)
    if ((bytesSinceYield += strip.length) < 4_000_000) continue
    bytesSinceYield = 0
    await yieldToEventLoop(request.options.signal)
  }
  return rowInput.end()
}

/** Encoding job and result of its quality search. */
interface EncodedJob extends QualitySearchResult {
  readonly job: JpegJob
}

/**
 * Encodes with all coefficients in memory. Chroma is halved if that costs little quality, unless halved chroma misses the level's target.
 */
async function fromStored(raster: Raster, overhead: number, request: EncodeRequest, steeredByScore: boolean): Promise<EncodedJob> {
  const job = await coefficientsOf(raster, request, { kind: 'store' }, false)
  const chromaPsnrDb = job.decimationPsnrDb(sampleEvery(raster.width, raster.height))
  const halved = chromaPsnrDb !== undefined && chromaPsnrDb >= LEVELS.halvedChromaPsnrDb[request.options.quality]
  if (halved) job.decimate()
  const made = await searchQualityOf(job, { raster, overhead, request, steeredByScore })
  if (made.reached || !halved) return made
  job[Symbol.dispose]()
  return await searchQualityOf(await coefficientsOf(raster, request, { kind: 'store' }, false), {
    raster,
    overhead,
    request,
    steeredByScore,
  })
}

interface SearchInput {
  readonly raster: Raster
  readonly overhead: number
  readonly request: EncodeRequest
  readonly steeredByScore: boolean
}

async function searchQualityOf(job: JpegJob, { raster, overhead, request, steeredByScore }: SearchInput): Promise<EncodedJob> {
  const settings = {
    pause: () => yieldToEventLoop(request.options.signal),
    isPointless: () => job.figures.estimatedBytes * LEAST_ESTIMATE_RATIO > request.sizeLimit,
  }
  if (steeredByScore) return { job, ...(await requantiseToScore(job, raster, perceptualTarget(request.options, raster), settings)) }
  if (request.targetSize === undefined) return { job, ...(await requantiseToTarget(job, request.target, settings)) }
  return { job, ...(await requantiseToSize(job, request.targetSize, overhead - 2, settings)), reached: true }
}

/** Encodes without storing coefficients. Chroma is halved first; full chroma follows if halved chroma misses the target. */
async function fromStreamed(raster: Raster, request: EncodeRequest, steeredByScore: boolean): Promise<EncodedJob> {
  const halved = await streamed(raster, request, steeredByScore, true)
  if (halved.reached) return halved
  halved.job[Symbol.dispose]()
  return await streamed(raster, request, steeredByScore, false)
}

/** Reads the rows twice: first a sample to find the quality, then all rows, which are requantised while they are read. */
async function streamed(raster: Raster, request: EncodeRequest, steeredByScore: boolean, subsampled: boolean): Promise<EncodedJob> {
  const settings = { pause: () => yieldToEventLoop(request.options.signal) }
  const every = sampleEvery(raster.width, raster.height)
  using sample = await coefficientsOf(raster, request, { kind: 'sample', every }, subsampled)
  const { smoothPlanes } = sample
  const besideBytes = ENCODER_BASE_BYTES + raster.width * BYTES_PER_COLUMN.streamed
  const mostBytes = Math.max(LEAST_WATCHED_BYTES, request.options.memoryBudget - besideBytes)
  const stream = async (quality: number) => {
    const job = await coefficientsOf(raster, request, { kind: 'stream', quality, smoothPlanes, mostBytes }, subsampled)
    request.options.estimated?.(besideBytes + job.neededBytes)
    return job
  }
  if (steeredByScore) {
    const target = perceptualTarget(request.options, raster)
    return await streamToScore(stream, raster, target, await startingQuality(sample, target, settings))
  }
  let quality = await searchQuality(sample, request.target, settings, STREAMED_CAUTION)
  for (;;) {
    const job = await stream(quality)
    const reached = reachesWithinStreamedTolerance(job.figures, request.target)
    if (reached || quality >= HIGHEST_QUALITY) return { job, quality, figures: job.figures, reached }
    quality = await qualityAfterMiss(sample, quality, job.figures, request.target, settings)
    job[Symbol.dispose]()
  }
}

const SEGMENT_MAX = 65533
const ICC_PART = SEGMENT_MAX - 14

function segment(marker: number, ...parts: Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 2)
  return concat([new Uint8Array([0xff, marker, length >> 8, length & 255]), ...parts])
}

/** Segments before the picture: SOI, JFIF, EXIF, XMP, ICC profile parts (ICC.1, B.4) and comments. */
function headOf({ icc, exif, xmp, resolution, comments = [] }: PictureMetadata): Uint8Array {
  const text = (value: string) => new TextEncoder().encode(value)
  const parts: Uint8Array[] = [new Uint8Array([0xff, 0xd8])]
  parts.push(segment(0xe0, text('JFIF\0'), new Uint8Array([1, 1]), jfifDensity(resolution), new Uint8Array(2)))
  for (const [signature, bytes] of [
    ['Exif\0\0', exif],
    ['http://ns.adobe.com/xap/1.0/\0', xmp],
  ] as const) {
    if (!bytes) continue
    if (bytes.length + signature.length > SEGMENT_MAX) throw unsupported('metadata_larger_than_jpeg_segment')
    parts.push(segment(0xe1, text(signature), bytes))
  }
  const count = Math.ceil((icc?.length ?? 0) / ICC_PART)
  if (count > 255) throw unsupported('icc_profile_larger_than_jpeg_holds')
  for (let i = 0; icc && i < count; i++) {
    parts.push(segment(0xe2, text('ICC_PROFILE\0'), new Uint8Array([i + 1, count]), icc.subarray(i * ICC_PART, (i + 1) * ICC_PART)))
  }
  for (const comment of comments) parts.push(segment(0xfe, text(commentText(comment))))
  return concat(parts)
}
