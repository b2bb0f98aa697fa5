/** Bands and tiles of a grid, 16 bits a sample, RGBA: cut from rows for the encoder, and joined again after decoding. */
import { discard } from '../../../../wasm/memories/discard.ts'
import type { Raster16 } from '../raster/raster16.ts'
import type { TileGrid } from './file.ts'

/** RGBA samples in 16-bit words; the number of used bits depends on the caller. */
export interface Tile16 {
  readonly samples: Uint16Array<ArrayBuffer>
  readonly width: number
  readonly height: number
}

const bandWidth = ({ columns, tileWidth }: TileGrid) => columns * tileWidth

/** Visits the picture in bands as high as a tile. The last column and row are repeated to fill the last tiles. */
export async function eachBand16(deep: Raster16, grid: TileGrid, visit: (band: Uint16Array, row: number) => Promise<void>): Promise<void> {
  const stride = bandWidth(grid) * 4
  const band = new Uint16Array(stride * grid.tileHeight)
  let [filled, row, y] = [0, 0, 0]
  for await (const strip of deep.rows()) {
    for (let at = 0; at < strip.length; at += deep.width * 4) {
      const to = band.subarray(filled * stride, (filled + 1) * stride)
      to.set(strip.subarray(at, at + deep.width * 4))
      for (let x = deep.width * 4; x < stride; x++) to[x] = to[x - 4]!
      y++
      if (++filled < grid.tileHeight && y < deep.height) continue
      for (let pad = filled; pad < grid.tileHeight; pad++) band.copyWithin(pad * stride, (filled - 1) * stride, filled * stride)
      await visit(band, row++)
      filled = 0
    }
  }
  discard(new Uint8Array(band.buffer))
}

/** Copies a tile of a band into `tile`, scaled to samples from 0 to `most`: its colours, or its alpha as a grey picture. */
export function takeTile16(tile: Tile16, band: Uint16Array, column: number, most: number, what: 'colours' | 'alpha'): void {
  const { samples, width, height } = tile
  const stride = band.length / height
  const [red, green, blue] = what === 'alpha' ? [3, 3, 3] : [0, 1, 2]
  const scale = most / 65535
  for (let y = 0, to = 0; y < height; y++) {
    let from = y * stride + column * width * 4
    for (let x = 0; x < width; x++, from += 4, to += 4) {
      samples[to] = Math.round(band[from + red]! * scale)
      samples[to + 1] = Math.round(band[from + green]! * scale)
      samples[to + 2] = Math.round(band[from + blue]! * scale)
      samples[to + 3] = most
    }
  }
}

/** Collects one row of decoded tiles as a band of 16-bit pixel rows. */
export class DecodedBand16 implements Disposable {
  readonly #grid: TileGrid
  readonly #band: Uint16Array<ArrayBuffer>

  constructor(grid: TileGrid) {
    this.#grid = grid
    this.#band = new Uint16Array(bandWidth(grid) * grid.tileHeight * 4)
  }

  /**
   * Stores a decoded tile with samples from 0 to `most`. `alpha` is a grey picture; `undefined`: opaque. Returns false if a tile is
   * missing or has another size.
   */
  put(column: number, most: number, tile: Tile16 | undefined, alpha: Tile16 | undefined): boolean {
    const { tileWidth: width, tileHeight: height } = this.#grid
    if (tile?.width !== width || tile.height !== height) return false
    if (alpha && (alpha.width !== width || alpha.height !== height)) return false
    const stride = bandWidth(this.#grid) * 4
    const scale = 65535 / most
    for (let y = 0, from = 0; y < height; y++) {
      let to = y * stride + column * width * 4
      for (let x = 0; x < width; x++, from += 4, to += 4) {
        for (let c = 0; c < 3; c++) this.#band[to + c] = Math.round(tile.samples[from + c]! * scale)
        this.#band[to + 3] = alpha ? Math.round(alpha.samples[from]! * scale) : 65535
      }
    }
    for (const one of [tile, alpha]) if (one) discard(new Uint8Array(one.samples.buffer))
    return true
  }

  /** Returns pixel row `y` of the band, without the padding of the last tile. */
  row(y: number): Uint16Array {
    const start = y * bandWidth(this.#grid) * 4
    return this.#band.subarray(start, start + this.#grid.width * 4)
  }

  [Symbol.dispose](): void {
    discard(new Uint8Array(this.#band.buffer))
  }
}
