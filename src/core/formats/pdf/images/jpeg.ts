/** Recompresses images that are JPEG already: requantises their coefficients, or only optimises their entropy coding. */
import { isEngineError } from '../../../../../wasm/engine-error.ts'
import { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../../bytes/concat.ts'
import type { Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { LOSSY_GAIN } from '../tuning.ts'
import type { ImageFacts } from './facts.ts'
import type { PictureTarget } from './levels.ts'
import { jpegDataChunks, throwAsPdfSyntax } from './rows.ts'
import { estimateLowestQuality, searchQuality } from './search.ts'
import { type PerceptualGoal, searchPerceptualQuality } from './seen.ts'

export interface EncodedPicture {
  data: Uint8Array
  /** Scores compared with the original. `undefined`: lossless. */
  figures: { ssim: number; psnrDb: number } | undefined
  quality: number
  width: number
  height: number
  channels: number
}

/**
 * Maximum size in bytes of a JPEG whose coefficients are kept in memory; they take about twice the file size. A larger file is read again
 * for each attempt.
 */
export const MAX_BUFFERED_JPEG_BYTES = 6 * 1024 * 1024
const SMALLEST_SIDE = 16

/** True if a decoder needs an Adobe segment to interpret the colours of a JPEG. */
export const needsAdobeSegment = (colour: string) => colour === 'rgb' || colour === 'cmyk' || colour === 'ycck'

/** Settings for the recompression of a JPEG. */
export interface JpegSettings {
  /** Minimum scores. `undefined`: lossless only. */
  target: PictureTarget | undefined
  /** Reference and target of the perceptual score. `undefined`: SSIM and PSNR decide. */
  sight: PerceptualGoal | undefined
  /** Minimum PSNR in dB for halving the chroma resolution. `undefined`: never halved. */
  chroma: number | undefined
  /** JPEG quality at which the search starts. */
  hint: number
  /** True if the picture has a mask. */
  masked: boolean
}

/** Recompresses a JPEG. `undefined`: no gain, or an unsupported JPEG. */
export async function recodeJpeg(
  reader: Reader,
  stream: Stream,
  facts: ImageFacts,
  aim: JpegSettings,
): Promise<EncodedPicture | undefined> {
  const flow = () => jpegDataChunks(reader, stream, facts)
  try {
    using job = await JpegJob.read(flow(), readMode(facts))
    const { info } = job
    // If the image dictionary contradicts the JPEG header, PDF readers disagree on which is valid, so the image stays unchanged.
    if (info.components !== facts.components || info.width !== facts.width || info.height !== facts.height) return undefined
    if (facts.length > MAX_BUFFERED_JPEG_BYTES) return await recodeLarge(job, flow, aim, facts.length * LOSSY_GAIN)
    const lossless = { ...coded(job, 'read'), figures: undefined, quality: aim.hint }
    const budget = facts.length * LOSSY_GAIN
    const measurable = Math.min(info.width, info.height) >= SMALLEST_SIDE
    const lossy = measurable ? ((await code(job, aim, budget)) ?? (await codeWithFullChroma(flow, aim, budget))) : undefined
    if (lossy && lossy.data.length < Math.min(lossless.data.length, facts.length) * LOSSY_GAIN) return lossy
    return lossless.data.length < facts.length ? lossless : undefined
  } catch (error) {
    if (isEngineError(error, 'jpeg') && (error.failure === 'unsupported' || error.failure === 'memory')) return undefined
    return throwAsPdfSyntax(error)
  }
}

const readMode = (facts: ImageFacts) =>
  facts.length > MAX_BUFFERED_JPEG_BYTES ? ({ kind: 'sample', every: 4 } as const) : ({ kind: 'store' } as const)

/** Serialises the JPEG of a job: the original coefficients (`read`) or the requantised ones (`made`). */
function coded(job: JpegJob, which: 'read' | 'made'): Pick<EncodedPicture, 'data' | 'width' | 'height' | 'channels'> {
  const { width, height, components, colour } = job.info
  return { width, height, channels: components, data: concat(job.write(which, 'progressive', needsAdobeSegment(colour))) }
}

/** Second attempt with full chroma resolution, for a picture whose halved chroma missed the target. */
async function codeWithFullChroma(
  flow: () => ReturnType<typeof jpegDataChunks>,
  aim: JpegSettings,
  budget: number,
): Promise<EncodedPicture | undefined> {
  if (!aim.sight || aim.chroma === undefined) return undefined
  using job = await JpegJob.read(flow())
  return (job.decimationPsnrDb(4) ?? 0) >= aim.chroma ? await code(job, { ...aim, chroma: undefined }, budget) : undefined
}

async function code(
  job: JpegJob,
  { target, sight, chroma, hint, masked }: JpegSettings,
  budget: number,
): Promise<EncodedPicture | undefined> {
  if (!target) return undefined
  if (masked) job.limitSampleRange()
  if (chroma !== undefined) {
    const halved = job.decimationPsnrDb(4)
    if (halved !== undefined && halved >= chroma) job.decimate()
  }
  const { width, height } = job.info
  const found = sight
    ? await searchPerceptualQuality(job, sight, hint, budget)
    : await searchQuality(job, width * height, target, hint, budget)
  if (!found) return undefined
  const { ssim, psnrDb } = found.figures
  return { ...coded(job, 'made'), figures: { ssim, psnrDb }, quality: found.quality }
}

/** Recompresses a large JPEG: searches the quality on every fourth row, then requantises while reading the file a second time. */
async function recodeLarge(
  sample: JpegJob,
  flow: () => ReturnType<typeof jpegDataChunks>,
  { target, hint, masked }: JpegSettings,
  budget: number,
): Promise<EncodedPicture | undefined> {
  if (!target) return undefined
  if (masked) sample.limitSampleRange()
  const { smoothPlanes } = sample
  let quality = await estimateLowestQuality(sample, 1, target, hint)
  for (; quality !== undefined && quality <= 95; quality += 3) {
    using job = await JpegJob.read(flow(), { kind: 'stream', quality, smoothPlanes, within: masked })
    const { ssim, psnrDb } = job.figures
    if (ssim < target.ssim || psnrDb < target.psnrDb) continue
    const result = coded(job, 'made')
    return result.data.length < budget ? { ...result, figures: { ssim, psnrDb }, quality } : undefined
  }
  return undefined
}
