/**
 * Downsamples JPEG pictures: those in documents that are stored larger than they are shown, and those that the caller wants smaller. Quality
 * is measured at the new size.
 */

import { JpegJob, type RowsIn } from '../../../../wasm/jpeg/jpeg.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { LEVELS, pictureTarget } from '../../catalog/levels.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { dctScaleFor, type JpegEnd, jpegRaster } from '../../images/jpeg/decode.ts'
import { canBeScored, requantiseToScore } from '../../images/jpeg/perceptual-search.ts'
import { type QualityFigures, requantiseToSize, requantiseToTarget, sampleEvery, writeSmallest } from '../../images/jpeg/quality-search.ts'
import { cachedRaster } from '../../images/raster/cached-raster.ts'
import type { Raster } from '../../images/raster/raster.ts'
import { resized } from '../../images/raster/resize.ts'
import { downsampledStep, reducedSize } from '../../images/search/fit-to-size.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { type CodecError, noGain, overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { lossOf, pixelLoss } from '../../model/loss.ts'
import { assemble, assembledBytes, type KeptParts, keptPartsOf, keptSteps } from './assemble.ts'
import { isSegment, type JpegHeader, lateSegments } from './segments.ts'
import { DOWNSAMPLE_BASE_BYTES, PACKED_PER_PIXEL, SSIM_WINDOW_SIDE } from './tuning.ts'

type Size = Pick<Raster, 'width' | 'height'>

/** Colours in which the pixels are resampled. `ycck`: four components are stored as luma, chroma and black. */
interface StoredColours {
  readonly pixels: RowsIn['pixels']
  readonly colour: 'natural' | 'ycbcr'
  readonly ycck: boolean
}

/**
 * Colours in which the pixels are resampled: YCbCr if the file stores it, CMYK inks as inks. `undefined`: the Adobe segment (APP14,
 * transform in byte 11 of the content) would no longer match the result.
 */
function pixelsOf(header: JpegHeader): StoredColours | undefined {
  const adobe = header.segments.find((segment) => isSegment(segment, 0xee, 'Adobe'))
  const transform = adobe?.bytes[4 + 11]
  if (header.components === 1) return { pixels: 'gray', colour: 'natural', ycck: false }
  if (header.components === 3 && transform !== 0) return { pixels: 'ycbcr', colour: 'ycbcr', ycck: false }
  if (header.components === 4) return { pixels: 'cmyk', colour: 'natural', ycck: transform === 2 }
  return undefined
}

const hasFurtherPictures = ({ segments }: JpegHeader) => segments.some((segment) => isSegment(segment, 0xe2, 'MPF\0'))

/** Memory in bytes for the coefficients of both pictures. */
function memoryFor(source: Source, header: JpegHeader, { width, height }: Size): number {
  const coefficients = header.progressive ? source.size * 2 : 0
  return DOWNSAMPLE_BASE_BYTES + coefficients + width * height * PACKED_PER_PIXEL + header.width * 400
}

/**
 * Downsamples the picture. `undefined`: it already fits, or it cannot be downsampled here. @throws CodecError with the reason if the caller
 * asked for the size
 */
