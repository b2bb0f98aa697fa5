/** Cut of a picture: bands of 64 rows, spread evenly, on which a probe takes a part of the time. */
import { type Raster, stripsOf } from '../raster/raster.ts'
import { CUT } from './tuning.ts'

const BAND_ROWS = 64

/** Cut of a picture that is still to be read. `undefined`: the picture is too small or too low for one. */
export function cutOf(picture: Raster): Cut | undefined {
  const { width, height } = picture
  const bands = Math.floor(height / BAND_ROWS)
  const most = Math.round(CUT.mostPixels / width / BAND_ROWS)
  const count = Math.max(CUT.leastBands, Math.min(Math.round(bands / CUT.every), most))
  return width * height < CUT.leastPixels || bands < CUT.leastShare * count ? undefined : new Cut(picture, count)
}

/** Collects the rows of the cut while the encoder reads the picture, and is then the cut. */
export class Cut implements Raster {
  readonly width: number
  readonly height: number
  readonly channels: Raster['channels']
  readonly #pixels: Uint8Array
  readonly #placeOfBand = new Map<number, number>()
  #y = 0

  constructor({ width, height, channels }: Raster, count: number) {
    const bands = Math.floor(height / BAND_ROWS)
    this.width = width
    this.height = count * BAND_ROWS
    this.channels = channels
    this.#pixels = new Uint8Array(width * this.height * channels)
    for (let i = 0; i < count; i++) this.#placeOfBand.set(Math.floor(((i + 0.5) * bands) / count), i)
  }

  /** Takes the rows of the cut from the next strip of the picture. */
  add(strip: Uint8Array): void {
    const rowBytes = this.width * this.channels
    for (let at = 0; at < strip.length; at += rowBytes, this.#y++) {
      const place = this.#placeOfBand.get(Math.floor(this.#y / BAND_ROWS))
      if (place !== undefined) this.#pixels.set(strip.subarray(at, at + rowBytes), (place * BAND_ROWS + (this.#y % BAND_ROWS)) * rowBytes)
    }
  }

  async *rows(): AsyncGenerator<Uint8Array> {
    yield* stripsOf(this.#pixels, this)
  }
}
