/** Searches by luma SSIM and PSNR: for pictures that cannot be scored, and for a target size. */
import type { WebpEncoder, WebpFigures } from '../../../../wasm/webp/webp.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { FLOORS, reaches } from '../../catalog/target.ts'
import { highestThatFits, lowestThatHolds } from '../../metrics/search.ts'
import { TargetUnreachable } from '../../model/error.ts'
import type { Raster } from '../raster/raster.ts'
import type { EncodeRequest } from '../search/encode-request.ts'
import {
  FRUGAL_PIXELS,
  MOST_TOKEN_BYTES,
  PER_QUALITY_STEP,
  QUALITY,
  SAMPLE_PIXELS,
  SAMPLE_SLACK,
  TOKENS_PER_BYTE,
  TOLERANCE,
} from './tuning.ts'

/** Encoder with the planes of a picture, and libwebp's method of the result. */
interface Lossy {
  readonly encoder: WebpEncoder
  readonly method: number
}

interface SearchResult {
  readonly quality: number
  readonly figures: WebpFigures
}

const BAND_ROWS = 64

/** Number of bands of a sample of about `SAMPLE_PIXELS` (wasm/webp/rows.c). */
const bandsOf = ({ width }: Raster): number => Math.max(4, Math.round(SAMPLE_PIXELS / width / BAND_ROWS))

/** True if the tokens of a result of `bytes` bytes would use too much memory. */
export const tokensExceedMemory = ({ width, height }: Raster, bytes: number): boolean =>
  1.5 * width * height + TOKENS_PER_BYTE * bytes > MOST_TOKEN_BYTES

/** Searches for the quality on a sample, then encodes the whole picture, at a higher quality if it misses the target. */
export async function toTarget({ encoder, method }: Lossy, raster: Raster, { target, options }: EncodeRequest): Promise<SearchResult> {
  const { width, height } = raster
  const bands = bandsOf(raster)
  const sampled = encoder.sample(bands) && width * height > 2 * SAMPLE_PIXELS
  const slack = sampled ? SAMPLE_SLACK : { ssim: 0, psnrDb: 0 }
  let bytes = 0
  let quality = await lowestThatHolds(QUALITY.lowest, QUALITY.highest, async (value) => {
    await yieldToEventLoop(options.signal)
    const made = encoder.encode({ quality: value, method }, sampled ? 'sample' : 'whole')
    const isReached = reaches(encoder.measure(), target, slack)
    if (isReached || bytes === 0) bytes = made // size of the last quality that reached the target
    return isReached
  })
  const frugal = sampled && tokensExceedMemory(raster, bytes * (height / (BAND_ROWS * bands)))
  for (;;) {
    await yieldToEventLoop(options.signal)
    encoder.encode({ quality, method, frugal })
    const figures = encoder.measure()
    if (quality >= QUALITY.highest || reaches(figures, target, TOLERANCE)) return { quality, figures }
    const missing = Math.max(
      (target.ssim - figures.ssim) / PER_QUALITY_STEP.ssim,
      (target.psnrDb - figures.psnrDb) / PER_QUALITY_STEP.psnrDb,
      1,
    )
    quality = Math.min(QUALITY.highest, quality + Math.min(PER_QUALITY_STEP.mostSteps, Math.ceil(missing)))
  }
}

/** Searches for the highest quality that fits `limit` bytes. @throws TargetUnreachable if none above the floors does */
export async function toSize(
  { encoder, method }: Lossy,
  { width, height }: Raster,
  { options }: EncodeRequest,
  limit: number,
): Promise<SearchResult> {
  const frugal = width * height > FRUGAL_PIXELS
  const sizes = new Map<number, number>()
  const size = async (quality: number) => {
    await yieldToEventLoop(options.signal)
    const bytes = encoder.encode({ quality, method, frugal })
    sizes.set(quality, bytes)
    return bytes
  }
  const quality = await highestThatFits(1, 99, async (value) => (await size(value)) <= limit)
  await size(quality ?? 1)
  const figures = encoder.measure()
  if (quality !== undefined && reaches(figures, FLOORS)) return { quality, figures }
  const least = await lowestThatHolds(1, 99, async (value) => {
    await size(value)
    return reaches(encoder.measure(), FLOORS)
  })
  throw new TargetUnreachable(sizes.get(least) ?? (await size(least)))
}
