/**
 * A picture inside a document: recompressed by its own codec, downsampled to what is shown of it, and measured against the
 * old one at the old size, because the floors hold for what was uploaded.
 */
import { discard } from '../../wasm/memories/discard.ts'
import { zlibCompress } from '../bytes/deflate.ts'
import { yieldToOthers } from '../bytes/yield.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM, type InnerRequest, type InnerResult, type Options, type Quality } from '../codec/codec.ts'
import { ofPixels, type PictureLoss, scored, worseLoss } from '../codec/loss.ts'
import type { OutputId } from '../formats/outputs.ts'
import { gentlerTargets } from '../quality/ladder.ts'
import { LEVELS, pictureTarget } from '../quality/levels.ts'
import type { Similarity } from '../quality/metrics.ts'
import { type PictureFacts, pictureFacts } from './facts.ts'
import { exactSecondsOf, secondsOf } from './seconds.ts'
import { isOpaque, ScaledSample, similarity } from './similarity.ts'

/** Pixels per inch of what is shown that a level keeps; a gentler level's are tried where the floors ask for more. */
export const DPI = LEVELS.shownDotsPerInch

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
/** A PNG becomes a JPEG only if that saves this much; at the same size a part gets another name for much more only. */
const JPEG_SHARE = 0.7
const SAME_SIZE_JPEG_SHARE = 0.5
const SAME_SIZE_JPEG_SAVES_BYTES = 48 * 1024

export interface Recompressed {
  readonly bytes: Uint8Array
  readonly output: OutputId
  /** Luma, against the old picture at its size; absent when no sample changed. */
  readonly loss?: PictureLoss
  readonly downsampled: boolean
}

export interface PictureRequest {
  /** The size the whole picture is shown at; undefined when that is not known for sure. */
  readonly shown?: { readonly widthInches: number; readonly heightInches: number } | undefined
  /** An opaque PNG may become a JPEG: whoever asks can change its name and type everywhere. */
  readonly mayBecomeJpeg?: boolean
  /** Only an exact result. */
  readonly lossless?: boolean
}

type Lending = Pick<Options, 'inner' | 'quality' | 'signal'>

/** Undefined when nothing is gained, or there is no time for it. */
export async function recompressPicture(
  bytes: Uint8Array,
  name: string,
  options: Lending,
  request: PictureRequest = {},
): Promise<Recompressed | undefined> {
  const facts = pictureFacts(bytes)
  if (!facts) return undefined
  const { time } = options.inner
  if (time?.take(secondsOf(facts, bytes.length)) === false) {
    const seconds = exactSecondsOf(facts, bytes.length)
    return seconds !== undefined && time.takeExact(seconds) ? sameKind(bytes, name, facts, options, { lossless: true }) : undefined
  }
  const kept = await sameKind(bytes, name, facts, options, request)
  if (!request.mayBecomeJpeg || request.lossless || facts.kind !== 'png' || !facts.comparable || options.quality === 'high') return kept
  const jpeg = await asJpeg(bytes, name, facts, options, request)
  if (!jpeg) return kept
  const size = kept?.bytes.length ?? bytes.length
  const limit = jpeg.downsampled ? size * JPEG_SHARE : Math.min(size * SAME_SIZE_JPEG_SHARE, size - SAME_SIZE_JPEG_SAVES_BYTES)
  return jpeg.bytes.length < limit ? jpeg : kept
}

/** A PNG as a JPEG, however much larger or smaller; undefined when it has transparent pixels, or the level cannot be kept. */
export async function pictureAsJpeg(
  png: Uint8Array,
  name: string,
  options: Lending,
  request: PictureRequest,
): Promise<Recompressed | undefined> {
  const facts = pictureFacts(png)
  return facts?.kind === 'png' && facts.comparable ? asJpeg(png, name, facts, options, request) : undefined
}

async function sameKind(bytes: Uint8Array, name: string, facts: PictureFacts, options: Lending, request: PictureRequest) {
  const exact = request.lossless ? { lossless: true } : {}
  const sample = new ScaledSample(bytes, facts)
  let gentler: Recompressed | undefined
  for (const attempt of attempts(facts, options.quality, request)) {
    // The engines of the last try can be collected meanwhile.
    await yieldToOthers(options.signal)
    const left = await leftBySize(sample, facts, attempt)
    if (mayStand(left, options.quality)) {
      const result = await options.inner.compress(bytes, name, { ...attempt, ...exact })
      const judged = await judge(bytes, facts, result)
      if (judged)
        return smallest([
          judged,
          gentler,
          ...(await gentlerPngs(bytes, name, facts, options, { request: { ...attempt, ...exact }, made: judged })),
        ])
      if (hopeless(facts, result)) return gentler
      if (result.kind === 'compressed') discard(result.bytes)
    }
    // What a gentler level would choose counts, too, or the stronger level could come out larger. Of the ladder that is medium:
    // high keeps more pixels than there are at sizes that medium may come down to.
    const gentle = gentlerTargets(options.quality).find((level) => level === 'medium')
    if (attempt.maxWidth === undefined || gentler || !gentle || !mayStand(left, gentle)) continue
    await yieldToOthers(options.signal)
    gentler = await judge(bytes, facts, await options.inner.compress(bytes, name, { ...attempt, quality: gentle }))
  }
  return gentler
}