export async function downsample(source: Source, sink: Sink, header: JpegHeader, options: Options): Promise<Outcome | undefined> {
  const size = reducedSize(header, options)
  if (!size) return undefined
  const isRequired = options.fitWithin?.isRequired === true
  const giveUp = (reason: CodecError): undefined => {
    if (isRequired) throw reason
  }
  const colours = pixelsOf(header)
  if (!colours || (!isRequired && hasFurtherPictures(header))) return giveUp(unsupported('jpeg_colours_are_not_reduced'))
  if (Math.min(size.width, size.height) < SSIM_WINDOW_SIDE) return giveUp(unsupported('too_small_to_be_measured'))
  const needed = memoryFor(source, header, size)
  if (!fitsMemoryBudget(options, needed))
    return giveUp(overBudget(message('about_mb_of_memory_would_be_needed', { megabytes: Math.ceil(needed / 1048576) })))

  // A size that the caller asked for gets the best filter for the whole reduction.
  const dctScale = isRequired ? 8 : dctScaleFor(header.width, size.width)
  const { job, ended } = await readReduced({ source, header, size, colours, dctScale }, options)
  using _ = job
  if (ended.lateSegments.length > 0 && !isRequired) return undefined // only recompress() can keep segments between scans
  const late = await lateSegments(source, ended.lateSegments)
  const kept = keptPartsOf(source, { ...header, segments: [...header.segments, ...late] }, ended.endOffset, late.length)
  const reference = resized(jpegRaster(source, header, dctScale, 'natural'), size.width, size.height)
  const mayCache = fitsMemoryBudget(options, needed + size.width * size.height * reference.channels)
  const reduced = { job, size, isScored: colours.pixels !== 'cmyk' && canBeScored(size), kept }
  const made = await requantised({ ...reduced, reference: mayCache ? cachedRaster(reference) : reference, source }, options)
  if (!made) return undefined
  const { quality, figures } = made
  job.release('read')
  const { coded, bytes } = writeSmallest(job, figures)
  if (assembledBytes(source, kept, bytes) >= source.size) return giveUp(noGain())
  await assemble(source, sink, kept, coded)
  const steps = [downsampledStep(header, size), message('encoded_at_quality', { quality }), ...keptSteps(source, kept)]
  return { kind: 'compressed', ...lossOf(pixelLoss(figures)), steps }
}

interface Reading {
  readonly source: Source
  readonly header: JpegHeader
  readonly size: Size
  readonly colours: StoredColours
  readonly dctScale: ReturnType<typeof dctScaleFor>
}

/** Decodes the picture, downsamples it and returns the coefficients of the small one, with the end of the original. */
async function readReduced(
  { source, header, size, colours, dctScale }: Reading,
  options: Options,
): Promise<{ job: JpegJob; ended: JpegEnd }> {
  let ended: JpegEnd = { endOffset: source.size, lateSegments: [] }
  const decoded = jpegRaster(source, header, dctScale, colours.colour, (read) => {
    ended = read
  })
  const raster = resized(decoded, size.width, size.height)
  const intake = JpegJob.fromRows({ ...size, pixels: colours.pixels, subsampled: false, ycck: colours.ycck })
  let done = 0
  for await (const strip of raster.rows()) {
    options.signal.throwIfAborted()
    intake.write(strip)
    done += strip.length / (size.width * raster.channels)
    options.progress((0.6 * done) / size.height)
  }
  return { job: intake.end(), ended }
}

interface Reduced {
  readonly job: JpegJob
  readonly size: Size
  readonly source: Source
  readonly kept: KeptParts
  /** Picture that results are compared with. */
  readonly reference: Raster
  /** True if the perceptual score steers the search. */
  readonly isScored: boolean
}

/**
 * Searches for the quality of the level. `undefined`: no quality reaches it. A picture that the caller wants reduced gets the best quality
 * with which the file becomes smaller.
 */
async function requantised(
  { job, size, source, kept, reference, isScored }: Reduced,
  options: Options,
): Promise<QualityFigures | undefined> {
  const settings = { pause: () => yieldToEventLoop(options.signal) }
  const { fitWithin, targetSize } = options
  const overhead = assembledBytes(source, kept, 0)
  const chromaPsnrDb = job.decimationPsnrDb(sampleEvery(size.width, size.height))
  if (chromaPsnrDb !== undefined && chromaPsnrDb >= LEVELS.halvedChromaPsnrDb[options.quality]) job.decimate()
  if (fitWithin?.isRequired && targetSize !== undefined) return await requantiseToSize(job, targetSize, overhead, settings)
  const found = isScored
    ? await requantiseToScore(job, reference, perceptualTarget(options, size), settings)
    : await requantiseToTarget(job, pictureTarget(options.quality), settings)
  if (!fitWithin?.isRequired) return found.reached ? found : undefined
  if (job.size('made', 'progressive') + overhead < source.size) return found
  return await requantiseToSize(job, source.size - 1, overhead, settings).catch((error: unknown) => {
    throw error instanceof TargetUnreachable ? noGain() : error
  })
}
