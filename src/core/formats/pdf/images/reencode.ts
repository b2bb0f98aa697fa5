/** Encodes decoded images again: downsampled to their drawn size, as JPEG or with Flate. */

import { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../../bytes/concat.ts'
import { pow } from '../../../bytes/same-math.ts'
import type { PicturePerceptualTarget } from '../../../catalog/levels.ts'
import type { JpegReference } from '../../../images/jpeg/perceptual-search.ts'
import type { Similarity } from '../../../metrics/ssim-psnr.ts'
import type { Filter } from '../filters.ts'
import { type DeflateEffort, deflateBest } from '../recompress.ts'
import { CHROMA_TOLERANCE_DB, MIN_FINAL_SIZE_SHARE, MOST_WHOLE_CHROMA_PIXELS } from '../tuning.ts'
import type { EncodedPicture } from './jpeg.ts'
import type { PictureTarget } from './levels.ts'
import { mayHaveRims, meanOpacity, visiblePartScores, wholePictureTarget } from './opacity.ts'
import { ToneStatistics } from './photo-detection.ts'
import type { Rows } from './rows.ts'
import { RowScaler } from './scale.ts'
import { type FoundQuality, samplingInterval, searchQuality } from './search.ts'
import {
  isScorable,
  type PerceptualGoal,
  pixelsAsReference,
  reopeningReference,
  rowsScaledTo,
  type SamplesPerPixel,
  searchPerceptualQuality,
} from './seen.ts'
import { openJpeg, type Preview, ScaledPicture, type SimilarityReference, type Size, screenReference, similarity } from './view.ts'

/** Pixel formats of the JPEG engine by number of channels. */
const PIXELS = { 1: 'gray', 3: 'rgb', 4: 'cmyk' } as const

export interface ReencodedPicture extends EncodedPicture {
  figures: { ssim: number; psnrDb: number }
  /** Filter chain of a Flate result. `undefined`: the result is a JPEG. */
  deflated: Filter[] | undefined
}

export interface EncodeRequest {
  /** Size of the result in pixels; at most the size of the picture. */
  size: Size
  /** Size of the comparison at screen resolution, in pixels; at most the size of the result. */
  screen: Size
  target: PictureTarget
  /** Target of the perceptual score. Called once, because a call spends the pixel budget. `undefined`: SSIM and PSNR decide. */
  perceptualTarget: () => PicturePerceptualTarget | undefined
  /** True if the caller asked for this size, so that the loss of downsampling does not count. */
  isRequired: boolean
  /** Decodes the picture again. */
  openPicture: () => Promise<Rows>
  /**
   * Pictures that may become a JPEG. `never`: soft masks, because JPEG blurs their edges. `photographs`: pictures stored as samples. `any`:
   * pictures that were JPEG before.
   */
  jpeg: 'never' | 'photographs' | 'any'
  /** Callback for the result of photo detection; true for a photo. */
  onPhotoDetection?: (photographic: boolean) => void
  /** True: keeps the chroma at full resolution if the target is luma SSIM and PSNR. */
  fullColour: boolean
  /** Minimum PSNR in dB for halving the chroma resolution of pictures with a perceptual target. */
  halvedChromaPsnrDb: number
  hint: number
  effort: DeflateEffort
  /** True for CMYK samples in which 255 means no ink. */
  inverted: boolean
  /** Maximum size of the result in bytes. */
  budget: number
}

/** Maximum size in bytes of downsampled rows that are kept in memory for Flate. */
const MAX_KEPT_BYTES = 6 * 1024 * 1024
const SMALLEST_JPEG_SIDE = 16
const STRIP_ROWS = 64

/** Encodes a picture again. `undefined`: no result is good enough and smaller than the budget. */
export async function reencode(rows: Rows, request: EncodeRequest): Promise<ReencodedPicture | undefined> {
  const { width, height } = request.size
  const channels = rows.channels as SamplesPerPixel
  const keepsSize = width === rows.width && height === rows.height
  const toJpeg = request.jpeg !== 'never' && Math.min(width, height) >= SMALLEST_JPEG_SIDE
  const jpegIn = toJpeg ? jobOf(request, channels, halvesChromaOnInput(request, channels)) : undefined
  const store = keepsSize ? undefined : new RowScaler(rows, request.size)
  const screen = new ScaledPicture(rows, request.screen, 'drawn')
  const tones = new ToneStatistics(width, channels)
  const keptRows: Uint8Array[] = []
  const keep = !keepsSize && width * height * channels <= MAX_KEPT_BYTES
  for await (const strip of rows.strips) {
    screen.push(strip)
    for (const reduced of store ? store.push(strip) : [strip]) {
      tones.push(reduced)
      if (keep) keptRows.push(reduced.slice())
      jpegIn?.write(reduced)
    }
  }
  request.onPhotoDetection?.(tones.isPhoto)
  const reference = screen.finishRows()
  const pixels = keep ? concat(keptRows) : undefined
  keptRows.length = 0
  const scores =
    pixels && (await similarity({ width, height, channels, strips: [pixels] }, { reference, size: request.screen, mode: 'drawn' }))
  // If downsampling alone misses the target at hard edges, JPEG cannot restore them.
  if (scores && !isSimilarEnough(scores, request)) return undefined
  using job = jpegIn?.end()
  const original: SimilarityReference = { reference, size: request.screen, mode: 'drawn' }
  const { size, inverted } = request
  const scoreReference = pixels
    ? pixelsAsReference(pixels, size, channels, { inverted })
    : reopeningReference(request.openPicture, size, channels, inverted)
  const fullChromaJob = () => (pixels ? jobFromPixels(request, channels, pixels) : jobFromPicture(request, channels))
  const stored = { channels, reference: scoreReference, rims: false, fullChromaJob }
  const coded = job && (request.jpeg === 'any' || tones.isPhoto) ? await encodeJpeg(job, original, stored, request) : undefined
  if (!pixels || !scores) return coded
  return smallerOfDeflated(coded, pixels, channels, scores, request)
}

/** Returns the pixels with Flate if that is smaller than the JPEG `coded`. */
function smallerOfDeflated(
  coded: ReencodedPicture | undefined,
  pixels: Uint8Array,
  channels: number,
  scores: Similarity,
  request: EncodeRequest,
): ReencodedPicture | undefined {
  const layout = { predictor: 15, colors: channels, bitsPerComponent: 8, columns: request.size.width }
  const packed = deflateBest(pixels, layout, request.effort, coded?.data.length ?? request.budget)
  if (!packed) return coded
  return {
    ...request.size,
    channels,
    data: packed.data,
    deflated: packed.chain,
    figures: { ssim: scores.ssim, psnrDb: scores.psnrDb },
    quality: request.hint,
  }
}

/**
 * Encodes a picture with a mask at its target size, as a JPEG if the request allows it. Unless the picture has its target size already,
 * Flate is tried as well.
 */
export async function reencodeMasked(preview: Preview, request: EncodeRequest, keepsSize: boolean): Promise<ReencodedPicture | undefined> {
  const { channels, pixels, size } = preview
  const scores = await similarity({ ...size, channels, strips: [pixels] }, screenReference(preview))
  if (!isSimilarEnough(scores, request)) return undefined
  const tones = new ToneStatistics(size.width, channels)
  // A visible edge between hidden and visible colours is unsuitable for JPEG, so photo detection then includes hidden pixels.
  tones.push(pixels, hasRims(preview) ? undefined : preview.opacity)
  request.onPhotoDetection?.(tones.isPhoto)
  const toJpeg = (request.jpeg === 'any' || tones.isPhoto) && Math.min(size.width, size.height) >= SMALLEST_JPEG_SIDE
  const coded = toJpeg ? await reencodePreview(preview, request) : undefined
  return keepsSize ? coded : smallerOfDeflated(coded, pixels, channels, scores, request)
}

const hasRims = ({ pixels, opacity, size }: Preview) => opacity !== undefined && mayHaveRims(pixels, opacity, size.width)

/** Encodes a picture that is in memory at its target size as a JPEG. */
export async function reencodePreview(preview: Preview, request: EncodeRequest): Promise<ReencodedPicture | undefined> {
  const { pixels, opacity } = preview
  const channels = preview.channels as SamplesPerPixel
  using job = jobFromPixels(request, channels, pixels, halvesChromaOnInput(request, channels))
  const scoreReference = pixelsAsReference(pixels, request.size, channels, { opacity, inverted: request.inverted })
  return await encodeJpeg(
    job,
    screenReference(preview),
    { channels, reference: scoreReference, rims: hasRims(preview), fullChromaJob: () => jobFromPixels(request, channels, pixels) },
    request,
  )
}

const allowsFullChroma = ({ width, height }: Size) => width * height <= MOST_WHOLE_CHROMA_PIXELS

/**
 * True if the JPEG engine halves the chroma while it receives the rows. False if a perceptual search may need full chroma and memory allows
 * it.
 */
const halvesChromaOnInput = ({ fullColour, size }: EncodeRequest, channels: SamplesPerPixel) =>
  !fullColour && !(channels === 3 && isScorable(size) && allowsFullChroma(size))

const jobOf = ({ size }: EncodeRequest, channels: SamplesPerPixel, subsampled: boolean) =>
  JpegJob.fromRows({ ...size, pixels: PIXELS[channels], subsampled, ycck: channels === 4 })

/** Creates a JPEG job from pixels in memory. */
function jobFromPixels(request: EncodeRequest, channels: SamplesPerPixel, pixels: Uint8Array, subsampled = false): JpegJob {
  const rows = jobOf(request, channels, subsampled)
  const strip = request.size.width * channels * STRIP_ROWS
  for (let at = 0; at < pixels.length; at += strip) rows.write(pixels.subarray(at, at + strip))
  return rows.end()
}

/** Creates a JPEG job with full chroma from the picture, which is decoded again. */
async function jobFromPicture(request: EncodeRequest, channels: SamplesPerPixel): Promise<JpegJob> {
  const rows = jobOf(request, channels, false)
  for await (const strip of rowsScaledTo(request.openPicture, request.size)) rows.write(strip)
  return rows.end()
}

/** Amounts in dB by which the target is raised, in order. The score on a page is slightly below the score at stored size. */
const RAISED_DB = [0, 1, 2.5]

interface Stored {
  channels: SamplesPerPixel
  /** Reference for the perceptual score. */
  reference: JpegReference
  /** True if hidden colours may leave visible rims at the mask edge. */
  rims: boolean
  /** Creates a JPEG job with full chroma resolution. */
  fullChromaJob: () => JpegJob | Promise<JpegJob>
}

/** Encodes a JPEG. If halved chroma misses the target, it tries full chroma. `undefined`: neither reaches the target. */
async function encodeJpeg(
  job: JpegJob,
  original: SimilarityReference,
  { channels, reference, rims, fullChromaJob }: Stored,
  request: EncodeRequest,
): Promise<ReencodedPicture | undefined> {
  const wanted = request.perceptualTarget()
  if (original.opacity) job.limitSampleRange()
  let halved = halvesChromaOnInput(request, channels)
  if (!halved && channels === 3 && mayHalve(job, request, wanted)) {
    job.decimate()
    halved = true
  }
  if (!wanted) return await encodeToLumaTarget(job, original, channels, request)
  const goal = { reference, wanted }
  const encoded = await encodeToPerceptualTarget(job, original, { channels, goal, rims }, request)
  if (encoded || !halved || !allowsFullChroma(request.size) || job.figures.estimatedBytes * MIN_FINAL_SIZE_SHARE > request.budget)
    return encoded
  using full = await fullChromaJob()
  if (original.opacity) full.limitSampleRange()
  return await encodeToPerceptualTarget(full, original, { channels, goal, rims }, request)
}

function mayHalve(
  job: JpegJob,
  { fullColour, size, halvedChromaPsnrDb }: EncodeRequest,
  wanted: PicturePerceptualTarget | undefined,
): boolean {
  if (!wanted) return !fullColour
  return (job.decimationPsnrDb(samplingInterval(size.width * size.height)) ?? 0) >= halvedChromaPsnrDb
}

const visibleShare = ({ opacity }: SimilarityReference) => (opacity ? meanOpacity(opacity, 1) : 1)

async function encodeToLumaTarget(
  job: JpegJob,
  original: SimilarityReference,
  channels: SamplesPerPixel,
  request: EncodeRequest,
): Promise<ReencodedPicture | undefined> {
  const share = visibleShare(original)
  for (const raisedDb of RAISED_DB) {
    const target = wholePictureTarget(request.target, share * pow(10, -raisedDb / 10))
    const found = await searchQuality(job, request.size.width * request.size.height, target, request.hint, request.budget)
    if (!found) return undefined
    const encoded = await writeJpeg(job, found, { original, share, channels }, request)
    if (encoded || job.size('made', 'progressive') >= request.budget) return encoded
  }
  return undefined
}

/**
 * Encodes a JPEG that reaches the perceptual target. If hidden colours may leave rims at the mask edge, it must also reach the luma target,
 * because the score underrates rims.
 */
async function encodeToPerceptualTarget(
  job: JpegJob,
  original: SimilarityReference,
  { channels, goal, rims }: { channels: SamplesPerPixel; goal: PerceptualGoal; rims: boolean },
  request: EncodeRequest,
): Promise<ReencodedPicture | undefined> {
  const share = visibleShare(original)
  const target = rims ? request.target : { ...request.target, ...goal.wanted.floor }
  for (const raisedDb of RAISED_DB) {
    const wanted = { ...goal.wanted, floor: wholePictureTarget(target, share * pow(10, -raisedDb / 10)) }
    const found = await searchPerceptualQuality(job, { ...goal, wanted }, request.hint, request.budget)
    if (!found) return undefined
    const encoded = await writeJpeg(job, found, { original, share, channels }, { ...request, target })
    if (encoded || job.size('made', 'progressive') >= request.budget) return encoded
  }
  return undefined
}

/** Writes the last encoding of a job. `undefined`: it exceeds the budget, or differs too much from the original at screen size. */
async function writeJpeg(
  job: JpegJob,
  found: FoundQuality,
  { original, share, channels }: { original: SimilarityReference; share: number; channels: SamplesPerPixel },
  request: EncodeRequest,
): Promise<ReencodedPicture | undefined> {
  const stored = visiblePartScores(found.figures, share)
  // Without an Adobe segment, decoders read four components as CMYK instead of YCCK.
  const data = concat(job.write('made', 'progressive', channels === 4))
  if (data.length >= request.budget) return undefined
  const scores = await similarity(await openJpeg(data), original)
  if (!isSimilarEnough(scores, request)) return undefined
  const figures = { ssim: Math.min(stored.ssim, scores.ssim), psnrDb: Math.min(stored.psnrDb, scores.psnrDb) }
  return { ...request.size, channels, data, deflated: undefined, figures, quality: found.quality }
}

/** True if a picture of another size is similar enough to the original at screen size, or if the caller asked for the size. */
export const isSimilarEnough = (scores: Similarity, { target, isRequired }: Pick<EncodeRequest, 'target' | 'isRequired'>) =>
  isRequired || (scores.ssim >= target.ssim && scores.psnrDb >= target.psnrDb && scores.psnrRgbDb >= target.psnrDb - CHROMA_TOLERANCE_DB)
