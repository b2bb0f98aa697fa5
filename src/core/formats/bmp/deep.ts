/** Fields of more than eight bits against the palette that they became. Rows from the bottom: it makes no difference to figures. */

import { PictureMeter } from '../../images/compare/compare.ts'
import type { Raster } from '../../images/raster/raster.ts'
import type { Raster16 } from '../../images/raster/raster16.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { type BmpPixels, rgbRows } from './pixels.ts'

export const deepUpwards = ({ header: { width, height }, deepRows }: BmpPixels): Raster16 => ({
  width,
  height,
  rows: () => deepRows('bottom-up'),
})

export const upwards = (pixels: BmpPixels): Raster => ({
  width: pixels.header.width,
  height: pixels.header.height,
  channels: 3,
  rows: () => rgbRows(pixels, 'bottom-up'),
})

/** Measures rows of indices as they are made, while the rows of the upload come from the file. */
export class DeepMeter implements Disposable {
  readonly #meter: PictureMeter<'similarity'>
  readonly #rows: AsyncGenerator<Uint16Array>
  readonly #palette: Uint8Array
  readonly #waiting: Uint16Array[] = []

  constructor({ header: { width, height }, deepRows }: BmpPixels, palette: Uint8Array) {
    this.#meter = new PictureMeter({ width, height, channels: 4, bits: 16 }, ['similarity'])
    this.#rows = deepRows('bottom-up')
    this.#palette = palette
  }

  /** Before each row that is pushed: the one of the upload. */
  async next(): Promise<void> {
    const { value } = await this.#rows.next()
    if (value) this.#waiting.push(value)
  }

  push(indices: Uint8Array): void {
    const row = this.#waiting.shift()
    if (!row) throw new RangeError('a row that the upload does not have')
    const shown = new Uint16Array(row.length)
    for (let i = 0; i < indices.length; i++) {
      for (let c = 0; c < 3; c++) shown[4 * i + c] = this.#palette[3 * indices[i]! + c]! * 257
      shown[4 * i + 3] = 65535
    }
    this.#meter.push(bytesOf(row), bytesOf(shown))
  }

  finish(): Similarity {
    return this.#meter.finish().similarity
  }

  [Symbol.dispose](): void {
    this.#meter[Symbol.dispose]()
  }
}

const bytesOf = (samples: Uint16Array) => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
