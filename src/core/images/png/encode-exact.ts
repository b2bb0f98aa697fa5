/** Encodes rows of other formats as lossless PNG. The channels determine the colour type; the PNG codec searches more forms. */

import { type AncillaryChunk, PngEncoder, QUICK_EFFORT, THOROUGH_EFFORT } from '../../../../wasm/png/png.ts'
import { concat } from '../../bytes/concat.ts'
import { zlibCompress } from '../../bytes/deflate.ts'
import { message } from '../../i18n/message.ts'
import { noGain, TargetUnreachable } from '../../model/error.ts'
import { physChunk, textChunk } from '../convert/descriptive-metadata.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { QUICK_EXCESS } from './tuning.ts'

const COLOUR_TYPE = { 1: 0, 2: 4, 3: 2, 4: 6 } as const

export async function encodeLosslessPng(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const limit = Math.min(request.sizeLimit, request.targetSize ?? Number.POSITIVE_INFINITY)
  const quick = await encodeWithEffort(raster, carried, request, QUICK_EFFORT, limit * QUICK_EXCESS)
  const thorough = await encodeWithEffort(raster, carried, request, THOROUGH_EFFORT, Math.min(limit, sizeOf(quick)))
  return { chunks: thorough, step: message('exact_png') }
}

const sizeOf = (chunks: readonly Uint8Array[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

/**
 * Encodes the raster. @throws CodecError `no_gain` as soon as the file exceeds `most` bytes, because a photograph as PNG is many times its
 * JPEG size
 */
async function encodeWithEffort(
  raster: Raster,
  carried: PictureMetadata,
  request: EncodeRequest,
  effort: typeof QUICK_EFFORT,
  most: number,
): Promise<Uint8Array[]> {
  const { width, height, channels } = raster
  using encoder = new PngEncoder({ width, height, colourType: COLOUR_TYPE[channels], bitDepth: 8 }, effort, { chunks: chunksOf(carried) })
  const pieces: Uint8Array[] = []
  let bytes = 0
  const append = (more: readonly Uint8Array[]) => {
    for (const piece of more) bytes += piece.length
    if (bytes > most)
      throw request.targetSize !== undefined && request.targetSize < request.sizeLimit ? new TargetUnreachable(bytes) : noGain()
    for (const one of more) pieces.push(one)
  }
  for await (const strip of raster.rows()) {
    request.options.signal.throwIfAborted()
    for (let at = 0; at < strip.length; at += width * channels) encoder.writeRow(strip.subarray(at, at + width * channels))
    append(encoder.take())
  }
  append(encoder.finish())
  return pieces
}

/** Metadata as iCCP, eXIf, iTXt, pHYs and tEXt chunks (W3C PNG, 11.3). */
function chunksOf({ icc, exif, xmp, resolution, comments = [] }: PictureMetadata): AncillaryChunk[] {
  const text = (value: string) => new TextEncoder().encode(value)
  const chunks: AncillaryChunk[] = []
  if (icc) chunks.push({ type: 'iCCP', data: concat([text('ICC profile\0\0'), zlibCompress(icc)]) })
  if (exif) chunks.push({ type: 'eXIf', data: exif })
  if (xmp) chunks.push({ type: 'iTXt', data: concat([text('XML:com.adobe.xmp\0\0\0\0\0'), xmp]) })
  if (resolution) chunks.push(physChunk(resolution))
  for (const comment of comments) chunks.push(textChunk(comment))
  return chunks
}
