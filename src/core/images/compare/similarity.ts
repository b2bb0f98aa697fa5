/** Pictures against what was made of them, row by row as both come. */
import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { WebpRows } from '../../../../wasm/webp/webp.ts'
import { concat } from '../../bytes/concat.ts'
import { LEAST_SCORED, ScoreMeter, WIDEST } from '../../metrics/perceptual.ts'
import { type Similarity, SimilarityMeter } from '../../metrics/ssim-psnr.ts'
import { NO_STILL_PICTURE } from '../../model/loss.ts'
import { asRgba, onWhite, type Raster } from '../raster/raster.ts'
import { pairRows, type Strips } from './paired-rows.ts'

/** `decoded`: strips of whole rows like those of `raster`. undefined where rows are missing. */
export async function similarityOfRows(raster: Raster, decoded: Strips): Promise<Similarity | undefined> {
  const { width, height, channels } = raster
  using meter = new SimilarityMeter(width, height, channels)
  return (await pairRows(raster, decoded, (one, other) => meter.push(one, other))) ? meter.finish() : undefined
}

/** As `PictureLoss.ssimulacra2`; undefined where rows are missing, too. */
export async function scoreOfRows(raster: Raster, decoded: Strips): Promise<number | undefined> {
  const { width, height, channels } = raster
  if (Math.min(width, height) < LEAST_SCORED) return NO_STILL_PICTURE
  if (width > WIDEST) return undefined
  using meter = new ScoreMeter(width, height, channels)
  return (await pairRows(raster, decoded, (one, other) => meter.push(one, other))) ? meter.finish() : undefined
}

/** As viewers show a lossy WebP; undefined where it is damaged, or of another size. */
export async function similarityOfWebp(raster: Raster, file: readonly Uint8Array[]): Promise<Similarity | undefined> {
  using rows = WebpRows.open(concat(file), raster.width, raster.height)
  return rows && (await similarityOfRows(asRgba(raster), rows.strips()))
}

/** As viewers show a JPEG, against the picture on white. */
export async function similarityOfJpeg(raster: Raster, file: readonly Uint8Array[]): Promise<Similarity | undefined> {
  const flat = onWhite(raster)
  using jpeg = await JpegRows.open(file, { colour: flat.channels === 1 ? 'gray' : 'rgb' })
  if (jpeg.width !== flat.width || jpeg.height !== flat.height) return undefined
  return await similarityOfRows(flat, jpeg.strips(64))
}
