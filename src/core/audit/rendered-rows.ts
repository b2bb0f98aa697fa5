/** Decodes pictures of originals and results into rows, for the comparisons in `pictures.ts` and `scores.ts`. */

import { withEngines } from '../../../wasm/loading/engine-files.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { pngRows, readPngInfo } from '../../../wasm/png/png.ts'
import type { OutputId } from '../catalog/outputs.ts'
import type { convertibleAvif as openAvif } from '../formats/avif/avif.ts'
import { convertibleBmp } from '../formats/bmp/convert.ts'
import { convertibleGifOf } from '../formats/gif/measure.ts'
import { metadataOf } from '../formats/jpg/carried.ts'
import { fullSizePicture as wholeJpeg } from '../formats/jpg/picture.ts'
import { readHeader } from '../formats/jpg/segments.ts'
import { RowScaler } from '../formats/pdf/images/scale.ts'
import { pngForConversion as convertiblePng } from '../formats/png/convert.ts'
import type { convertibleWebpOf } from '../formats/webp/measure.ts'
import { message } from '../i18n/message.ts'
import type { UploadedPicture } from '../images/convert/reference.ts'
import { asRgba, onWhite, type Raster } from '../images/raster/raster.ts'
import { resized } from '../images/raster/resize.ts'
import type { Options, Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'

const PICTURE_FORMATS = ['jpg', 'png', 'gif', 'bmp', 'webp', 'avif', 'heic'] as const
export type PictureFormat = (typeof PICTURE_FORMATS)[number]

export const isPictureFormat = (id: string): id is PictureFormat => PICTURE_FORMATS.some((one) => one === id)

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

/** Most pixels of a JPEG XL result that is checked. */
const MOST_PIXELS = 268_435_456

export async function openOriginalPicture(source: Source, format: PictureFormat, options: Options): Promise<UploadedPicture> {
  if (format === 'png') return convertiblePng(source, options)
  if (format === 'bmp') return convertibleBmp(source, options)
  if (format === 'gif') return convertibleGifOf(source, options)
  if (format === 'webp') return convertibleWebp(source, options)
  if (format === 'avif') return convertibleAvif(source, options)
  if (format === 'heic') return (await withEngines(import('./heic.ts'))).openHeic(source, options)
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
  if (output === 'webp') return asRgba((await convertibleWebp(result, options)).raster)
  if (output === 'jxl') return await (await withEngines(import('../images/jxl/decode.ts'))).jxlRaster(result, MOST_PIXELS)
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

/** Loads the AVIF decoder only for AVIF files. */
const convertibleAvif: typeof openAvif = async (source, options) =>
  await (await withEngines(import('../formats/avif/avif.ts'))).convertibleAvif(source, options)

/** Loads the WebP engine only for WebP files. */
const convertibleWebp: typeof convertibleWebpOf = async (source, options) =>
  await (await withEngines(import('../formats/webp/measure.ts'))).convertibleWebpOf(source, options)

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
