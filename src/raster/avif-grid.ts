/** Large pictures as a grid of AV1 tiles: band after band of rows, each tile coded, decoded and measured before the next. */

import { discard } from '../../wasm/memories/discard.ts'
import { yieldToOthers } from '../bytes/yield.ts'
import { overBudget, TargetUnreachable, unsupported } from '../codec/error.ts'
import { ofPixels } from '../codec/loss.ts'
import { type Similarity, SimilarityMeter } from '../quality/metrics.ts'
import { lowest } from '../quality/search.ts'
import { type ColourFigures, reaches } from '../quality/target.ts'
import { AvifCodec, type Chroma, discardPixels, figuresOf, type Pixels } from './avif-codec.ts'
import { type Coded, codedOf, type Grid, gridFile, readGrid, singleFile } from './avif-file.ts'
import type { Encoded, EncodeRequest } from './encoded.ts'
import { asRgb, asRgba, type Carried, type Raster } from './raster.ts'
import { similarityOfRows } from './similarity.ts'

/** Tiles near this size: MIAF wants multiples of 64, equal ones, and at most 256 each way (23000-22, 7.3.11.4.2). */
const TILE = 512
/** Encoder, decoder, the reader of the picture and the sample. */
const BASE_BYTES = 64 * 1024 * 1024
/** Where the slower, better search would take minutes. */
const PATIENT_PIXELS = 16_000_000
const SAMPLE_TILES = 4
/** Qualities that are tried: 26, 29 … 95. */
const qualityAt = (step: number) => 26 + 3 * step
const STEPS = 23
const SAMPLE_SLACK = { ssim: 0.002, psnrDb: 0.15 }
const TOLERANCE = { ssim: -0.001, psnrDb: -0.1 }

export function gridFor(width: number, height: number): Grid {
  const columns = Math.ceil(width / TILE)
  const rows = Math.ceil(height / TILE)
  const tile = (side: number, count: number) => Math.ceil(side / count / 64) * 64
  return { width, height, columns, rows, tileWidth: tile(width, columns), tileHeight: tile(height, rows) }
}

/** Where chroma is halved the size of the whole must be even (23000-22, 7.3.11.4.2): decoders refuse others. */
const chromaOf = ({ width, height }: Grid): Chroma => (width % 2 === 0 && height % 2 === 0 ? 'halved' : 'full')

export async function encodeGrid(raster: Raster, carried: Carried, request: EncodeRequest): Promise<Encoded> {
  const { width, height } = raster
  const grid = gridFor(width, height)
  const depth = depthOf(raster)
  const usable = (grid.columns - 1) * grid.tileWidth < width && (grid.rows - 1) * grid.tileHeight < height
  if (Math.max(grid.columns, grid.rows) > 256 || Math.max(width, height) > 65535 || !usable) throw unsupported('AVIF of this size')
  if (BASE_BYTES + 2 * depth * bandWidth(grid) * grid.tileHeight > request.options.memoryBudget)
    throw overBudget(`${width} pixels are too wide for AVIF`)
  using codec = await AvifCodec.open()
  const speed = width * height <= PATIENT_PIXELS ? 7 : 8
  const sample = await sampleOf(raster, grid)
  const share = (grid.columns * grid.rows) / sample.length
  let estimated = 0
  let step = await lowest(0, STEPS, async (value) => {
    await yieldToOthers(request.options.signal)
    const found = look(codec, sample, qualityAt(value), speed, chromaOf(grid))
    estimated = found.bytes * share
    if (request.targetSize !== undefined) return estimated > request.targetSize
    return reaches(found.figures, request.target, SAMPLE_SLACK)
  })
  sample.forEach(discardPixels)
  if (request.targetSize !== undefined) step = Math.max(0, step - 1)
  for (;;) {
    const { tiles, alphas, figures } = await encodeAll(codec, raster, grid, { quality: qualityAt(step), speed }, request)
    const file = gridFile(grid, tiles, alphas, carried)
    const fits = request.targetSize === undefined || file.length <= request.targetSize
    const good = request.targetSize !== undefined || step >= STEPS || reaches(figures, request.target, TOLERANCE)
    if (fits && good) {
      const how = `AVIF at quality ${qualityAt(step)}, ${grid.columns}×${grid.rows} tiles`
      return { chunks: [file], loss: ofPixels(figures), step: how }
    }
    if (!fits && step === 0) throw new TargetUnreachable(file.length)
    step += fits ? 1 : -1
  }
}

