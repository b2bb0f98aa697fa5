/**
 * Compares BMP fields of more than 8 bits with the palette that replaces them. Both pictures are read from the bottom, which does not
 * change the figures.
 */

import { PictureMeter } from '../../images/compare/compare.ts'
import type { Raster } from '../../images/raster/raster.ts'
import type { Raster16 } from '../../images/raster/raster16.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { type BmpPixels, rgbRows } from './pixels.ts'

export const deepRowsFromBottom = ({ header: { width, height }, deepRows }: BmpPixels): Raster16 => ({
  width,
  height,
  rows: () => deepRows('bottom-up'),
})

export const rowsFromBottom = (pixels: BmpPixels): Raster => ({
  width: pixels.header.width,
  height: pixels.header.height,
  channels: 3,
  rows: () => rgbRows(pixels, 'bottom-up'),
})

/** Measures rows of palette indices while they are encoded, and reads the matching rows of the upload from the file. */
export class DeepMeter implements Disposable {
  readonly #meter: PictureMeter<'similarity'>
  readonly #rows: AsyncGenerator<Uint16Array>
  readonly #palette: Uint8Array
  readonly #pendingRows: Uint16Array[] = []

  constructor({ header: { width, height }, deepRows }: BmpPixels, palette: Uint8Array) {
    this.#meter = new PictureMeter({ width, height, channels: 4, bits: 16 }, ['similarity'])
    this.#rows = deepRows('bottom-up')
    this.#palette = palette
  }

  /** Reads the next row of the upload. Call it before each `push`. */
  async next(): Promise<void> {
    const { value } = await this.#rows.next()
    if (value) this.#pendingRows.push(value)
  }

  push(indices: Uint8Array): void {
    const row = this.#pendingRows.shift()
    if (!row) throw new RangeError('more rows than the uploaded BMP has')
    const paletteRow = new Uint16Array(row.length)
    for (let i = 0; i < indices.length; i++) {
      for (let c = 0; c < 3; c++) paletteRow[4 * i + c] = this.#palette[3 * indices[i]! + c]! * 257
      paletteRow[4 * i + 3] = 65535
    }
    this.#meter.push(bytesOf(row), bytesOf(paletteRow))
  }

  finish(): Similarity {
    return this.#meter.finish().similarity
  }

  [Symbol.dispose](): void {
    this.#meter[Symbol.dispose]()
  }
}

const bytesOf = (samples: Uint16Array) => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
