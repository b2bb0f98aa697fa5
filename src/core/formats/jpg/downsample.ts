/** Downsamples JPEG pictures in documents that are stored larger than they are shown. Quality is measured at the new size. */

import { JpegJob, type RowsIn } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { LEVELS, pictureTarget } from '../../catalog/levels.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { dctScaleFor, jpegRaster } from '../../images/jpeg/decode.ts'
import { canBeScored, requantiseToScore } from '../../images/jpeg/perceptual-search.ts'
import { requantiseToTarget, sampleEvery, writeSmallest } from '../../images/jpeg/quality-search.ts'
import { cachedRaster } from '../../images/raster/cached-raster.ts'
import { resized, sizeWithin } from '../../images/raster/resize.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { lossOf, pixelLoss } from '../../model/loss.ts'
import { copyTrailingData, trailingDataSteps } from '../../model/trailing-data.ts'
import { isSegment, type JpegHeader } from './segments.ts'
import { DOWNSAMPLE_BASE_BYTES, PACKED_PER_PIXEL } from './tuning.ts'

/**
 * Colours in which the pixels are resampled: YCbCr if the file stores it, CMYK inks as inks. `undefined`: the Adobe segment (APP14,
 * transform in byte 11 of the content) would no longer match the result, or the file has several pictures.
 */
function pixelsOf(header: JpegHeader): { pixels: RowsIn['pixels']; colour: 'natural' | 'ycbcr'; ycck: boolean } | undefined {
  if (header.segments.some((segment) => isSegment(segment, 0xe2, 'MPF\0'))) return undefined
  const adobe = header.segments.find((segment) => isSegment(segment, 0xee, 'Adobe'))
  const transform = adobe?.bytes[4 + 11]
  if (header.components === 1) return { pixels: 'gray', colour: 'natural', ycck: false }
  if (header.components === 3 && transform !== 0) return { pixels: 'ycbcr', colour: 'ycbcr', ycck: false }
  if (header.components === 4) return { pixels: 'cmyk', colour: 'natural', ycck: transform === 2 }
  return undefined
}

/** Downsamples the picture. `undefined`: it already fits, or it cannot be downsampled here. */
export async function downsample(source: Source, sink: Sink, header: JpegHeader, options: Options): Promise<Outcome | undefined> {
  const size = options.fitWithin && sizeWithin(header.width, header.height, options.fitWithin)
  const colours = size && pixelsOf(header)
  if (!colours || options.lossless || Math.min(size.width, size.height) < 11) return undefined
  const coefficients = header.progressive ? source.size * 2 : 0
  const needed = DOWNSAMPLE_BASE_BYTES + coefficients + size.width * size.height * PACKED_PER_PIXEL + header.width * 400
  if (!fitsMemoryBudget(options, needed)) return undefined

  const dctScale = dctScaleFor(header.width, size.width)
  let lateSegmentCount = 0
  let pictureEnd = source.size
  const raster = resized(
    jpegRaster(source, header, dctScale, colours.colour, ({ lateSegments, endOffset }) => {
      lateSegmentCount = lateSegments.length
      pictureEnd = endOffset
    }),
    size.width,
    size.height,
  )
  const intake = JpegJob.fromRows({ ...size, pixels: colours.pixels, subsampled: false, ycck: colours.ycck })
  let done = 0
  for await (const strip of raster.rows()) {
    options.signal.throwIfAborted()
    intake.write(strip)
    done += strip.length / (size.width * raster.channels)
    options.progress((0.6 * done) / size.height)
  }
  if (lateSegmentCount > 0) return undefined // give up: only recompress() can keep segments between scans
  using job = intake.end()
  const steps = [message('downsampled_from', { width: header.width, height: header.height, newWidth: size.width, newHeight: size.height })]
  const chromaPsnrDb = job.decimationPsnrDb(sampleEvery(size.width, size.height))
  if (chromaPsnrDb !== undefined && chromaPsnrDb >= LEVELS.halvedChromaPsnrDb[options.quality]) job.decimate()
  const pause = () => yieldToEventLoop(options.signal)
  const reference = resized(jpegRaster(source, header, dctScale, 'natural'), size.width, size.height)
  const mayCache = fitsMemoryBudget(options, needed + size.width * size.height * reference.channels)
  const comparedWith = mayCache ? cachedRaster(reference) : reference
  const { quality, figures, reached } =
    colours.pixels !== 'cmyk' && canBeScored(size)
      ? await requantiseToScore(job, comparedWith, perceptualTarget(options.quality, size), { pause })
      : await requantiseToTarget(job, pictureTarget(options.quality), { pause })
  if (!reached) return undefined
  job.release('read')
  const { coded } = writeSmallest(job, figures)
  const head = concat([new Uint8Array([0xff, 0xd8]), ...header.segments.map((segment) => segment.bytes)])
  const bytes = head.length + coded.reduce((sum, chunk) => sum + chunk.length, 0) - 2
  if (bytes >= pictureEnd) return undefined
  await sink.write(head)
  for (const [index, chunk] of coded.entries()) await sink.write(index === 0 ? chunk.subarray(2) : chunk)
  await copyTrailingData(source, pictureEnd, sink)
  steps.push(message('encoded_at_quality', { quality }))
  return { kind: 'compressed', ...lossOf(pixelLoss(figures)), steps: [...steps, ...trailingDataSteps(source, pictureEnd)] }
}