const bandWidth = (grid: Grid) => grid.columns * grid.tileWidth

/** Samples of a pixel in a band: RGB, or RGBA. */
type Depth = 3 | 4
const depthOf = ({ channels }: Raster): Depth => (channels === 2 || channels === 4 ? 4 : 3)

/** Bands as high as a tile, RGB or RGBA, padded to whole tiles by repeating the last column and row. */
async function eachBand(raster: Raster, grid: Grid, visit: (band: Uint8Array<ArrayBuffer>, row: number) => Promise<void>): Promise<void> {
  const { width, height, channels } = raster
  const stride = bandWidth(grid) * depthOf(raster)
  const band = new Uint8Array(stride * grid.tileHeight)
  let filled = 0
  let row = 0
  let y = 0
  for await (const strip of raster.rows()) {
    for (let at = 0; at < strip.length; at += width * channels) {
      expand(strip.subarray(at, at + width * channels), channels, band.subarray(filled * stride, (filled + 1) * stride), bandWidth(grid))
      y++
      if (++filled < grid.tileHeight && y < height) continue
      for (let pad = filled; pad < grid.tileHeight; pad++) band.copyWithin(pad * stride, (filled - 1) * stride, filled * stride)
      await visit(band, row++)
      filled = 0
    }
  }
  discard(band)
}

/** A row as RGB or RGBA, made `width` pixels wide by repeating its last one. */
function expand(row: Uint8Array, channels: number, to: Uint8Array, width: number): void {
  const grey = channels < 3
  const last = row.length - channels
  let out = 0
  for (let x = 0; x < width; x++) {
    const at = Math.min(x * channels, last)
    const first = row[at] ?? 0
    to[out++] = first
    to[out++] = grey ? first : (row[at + 1] ?? 0)
    to[out++] = grey ? first : (row[at + 2] ?? 0)
    if (channels % 2 === 0) to[out++] = row[at + channels - 1] ?? 0
  }
}

const emptyTile = ({ tileWidth: width, tileHeight: height }: Grid): Pixels => ({
  pixels: new Uint8ClampedArray(width * height * 4).fill(255),
  width,
  height,
})

/** A tile of a band, in place of what `tile` was: its colours, or its alpha as a grey picture. */
function takeTile(tile: Pixels, band: Uint8Array, column: number, depth: Depth, what: 'colours' | 'alpha' = 'colours'): Pixels {
  const { pixels, width, height } = tile
  const stride = band.length / height
  const [red, green, blue] = what === 'alpha' ? [3, 3, 3] : [0, 1, 2]
  for (let y = 0, to = 0; y < height; y++) {
    let from = y * stride + column * width * depth
    for (let x = 0; x < width; x++, from += depth, to += 4) {
      pixels[to] = band[from + red] ?? 0
      pixels[to + 1] = band[from + green] ?? 0
      pixels[to + 2] = band[from + blue] ?? 0
    }
  }
  return tile
}

/** A few whole tiles, spread over the picture. */
async function sampleOf(raster: Raster, grid: Grid): Promise<Pixels[]> {
  const whole = Math.max(1, Math.floor(raster.height / grid.tileHeight))
  const columns = Math.max(1, Math.floor(raster.width / grid.tileWidth))
  const tiles: Pixels[] = []
  const wanted = new Map<number, number[]>()
  for (let i = 0; i < SAMPLE_TILES; i++) {
    const row = Math.floor(((i + 0.5) * whole) / SAMPLE_TILES)
    const column = Math.floor(((i * 0.618 + 0.3) % 1) * columns)
    wanted.set(row, [...new Set([...(wanted.get(row) ?? []), column])])
  }
  await eachBand(raster, grid, async (band, row) => {
    for (const column of wanted.get(row) ?? []) tiles.push(takeTile(emptyTile(grid), band, column, depthOf(raster)))
  })
  return tiles
}

