/** Converts pictures of lossless formats to another format or size. Codecs call this module only. */

import type { AncillaryChunk } from '../../../../wasm/png/png.ts'
import { concat } from '../../bytes/concat.ts'
import { zlibCompress } from '../../bytes/deflate.ts'
import { pictureTarget } from '../../catalog/levels.ts'
import { pictureFacts } from '../../catalog/outputs.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { lossOf } from '../../model/loss.ts'
import { compressKeepingTrailingData } from '../../model/trailing-data.ts'
import { encodeHdrAvif, type HdrPicture } from '../avif/hdr.ts'
import { type DataPicture, detectDataPicture, exactDataStep, lossyDataStep } from '../data-pictures/data-picture.ts'
import { encodeDeepPng } from '../png/encode-deep.ts'
import { encodeSmallestPng } from '../png/encode-smallest.ts'
import { isHdr, nameOfSignalling } from '../raster/colour-signalling.ts'
import { shownOrientationOf } from '../raster/orientation.ts'
import { type Raster, withoutOpaqueAlpha } from '../raster/raster.ts'
import type { EncodedPicture } from '../search/encode-request.ts'
import { fitToSize, fitToSize16, optionsForStored } from '../search/fit-to-size.ts'
import { ScoredFile } from '../search/scored-file.ts'
import { physChunk, textChunk } from './descriptive-metadata.ts'
import { OUTPUT_CODECS } from './output-codecs.ts'
import { encodeKeepingFloors } from './output-floors.ts'
import { lossAgainst, type UploadedPicture } from './reference.ts'

/** Still picture with everything that a conversion needs. */
export interface ConvertiblePicture extends UploadedPicture {
  /** HDR picture with all bits and its transfer function. Only AVIF output can store it. `undefined`: not HDR. */
  readonly hdr?: HdrPicture
  /**
   * Set if programs use the samples as data. PNG and WebP then stay lossless; other outputs add a warning step. Absent: not examined yet.
   */
  readonly data?: DataPicture | undefined
  /** False if the samples come from a lossy format, so that a lossless result is hardly smaller. `undefined`: true. */
  readonly pristine?: boolean
  /** True if the result must hold the samples of the picture, or of the reduced picture, without further loss. `undefined`: false. */
  readonly isExact?: boolean
  /** True if a PNG result keeps the 16 bits of `raster16`. `undefined`: it has 8 bits. */
  readonly keepsBits?: boolean
  /** Offset in the file of the first byte after the picture. The bytes from there on are appended to the result. */
  readonly end: number
  /** Additional chunks for a PNG result, such as texts of the source. */
  readonly chunks?: readonly AncillaryChunk[]
  /** Returns the names of metadata that the output format cannot store, for the receipt. */
  omitted?(output: string): readonly (string | Message)[]
}

/**
 * Writes `picture` in the format `options.output`, reduced to `options.fitWithin` if set. The bytes after the picture in `source` are
 * appended.
 */
export const convertPicture = (
  picture: ConvertiblePicture,
  source: Source,
  sink: Sink,
  options: Options,
): Promise<Outcome & { readonly evidence?: unknown }> =>
  compressKeepingTrailingData(
    source,
    picture.end,
    sink,
    optionsForStored(options, shownOrientationOf(picture.carried.exif)),
    (body, request) => convertBody(picture, body.size, sink, request),
  )

async function convertBody(
  source: ConvertiblePicture,
  sizeLimit: number,
  sink: Sink,
  options: Options,
): Promise<Outcome & { readonly evidence?: ScoredFile }> {
  if (source.hdr) return await convertToAvifHdr(source, source.hdr, sizeLimit, sink, options)
  const picture =
    'data' in source || source.raster16 ? source : { ...source, data: await detectDataPicture({ ...source.raster, most: 255 }) }
  if (options.lossless && picture.raster16) throw unsupported('more_than_eight_bits_of_colour_exactly')
  const { raster, steps } = fitToSize(picture.raster, options)
  const made = await encoded(picture, raster, sizeLimit, options)
  const { chunks, step, loss } = made
  const omitted = picture.omitted?.(options.output) ?? []
  if (picture.raster16 && !picture.keepsBits) steps.push(message('deep_to_8_bits'))
  if (omitted.length > 0) steps.push(message('not_kept_no_place', { output: options.output, what: omitted }))
  if (picture.data) steps.push(loss || picture.raster16 ? lossyDataStep(picture.data) : exactDataStep(picture.data))
  const found = await lossAgainst(picture, { chunks, ...(loss && { loss }) }, omitted.length > 0, options)
  // Before the sink takes the chunks.
  const evidence = ScoredFile.evidenceOf(made)
  for (const chunk of chunks) await sink.write(chunk)
  return { kind: 'compressed', ...lossOf(found), steps: [...steps, step], ...evidence }
}

