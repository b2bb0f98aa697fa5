/**
 * Trial encodings of one embedded picture at the sizes that a level may reduce it to. Each result is measured at the size of the old
 * picture.
 */

import { discard } from '../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../bytes/yield.ts'
import { gentlerLevelsOf } from '../catalog/level-order.ts'
import { LEVELS, pictureTarget } from '../catalog/levels.ts'
import type { OutputId } from '../catalog/outputs.ts'
import type { QualityGoal } from '../catalog/score-goal.ts'
import type { Message } from '../i18n/message.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { Compressed, InnerRequest, InnerResult, Options, Quality, Removed } from '../model/codec.ts'
import { lossWithScore, type PictureLoss, pixelLoss, worseLoss } from '../model/loss.ts'
import { type RemovedFromFile, removedFrom } from './gone.ts'
import { type PictureHeader, readPictureHeader } from './image-header.ts'
import { DownsampleEstimate, similarity } from './similarity.ts'
import {
  MAX_DOWNSAMPLE_SCALE,
  MAX_REQUESTED_SCALE,
  MIN_ESTIMATED_PIXELS,
  MIN_UPSCALED_PSNR_DB,
  MIN_UPSCALED_RGB_PSNR_DB,
  MIN_UPSCALED_SSIM,
  SSIM_MARGIN,
} from './tuning.ts'

/** Pixels an inch of displayed size that each level keeps. If quality floors need more pixels, the values of gentler levels are tried. */
const DPI = LEVELS.shownDotsPerInch

export interface RecompressedPicture {
  readonly bytes: Uint8Array
  readonly output: OutputId
  /** Loss of luma against the old picture at its size. `undefined`: no sample changed. */
  readonly loss?: PictureLoss
  readonly downsampled: boolean
  /** What the picture's codec removed. `undefined`: nothing. */
  readonly removed?: RemovedFromFile
}

export interface PictureRequest {
  /** Displayed size of the whole picture. `undefined`: unknown. */
  readonly shown?: { readonly widthInches: number; readonly heightInches: number } | undefined
  /** True if an opaque PNG may become a JPEG, because the caller can change its name and type everywhere. Default: false. */
  readonly mayBecomeJpeg?: boolean
  /** True if no sample may change. Default: false. */
  readonly lossless?: boolean
  /** Returns the bytes that a result takes in its container. `undefined`: the container is a package that may deflate it. */
  readonly sizeOf?: (bytes: Uint8Array) => number
}

export type EmbeddingOptions = Pick<Options, 'inner' | keyof QualityGoal | 'dotsPerInch' | 'signal'>

/** A picture and the request for its codec. */
export interface PictureJob {
  readonly bytes: Uint8Array
  readonly name: string
  readonly facts: PictureHeader
  readonly options: EmbeddingOptions
  readonly request: PictureRequest
  readonly sample: DownsampleEstimate
}

export const pictureJob = (
  bytes: Uint8Array,
  name: string,
  facts: PictureHeader,
  options: EmbeddingOptions,
  request: PictureRequest,
): PictureJob => ({
  bytes,
  name,
  facts,
  options,
  request,
  sample: new DownsampleEstimate(bytes, facts),
})

/**
 * Returns the reduced sizes to try, from the smallest that the level accepts. All levels use the same list of sizes, so that a stronger
 * level is never larger.
 */
export function reducedSizes({ facts, options, request: { shown, lossless } }: PictureJob, quality: Quality): InnerRequest[] {
  const sizes: InnerRequest[] = []
  const { dotsPerInch: wanted } = options
  const mostScale = wanted === undefined ? MAX_DOWNSAMPLE_SCALE : MAX_REQUESTED_SCALE
  if (shown && !lossless && !facts.isRotated && (facts.kind === 'jpg' || (facts.kind === 'png' && facts.comparable))) {
    for (const dpi of wanted === undefined ? resolutionsOf(quality) : [wanted]) {
      const scale = Math.max((shown.widthInches * dpi) / facts.width, (shown.heightInches * dpi) / facts.height)
      if (!(scale < mostScale)) break
      sizes.push({ maxWidth: Math.max(1, Math.ceil(facts.width * scale)), maxHeight: Math.max(1, Math.ceil(facts.height * scale)) })
    }
  }
  return sizes
}

/** Resolutions that a level tries, from the smallest. */
const resolutionsOf = (quality: Quality) => [DPI.ultra, DPI.low, DPI.medium, DPI.high].filter((each) => each >= DPI[quality])

/**
 * Tries sizes from small to large and returns the first acceptable result. Where this level loses too much at a reduced size, also tries
 * the next gentler level and returns its result too.
 * If a reduced size saves nothing, the whole picture is tried next, because its lossless form may be smaller.
 */
export async function tryReducedSizes(work: PictureJob, asked: InnerRequest = {}): Promise<RecompressedPicture[]> {
  const { quality } = work.options
  const sizes = [...reducedSizes(work, quality), {}]
  let gentler: RecompressedPicture | undefined
  for (let at = 0; at < sizes.length; at++) {
    const size = sizes[at]!
    const left = await similarityAtSize(work, size)
    if (isAcceptable(left, quality)) {
      const { accepted, noLargerSize } = await tryEncoding(work, { ...size, ...asked })
      if (accepted) return gentler ? [accepted, gentler] : [accepted]
      if (noLargerSize && at < sizes.length - 1) {
        at = sizes.length - 2
        continue
      }
    }
    // The stronger level must not be larger, so results of gentler levels count as well. Only `medium` is tried: `high` keeps more pixels
    // than exist at the sizes that `medium` accepts.
    const gentle = gentlerLevelsOf(work.options).find((level) => level === 'medium')
    if (size.maxWidth === undefined || gentler || !gentle || !isAcceptable(left, gentle)) continue
    gentler = (await tryEncoding(work, { ...size, ...asked, quality: gentle })).accepted
  }
  return gentler ? [gentler] : []
}

