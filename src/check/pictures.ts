/** Still pictures and animations, decoded side by side and measured pixel for pixel. */
import { discard } from '../../wasm/memories/discard.ts'
import { pngRows, readPngInfo } from '../../wasm/png/png.ts'
import { decodeWebp } from '../../wasm/webp/webp.ts'
import type { Options, Source } from '../codec/codec.ts'
import { unsupported } from '../codec/error.ts'
import { readAll } from '../codec/source.ts'
import { convertibleBmp } from '../formats/bmp/convert.ts'
import { convertibleGifOf, gifSimilarity } from '../formats/gif/measure.ts'
import { carriedOf } from '../formats/jpg/carried.ts'
import { wholeSize as wholeJpeg } from '../formats/jpg/convert.ts'
import { jpegRaster } from '../formats/jpg/pixels.ts'
import { readHeader } from '../formats/jpg/segments.ts'
import { type OutputId, pictureFacts } from '../formats/outputs.ts'
import { RowScaler } from '../formats/pdf/images/scale.ts'
import { convertible as convertiblePng } from '../formats/png/convert.ts'
import { openPngFile } from '../formats/png/file.ts'
import { similarityOf } from '../formats/png/similarity.ts'
import type { Similarity } from '../quality/metrics.ts'
import { AvifCodec } from '../raster/avif-codec.ts'
import { similarityOfGrid } from '../raster/avif-grid.ts'
import { decodedRows } from '../raster/decoded.ts'
import { type Deep, deepOnWhite, reducedDeep, similarityToDeep } from '../raster/deep.ts'
import { orientationOf, uprightDeep, uprightRaster } from '../raster/orientation.ts'
import { asRgba, onWhite, type Raster } from '../raster/raster.ts'
import type { Uploaded } from '../raster/reference.ts'
import { resized } from '../raster/resize.ts'
import { similarityOfRows } from '../raster/similarity.ts'
import { inksSimilarity } from './inks.ts'

export type PictureFormat = 'jpg' | 'png' | 'gif' | 'bmp'

/** A picture of an upload and the file that was made of it. */
export interface PicturePair {
  readonly original: Source
  readonly format: PictureFormat
  readonly result: Source
  readonly output: OutputId
}

/** @throws CodecError `unsupported_feature` for what has no rows to compare, or is not the same picture in another size */
export async function pictureSimilarity(pair: PicturePair, options: Options): Promise<Similarity> {
  const { original, result, format, output } = pair
  if (format === 'gif' && output === 'gif') return gifSimilarity(original, result, options)
  if (format === 'png' && output === 'png') {
    const same = await samePng(original, result, options)
    if (same) return same
  }
  if (format === 'jpg' && output === 'jpg') {
    const same = await sameJpeg(original, result, options)
    if (same) return same
  }
  return rasterSimilarity(pair, options)
}

/**
 * JPEG of the same size and coding: luma and chroma as they are coded, which is what its receipts are about
 * (docs/design/similarity.md); undefined for others.
 */
async function sameJpeg(original: Source, result: Source, options: Options): Promise<Similarity | undefined> {
  const [before, after] = [await readHeader(original, options), await readHeader(result, options)]
  if (before.width !== after.width || before.height !== after.height || before.components !== after.components) return undefined
  if (before.components === 4) return inksSimilarity([original, before], [result, after])
  const [luma, shown] = [await found('gray'), await found('rgb')]
  return { ...luma, psnrRgbDb: shown.psnrRgbDb }

  async function found(colour: 'gray' | 'rgb'): Promise<Similarity> {
    const raster =
      colour === 'gray' ? jpegRaster(original, before, 8, 'gray') : asRgb(jpegRaster(original, before) as Raster & { channels: 1 | 3 })
    const rows = colour === 'gray' ? jpegRaster(result, after, 8, 'gray') : asRgb(jpegRaster(result, after) as Raster & { channels: 1 | 3 })
    return whole(await similarityOfRows(raster, rows.rows()))
  }
}

/** PNG of the same size, at the depth of the upload; undefined where one was reduced. */
async function samePng(original: Source, result: Source, options: Options): Promise<Similarity | undefined> {
  const [before, after] = [await openPngFile(original, options), await openPngFile(result, options)]
  if (before.header.width !== after.header.width || before.header.height !== after.header.height) return undefined
  const found = await similarityOf(before.bytes(), after.bytes(), before.header)
  if (typeof found === 'string') throw unsupported(found)
  return found
}