/** Converts an HDR picture to AVIF, the only HDR output. Quality is measured in the picture's own transfer function and bit depth. */
async function convertToAvifHdr(
  picture: ConvertiblePicture,
  hdr: HdrPicture,
  sizeLimit: number,
  sink: Sink,
  options: Options,
): Promise<Outcome> {
  const { targetSize, lossless } = options
  const request = { target: pictureTarget(options.quality), targetSize, lossless, pristine: false, options, sizeLimit }
  const { deep, steps: reduced } = fitToSize16(hdr.deep, options)
  const { chunks, step, loss } = await encodeHdrAvif({ ...hdr, deep }, request)
  const omitted = picture.omitted?.(options.output) ?? []
  for (const chunk of chunks) await sink.write(chunk)
  const signalling = nameOfSignalling(hdr.carried.signalling)
  const kept = isHdr(hdr.carried.signalling) ? message('hdr_signalling_kept', { signalling }) : message('deep_bits_kept', { bits: 10 })
  const steps = [...reduced, kept, step]
  if (omitted.length > 0) steps.push(message('not_kept_no_place', { output: options.output, what: omitted }))
  return { kind: 'compressed', ...lossOf(loss), steps }
}

async function encoded(picture: ConvertiblePicture, raster: Raster, sizeLimit: number, options: Options): Promise<EncodedPicture> {
  const { targetSize, output } = options
  const lossless = options.lossless || picture.isExact || (picture.data && !picture.raster16 && pictureFacts(output)?.exactInstead)
  if (output === 'png') {
    if (picture.keepsBits && picture.raster16)
      return await encodeDeepPng(fitToSize16(picture.raster16, options).deep, raster.channels, chunksOf(picture), sizeLimit, options)
    const request = picture.data || picture.isExact ? { ...options, lossless: true } : options
    const { pieces, ...best } = await encodeSmallestPng(raster, chunksOf(picture), Math.min(sizeLimit, targetSize ?? sizeLimit), request)
    return { chunks: pieces, ...best }
  }
  const encode = OUTPUT_CODECS[output]?.encode
  if (!encode) throw unsupported(message('picture_as', { output }))
  const request = {
    target: pictureTarget(options.quality),
    targetSize,
    lossless,
    pristine: picture.pristine !== false && !picture.raster16,
    options,
    sizeLimit,
  }
  return await encodeKeepingFloors(output, encode, await withoutOpaqueAlpha(raster), picture.carried, request)
}

/** iCCP, eXIf and iTXt chunks of the metadata (W3C PNG, 11.3.2.3, 11.3.4.4, 11.3.3.4), unless the source has its own. */
function chunksOf({ carried, chunks = [] }: ConvertiblePicture): AncillaryChunk[] {
  const text = (value: string) => new TextEncoder().encode(value)
  const out = [...chunks]
  const add = (type: string, data: Uint8Array) => {
    if (!out.some((chunk) => chunk.type === type)) out.push({ type, data })
  }
  if (carried.icc) add('iCCP', concat([text('ICC profile\0\0'), zlibCompress(carried.icc)]))
  if (carried.exif) add('eXIf', carried.exif)
  if (carried.xmp && !chunks.some(({ type }) => type === 'iTXt')) add('iTXt', concat([text('XML:com.adobe.xmp\0\0\0\0\0'), carried.xmp]))
  if (carried.resolution && !chunks.some(({ type }) => type === 'pHYs')) out.push(physChunk(carried.resolution))
  for (const comment of carried.comments ?? []) out.push(textChunk(comment))
  return out
}
