/**
 * Encodes large pictures as a grid of AV1 tiles. It reads one band of rows at a time; each tile is encoded, decoded and measured before
 * the next.
 */

import { yieldToEventLoop } from '../../bytes/yield.ts'
import { reaches } from '../../catalog/target.ts'
import { message } from '../../i18n/message.ts'
import { lowestThatHolds } from '../../metrics/search.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import { overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { similarityOfRows } from '../compare/compare.ts'
import { asRgb, asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isSteeredByScore } from '../search/perceptual-search.ts'
import { type CodedPicture, gridFile, readGrid, singleFile, type TileGrid } from './file.ts'
import { encodeAll, type GridFound, type GridJob } from './grid-encode.ts'
import { chromaOf, gridToScore } from './grid-search.ts'
import { chromaOfForm } from './kept-form.ts'
import { AvifCodec, discardPixels, type RgbaPixels } from './libaom.ts'
import { avifStep } from './perceptual-search.ts'
import { probeSample, sampleOf } from './sample.ts'
import { type BandChannels, bandChannelsOf, bandRows, bandWidth, DecodedBand } from './tiles.ts'
import { FASTEST_SPEED, GRID_BASE_BYTES, GRID_SPEEDS, LAST_GRID_STEP, PERCEPTUAL_METER_BYTES, SAMPLE_SLACK, TOLERANCE } from './tuning.ts'

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

export async function encodeGrid(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const { grid: planned, isScored } = planGrid(raster, request)
  const grid = { ...planned, chroma: chromaOfForm(carried.form) }
  const tuning = isScored ? 'imageQuality' : 'ssim'
  using codec = await AvifCodec.open('search', { tuning, coding: carried.form?.coding })
  const speed = GRID_SPEEDS.find(({ pixels }) => grid.width * grid.height <= pixels)?.speed ?? FASTEST_SPEED
  const job = { codec, raster, grid, carried, speed, alphaSpeed: speed, alphaTiles: new Map(), request }
  const sample = await sampleOf(raster, grid)
  const found = await (isScored ? gridToScore(job, sample) : gridToTarget(job, sample))
  const step = message('avif_tiles', { what: avifStep(found), columns: grid.columns, rows: grid.rows })
  return { chunks: [found.file], loss: pixelLoss(found.figures), step }
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
