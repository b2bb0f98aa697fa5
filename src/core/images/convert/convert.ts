/** Pictures of lossless formats in another form or size: one door for the codecs. */

import type { AncillaryChunk } from '../../../../wasm/png/png.ts'
import { concat } from '../../bytes/concat.ts'
import { zlibCompress } from '../../bytes/deflate.ts'
import { pictureTarget } from '../../catalog/levels.ts'
import { pictureFacts } from '../../catalog/outputs.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { lossOf } from '../../model/loss.ts'
import { withTail } from '../../model/trailing-data.ts'
import { encodeHdrAvif, type HdrPicture } from '../avif/hdr.ts'
import { type DataPicture, dataPicture, exactDataStep, lossyDataStep } from '../data-pictures/data-picture.ts'
import { encodeSmallestPng } from '../png/encode-smallest.ts'
import { nameOfSignalling } from '../raster/colour-signalling.ts'
import { type Raster, withoutIdleAlpha } from '../raster/raster.ts'
import type { Encoded } from '../search/encode-request.ts'
import { fitToSize } from '../search/fit-to-size.ts'
import { physChunk, textChunk } from './descriptive-metadata.ts'
import { OUTPUT_CODECS } from './output-codecs.ts'
import { encodeKeepingFloors } from './output-floors.ts'
import { lossAgainst, type UploadedPicture } from './reference.ts'

/** A still picture on its way to another form. */
export interface Convertible extends UploadedPicture {
  /** The picture with all its bits and what its transfer function is, where that is HDR: AVIF alone has a place for it. */
  readonly hdr?: HdrPicture
  /** The picture is data that programs read: PNG and WebP keep its samples exact, others warn in a step. Absent: not examined yet. */
  readonly data?: DataPicture | undefined
  /** Where it ends in its file; what stands behind is put behind the result. */
  readonly end: number
  /** Further chunks for a PNG result. */
  readonly chunks?: readonly AncillaryChunk[]
  /** What an output has no place for, in words for the receipt. */
  leftOut?(output: string): readonly (string | Message)[]
}

/** Writes `picture` as `options.output`, downsampled where `options.fitWithin` says so, with what stood behind it in `source`. */
export const convertPicture = (picture: Convertible, source: Source, sink: Sink, options: Options): Promise<Outcome> =>
  withTail(source, picture.end, sink, options, (body, asked) => converted(picture, body.size, sink, asked))

async function converted(given: Convertible, sizeLimit: number, sink: Sink, options: Options): Promise<Outcome> {
  if (given.hdr) return await convertedHdr(given, given.hdr, sizeLimit, sink, options)
  const picture = 'data' in given || given.raster16 ? given : { ...given, data: await dataPicture({ ...given.raster, most: 255 }) }
  if (options.lossless && picture.raster16) throw unsupported('more_than_eight_bits_of_colour_exactly')
  const { raster, steps } = fitToSize(picture.raster, options)
  const { chunks, step, loss } = await encoded(picture, raster, sizeLimit, options)
  const left = picture.leftOut?.(options.output) ?? []
  if (picture.raster16) steps.push(message('deep_to_8_bits'))
  if (left.length > 0) steps.push(message('not_kept_no_place', { output: options.output, what: left }))
  if (picture.data) steps.push(loss || picture.raster16 ? lossyDataStep(picture.data) : exactDataStep(picture.data))
  const found = await lossAgainst(picture, { chunks, ...(loss && { loss }) }, left.length > 0, options)
  for (const chunk of chunks) await sink.write(chunk)
  return { kind: 'compressed', ...lossOf(found), steps: [...steps, step] }
}

/** Only AVIF is made of HDR; its figures are of the picture's own transfer function and bit depth. */
async function convertedHdr(picture: Convertible, hdr: HdrPicture, sizeLimit: number, sink: Sink, options: Options): Promise<Outcome> {
  const { targetSize, lossless } = options
  const request = { target: pictureTarget(options.quality), targetSize, lossless, pristine: false, options, sizeLimit }
  const { chunks, step, loss } = await encodeHdrAvif(hdr, request)
  const left = picture.leftOut?.(options.output) ?? []
  for (const chunk of chunks) await sink.write(chunk)
  const signalling = nameOfSignalling(hdr.carried.signalling)
  const steps = [message('hdr_signalling_kept', { signalling }), step]
  if (left.length > 0) steps.push(message('not_kept_no_place', { output: options.output, what: left }))
  return { kind: 'compressed', ...lossOf(loss), steps }
}

async function encoded(picture: Convertible, raster: Raster, sizeLimit: number, options: Options): Promise<Encoded> {
  const { targetSize, output } = options
  const lossless = options.lossless || (picture.data && !picture.raster16 && pictureFacts(output)?.exactInstead)
  if (output === 'png') {
    const asked = picture.data ? { ...options, lossless: true } : options
    const { pieces, ...best } = await encodeSmallestPng(raster, chunksOf(picture), Math.min(sizeLimit, targetSize ?? sizeLimit), asked)
    return { chunks: pieces, ...best }
  }
  const encode = OUTPUT_CODECS[output]?.encode
  if (!encode) throw unsupported(message('picture_as', { output }))
  const request = { target: pictureTarget(options.quality), targetSize, lossless, pristine: !picture.raster16, options, sizeLimit }
  return await encodeKeepingFloors(output, encode, await withoutIdleAlpha(raster), picture.carried, request)
}

/** iCCP, eXIf and iTXt (W3C PNG, 11.3.2.3, 11.3.4.4, 11.3.3.4) of what is carried, unless the source has its own. */
function chunksOf({ carried, chunks = [] }: Convertible): AncillaryChunk[] {
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
