/** Encodes HDR pictures as AVIF with 10 bits a sample, in a grid of tiles. Quality is measured in the picture's own transfer function. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { LEVELS } from '../../catalog/levels.ts'
import { aimOf, scoreTarget } from '../../catalog/score-goal.ts'
import { message } from '../../i18n/message.ts'
import { bisect, lowestUpwards } from '../../metrics/search.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import { noGain, overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { lossWithScore, pixelLoss } from '../../model/loss.ts'
import { type HdrFigures, HdrMeter } from '../compare/hdr-meter.ts'
import type { ColourSignalling } from '../raster/colour-signalling.ts'
import { orientationOf, uprightRaster16, withUprightOrientation } from '../raster/orientation.ts'
import type { PictureMetadata } from '../raster/raster.ts'
import type { Raster16 } from '../raster/raster16.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { type CodedPicture, codedPictureOf, gridFile, readGrid, singleFile, type TileGrid } from './file.ts'
import { gridFor, isAllowedGrid, TILE } from './grid.ts'
import { chromaOfForm } from './kept-form.ts'
import { AvifCodec } from './libaom.ts'
import { DecodedBand16, eachBand16, type Tile16, takeTile16 } from './tiles16.ts'
import {
  BAND_BYTES,
  BISECTED_PIXELS,
  FASTEST_SPEED,
  HDR_BASE_BYTES,
  HDR_SPEEDS,
  LAST_HDR_STEP,
  LEAST_HDR_ALPHA_QUALITY,
  METER_BYTES,
  MOST_POINTS_PER_STEP,
  MOST_SKIPPED,
} from './tuning.ts'

/** Bits a sample. BT.2100 allows 10 and 12; decoders of 10 are more common. */
const BITS = 10
const MOST = 2 ** BITS - 1
/** Quality of a search step: 26, 29 … 95. All levels use the same steps, so that a lower target never ends at a higher quality. */
const qualityAt = (step: number) => 26 + 3 * step

export interface HdrPicture {
  readonly deep: Raster16
  readonly carried: PictureMetadata & { readonly signalling: ColourSignalling }
}

interface HdrJob extends HdrPicture {
  readonly codec: AvifCodec
  readonly grid: TileGrid
  readonly speed: number
  readonly hasAlpha: boolean
  readonly request: EncodeRequest
}

interface Encoding {
  readonly file: Uint8Array
  readonly figures: HdrFigures
}

export async function encodeHdrAvif(stored: HdrPicture, request: EncodeRequest): Promise<EncodedPicture> {
  if (request.lossless) throw unsupported('exact_avif')
  if (Math.min(stored.deep.width, stored.deep.height) < 11) throw unsupported('too_small_to_be_measured')
  const { exif } = stored.carried
  const deep = uprightRaster16(stored.deep, orientationOf(exif))
  const carried = { ...stored.carried, exif: exif && withUprightOrientation(exif) }
  const grid = plannedGrid(deep, request)
  using codec = await AvifCodec.open('both', { tuning: 'ssim', coding: carried.form?.coding })
  const pixels = deep.width * deep.height
  const speed = HDR_SPEEDS.find((one) => pixels <= one.pixels)?.speed ?? FASTEST_SPEED
  const job = { deep, carried, codec, grid, speed, hasAlpha: await isTranslucent(deep), request }
  const { made, step } = request.targetSize === undefined ? await toLevel(job) : await toSize(job, request.targetSize)
  const { ssim, psnrDb, score } = made.figures
  return {
    chunks: [made.file],
    loss: lossWithScore(pixelLoss({ ssim, psnrDb }), score),
    step: message('deep_avif_at_quality', { bits: BITS, quality: qualityAt(step), columns: grid.columns, rows: grid.rows }),
  }
}