function look(
  codec: AvifCodec,
  sample: readonly Pixels[],
  quality: number,
  speed: number,
  chroma: Chroma,
): { bytes: number; figures: ColourFigures } {
  let bytes = 0
  const sums = { ssim: 0, luma: 0, colour: 0 }
  for (const tile of sample) {
    const file = codec.encode(tile, quality, speed, chroma)
    const decoded = codec.decode(file)
    if (!decoded) throw new Error('what the AVIF encoder made cannot be decoded')
    using meter = new SimilarityMeter(tile.width, tile.height, 4)
    meter.push(new Uint8Array(tile.pixels.buffer), new Uint8Array(decoded.pixels.buffer))
    const found = meter.finish()
    discardPixels(decoded)
    bytes += codedOf(file).frame.length
    discard(file)
    sums.ssim += found.ssim
    sums.luma += 10 ** (-found.psnrDb / 10)
    sums.colour += 10 ** (-found.psnrRgbDb / 10)
  }
  const mean = (value: number) => Math.min(99, -10 * Math.log10(value / sample.length))
  return { bytes, figures: { ssim: sums.ssim / sample.length, psnrDb: mean(sums.luma), colourPsnrDb: mean(sums.colour) } }
}

/** A row of tiles as it came back. */
class DecodedBand implements Disposable {
  readonly #grid: Grid
  readonly #depth: Depth
  readonly #band: Uint8Array<ArrayBuffer>

  constructor(grid: Grid, depth: Depth) {
    this.#grid = grid
    this.#depth = depth
    this.#band = new Uint8Array(bandWidth(grid) * depth * grid.tileHeight)
  }

