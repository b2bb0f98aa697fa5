/** What eyes see of the difference between two pictures, beyond SSIM and PSNR of the luma. */
import { retire } from '../../../wasm/memories/memories.ts'
import { createVisibleKernel, type VisibleKernel } from '../../../wasm/visible/visible.ts'
import type { Channels } from './ssim-psnr.ts'

export interface PerceptualFigures {
  /**
   * SSIMULACRA 2.1 of the whole picture, of opaque samples as sRGB: 90 is not to be told apart, 85 not in place at 1:1, 70 differs
   * without annoying, 50 annoys slightly. 100 when equal. Translucent pictures on black, grey and white, the worst. Pictures below
   * 113 pixels a side, which have fewer scales, are scored as the published programs score them.
   * undefined: the picture is too small for it, less than 64 pixels on a side.
   */
  readonly score: number | undefined
  /** The same of the worst tile of 64 × 64 pixels. */
  readonly worstTile: number | undefined
  /** Distance in CIE Lab a and b of the mean colour, in the worst window of 15 × 15 pixels. */
  readonly cast: number
  /** What smooth areas are off in steps, in CIE Lab, in the worst such window. */
  readonly steps: number
  /** The same of narrow ones, 5 to 10 pixels apart. */
  readonly bands: number
  /** What single pixels stand out in smooth areas, in CIE Lab, in the worst such window. */
  readonly specks: number
  /** Standard deviation in levels of luma (of 255) of what came into the worst block of 8 × 8 pixels that was of one colour. */
  readonly dirt: number
}

/** Smaller pictures have too few scales left for the score to say much. */
export const LEAST_SCORED = 64
/** Pixels of a row; what is wider cannot be measured. */
export const WIDEST = 0x8000
const BATCH_BYTES = 64 * 1024

/** Some 700 bytes a pixel of width, 2,000 where the picture is translucent. */
class Rows {
  protected kernel: VisibleKernel
  readonly #rowBytes: number
  readonly #rowCapacity: number
  readonly #scored: boolean
  #rowsLeft: number

  /** Samples have 8 bits; alpha is not premultiplied. */
  constructor(width: number, height: number, channels: Channels, what: 'all' | 'score') {
    if (!(width >= 1 && height >= 1 && width <= WIDEST)) throw new RangeError(`a picture of ${width}×${height} cannot be measured`)
    this.#rowBytes = width * channels
    this.#rowCapacity = Math.max(1, Math.floor(BATCH_BYTES / this.#rowBytes))
    this.#rowsLeft = height
    this.#scored = Math.min(width, height) >= LEAST_SCORED
    this.kernel = createVisibleKernel()
    this.#hold(this.kernel.begin(width, height, channels, this.#rowCapacity, what === 'all' ? 1 : 0))
  }

  /** The next rows of both: the same whole number of rows, packed. */
  push(reference: Uint8Array, candidate: Uint8Array): void {
    const rows = reference.length / this.#rowBytes
    if (reference.length !== candidate.length || !Number.isInteger(rows) || rows > this.#rowsLeft)
      throw new RangeError(`expected whole rows of ${this.#rowBytes} bytes, at most ${this.#rowsLeft} more`)
    const { kernel } = this
    for (let row = 0; row < rows; row += this.#rowCapacity) {
      const count = Math.min(this.#rowCapacity, rows - row)
      const [from, to] = [row * this.#rowBytes, (row + count) * this.#rowBytes]
      new Uint8Array(kernel.memory.buffer, kernel.reference_at(), to - from).set(reference.subarray(from, to))
      new Uint8Array(kernel.memory.buffer, kernel.candidate_at(), to - from).set(candidate.subarray(from, to))
      this.#hold(kernel.push(count))
    }
    this.#rowsLeft -= rows
  }

  protected end(): void {
    if (this.#rowsLeft > 0) throw new RangeError(`${this.#rowsLeft} rows were not pushed`)
    this.kernel.finish()
  }

  protected get score(): number | undefined {
    return this.#scored ? this.kernel.score() : undefined
  }

  protected get worstTile(): number | undefined {
    return this.#scored ? this.kernel.worst_tile() : undefined
  }

  #hold(hadMemory: number): void {
    if (hadMemory) return
    this[Symbol.dispose]()
    throw new RangeError(`no memory to measure rows of ${this.#rowBytes} bytes`)
  }

  /** Without figures; `finish` does so, too. */
  [Symbol.dispose](): void {
    this.kernel = retire(this.kernel)
  }
}

/** Compares two pictures of the same size, delivered row by row from the top. */
export class PerceptualMeter extends Rows {
  constructor(width: number, height: number, channels: Channels) {
    super(width, height, channels, 'all')
  }

  /** The figures, once all rows have been pushed; nothing can follow. */
  finish(): PerceptualFigures {
    this.end()
    const { score, worstTile, kernel } = this
    const { cast, steps, bands, specks, flat_dirt } = kernel
    const visible = { score, worstTile, cast: cast(), steps: steps(), bands: bands(), specks: specks(), dirt: flat_dirt() }
    this[Symbol.dispose]()
    return visible
  }
}

/** The same for the score alone, in a fifth of the time. */
export class ScoreMeter extends Rows {
  constructor(width: number, height: number, channels: Channels) {
    super(width, height, channels, 'score')
  }

  /** `Visible.score`, once all rows have been pushed; nothing can follow. */
  finish(): number | undefined {
    this.end()
    const { score } = this
    this[Symbol.dispose]()
    return score
  }
}