function plannedGrid(deep: Raster16, { options }: EncodeRequest): TileGrid {
  const grids = [TILE, TILE / 2, TILE / 4].map((rows) => gridFor(deep, rows)).filter(isAllowedGrid)
  if (grids.length === 0) throw unsupported('avif_of_this_size')
  const grid = grids.find(({ width, columns, tileWidth, tileHeight }) =>
    fitsMemoryBudget(options, HDR_BASE_BYTES + BAND_BYTES * columns * tileWidth * tileHeight + METER_BYTES * width),
  )
  if (!grid) throw overBudget(message('pixels_too_wide_for_avif_of_bits', { width: deep.width, bits: BITS }))
  return grid
}

async function isTranslucent(deep: Raster16): Promise<boolean> {
  for await (const strip of deep.rows()) for (let i = 3; i < strip.length; i += 4) if (strip[i] !== 65535) return true
  return false
}

/** Searches for the lowest step that reaches the level, or returns the highest step if none does. */
async function toLevel(job: HdrJob): Promise<Attempt> {
  const { options } = job.request
  const aim = aimOf(options)
  const target = aim === undefined ? LEVELS.perceptual[options.quality] : scoreTarget(aim)
  const reachesLevel = ({ figures: { ssim, psnrDb, score } }: Encoding) =>
    ssim >= target.floor.ssim && psnrDb >= target.floor.psnrDb && (score === undefined || score >= target.score)
  const first = Math.max(0, Math.round((target.usualQuality.avif - qualityAt(0)) / 3))
  if (job.deep.width * job.deep.height > BISECTED_PIXELS) return await upwards(first, job, { reachesLevel, score: target.score })
  let lastAttempt: Attempt | undefined
  const attempt = async (step: number) => {
    const made = await encodeAll(job, qualityAt(step))
    if (lastAttempt) discard(lastAttempt.made.file)
    lastAttempt = { made, step }
    return reachesLevel(made)
  }
  const { above } = await bisect({ first: 0, last: LAST_HDR_STEP, middle: 'upper' }, attempt)
  const step = Math.min(LAST_HDR_STEP, above)
  if (lastAttempt?.step !== step) await attempt(step)
  return lastAttempt!
}

interface Attempt {
  readonly made: Encoding
  readonly step: number
}

interface Level {
  readonly reachesLevel: (made: Encoding) => boolean
  readonly score: number
}

/** @throws CodecError (no_gain) if a step below the level is not smaller than the original: higher ones are larger */
async function upwards(first: number, job: HdrJob, { reachesLevel, score }: Level): Promise<Attempt> {
  let best: Attempt | undefined
  await lowestUpwards(first, LAST_HDR_STEP, async (step) => {
    const made = await encodeAll(job, qualityAt(step))
    const isEnough = reachesLevel(made)
    if (!isEnough && made.file.length >= job.request.sizeLimit) throw noGain()
    if (isEnough || step === LAST_HDR_STEP) {
      if (best) discard(best.made.file)
      best = { made, step }
    } else discard(made.file)
    const points = score - (made.figures.score ?? score)
    return isEnough ? 0 : Math.max(1, Math.min(MOST_SKIPPED, Math.floor(points / MOST_POINTS_PER_STEP)))
  })
  return best!
}

async function toSize(job: HdrJob, bytes: number): Promise<{ made: Encoding; step: number }> {
  let best: { made: Encoding; step: number } | undefined
  let fewest = Number.POSITIVE_INFINITY
  await bisect({ first: 0, last: LAST_HDR_STEP, middle: 'upper' }, async (step) => {
    const made = await encodeAll(job, qualityAt(step))
    fewest = Math.min(fewest, made.file.length)
    if (made.file.length > bytes) return true
    best = { made, step }
    return false
  })
  if (!best) throw new TargetUnreachable(fewest)
  return best
}