async function rasterSimilarity({ original, result, format, output }: PicturePair, options: Options): Promise<Similarity> {
  const uploaded = await uploadedOf(original, format, options)
  const upright = orientationOf(uploaded.carried.exif)
  const reference = pictureFacts(output)?.turnedUpright ? uprightRaster(uploaded.raster, upright) : uploaded.raster
  const shown = await shownRaster(result, output, options)
  if (!shown) {
    const file = await readAll(result)
    if (!uploaded.deep) return avifSimilarity(reference, file)
    const deep = uprightDeep(uploaded.deep, upright)
    return whole(await similarityToDeep(deep, decodedRows('avif', file, deep)))
  }
  const proportion = (reference.width * shown.height) / (reference.height * shown.width)
  if (shown.width > reference.width || Math.abs(proportion - 1) > 0.02 + 1 / Math.min(shown.width, shown.height))
    throw unsupported(`a picture of ${reference.width}×${reference.height} that became one of ${shown.width}×${shown.height}`)
  if (uploaded.deep) return whole(await similarityToDeep(deepAs(uploaded.deep, shown, output), asRgba(shown).rows()))
  return friendliest(reductionsOf(reference, shown), (scaled) =>
    shown.channels === 3 ? similarityOfRows(asRgb(onWhite(scaled)), shown.rows()) : similarityOfRows(asRgba(scaled), shown.rows()),
  )
}

/** All bits of the upload, as a result of this size and kind would show them: that those were rounded counts, too. */
function deepAs(deep: Deep, size: { width: number; height: number }, output: OutputId): Deep {
  const wanted = sameSize(deep, size) ? deep : reducedDeep(deep, size.width, size.height)
  return output === 'jpg' ? deepOnWhite(wanted) : wanted
}

function whole(found: Similarity | undefined): Similarity {
  if (!found) throw unsupported('a result whose rows end early')
  return found
}

/** The upload's picture at the result's size. Nobody says by which filter it is reduced: by the usual two, of which the friendlier counts. */
function reductionsOf(reference: Raster, size: { width: number; height: number }): Raster[] {
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

async function friendliest(
  references: readonly Raster[],
  measure: (reference: Raster) => Promise<Similarity | undefined>,
): Promise<Similarity> {
  let best: Similarity | undefined
  for (const reference of references) {
    const found = whole(await measure(reference))
    if (!best || found.psnrDb > best.psnrDb) best = found
  }
  return best!
}

const sameSize = (a: { width: number; height: number }, b: { width: number; height: number }) =>
  a.width === b.width && a.height === b.height

async function uploadedOf(source: Source, format: PictureFormat, options: Options): Promise<Uploaded> {
  if (format === 'png') return convertiblePng(source, options)
  if (format === 'bmp') return convertibleBmp(source, options)
  if (format === 'gif') return convertibleGifOf(source, options)
  const header = await readHeader(source, options)
  return { raster: wholeJpeg(source, header), carried: carriedOf(header) }
}

/** A result as readers show it: RGB of a JPEG, else RGBA; undefined for AVIF, which is decoded tile by tile. */
async function shownRaster(result: Source, output: OutputId, options: Options): Promise<Raster | undefined> {
  if (output === 'jpg') {
    const header = await readHeader(result, options)
    if (header.components === 4) throw unsupported('a picture of inks that was reduced')
    return asRgb(onWhite(wholeJpeg(result, header)))
  }
  if (output === 'png') return pngRaster(result)
  if (output === 'bmp') return asRgba((await convertibleBmp(result, options)).raster)
  if (output === 'webp') return webpRaster(await readAll(result))
  if (output === 'avif') return undefined
  throw unsupported(`a picture as ${output}`)
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
  if (!pixels) throw unsupported('a WebP that cannot be decoded')
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

async function avifSimilarity(reference: Raster, file: Uint8Array): Promise<Similarity> {
  const grid = await similarityOfGrid(reference, {}, file)
  if (typeof grid === 'string') throw unsupported(grid)
  if (grid) return grid
  using codec = await AvifCodec.open('decoder')
  const decoded = codec.decode(file)
  if (!decoded) throw unsupported('an AVIF that cannot be decoded')
  const { width, height, pixels } = decoded
  const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)
  return friendliest(reductionsOf(reference, { width, height }), (scaled) => similarityOfRows(asRgba(scaled), [bytes]))
}

/** Grey as RGB. */
function asRgb(raster: Raster & { readonly channels: 1 | 3 }): Raster & { readonly channels: 3 } {
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

/** Width and height by the first chunk that says them (RFC 9649: VP8X, VP8L, VP8). */
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
