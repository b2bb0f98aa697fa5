/** Rows of the sample that an encoder cuts from a large picture: bands of 64 rows, spread evenly (wasm/webp/rows.c). */
import { asRgba, type Raster, stripsOf } from '../raster/raster.ts'
import { SAMPLE_PIXELS } from './tuning.ts'

const BAND_ROWS = 64

/** Number of bands of a sample of about `SAMPLE_PIXELS`. */
export const bandsOf = ({ width }: Pick<Raster, 'width'>): number => Math.max(4, Math.round(SAMPLE_PIXELS / width / BAND_ROWS))

/** Collects the rows of the sample while the encoder reads the picture. */
export class SampleRows implements Raster {
  readonly width: number
  readonly height: number
  readonly channels = 4
  readonly #channels: Raster['channels']
  readonly #pixels: Uint8Array
  readonly #placeOfBand = new Map<number, number>()
  #y = 0

  constructor({ width, height, channels }: Raster) {
    const count = bandsOf({ width })
    const bands = Math.floor(height / BAND_ROWS)
    this.width = width
    this.height = count * BAND_ROWS
    this.#channels = channels
    this.#pixels = new Uint8Array(width * this.height * channels)
    for (let i = 0; i < count; i++) this.#placeOfBand.set(Math.floor(((i + 0.5) * bands) / count), i)
  }

  /** Takes the rows of the sample from the next strip of the picture. */
  add(strip: Uint8Array): void {
    const rowBytes = this.width * this.#channels
    for (let at = 0; at < strip.length; at += rowBytes, this.#y++) {
      const place = this.#placeOfBand.get(Math.floor(this.#y / BAND_ROWS))
      if (place !== undefined) this.#pixels.set(strip.subarray(at, at + rowBytes), (place * BAND_ROWS + (this.#y % BAND_ROWS)) * rowBytes)
    }
  }

  async *rows(): AsyncGenerator<Uint8Array> {
    const { width, height } = this
    const [pixels, channels] = [this.#pixels, this.#channels]
    const stored: Raster = {
      width,
      height,
      channels,
      async *rows() {
        yield* stripsOf(pixels, { width, channels })
      },
    }
    yield* asRgba(stored).rows()
  }
}