/** A PNG of large flat areas whose bytes repeat themselves: Deflate, which packages put around it, saves more than this of it. */
const DEFLATES_AGAIN = 0.03
const DEFLATE_LEVEL = 6

/** What a package needs for it: PNGs may deflate again. */
function packedBytes({ bytes, output }: Recompressed): number {
  return output === 'png' ? Math.min(bytes.length, zlibCompress(bytes, DEFLATE_LEVEL).length) : bytes.length
}

const smallest = (results: readonly (Recompressed | undefined)[]) =>
  results.filter((each) => each !== undefined).reduce((best, each) => (packedBytes(each) < packedBytes(best) ? each : best))

/** What gentler levels make of a PNG that deflates again: the smaller file need not be the smaller one in its package. */
async function gentlerPngs(
  bytes: Uint8Array,
  name: string,
  facts: PictureFacts,
  options: Lending,
  { request, made }: { request: InnerRequest; made: Recompressed },
): Promise<(Recompressed | undefined)[]> {
  if (made.output !== 'png' || request.maxWidth !== undefined || packedBytes(made) > made.bytes.length * (1 - DEFLATES_AGAIN)) return []
  const results: (Recompressed | undefined)[] = []
  for (const quality of gentlerTargets(options.quality)) {
    await yieldToOthers(options.signal)
    results.push(await judge(bytes, facts, await options.inner.compress(bytes, name, { ...request, quality })))
  }
  return results
}

/** No larger size would bring a gain: nothing was gained, or the codec does not downsample. */
function hopeless(facts: PictureFacts, result: InnerResult): boolean {
  if (result.kind === 'unchanged') return result.reason !== 'below_floor'
  const fresh = pictureFacts(result.bytes)
  return fresh?.width === facts.width && fresh.height === facts.height
}

async function asJpeg(bytes: Uint8Array, name: string, facts: PictureFacts, options: Lending, request: PictureRequest) {
  if (!(await isOpaque(bytes, facts).catch(() => false))) return undefined
  const sample = new ScaledSample(bytes, facts)
  for (const attempt of attempts(facts, options.quality, request)) {
    await yieldToOthers(options.signal)
    if (!mayStand(await leftBySize(sample, facts, attempt), options.quality)) continue
    const result = await options.inner.compress(bytes, name, { ...attempt, output: 'jpg', onlyReached: true })
    const judged = await judge(bytes, facts, result)
    if (judged) return judged
    if (hopeless(facts, result)) return undefined
    if (result.kind === 'compressed') discard(result.bytes)
  }
  return undefined
}

/** What is left of a large picture at a smaller size, before any coding; undefined where that is as soon tried as told. */
function leftBySize(sample: ScaledSample, { width, height }: PictureFacts, { maxWidth }: InnerRequest): Promise<Similarity | undefined> {
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

/** From the smallest acceptable size up to all pixels. The same ladder for every level, so that levels stay in order. */
function attempts(facts: PictureFacts, quality: Quality, { shown, lossless }: PictureRequest): InnerRequest[] {
  const sizes: InnerRequest[] = []
  if (shown && !lossless && !facts.turned && (facts.kind === 'jpg' || (facts.kind === 'png' && facts.comparable))) {
    for (const dpi of [DPI.ultra, DPI.low, DPI.medium, DPI.high].filter((each) => each >= DPI[quality])) {
      const scale = Math.max((shown.widthInches * dpi) / facts.width, (shown.heightInches * dpi) / facts.height)
      if (!(scale < WORTHWHILE_SCALE)) break
      sizes.push({ maxWidth: Math.max(1, Math.ceil(facts.width * scale)), maxHeight: Math.max(1, Math.ceil(facts.height * scale)) })
    }
  }
  return [...sizes, {}]
}

/** What a codec made, if it stands at the old picture's size. */
async function judge(before: Uint8Array, facts: PictureFacts, result: InnerResult): Promise<Recompressed | undefined> {
  if (result.kind === 'unchanged' || result.bytes.length >= before.length) return undefined
  const { bytes, output, outcome } = result
  if (!outcome.loss) return { bytes, output, downsampled: false }
  const { pictures } = outcome.loss
  if (!pictures) return undefined
  const fresh = pictureFacts(bytes)
  if (!fresh) return undefined
  if (fresh.width === facts.width && fresh.height === facts.height) return { bytes, output, loss: pictures, downsampled: false }
  const measured = await similarity(before, bytes)
  if (!measured || measured.ssim < SCALED_SSIM || measured.psnrDb < SCALED_PSNR_DB || measured.psnrRgbDb < SCALED_RGB_PSNR_DB)
    return undefined
  // At its own size as well, where its codec measured it, and at which alone it is scored.
  const loss = scored(worseLoss(pictures, ofPixels(measured)), pictures.ssimulacra2)
  return { bytes, output, loss, downsampled: true }
}
