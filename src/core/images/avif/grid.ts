/**
 * Encodes large pictures as a grid of AV1 tiles. It reads one band of rows at a time; each tile is encoded, decoded and measured before
 * the next.
 */

import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { LEVELS } from '../../catalog/levels.ts'
import { aimOf, scoreTarget } from '../../catalog/score-goal.ts'
import { type ColourFigures, reaches } from '../../catalog/target.ts'
import { message } from '../../i18n/message.ts'
import { lowestThatHolds } from '../../metrics/search.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import { overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { colourFiguresOf } from '../compare/colour-figures.ts'
import { PictureMeter, similarityOfRows } from '../compare/compare.ts'
import { asRgb, asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isMeasuredInBands, isSteeredByScore, isUnacceptable } from '../search/perceptual-search.ts'
import { type CodedPicture, codedPictureOf, gridFile, readGrid, singleFile, type TileGrid } from './file.ts'
import { AvifCodec, type Chroma, discardPixels, type RgbaPixels } from './libaom.ts'
import { avifStep, lowestAvifQuality, smallestSettings } from './perceptual-search.ts'
import { probeSample, sampleOf } from './sample.ts'
import type { AvifProbe, AvifSettings } from './scale.ts'
import { type BandChannels, bandChannelsOf, bandRows, bandWidth, DecodedBand, eachBand, emptyTile, rowOf, takeTile } from './tiles.ts'
import {
  FASTEST_SPEED,
  FEW_PROBES_PIXELS,
  GRID_BASE_BYTES,
  GRID_SPEEDS,
  LAST_GRID_STEP,
  LEAST_ALPHA_QUALITY,
  PERCEPTUAL_METER_BYTES,
  PROBE_SPEED,
  SAMPLE_PROBES,
  SAMPLE_SLACK,
  TOLERANCE,
  WHOLE_PROBES,
} from './tuning.ts'

/**
 * Preferred side of a tile in pixels. MIAF requires equal tiles with sides that are multiples of 64, and at most 256 rows and columns
 * (ISO/IEC 23000-22, 7.3.11.4.2).
 */
export const TILE = 512
/** Encoder quality of a search step: 26, 29 … 95. */
const qualityAt = (step: number) => 26 + 3 * step

export function gridFor({ width, height }: Pick<Raster, 'width' | 'height'>, rowsOfTile: number): TileGrid {
  const columns = Math.ceil(width / TILE)
  const rows = Math.ceil(height / rowsOfTile)
  const tile = (side: number, count: number) => Math.ceil(side / count / 64) * 64
  return { width, height, columns, rows, tileWidth: tile(width, columns), tileHeight: tile(height, rows) }
}

export function isAllowedGrid({ width, height, columns, rows, tileWidth, tileHeight }: TileGrid): boolean {
  const usable = (columns - 1) * tileWidth < width && (rows - 1) * tileHeight < height
  return Math.max(columns, rows) <= 256 && Math.max(width, height) <= 65535 && usable
}

/** Chooses the tallest tiles that fit the memory budget. Measuring the perceptual score has priority over tall tiles. */
function planGrid(raster: Raster, request: EncodeRequest): { readonly grid: TileGrid; readonly isScored: boolean } {
  const grids = [TILE, TILE / 2].map((rows) => gridFor(raster, rows)).filter(isAllowedGrid)
  if (grids.length === 0) throw unsupported('avif_of_this_size')
  for (const isScored of isSteeredByScore(raster, request) ? [true, false] : [false]) {
    const grid = grids.find((one) => fitsMemoryBudget(request.options, bytesFor(raster, one, isScored)))
    if (grid) return { grid, isScored }
  }
  throw overBudget(message('pixels_too_wide_for_avif', { width: raster.width }))
}

const bytesFor = (raster: Raster, grid: TileGrid, isScored: boolean) =>
  GRID_BASE_BYTES +
  2 * bandChannelsOf(raster) * bandWidth(grid) * grid.tileHeight +
  (isScored ? PERCEPTUAL_METER_BYTES[bandChannelsOf(raster)] * grid.width : 0)

/** Chroma format of the tiles. Decoders reject halved chroma if the grid has an odd width or height (ISO/IEC 23000-22, 7.3.11.4.2). */
const chromaOf = ({ width, height }: TileGrid): Chroma => (width % 2 === 0 && height % 2 === 0 ? 'halved' : 'full')

