/**
 * Keeps conversions above the quality floors, measured as viewers show the result. Encoders measure their own planes. In thin lines of
 * strong colours, halved chroma and clipping during the conversion to RGB cost more quality than that measurement shows.
 */

import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import { concat } from '../../bytes/concat.ts'
import { log10, pow } from '../../bytes/same-math.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../catalog/floors.ts'
import { gentlerLevelsOf } from '../../catalog/level-order.ts'
import { pictureTarget, type Quality } from '../../catalog/levels.ts'
import { pictureFacts } from '../../catalog/outputs.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { isCodecError, unsupported } from '../../model/error.ts'
import { pixelLoss, worseLoss } from '../../model/loss.ts'
import { similarityOfRows } from '../compare/compare.ts'
import { cachedIfSmall } from '../raster/cached-raster.ts'
import { asRgba, onWhite, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest, Encoder } from '../search/encode-request.ts'
import { EXTRA_PSNR_DB, LEAST_RGB_PSNR_DB, MOST_ATTEMPTS, NEAR_POINTS, SMALL_PIXELS, TOLERATED_PSNR_DB } from './tuning.ts'

/**
 * Encodes at the level. For small pictures it also encodes gentler levels and returns the smallest file, so that `low` is never larger
 * than `medium`.
 */
export async function encodeKeepingFloors(
  output: string,
  encode: Encoder,
  picture: Raster,
  carried: PictureMetadata,
  request: EncodeRequest,
): Promise<EncodedPicture> {
  const raster = cachedIfSmall(picture)
  const encodeOnce = (asked: EncodeRequest) => encodeAboveFloors(output, (target) => encode(raster, carried, target), raster, asked)
  let best = await encodeOnce(request)
  const isSmall = raster.width * raster.height <= SMALL_PIXELS && request.targetSize === undefined && !request.lossless
  for (const level of isSmall ? gentlerLevelsOf(request.options) : []) {
    // A result that scores clearly below the gentler level's target is smaller than that level's result.
    if (best.score !== undefined && best.score < perceptualTarget({ quality: level }, raster).score - NEAR_POINTS) break
    const other = await encodeOnce(atLevel(request, level)).catch(unlessUnsupported)
    if (other && sizeOf(other) < sizeOf(best)) best = other
  }
  return best
}

const atLevel = (request: EncodeRequest, quality: Quality): EncodeRequest => ({
  ...request,
  target: pictureTarget(quality),
  options: { ...request.options, quality },
})

const sizeOf = ({ chunks }: EncodedPicture) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

function unlessUnsupported(error: unknown): undefined {
  if (!isCodecError(error, 'unsupported_feature')) throw error
}

/**
 * Runs `encode`, and again with a higher target if the decoded result misses `request.target`. The figures are those of the decoded
 * result.
 */
async function encodeAboveFloors(
  output: string,
  encode: (request: EncodeRequest) => Promise<EncodedPicture>,
  raster: Raster,
  request: EncodeRequest,
): Promise<EncodedPicture> {
  const similarity = SIMILARITY[output]
  let { target } = request
  let byLuma = false
  for (let attempt = 1; ; attempt++) {
    const encoded = await encode({ ...request, target, byLuma })
    if (!similarity || !encoded.loss) return encoded
    const decoded = encoded.similarity ?? (await similarity(raster, encoded.chunks))
    if (!decoded) throw new Error(`the result of the ${output} encoder cannot be decoded`)
    const missingDb = Math.max(
      request.target.psnrDb - decoded.psnrDb,
      LEAST_RGB_PSNR_DB - decoded.psnrRgbDb,
      10 * log10(Math.max(1 - decoded.ssim, 1e-9) / (1 - request.target.ssim)),
    )
    const keeps = decoded.ssim >= FLOOR_SSIM && decoded.psnrDb >= FLOOR_PSNR_DB && decoded.psnrRgbDb >= LEAST_RGB_PSNR_DB
    if (encoded.steeredByScore && !keeps) {
      byLuma = true
      continue
    }
    const mayRetry = !encoded.steeredByScore && request.targetSize === undefined && missingDb > TOLERATED_PSNR_DB && attempt < MOST_ATTEMPTS
    if (!mayRetry) {
      if (keeps) return { ...encoded, loss: worseLoss(encoded.loss, pixelLoss(decoded)) }
      if (pictureFacts(output)?.exactInstead && request.pristine && request.targetSize === undefined)
        return await encode({ ...request, lossless: true })
      throw unsupported(message('colours_not_kept', { output }))
    }
    const more = missingDb + EXTRA_PSNR_DB
    target = { ...target, psnrDb: target.psnrDb + more, ssim: 1 - (1 - target.ssim) * pow(10, -more / 10) }
  }
}

/** Comparison as viewers show the result, by output format. Other formats use the encoder's own figures. */
const SIMILARITY: {
  readonly [output: string]: ((raster: Raster, file: readonly Uint8Array[]) => Promise<Similarity | undefined>) | undefined
} = {
  webp: similarityOfWebp,
  jpg: similarityOfJpeg,
}

/** SSIM and PSNR of a WebP as viewers show it. `undefined`: the file is damaged or has another size. */
async function similarityOfWebp(raster: Raster, file: readonly Uint8Array[]): Promise<Similarity | undefined> {
  const { WebpRows } = await withEngines(import('../../../../wasm/webp/webp.ts'))
  using rows = WebpRows.open(concat(file), raster.width, raster.height)
  return rows && (await similarityOfRows(asRgba(raster), rows.strips()))
}

/** SSIM and PSNR of a JPEG, compared with the picture on white. `undefined`: the file has another size. */
async function similarityOfJpeg(raster: Raster, file: readonly Uint8Array[]): Promise<Similarity | undefined> {
  const flat = onWhite(raster)
  using jpeg = await JpegRows.open(file, { colour: flat.channels === 1 ? 'gray' : 'rgb' })
  if (jpeg.width !== flat.width || jpeg.height !== flat.height) return undefined
  return await similarityOfRows(flat, jpeg.strips(64))
}
