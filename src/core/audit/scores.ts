/** Measures the SSIMULACRA 2 score of a still picture: both files as rendered, at the size of the result. */

import { pictureFacts } from '../catalog/outputs.ts'
import { framesIn } from '../formats/gif/measure.ts'
import { readHeader } from '../formats/jpg/segments.ts'
import { isAnimation } from '../formats/webp/measure.ts'
import { gridRows } from '../images/avif/grid.ts'
import { AvifCodec } from '../images/avif/libaom.ts'
import { scoreOfRows } from '../images/compare/compare.ts'
import { orientationOf, uprightRaster } from '../images/raster/orientation.ts'
import { asRgba, onWhite, type Raster } from '../images/raster/raster.ts'
import type { Options, Source } from '../model/codec.ts'
import { NO_STILL_PICTURE } from '../model/loss.ts'
import { readAll } from '../model/source.ts'
import type { PicturePair } from './pictures.ts'
import { downsampledReferences, openOriginalPicture, renderedRaster } from './rendered-rows.ts'

/** Returns the score as in `PictureLoss.ssimulacra2`. For a downsampled picture, two filters are tried and the higher score counts. */
export async function pictureScore({ original, format, result, output }: PicturePair, options: Options): Promise<number | undefined> {
  if (format === 'gif' && (await framesIn(original, options)) > 1) return NO_STILL_PICTURE
  if (format === 'webp' && (await isAnimation(original, options))) return NO_STILL_PICTURE
  // There is no rendering of CMYK samples, so a CMYK JPEG has no score.
  if (format === 'jpg' && output === 'jpg' && (await readHeader(result, options)).components === 4) return undefined
  const { raster, carried } = await openOriginalPicture(original, format, options)
  const rendered = output === 'jpg' ? onWhite(raster) : raster
  const reference = pictureFacts(output)?.turnedUpright ? uprightRaster(rendered, orientationOf(carried.exif)) : rendered
  const shown = (await renderedRaster(result, output, options)) ?? (await avifRaster(result, reference))
  if (!shown) return undefined
  let best: number | undefined
  for (const scaled of downsampledReferences(reference, shown)) {
    const score = await scoreOfRows(asRgba(scaled), asRgba(shown).rows())
    if (score !== undefined) best = Math.max(best ?? score, score)
  }
  return best
}

/** Decodes an AVIF result. `undefined`: it cannot be decoded, or it is a tile grid whose size differs from `reference`. */
async function avifRaster(result: Source, reference: Raster): Promise<Raster | undefined> {
  const file = await readAll(result)
  const { width, height } = reference
  if (gridRows(file, width, height)) return { width, height, channels: 4, rows: () => gridRows(file, width, height)! }
  using codec = await AvifCodec.open('decoder')
  const decoded = codec.decode(file)
  if (!decoded) return undefined
  const bytes = new Uint8Array(decoded.pixels.buffer, decoded.pixels.byteOffset, decoded.pixels.length)
  return { width: decoded.width, height: decoded.height, channels: 4, rows: () => singleChunk(bytes) }
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
