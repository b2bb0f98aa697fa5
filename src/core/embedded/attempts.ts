/** Codings of one picture: by its codec at a level, in the sizes that a level may reduce it to, judged at the old size. */

import { discard } from '../../../wasm/memories/discard.ts'
import { yieldToOthers } from '../bytes/yield.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import { gentlerTargets } from '../catalog/level-order.ts'
import { LEVELS, pictureTarget } from '../catalog/levels.ts'
import type { OutputId } from '../catalog/outputs.ts'
import type { Message } from '../i18n/message.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { InnerRequest, InnerResult, Options, Quality } from '../model/codec.ts'
import { ofPixels, type PictureLoss, scored, worseLoss } from '../model/loss.ts'
import { goneFrom } from './gone.ts'
import { type PictureFacts, pictureFacts } from './image-header.ts'
import { ScaledSample, similarity } from './similarity.ts'

/** Pixels per inch of what is shown that a level keeps; a gentler level's are tried where the floors ask for more. */
const DPI = LEVELS.shownDotsPerInch

/** Downsampling by less than this is not worth a loss. */
const WORTHWHILE_SCALE = 0.8
/** What an upscaled result must keep, so that other measurements agree. */
const SCALED_SSIM = FLOOR_SSIM + 0.01
const SCALED_PSNR_DB = FLOOR_PSNR_DB + 0.5
const SCALED_RGB_PSNR_DB = 26
/** How much better than its target a level's coding may be: smooth pictures keep a least quality. */
const DOUBT_SSIM: Record<Quality, number> = { ultra: 0.02, low: 0.02, medium: 0.002, high: 0.002 }
/** Smaller pictures are tried as quickly as they are looked at. */
const WORTH_LOOKING_PIXELS = 100_000

export interface Recompressed {
  readonly bytes: Uint8Array
  readonly output: OutputId
  /** Luma, against the old picture at its size; absent when no sample changed. */
  readonly loss?: PictureLoss
  readonly downsampled: boolean
  /** Steps of its codec that say what is no longer there. */
  readonly gone?: readonly Message[]
}

export interface PictureRequest {
  /** The size the whole picture is shown at; undefined when that is not known for sure. */
  readonly shown?: { readonly widthInches: number; readonly heightInches: number } | undefined
  /** An opaque PNG may become a JPEG: whoever asks can change its name and type everywhere. */
  readonly mayBecomeJpeg?: boolean
  /** Only an exact result. */
  readonly lossless?: boolean
  /** What bytes take in the place of the picture; `undefined`: a package deflates them. */
  readonly sizeOf?: (bytes: Uint8Array) => number
}

export type Lending = Pick<Options, 'inner' | 'quality' | 'signal'>

/** A picture and what is asked of its codec. */
export interface Work {
  readonly bytes: Uint8Array
  readonly name: string
  readonly facts: PictureFacts
  readonly options: Lending
  readonly request: PictureRequest
  readonly sample: ScaledSample
}

export const workOf = (bytes: Uint8Array, name: string, facts: PictureFacts, options: Lending, request: PictureRequest): Work => ({
  bytes,
  name,
  facts,
  options,
  request,
  sample: new ScaledSample(bytes, facts),
})

/** Sizes below the whole one, from the smallest that a level accepts. The same ladder for every level, so that levels stay in order. */
export function reducedSizes({ facts, request: { shown, lossless } }: Work, quality: Quality): InnerRequest[] {
  const sizes: InnerRequest[] = []
  if (shown && !lossless && !facts.turned && (facts.kind === 'jpg' || (facts.kind === 'png' && facts.comparable))) {
    for (const dpi of [DPI.ultra, DPI.low, DPI.medium, DPI.high].filter((each) => each >= DPI[quality])) {
      const scale = Math.max((shown.widthInches * dpi) / facts.width, (shown.heightInches * dpi) / facts.height)
      if (!(scale < WORTHWHILE_SCALE)) break
      sizes.push({ maxWidth: Math.max(1, Math.ceil(facts.width * scale)), maxHeight: Math.max(1, Math.ceil(facts.height * scale)) })
    }
  }
  return sizes
}

/**
 * The first size of the ladder that may stand; beside it, what the next gentler level makes of sizes at which this one's coding
 * loses too much. A size at which nothing is gained is followed by the whole picture, of which an exact form may be smaller.
 */
