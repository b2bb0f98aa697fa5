/** Decodes pictures of originals and results into rows, for the comparisons in `pictures.ts` and `scores.ts`. */

import { discard } from '../../../wasm/memories/discard.ts'
import { pngRows, readPngInfo } from '../../../wasm/png/png.ts'
import { decodeWebp } from '../../../wasm/webp/webp.ts'
import type { OutputId } from '../catalog/outputs.ts'
import { convertibleBmp } from '../formats/bmp/convert.ts'
import { convertibleGifOf } from '../formats/gif/measure.ts'
import { metadataOf } from '../formats/jpg/carried.ts'
import { fullSizePicture as wholeJpeg } from '../formats/jpg/convert.ts'
import { readHeader } from '../formats/jpg/segments.ts'
import { RowScaler } from '../formats/pdf/images/scale.ts'
import { pngForConversion as convertiblePng } from '../formats/png/convert.ts'
import { message } from '../i18n/message.ts'
import type { UploadedPicture } from '../images/convert/reference.ts'
import { asRgba, onWhite, type Raster } from '../images/raster/raster.ts'
import { resized } from '../images/raster/resize.ts'
import type { Options, Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'
import { readAll } from '../model/source.ts'

export type PictureFormat = 'jpg' | 'png' | 'gif' | 'bmp'

/**
 * Returns the original picture at the size of the result. The downscaling filter is unknown, so both common filters are returned, and
 * callers use the better match.
 */
export function downsampledReferences(reference: Raster, size: { width: number; height: number }): Raster[] {
  if (sameSize(reference, size)) return [reference]
  return [resized(reference, size.width, size.height), byArea(reference, size)]
}

function byArea(reference: Raster, { width, height }: { width: number; height: number }): Raster {
  return {
    width,
    height,
    channels: reference.channels,
    async *rows() {
      const scaler = new RowScaler(reference, { width, height }, 'area', reference.channels === 4)
      for await (const strip of reference.rows()) yield* scaler.push(strip)
    },
  }
}

export const sameSize = (a: { width: number; height: number }, b: { width: number; height: number }) =>
  a.width === b.width && a.height === b.height

export async function openOriginalPicture(source: Source, format: PictureFormat, options: Options): Promise<UploadedPicture> {
  if (format === 'png') return convertiblePng(source, options)
  if (format === 'bmp') return convertibleBmp(source, options)
  if (format === 'gif') return convertibleGifOf(source, options)
  const header = await readHeader(source, options)
  return { raster: wholeJpeg(source, header), carried: metadataOf(header) }
}

/**
 * Returns a result as rendered: RGB for JPEG, otherwise RGBA. `undefined` for AVIF, which is decoded tile by tile.
 * @throws CodecError `unsupported_feature` for a CMYK JPEG or an output without rows
 */
export async function renderedRaster(result: Source, output: OutputId, options: Options): Promise<Raster | undefined> {
  if (output === 'jpg') {
    const header = await readHeader(result, options)
    if (header.components === 4) throw unsupported('picture_of_inks_was_reduced')
    return asRgb(onWhite(wholeJpeg(result, header)))
  }
  if (output === 'png') return pngRaster(result)
  if (output === 'gif') return (await convertibleGifOf(result, options)).raster
  if (output === 'bmp') return asRgba((await convertibleBmp(result, options)).raster)
  if (output === 'webp') return webpRaster(await readAll(result))
  if (output === 'avif') return undefined
  throw unsupported(message('picture_as', { output }))
}

async function pngRaster(source: Source): Promise<Raster> {
  const { header } = await readPngInfo(source.stream())
  return {
    width: header.width,
    height: header.height,
    channels: 4,
    async *rows() {
      for await (const { rows } of pngRows(source.stream(), 'rgba8')) {
        yield rows
        discard(rows)
      }
    },
  }
}

function webpRaster(file: Uint8Array): Raster {
  const { width, height } = webpSize(file)
  const pixels = decodeWebp(file, width, height)
  if (!pixels) throw unsupported('webp_cannot_be_decoded')
  return {
    width,
    height,
    channels: 4,
    async *rows() {
      const step = width * 4 * 64
      for (let at = 0; at < pixels.length; at += step) yield pixels.subarray(at, at + step)
    },
  }
}

/** Returns a grey or RGB raster as RGB. */
export function asRgb(raster: Raster & { readonly channels: 1 | 3 }): Raster & { readonly channels: 3 } {
  const { width, height, channels } = raster
  return {
    width,
    height,
    channels: 3,
    async *rows() {
      for await (const strip of raster.rows())
        yield channels === 3 ? strip : Uint8Array.from({ length: strip.length * 3 }, (_, i) => strip[Math.floor(i / 3)]!)
    },
  }
}

/** Returns width and height of a WebP file, from its first chunk (RFC 9649: VP8X, VP8L or VP8). */
function webpSize(file: Uint8Array): { width: number; height: number } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const type = new TextDecoder('latin1').decode(file.subarray(12, 16))
  const u24 = (at: number) => view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16)
  if (type === 'VP8X') return { width: u24(24) + 1, height: u24(27) + 1 }
  if (type === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}