export async function encodeGrid(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const { grid, isScored } = planGrid(raster, request)
  using codec = await AvifCodec.open('both', isScored ? 'imageQuality' : 'ssim')
  const speed = GRID_SPEEDS.find(({ pixels }) => grid.width * grid.height <= pixels)?.speed ?? FASTEST_SPEED
  const job = { codec, raster, grid, carried, speed, request }
  const sample = await sampleOf(raster, grid)
  const found = await (isScored ? gridToScore(job, sample) : gridToTarget(job, sample))
  const step = message('avif_tiles', { what: avifStep(found), columns: grid.columns, rows: grid.rows })
  return { chunks: [found.file], loss: pixelLoss(found.figures), step }
}

/** Inputs of the encoding of one AVIF grid. */
interface GridJob {
  readonly codec: AvifCodec
  readonly raster: Raster
  readonly grid: TileGrid
  readonly carried: PictureMetadata
  readonly speed: number
  readonly request: EncodeRequest
}

type GridFound = AvifSettings & { readonly file: Uint8Array; readonly figures: ColourFigures }

/**
 * Encodes the grid to a perceptual score. The settings come from a sample of tiles; the whole picture is encoded again if the sample's
 * score was far off.
 */
async function gridToScore(job: GridJob, sample: readonly RgbaPixels[]): Promise<GridFound> {
  const { codec, grid, carried, speed, request } = job
  const { signal } = request.options
  const aim = aimOf(request.options)
  const target = aim === undefined ? LEVELS.perceptual[request.options.quality] : scoreTarget(aim)
  const probeTiles = (at: number) => async (settings: AvifSettings) => {
    await yieldToEventLoop(signal)
    return probeSample(codec, sample, settings, at)
  }
  const first = target.usualQuality.avif
  const settings =
    chromaOf(grid) === 'halved'
      ? await smallestSettings({ final: probeTiles(speed), fast: probeTiles(PROBE_SPEED) }, target, first, SAMPLE_PROBES)
      : await lowestAvifQuality(probeTiles(speed), target, { quality: first, chroma: 'full' }, SAMPLE_PROBES)
  sample.forEach(discardPixels)
  let file: Uint8Array | undefined
  const probeWhole = async (tried: AvifSettings): Promise<AvifProbe> => {
    if (file) discard(file)
    const { tiles, alphas, figures, visible } = await encodeAll(job, tried, true)
    file = gridFile(grid, tiles, alphas, carried)
    return { bytes: file.length, figures, perceptual: visible! }
  }
  const isHuge = isMeasuredInBands(grid)
  const limit = grid.width * grid.height < FEW_PROBES_PIXELS ? WHOLE_PROBES.usual : WHOLE_PROBES.few
  let found = await lowestAvifQuality(probeWhole, target, settings, isHuge ? 'two' : limit)
  if (!found.reached && found.chroma !== 'full' && !isHuge)
    found = await lowestAvifQuality(probeWhole, target, { quality: found.quality, chroma: 'full' }, limit)
  if (isUnacceptable(found)) throw unsupported('colours_avif_does_not_keep')
  return { ...found, file: file! }
}

/** Encodes the grid to a target of SSIM and luma PSNR, or to a target size in bytes. */
async function gridToTarget(job: GridJob, sample: readonly RgbaPixels[]): Promise<GridFound> {
  const { codec, grid, carried, speed, request } = job
  const chroma = chromaOf(grid)
  const share = (grid.columns * grid.rows) / sample.length
  let step = await lowestThatHolds(0, LAST_GRID_STEP, async (value) => {
    await yieldToEventLoop(request.options.signal)
    const found = probeSample(codec, sample, { quality: qualityAt(value), chroma }, speed)
    if (request.targetSize !== undefined) return found.bytes * share > request.targetSize
    return reaches(found.figures, request.target, SAMPLE_SLACK)
  })
  sample.forEach(discardPixels)
  if (request.targetSize !== undefined) step = Math.max(0, step - 1)
  for (;;) {
    const settings = { quality: qualityAt(step), chroma }
    const { tiles, alphas, figures } = await encodeAll(job, settings, false)
    const file = gridFile(grid, tiles, alphas, carried)
    const fits = request.targetSize === undefined || file.length <= request.targetSize
    const isGoodEnough = request.targetSize !== undefined || step >= LAST_GRID_STEP || reaches(figures, request.target, TOLERANCE)
    if (fits && isGoodEnough) return { ...settings, file, figures }
    if (!fits && step === 0) throw new TargetUnreachable(file.length)
    step += fits ? 1 : -1
  }
}

