/** Bands and tiles of a grid, 8 bits a sample: cut from rows for the encoder, and joined again after decoding. */
import { discard } from '../../../../wasm/memories/discard.ts'
import type { Raster } from '../raster/raster.ts'
import type { TileGrid } from './file.ts'
import { discardPixels, type RgbaPixels } from './libaom.ts'

export const bandWidth = (grid: TileGrid) => grid.columns * grid.tileWidth

/** Samples of a pixel in a band: 3 is RGB, 4 is RGBA. */
export type BandChannels = 3 | 4
export const bandChannelsOf = ({ channels }: Raster): BandChannels => (channels === 2 || channels === 4 ? 4 : 3)

/** Visits the picture in bands as high as a tile, as RGB or RGBA. The last column and row are repeated to fill the last tiles. */
export async function eachBand(
  raster: Raster,
  grid: TileGrid,
  visit: (band: Uint8Array<ArrayBuffer>, row: number) => Promise<void>,
): Promise<void> {
  const { width, height, channels } = raster
  const stride = bandWidth(grid) * bandChannelsOf(raster)
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

/** Converts a row to RGB or RGBA and pads it to `width` pixels with its last pixel. */
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

export const emptyTile = ({ tileWidth: width, tileHeight: height }: TileGrid): RgbaPixels => ({
  pixels: new Uint8ClampedArray(width * height * 4).fill(255),
  width,
  height,
})

/** Copies a tile of a band into `tile`: its colours, or its alpha as a grey picture. */
export function takeTile(
  tile: RgbaPixels,
  band: Uint8Array,
  column: number,
  depth: BandChannels,
  what: 'colours' | 'alpha' = 'colours',
): RgbaPixels {
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

/** Collects one row of decoded tiles as a band of pixel rows. */
export class DecodedBand implements Disposable {
  readonly #grid: TileGrid
  readonly #depth: BandChannels
  readonly #band: Uint8Array<ArrayBuffer>

  constructor(grid: TileGrid, depth: BandChannels) {
    this.#grid = grid
    this.#depth = depth
    this.#band = new Uint8Array(bandWidth(grid) * depth * grid.tileHeight)
  }

  /** Stores a decoded tile and frees its pixels. `alpha` is a grey picture. Returns false if a tile is missing or has another size. */
  put(column: number, tile: RgbaPixels | undefined, alpha: RgbaPixels | undefined): boolean {
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

  /** Returns pixel row `y` of the band, without the padding of the last tile. */
  row(y: number): Uint8Array {
    return rowOf(this.#band, this.#grid, this.#depth, y)
  }

  [Symbol.dispose](): void {
    discard(this.#band)
  }
}

export const rowOf = (band: Uint8Array<ArrayBuffer>, grid: TileGrid, depth: BandChannels, y: number) =>
  new Uint8Array(band.buffer, y * bandWidth(grid) * depth, grid.width * depth)

/** Number of picture rows in a band of a tile grid, without padding. */
export const bandRows = ({ height, tileHeight }: TileGrid, row: number) => Math.min(tileHeight, height - row * tileHeight)
