/**
 * Makes renditions: the picture is decoded once, cropped, reduced and turned upright, and this small picture is what encoders and
 * comparisons work on. So a rendition of a large photograph costs about as much as a small photograph.
 */

import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { type Frame, frameOf, type Rendition, renditionSize } from '../../model/rendition.ts'
import { isHdr, nameOfSignalling } from '../raster/colour-signalling.ts'
import { cropped } from '../raster/crop.ts'
import { shownOrientationOf, storedFrame, swapsAxes, uprightRaster } from '../raster/orientation.ts'
import { type Raster, stripsOf } from '../raster/raster.ts'
import { resizedByOpacity } from '../raster/resize.ts'
import { isSrgbProfile } from '../raster/srgb-profile.ts'
import { downsampledStep } from '../search/fit-to-size.ts'
import { type ConvertiblePicture, convertPicture } from './convert.ts'
import { RETAINED_RENDITION_SHARE } from './tuning.ts'
import { verifyPicture } from './verify-picture.ts'

type Size = Pick<Raster, 'width' | 'height'>

/** Picture of a file, and its size there. The raster may be smaller, if the decoder reduces while it decodes. */
export interface RenditionSource {
  readonly picture: Pick<ConvertiblePicture, 'raster' | 'carried' | 'hdr' | 'pristine'>
  readonly stored: Size
}

/** What a rendition shows of a stored picture, in the axes of the file. */
export interface RenditionPlan {
  readonly frame: Frame
  /** Size of the result. `undefined`: that of the frame. */
  readonly size: Size | undefined
}

/** Plans a rendition of a stored picture that viewers rotate by the EXIF `orientation`. */
export function planRendition(stored: Size, rendition: Rendition, orientation: number): RenditionPlan {
  const isTransposed = swapsAxes(orientation)
  const turned = <S extends Size>(size: S): S => (isTransposed ? { ...size, width: size.height, height: size.width } : size)
  const shown = frameOf(turned(stored), rendition)
  const size = renditionSize(shown, rendition)
  return { frame: storedFrame(shown, stored, orientation), size: size && turned({ width: size.width, height: size.height }) }
}

/** The small picture of a rendition, which `compress` hands to `verify`. */
export class RenditionEvidence {
  readonly picture: ConvertiblePicture
  /** Evidence of the encoder for `verifyPicture`. */
  readonly ofPicture: unknown

  constructor(picture: ConvertiblePicture, ofPicture: unknown) {
    this.picture = picture
    this.ofPicture = ofPicture
  }
}

/** Writes the rendition of a picture. @throws CodecError if it cannot be made from this picture */
export async function compressRendition(
  found: RenditionSource,
  source: Source,
  sink: Sink,
  options: Options,
): Promise<Outcome & { readonly evidence: RenditionEvidence }> {
  const { picture, steps, bytes } = await renditionOf(found, source, options)
  const outcome = await convertPicture(picture, source, sink, encoding(options, bytes))
  const evidence = new RenditionEvidence(picture, outcome.evidence)
  return outcome.kind === 'compressed' ? { ...outcome, steps: [...steps, ...outcome.steps], evidence } : { ...outcome, evidence }
}

/** Compares a result with the small picture that it was made from. Without `evidence`, the original is decoded again. */
export async function verifyRendition(
  open: () => Promise<RenditionSource>,
  files: { readonly original: Source; readonly result: Source; readonly outcome: Outcome },
  options: Options,
  evidence: unknown,
): Promise<Verdict> {
  if (evidence instanceof RenditionEvidence)
    return await verifyPicture(evidence.picture, { ...files, evidence: evidence.ofPicture }, encoding(options, 0))
  const { picture } = await renditionOf(await open(), files.original, options)
  return await verifyPicture(picture, files, encoding(options, 0))
}

/** Options for the small picture, which has its size already. */
function encoding({ rendition: _, fitWithin: __, ...options }: Options, retainedBytes: number): Options {
  return { ...options, memoryBudget: options.memoryBudget - retainedBytes }
}

async function renditionOf({ picture, stored }: RenditionSource, source: Source, options: Options) {
  const { carried, hdr, pristine } = picture
  const signalling = hdr?.carried.signalling
  if (signalling && isHdr(signalling)) throw unsupported(message('hdr_has_no_rendition', { hdr: nameOfSignalling(signalling) }))
  const orientation = shownOrientationOf(carried.exif)
  const { frame, size } = planRendition(stored, options.rendition ?? { fit: 'contain' }, orientation)
  const isCropped = frame.width < stored.width || frame.height < stored.height
  const part = cropped(picture.raster, scaledFrame(frame, stored, picture.raster))
  const reduced = resizedTo(part, size ?? frame)
  const bytes = reduced.width * reduced.height * reduced.channels
  const fits = fitsMemoryBudget(options, bytes, options.memoryBudget * RETAINED_RENDITION_SHARE)
  const raster = uprightRaster(fits ? await inMemory(reduced, options) : reduced, orientation)
  const steps = [...(isCropped ? [croppedStep(stored, frame)] : []), ...(size ? [downsampledStep(frame, size)] : [])]
  const small: ConvertiblePicture = {
    raster,
    carried: { icc: carried.icc && isSrgbProfile(carried.icc) ? undefined : carried.icc, signalling: signalling ?? carried.signalling },
    end: source.size,
    // Pages show the picture, so its samples are no data.
    data: undefined,
    pristine: pristine !== false,
  }
  return { picture: small, steps, bytes: fits ? bytes : 0 }
}

const croppedStep = ({ width, height }: Size, { width: newWidth, height: newHeight }: Size) =>
  message('cropped_from', { width, height, newWidth, newHeight })

/** Frame within a raster that its decoder has reduced. */
function scaledFrame(frame: Frame, stored: Size, { width, height }: Size): Frame {
  const [x, y] = [width / stored.width, height / stored.height]
  const scaled = { width: Math.max(1, Math.round(frame.width * x)), height: Math.max(1, Math.round(frame.height * y)) }
  return {
    ...scaled,
    left: Math.min(width - scaled.width, Math.round(frame.left * x)),
    top: Math.min(height - scaled.height, Math.round(frame.top * y)),
  }
}

const resizedTo = (raster: Raster, { width, height }: Size): Raster =>
  width === raster.width && height === raster.height ? raster : resizedByOpacity(raster, width, height)

/** Decodes the picture into memory. */
async function inMemory(raster: Raster, { signal }: Options): Promise<Raster> {
  const { width, height, channels } = raster
  const pixels = new Uint8Array(width * height * channels)
  let at = 0
  for await (const strip of raster.rows()) {
    signal.throwIfAborted()
    pixels.set(strip, at)
    at += strip.length
  }
  return {
    width,
    height,
    channels,
    async *rows() {
      yield* stripsOf(pixels, { width, channels })
    },
  }
}