/** Encodes and measures all tiles. `isScored`: also measure the perceptual figures. */
async function encodeAll({ codec, raster, grid, speed, request }: GridJob, { quality, chroma }: AvifSettings, isScored: boolean) {
  const { options } = request
  const tiles: CodedPicture[] = []
  const alphas: CodedPicture[] = []
  const tile = emptyTile(grid)
  const depth = bandChannelsOf(raster)
  const form = { width: grid.width, height: grid.height, channels: depth }
  using meter = new PictureMeter(form, ['similarity'])
  using perceptual = isScored ? new PictureMeter(form, ['perceptual']) : undefined
  using decodedBand = new DecodedBand(grid, depth)
  const coded = (into: CodedPicture[], file: Uint8Array): RgbaPixels | undefined => {
    into.push(codedPictureOf(file))
    const decoded = codec.decode(file)
    discard(file)
    return decoded
  }
  await eachBand(raster, grid, async (band, row) => {
    for (let column = 0; column < grid.columns; column++) {
      takeTile(tile, band, column, depth)
      const colours = coded(tiles, codec.encode(tile, quality, speed, chroma))
      if (depth === 4) takeTile(tile, band, column, depth, 'alpha')
      const alpha = depth === 4 ? coded(alphas, codec.encode(tile, Math.max(quality, LEAST_ALPHA_QUALITY), speed, 'none')) : undefined
      if (!decodedBand.put(column, colours, alpha)) throw new Error('the result of the AVIF encoder cannot be decoded')
      await yieldToEventLoop(options.signal)
    }
    for (let y = 0; y < bandRows(grid, row); y++) {
      meter.push(rowOf(band, grid, depth, y), decodedBand.row(y))
      perceptual?.push(rowOf(band, grid, depth, y), decodedBand.row(y))
    }
    options.progress(0.2 + (0.7 * (row + 1)) / grid.rows)
  })
  discardPixels(tile)
  return { tiles, alphas, figures: colourFiguresOf(meter.finish().similarity), visible: perceptual?.finish().perceptual }
}

/** Decodes a grid tile by tile and compares it with `raster`. A string describes what is wrong. `undefined`: `file` is not a grid. */
export async function similarityOfGrid(
  raster: Raster,
  carried: PictureMetadata,
  file: Uint8Array,
): Promise<Similarity | string | undefined> {
  const read = readGrid(file)
  if (!read) return undefined
  const { grid, tiles, alphas, missing } = read
  if (grid.width !== raster.width || grid.height !== raster.height)
    return `the result has ${grid.width}×${grid.height} pixels, expected ${raster.width}×${raster.height}`
  if (tiles.length !== grid.columns * grid.rows) return `the result has ${tiles.length} tiles, expected ${grid.columns}×${grid.rows}`
  const depth = bandChannelsOf(raster)
  if (depth === 4 && alphas.length !== tiles.length) return `the result has ${alphas.length} alpha tiles, expected ${tiles.length}`
  const lost = missing(carried)
  if (lost) return `${lost} was lost`
  const rows = decodedTiles(grid, depth, tiles, alphas)
  const reference = depth === 4 ? asRgba(raster) : raster.channels === 1 ? asRgb(raster) : raster
  return (await similarityOfRows(reference, rows)) ?? 'a tile of the result cannot be decoded'
}

/** Decodes a grid as RGBA rows. `undefined`: `file` is not a grid of this size. The rows end early at a damaged tile. */
export function gridRows(file: Uint8Array, width: number, height: number): AsyncIterable<Uint8Array> | undefined {
  const read = readGrid(file)
  if (!read || read.grid.width !== width || read.grid.height !== height) return undefined
  const { grid, tiles, alphas } = read
  const channels = alphas.length > 0 ? 4 : 3
  return asRgba({ width, height, channels, rows: () => decodedTiles(grid, channels, tiles, alphas) }).rows()
}

async function* decodedTiles(
  grid: TileGrid,
  depth: BandChannels,
  tiles: readonly CodedPicture[],
  alphas: readonly CodedPicture[],
): AsyncGenerator<Uint8Array> {
  using codec = await AvifCodec.open('decoder')
  using band = new DecodedBand(grid, depth)
  const decoded = (tile: CodedPicture | undefined) => tile && codec.decode(singleFile(tile, grid.tileWidth, grid.tileHeight))
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) {
      const at = row * grid.columns + column
      if (!band.put(column, decoded(tiles[at]), depth === 4 ? decoded(alphas[at]) : undefined)) return
    }
    for (let y = 0; y < bandRows(grid, row); y++) yield band.row(y)
  }
}