export async function laddered(work: Work, asked: InnerRequest = {}): Promise<Recompressed[]> {
  const { quality } = work.options
  const sizes = [...reducedSizes(work, quality), {}]
  let gentler: Recompressed | undefined
  for (let at = 0; at < sizes.length; at++) {
    const size = sizes[at]!
    const left = await leftBySize(work, size)
    if (mayStand(left, quality)) {
      const { judged, hopeless } = await attempted(work, { ...size, ...asked })
      if (judged) return gentler ? [judged, gentler] : [judged]
      if (hopeless && at < sizes.length - 1) {
        at = sizes.length - 2
        continue
      }
    }
    // What a gentler level would choose counts, too, or the stronger level could come out larger. Of the ladder that is medium:
    // high keeps more pixels than there are at sizes that medium may come down to.
    const gentle = gentlerTargets(quality).find((level) => level === 'medium')
    if (size.maxWidth === undefined || gentler || !gentle || !mayStand(left, gentle)) continue
    gentler = (await attempted(work, { ...size, ...asked, quality: gentle })).judged
  }
  return gentler ? [gentler] : []
}

/** The first size of a level's own ladder that may stand there. Undefined where only the whole picture does. */
export async function reducedAt(work: Work, quality: Quality, asked: InnerRequest): Promise<Recompressed | undefined> {
  for (const size of reducedSizes(work, quality)) {
    if (!mayStand(await leftBySize(work, size), quality)) continue
    const { judged, hopeless } = await attempted(work, { ...size, ...asked, quality })
    if (judged || hopeless) return judged
  }
  return undefined
}

interface Attempted {
  readonly judged: Recompressed | undefined
  /** No larger size would bring a gain: nothing was gained, or the codec does not downsample. */
  readonly hopeless: boolean
}

/** One coding, if it stands at the old picture's size. */
export async function attempted({ bytes, name, facts, options }: Work, asked: InnerRequest): Promise<Attempted> {
  // The engines of the last try can be collected meanwhile.
  await yieldToOthers(options.signal)
  const result = await options.inner.compress(bytes, name, asked)
  const judged = await judge(bytes, facts, result)
  const hopeless = !judged && isHopeless(facts, result)
  if (!judged && result.kind === 'compressed') discard(result.bytes)
  return { judged, hopeless }
}

function isHopeless(facts: PictureFacts, result: InnerResult): boolean {
  if (result.kind === 'unchanged') return result.reason !== 'below_floor'
  const fresh = pictureFacts(result.bytes)
  return fresh?.width === facts.width && fresh.height === facts.height
}

/** What is left of a large picture at a smaller size, before any coding; undefined where that is as soon tried as told. */
function leftBySize({ sample, facts: { width, height } }: Work, { maxWidth }: InnerRequest): Promise<Similarity | undefined> {
  if (maxWidth === undefined || width * height < WORTH_LOOKING_PIXELS) return Promise.resolve(undefined)
  return sample.similarityAt(maxWidth / width)
}

/**
 * Whether what is `left` by downsampling can still stand after a level's coding, which takes its share of that: structure
 * that is lost twice multiplies.
 */
function mayStand(left: Similarity | undefined, quality: Quality): boolean {
  if (!left) return true
  const ssim = left.ssim * pictureTarget(quality).ssim + DOUBT_SSIM[quality]
  return ssim >= SCALED_SSIM && left.psnrDb >= SCALED_PSNR_DB && left.psnrRgbDb >= SCALED_RGB_PSNR_DB
}

/** What a codec made, if it stands at the old picture's size. */
async function judge(before: Uint8Array, facts: PictureFacts, result: InnerResult): Promise<Recompressed | undefined> {
  if (result.kind === 'unchanged' || result.bytes.length >= before.length) return undefined
  const { bytes, output, outcome } = result
  const gone = goneFrom(outcome.steps)
  if (!outcome.loss) return { bytes, output, downsampled: false, gone }
  const { pictures } = outcome.loss
  if (!pictures) return undefined
  const fresh = pictureFacts(bytes)
  if (!fresh) return undefined
  if (fresh.width === facts.width && fresh.height === facts.height) return { bytes, output, loss: pictures, downsampled: false, gone }
  const measured = await similarity(before, bytes)
  if (!measured || measured.ssim < SCALED_SSIM || measured.psnrDb < SCALED_PSNR_DB || measured.psnrRgbDb < SCALED_RGB_PSNR_DB)
    return undefined
  // At its own size as well, where its codec measured it, and at which alone it is scored.
  const loss = scored(worseLoss(pictures, ofPixels(measured)), pictures.ssimulacra2)
  return { bytes, output, loss, downsampled: true, gone }
}