  /** False where that are no such tiles. Their pixels are gone afterwards. `alpha` is a grey picture. */
  put(column: number, tile: Pixels | undefined, alpha: Pixels | undefined): boolean {
    const { tileWidth: width, tileHeight: height } = this.#grid
    if (tile?.width !== width || tile.height !== height) return false
    if (this.#depth === 4 && (alpha?.width !== width || alpha.height !== height)) return false
    const stride = bandWidth(this.#grid) * this.#depth
    const { pixels } = tile
    for (let y = 0, from = 0; y < height; y++) {
      let to = y * stride + column * width * this.#depth
      for (let x = 0; x < width; x++, from += 4) {
        this.#band[to++] = pixels[from] ?? 0
        this.#band[to++] = pixels[from + 1] ?? 0
        this.#band[to++] = pixels[from + 2] ?? 0
        if (alpha) this.#band[to++] = alpha.pixels[from] ?? 0
      }
    }
    discardPixels(tile)
    if (alpha) discardPixels(alpha)
    return true
  }

  /** Row `y` of it, without the padding of the last tile. */
  row(y: number): Uint8Array {
    return rowOf(this.#band, this.#grid, this.#depth, y)
  }

  [Symbol.dispose](): void {
    discard(this.#band)
  }
}

const rowOf = (band: Uint8Array<ArrayBuffer>, grid: Grid, depth: Depth, y: number) =>
  new Uint8Array(band.buffer, y * bandWidth(grid) * depth, grid.width * depth)

/** Rows of a band that are rows of the picture. */
const bandRows = ({ height, tileHeight }: Grid, row: number) => Math.min(tileHeight, height - row * tileHeight)

interface Coding {
  readonly quality: number
  readonly speed: number
}

/** Of alpha, at least: its edges are what is seen of it. */
const LEAST_ALPHA_QUALITY = 75

async function encodeAll(codec: AvifCodec, raster: Raster, grid: Grid, { quality, speed }: Coding, { options }: EncodeRequest) {
  const tiles: Coded[] = []
  const alphas: Coded[] = []
  const tile = emptyTile(grid)
  const depth = depthOf(raster)
  using meter = new SimilarityMeter(grid.width, grid.height, depth)
  using back = new DecodedBand(grid, depth)
  const coded = (into: Coded[], file: Uint8Array): Pixels | undefined => {
    into.push(codedOf(file))
    const decoded = codec.decode(file)
    discard(file)
    return decoded
  }
  await eachBand(raster, grid, async (band, row) => {
    for (let column = 0; column < grid.columns; column++) {
      takeTile(tile, band, column, depth)
      const colours = coded(tiles, codec.encode(tile, quality, speed, chromaOf(grid)))
      if (depth === 4) takeTile(tile, band, column, depth, 'alpha')
      const alpha = depth === 4 ? coded(alphas, codec.encode(tile, Math.max(quality, LEAST_ALPHA_QUALITY), speed, 'none')) : undefined
      if (!back.put(column, colours, alpha)) throw new Error('what the AVIF encoder made cannot be decoded')
      await yieldToOthers(options.signal)
    }
    for (let y = 0; y < bandRows(grid, row); y++) meter.push(rowOf(band, grid, depth, y), back.row(y))
    options.progress(0.2 + (0.7 * (row + 1)) / grid.rows)
  })
  discardPixels(tile)
  return { tiles, alphas, figures: figuresOf(meter.finish()) }
}

/** Decodes a grid tile by tile and compares; undefined where `file` is no grid. */
export async function similarityOfGrid(raster: Raster, carried: Carried, file: Uint8Array): Promise<Similarity | string | undefined> {
  const read = readGrid(file)
  if (!read) return undefined
  const { grid, tiles, alphas, has } = read
  if (grid.width !== raster.width || grid.height !== raster.height) return `the result is ${grid.width}×${grid.height}`
  if (tiles.length !== grid.columns * grid.rows) return `${tiles.length} tiles for a grid of ${grid.columns}×${grid.rows}`
  const depth = depthOf(raster)
  if (depth === 4 && alphas.length !== tiles.length) return `${alphas.length} tiles of alpha`
  if (carried.exif && !has('Exif')) return 'EXIF was lost'
  if (carried.xmp && !has('mime')) return 'XMP was lost'
  if (carried.icc && !has('prof')) return 'the ICC profile was lost'
  const rows = decodedTiles(grid, depth, tiles, alphas)
  const reference = depth === 4 ? asRgba(raster) : raster.channels === 1 ? asRgb(raster) : raster
  return (await similarityOfRows(reference, rows)) ?? 'a tile cannot be decoded'
}

/** A grid as its readers show it, RGBA; undefined where `file` is none of this size. They end early where a tile is damaged. */
export function gridRows(file: Uint8Array, width: number, height: number): AsyncIterable<Uint8Array> | undefined {
  const read = readGrid(file)
  if (!read || read.grid.width !== width || read.grid.height !== height) return undefined
  const { grid, tiles, alphas } = read
  const channels = alphas.length > 0 ? 4 : 3
  return asRgba({ width, height, channels, rows: () => decodedTiles(grid, channels, tiles, alphas) }).rows()
}

async function* decodedTiles(grid: Grid, depth: Depth, tiles: readonly Coded[], alphas: readonly Coded[]): AsyncGenerator<Uint8Array> {
  using codec = await AvifCodec.open('decoder')
  using band = new DecodedBand(grid, depth)
  const decoded = (tile: Coded | undefined) => tile && codec.decode(singleFile(tile, grid.tileWidth, grid.tileHeight))
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) {
      const at = row * grid.columns + column
      if (!band.put(column, decoded(tiles[at]), depth === 4 ? decoded(alphas[at]) : undefined)) return
    }
    for (let y = 0; y < bandRows(grid, row); y++) yield band.row(y)
  }
}