/** Returns the first acceptable result among a level's reduced sizes. `undefined`: only the whole picture is acceptable. */
export async function tryReducedSizesOf(work: PictureJob, quality: Quality, asked: InnerRequest): Promise<RecompressedPicture | undefined> {
  for (const size of reducedSizes(work, quality)) {
    if (!isAcceptable(await similarityAtSize(work, size), quality)) continue
    const { accepted, noLargerSize } = await tryEncoding(work, { ...size, ...asked, quality })
    if (accepted || noLargerSize) return accepted
  }
  return undefined
}

interface Attempted {
  readonly accepted: RecompressedPicture | undefined
  /** True if no larger size can save bytes: nothing was saved, or the codec does not downsample. */
  readonly noLargerSize: boolean
}

/** Encodes once. `judged` is the result if it passes the checks at the old picture's size. */
export async function tryEncoding({ bytes, name, facts, options }: PictureJob, asked: InnerRequest): Promise<Attempted> {
  // Yielding lets the garbage collector free the engines of the last trial.
  await yieldToEventLoop(options.signal)
  const result = await options.inner.compress(bytes, name, asked)
  const accepted = await acceptResult(bytes, facts, result, options)
  const noLargerSize = !accepted && rulesOutLargerSizes(facts, result)
  if (!accepted && result.kind === 'compressed') discard(result.bytes)
  return { accepted, noLargerSize }
}

function rulesOutLargerSizes(facts: PictureHeader, result: InnerResult): boolean {
  if (result.kind === 'unchanged') return result.reason !== 'below_floor'
  const fresh = readPictureHeader(result.bytes)
  return fresh?.width === facts.width && fresh.height === facts.height
}

/**
 * Similarity after downsampling to `maxWidth`, before any encoding. `undefined`: the picture keeps its size, the caller asked for the
 * resolution, or the picture is too small for an estimate to be faster than encoding.
 */
function similarityAtSize(
  { sample, options: { dotsPerInch }, facts: { width, height } }: PictureJob,
  { maxWidth }: InnerRequest,
): Promise<Similarity | undefined> {
  if (dotsPerInch !== undefined || maxWidth === undefined || width * height < MIN_ESTIMATED_PIXELS) return Promise.resolve(undefined)
  return sample.similarityAt(maxWidth / width)
}

/** True if the similarity `left` after downsampling leaves enough for the loss of a level's encoding. The SSIM of both steps multiplies. */
function isAcceptable(left: Similarity | undefined, quality: Quality): boolean {
  if (!left) return true
  const ssim = left.ssim * pictureTarget(quality).ssim + SSIM_MARGIN[quality]
  return ssim >= MIN_UPSCALED_SSIM && left.psnrDb >= MIN_UPSCALED_PSNR_DB && left.psnrRgbDb >= MIN_UPSCALED_RGB_PSNR_DB
}

/**
 * Returns a codec's result if it is smaller and passes the checks at the old picture's size. At a resolution that the caller asked for, only
 * the codec's own figures count, at the reduced size.
 */
async function acceptResult(
  before: Uint8Array,
  facts: PictureHeader,
  result: InnerResult,
  { dotsPerInch }: EmbeddingOptions,
): Promise<RecompressedPicture | undefined> {
  if (result.kind === 'unchanged' || result.bytes.length >= before.length) return undefined
  const { bytes, output, outcome } = result
  const removed = removedFrom(outcome)
  if (output !== facts.kind && losesMetadata(outcome)) return undefined
  if (!outcome.loss) return { bytes, output, downsampled: false, removed }
  const { pictures } = outcome.loss
  if (!pictures) return undefined
  const fresh = readPictureHeader(bytes)
  if (!fresh) return undefined
  if (fresh.width === facts.width && fresh.height === facts.height) return { bytes, output, loss: pictures, downsampled: false, removed }
  if (dotsPerInch !== undefined) return { bytes, output, loss: pictures, downsampled: true, removed }
  const measured = await similarity(before, bytes)
  if (
    !measured ||
    measured.ssim < MIN_UPSCALED_SSIM ||
    measured.psnrDb < MIN_UPSCALED_PSNR_DB ||
    measured.psnrRgbDb < MIN_UPSCALED_RGB_PSNR_DB
  )
    return undefined
  // The loss is the worse of the values at both sizes. Only the codec computes the SSIMULACRA 2 score, at the reduced size.
  const loss = lossWithScore(worseLoss(pictures, pixelLoss(measured)), pictures.ssimulacra2)
  return { bytes, output, loss, downsampled: true, removed }
}

/** PNG chunk of a background colour, which no picture on a page needs. */
const BACKGROUND = 'bKGD'

/** True if the new format of a picture cannot store some of its metadata. The number of bits is no metadata. */
function losesMetadata({ steps, removed = [] }: Compressed): boolean {
  const isLost = ({ kind, why }: Removed) => why === 'output_cannot_store' && kind !== 'bit_depth' && kind !== 'chunks'
  return removed.some(isLost) || steps.some((step) => step.code === 'not_kept_no_place' && namesMore(step, BACKGROUND))
}

/** True if a step `not_kept_no_place` names anything besides `name`. */
const namesMore = (step: Message, name: string) => Array.isArray(step['what']) && step['what'].some((what) => what !== name)
