/** Measures still pictures and animations by decoding both files and comparing them pixel by pixel. */

import { type OutputId, pictureFacts } from '../catalog/outputs.ts'
import { gifSimilarity } from '../formats/gif/measure.ts'
import { isYcck, readHeader } from '../formats/jpg/segments.ts'
import { openPngFile } from '../formats/png/file.ts'
import { similarityOfPngs } from '../formats/png/similarity.ts'
import { animationSimilarity, isAnimation } from '../formats/webp/measure.ts'
import { message } from '../i18n/message.ts'
import { similarityOfGrid } from '../images/avif/grid.ts'
import { AvifCodec } from '../images/avif/libaom.ts'
import { similarityOfCmyk } from '../images/compare/cmyk.ts'
import { similarityOfRows, similarityTo16Bits } from '../images/compare/compare.ts'
import { decodedRows } from '../images/convert/decoders.ts'
import { jpegRaster } from '../images/jpeg/decode.ts'
import { orientationOf, uprightRaster, uprightRaster16 } from '../images/raster/orientation.ts'
import { asRgba, onWhite, type Raster } from '../images/raster/raster.ts'
import { onWhite16, type Raster16, resizedByOpacity16 } from '../images/raster/raster16.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { Options, Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'
import { readAll } from '../model/source.ts'
import { asRgb, downsampledReferences, openOriginalPicture, type PictureFormat, renderedRaster, sameSize } from './rendered-rows.ts'

/** A picture of the original and the file that was made from it. */
export interface PicturePair {
  readonly original: Source
  readonly format: PictureFormat
  readonly result: Source
  readonly output: OutputId
}

/**
 * Returns the similarity of two pictures.
 * @throws CodecError `unsupported_feature` if rows cannot be decoded, or the result is not the same picture at a smaller size
 */
export async function pictureSimilarity(pair: PicturePair, options: Options): Promise<Similarity> {
  const { original, result, format, output } = pair
  if (format === 'gif' && output === 'gif') return gifSimilarity(original, result, options)
  if (format === 'webp' && output === 'webp' && (await isAnimation(original, options)))
    return animationSimilarity(original, result, options)
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
 * Compares two JPEG files of the same size and coding by their coded luma and chroma, which the receipt's figures refer to
 * (docs/decisions/measuring-similarity.md). `undefined`: size or coding differs.
 */
async function sameJpeg(original: Source, result: Source, options: Options): Promise<Similarity | undefined> {
  const [before, after] = [await readHeader(original, options), await readHeader(result, options)]
  if (before.width !== after.width || before.height !== after.height || before.components !== after.components) return undefined
  if (before.components === 4) {
    const coding = isYcck(before) ? 'ycck' : 'cmyk'
    return requireSimilarity(await similarityOfCmyk(jpegRaster(original, before), jpegRaster(result, after), coding))
  }
  const [luma, shown] = [await found('gray'), await found('rgb')]
  return { ...luma, psnrRgbDb: shown.psnrRgbDb }

  async function found(colour: 'gray' | 'rgb'): Promise<Similarity> {
    const raster =
      colour === 'gray' ? jpegRaster(original, before, 8, 'gray') : asRgb(jpegRaster(original, before) as Raster & { channels: 1 | 3 })
    const rows = colour === 'gray' ? jpegRaster(result, after, 8, 'gray') : asRgb(jpegRaster(result, after) as Raster & { channels: 1 | 3 })
    return requireSimilarity(await similarityOfRows(raster, rows.rows()))
  }
}

/** Compares two PNG files of the same size at the bit depth of the original. `undefined`: the result is smaller. */
async function samePng(original: Source, result: Source, options: Options): Promise<Similarity | undefined> {
  const [before, after] = [await openPngFile(original, options), await openPngFile(result, options)]
  if (before.header.width !== after.header.width || before.header.height !== after.header.height) return undefined
  const found = await similarityOfPngs(before.bytes(), after.bytes(), before.header)
  if (typeof found === 'string') throw unsupported(message('files_differ', { difference: found }))
  return found
}

async function rasterSimilarity({ original, result, format, output }: PicturePair, options: Options): Promise<Similarity> {
  const uploaded = await openOriginalPicture(original, format, options)
  const upright = orientationOf(uploaded.carried.exif)
  const reference = pictureFacts(output)?.turnedUpright ? uprightRaster(uploaded.raster, upright) : uploaded.raster
  const shown = await renderedRaster(result, output, options)
  if (!shown) {
    if (!uploaded.raster16) return avifSimilarity(reference, await readAll(result))
    const raster16 = uprightRaster16(uploaded.raster16, upright)
    return requireSimilarity(await similarityTo16Bits(raster16, decodedRows('avif', result, raster16)))
  }
  const proportion = (reference.width * shown.height) / (reference.height * shown.width)
  if (shown.width > reference.width || Math.abs(proportion - 1) > 0.02 + 1 / Math.min(shown.width, shown.height))
    throw unsupported(
      message('picture_changed_size', { width: reference.width, height: reference.height, newWidth: shown.width, newHeight: shown.height }),
    )
  if (uploaded.raster16)
    return requireSimilarity(await similarityTo16Bits(raster16For(uploaded.raster16, shown, output), asRgba(shown).rows()))
  return bestSimilarity(downsampledReferences(reference, shown), (scaled) =>
    shown.channels === 3 ? similarityOfRows(asRgb(onWhite(scaled)), shown.rows()) : similarityOfRows(asRgba(scaled), shown.rows()),
  )
}

/** Returns the 16-bit original at the size and on the background of the result, so that rounding to 8 bits counts as a loss. */
function raster16For(raster16: Raster16, size: { width: number; height: number }, output: OutputId): Raster16 {
  const wanted = sameSize(raster16, size) ? raster16 : resizedByOpacity16(raster16, size.width, size.height)
  return output === 'jpg' ? onWhite16(wanted) : wanted
}

function requireSimilarity(found: Similarity | undefined): Similarity {
  if (!found) throw unsupported('result_whose_rows_end_early')
  return found
}

async function bestSimilarity(
  references: readonly Raster[],
  measure: (reference: Raster) => Promise<Similarity | undefined>,
): Promise<Similarity> {
  let best: Similarity | undefined
  for (const reference of references) {
    const found = requireSimilarity(await measure(reference))
    if (!best || found.psnrDb > best.psnrDb) best = found
  }
  return best!
}

async function avifSimilarity(reference: Raster, file: Uint8Array): Promise<Similarity> {
  const grid = await similarityOfGrid(reference, {}, file)
  if (typeof grid === 'string') throw unsupported(message('files_differ', { difference: grid }))
  if (grid) return grid
  using codec = await AvifCodec.open('decoder')
  const decoded = codec.decode(file)
  if (!decoded) throw unsupported('avif_cannot_be_decoded')
  const { width, height, pixels } = decoded
  const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)
  return bestSimilarity(downsampledReferences(reference, { width, height }), (scaled) => similarityOfRows(asRgba(scaled), [bytes]))
}
