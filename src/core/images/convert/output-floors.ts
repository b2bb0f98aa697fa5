/**
 * Conversions as readers show them. Encoders are measured in their own planes; where thin lines are of strong colours, halved
 * chroma and what is cut off on the way to RGB cost luma, too, and colour more than luma tells.
 */

import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { WebpRows } from '../../../../wasm/webp/webp.ts'
import { concat } from '../../bytes/concat.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../catalog/floors.ts'
import { gentlerTargets } from '../../catalog/level-order.ts'
import { pictureTarget, type Quality } from '../../catalog/levels.ts'
import { pictureFacts } from '../../catalog/outputs.ts'
import { message } from '../../i18n/message.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { isCodecError, unsupported } from '../../model/error.ts'
import { ofPixels, worseLoss } from '../../model/loss.ts'
import { similarityOfRows } from '../compare/compare.ts'
import { asRgba, type Carried, onWhite, type Raster } from '../raster/raster.ts'
import type { Encoded, EncodeRequest, Encoder } from '../search/encode-request.ts'

/** PSNR over all channels that colours keep at least, in dB. */
const LEAST_RGB_DB = 25.5
const MOST_ATTEMPTS = 4
/** What an attempt asks for above what the last one lacked; and what may be lacking. */
const EXTRA_DB = 0.5
const SLACK_DB = 0.1

/** Up to here sizes jump about by more than levels are apart, and further codings take no time. */
const SMALL_PIXELS = 128 * 128

/** What the level makes; of a small picture the smallest that it or a gentler one does, so that `low` never takes more than `medium`. */
export async function encodeKeepingFloors(
  output: string,
  encode: Encoder,
  raster: Raster,
  carried: Carried,
  request: EncodeRequest,
): Promise<Encoded> {
  const coded = (asked: EncodeRequest) => keepingFloors(output, (target) => encode(raster, carried, target), raster, asked)
  let best = await coded(request)
  const isSmall = raster.width * raster.height <= SMALL_PIXELS && request.targetSize === undefined && !request.lossless
  for (const level of isSmall ? gentlerTargets(request.options.quality) : []) {
    const other = await coded(atLevel(request, level)).catch(unlessUnsupported)
    if (other && sizeOf(other) < sizeOf(best)) best = other
  }
  return best
}

const atLevel = (request: EncodeRequest, quality: Quality): EncodeRequest => ({
  ...request,
  target: pictureTarget(quality),
  options: { ...request.options, quality },
})

const sizeOf = ({ chunks }: Encoded) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

function unlessUnsupported(error: unknown): undefined {
  if (!isCodecError(error, 'unsupported_feature')) throw error
}

/** `encode`, again with a higher target where what readers show misses `request.target`; its figures are of what they show. */
async function keepingFloors(
  output: string,
  encode: (request: EncodeRequest) => Promise<Encoded>,
  raster: Raster,
  request: EncodeRequest,
): Promise<Encoded> {
  const similarity = SIMILARITY[output]
  let { target } = request
  let byLuma = false
  for (let attempt = 1; ; attempt++) {
    const encoded = await encode({ ...request, target, byLuma })
    if (!similarity || !encoded.loss) return encoded
    const seen = await similarity(raster, encoded.chunks)
    if (!seen) throw new Error(`what the ${output} encoder made cannot be decoded`)
    const lacking = Math.max(
      request.target.psnrDb - seen.psnrDb,
      LEAST_RGB_DB - seen.psnrRgbDb,
      10 * Math.log10(Math.max(1 - seen.ssim, 1e-9) / (1 - request.target.ssim)),
    )
    const keeps = seen.ssim >= FLOOR_SSIM && seen.psnrDb >= FLOOR_PSNR_DB && seen.psnrRgbDb >= LEAST_RGB_DB
    if (encoded.steeredByScore && !keeps) {
      byLuma = true
      continue
    }
    const better = !encoded.steeredByScore && request.targetSize === undefined && lacking > SLACK_DB && attempt < MOST_ATTEMPTS
    if (!better) {
      if (keeps) return { ...encoded, loss: worseLoss(encoded.loss, ofPixels(seen)) }
      if (pictureFacts(output)?.exactInstead && request.pristine && request.targetSize === undefined)
        return await encode({ ...request, lossless: true })
      throw unsupported(message('colours_not_kept', { output }))
    }
    const more = lacking + EXTRA_DB
    target = { ...target, psnrDb: target.psnrDb + more, ssim: 1 - (1 - target.ssim) * 10 ** (-more / 10) }
  }
}

/** By output; of others the encoder's own figures are of what readers show. */
const SIMILARITY: {
  readonly [output: string]: ((raster: Raster, file: readonly Uint8Array[]) => Promise<Similarity | undefined>) | undefined
} = {
  webp: similarityOfWebp,
  jpg: similarityOfJpeg,
}

/** Luma and colours of a WebP as viewers show it; undefined: it is damaged, or has another size. */
async function similarityOfWebp(raster: Raster, file: readonly Uint8Array[]): Promise<Similarity | undefined> {
  using rows = WebpRows.open(concat(file), raster.width, raster.height)
  return rows && (await similarityOfRows(asRgba(raster), rows.strips()))
}

/** The same for a JPEG, against the picture on white. */
async function similarityOfJpeg(raster: Raster, file: readonly Uint8Array[]): Promise<Similarity | undefined> {
  const flat = onWhite(raster)
  using jpeg = await JpegRows.open(file, { colour: flat.channels === 1 ? 'gray' : 'rgb' })
  if (jpeg.width !== flat.width || jpeg.height !== flat.height) return undefined
  return await similarityOfRows(flat, jpeg.strips(64))
}