/** Encodes the whole picture, decodes every tile and measures the result. */
async function encodeAll(job: HdrJob, quality: number): Promise<Encoding> {
  const { codec, grid, deep, carried, speed, hasAlpha, request } = job
  const [tiles, alphas]: [CodedPicture[], CodedPicture[]] = [[], []]
  const tile: Tile16 = { samples: new Uint16Array(grid.tileWidth * grid.tileHeight * 4), width: grid.tileWidth, height: grid.tileHeight }
  using meter = new HdrMeter(deep, carried.signalling, hasAlpha)
  using decodedBand = new DecodedBand16(grid)
  const coded = (into: CodedPicture[], file: Uint8Array) => {
    into.push(codedPictureOf(file))
    const decoded = codec.decode16(file, BITS)
    discard(file)
    return decoded
  }
  await eachBand16(deep, grid, async (band, row) => {
    for (let column = 0; column < grid.columns; column++) {
      takeTile16(tile, band, column, MOST, 'colours')
      const colours = coded(tiles, codec.encode16(tile, { quality, speed, chroma: chromaOfForm(carried.form) ?? 'full', bits: BITS }))
      if (hasAlpha) takeTile16(tile, band, column, MOST, 'alpha')
      const alphaQuality = Math.max(quality, LEAST_HDR_ALPHA_QUALITY)
      const alpha = hasAlpha ? coded(alphas, codec.encode16(tile, { quality: alphaQuality, speed, chroma: 'none', bits: BITS })) : undefined
      if (!decodedBand.put(column, MOST, colours, alpha)) throw new Error('the result of the AVIF encoder cannot be decoded')
      await yieldToEventLoop(request.options.signal)
    }
    const rows = Math.min(grid.tileHeight, grid.height - row * grid.tileHeight)
    for (let y = 0; y < rows; y++) meter.push(rowOf(band, grid, y), decodedBand.row(y))
    request.options.progress(0.1 + (0.8 * (row + 1)) / grid.rows)
  })
  return { file: gridFile(grid, tiles, alphas, carried), figures: meter.finish() }
}

const rowOf = (band: Uint16Array, { columns, tileWidth, width }: TileGrid, y: number) =>
  band.subarray(y * columns * tileWidth * 4, (y * columns * tileWidth + width) * 4)

/** Decodes a file that `encodeHdrAvif` wrote and measures it. A string describes what is wrong. */
export async function figuresOfHdrAvif(stored: HdrPicture, file: Uint8Array): Promise<HdrFigures | string> {
  const deep = uprightRaster16(stored.deep, orientationOf(stored.carried.exif))
  const read = readGrid(file)
  if (!read || read.grid.width !== deep.width || read.grid.height !== deep.height)
    return `the result is not an AVIF grid of ${deep.width}×${deep.height} pixels`
  const { grid, tiles, alphas } = read
  if (tiles.length !== grid.columns * grid.rows || (alphas.length > 0 && alphas.length !== tiles.length))
    return 'the result has too few colour or alpha tiles'
  const missing = read.missing(stored.carried)
  if (missing) return `${missing} was lost`
  const hasAlpha = alphas.length > 0
  if (!hasAlpha && (await isTranslucent(deep))) return 'alpha was lost'
  using codec = await AvifCodec.open('decoder')
  using meter = new HdrMeter(deep, stored.carried.signalling, hasAlpha)
  using decodedBand = new DecodedBand16(grid)
  const decoded = (one: CodedPicture | undefined) => one && codec.decode16(singleFile(one, grid.tileWidth, grid.tileHeight), BITS)
  let damaged = false
  await eachBand16(deep, grid, async (band, row) => {
    for (let column = 0; column < grid.columns && !damaged; column++) {
      const at = row * grid.columns + column
      damaged = !decodedBand.put(column, MOST, decoded(tiles[at]), hasAlpha ? decoded(alphas[at]) : undefined)
    }
    const rows = Math.min(grid.tileHeight, grid.height - row * grid.tileHeight)
    for (let y = 0; y < rows && !damaged; y++) meter.push(rowOf(band, grid, y), decodedBand.row(y))
  })
  return damaged ? 'a tile of the result cannot be decoded' : meter.finish()
}
