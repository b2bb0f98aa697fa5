/** Measures visible differences of two pictures that SSIM and PSNR of luma miss. */
import { retire } from '../../../wasm/memories/memories.ts'
import { createPerceptualKernel, type PerceptualKernel } from '../../../wasm/visible/visible.ts'
import type { Channels } from './ssim-psnr.ts'

export interface PerceptualFigures {
  /**
   * SSIMULACRA 2.1 score of the whole picture as sRGB: 100 equal, 90 indistinguishable, 85 indistinguishable side by side at 1:1, 70
   * different but not annoying, 50 slightly annoying. A translucent picture is scored on black, grey and white, and the lowest score
   * counts. Pictures below 113 pixels a side have fewer scales, as in the published programs. `undefined`: a side is below 64 pixels.
   */
  readonly score: number | undefined
  /** SSIMULACRA 2.1 score of the worst tile of 64 × 64 pixels. `undefined`: a side is below 64 pixels. */
  readonly worstTile: number | undefined
  /** Colour cast: distance of the mean colours in CIE Lab a and b, in the worst window of 15 × 15 pixels. */
  readonly cast: number
  /** Lightness error of smooth areas in CIE Lab, in the worst window of 15 × 15 pixels. It shows visible steps in gradients. */
  readonly steps: number
  /** Lightness error of narrow bands, 5 to 10 pixels apart, in the worst window of 15 × 15 pixels. */
  readonly bands: number
  /** Lightness difference of single pixels to their smooth surroundings in CIE Lab, in the worst window of 15 × 15 pixels. */
  readonly specks: number
  /** Standard deviation of luma (0–255) in the worst block of 8 × 8 pixels that has one colour in the original. */
  readonly dirt: number
}

/** Smallest side in pixels that is scored. Smaller pictures have too few scales for a meaningful score. */
export const MIN_SCORED_SIDE = 64
/** Largest width in pixels that can be measured. */
export const MAX_MEASURED_WIDTH = 0x8000
const BATCH_BYTES = 64 * 1024

/** Background over which premultiplied pixels are composited, as a grey level. `undefined`: they stay translucent. */
export type Background = 0 | 255 | undefined

/** What the kernel measures: 0 is the score, 1 adds the worst tile, 2 everything else. */
const MEASURES = { score: 0, tiles: 1, all: 3 } as const
/** Argument of the kernel for pixels that stay translucent. */
const NO_BACKGROUND = 1

/** Streams rows of two pictures to the Wasm kernel. Needs about 700 bytes per pixel of width, 2,000 for translucent pictures. */
class RowMeter {
  protected kernel: PerceptualKernel
  readonly #rowBytes: number
  readonly #rowCapacity: number
  readonly #scored: boolean
  #rowsLeft: number

  /**
   * @param what `score` measures only `score`, `tiles` also `worstTile`; both take a fifth of the time of `all`
   * @throws RangeError if the size is outside the limits. Samples have 8 bits, and alpha is not premultiplied
   */
  constructor(width: number, height: number, channels: Channels, what: keyof typeof MEASURES) {
    if (!(width >= 1 && height >= 1 && width <= MAX_MEASURED_WIDTH))
      throw new RangeError(`a picture of ${width}×${height} pixels cannot be measured; the width may be 1 to ${MAX_MEASURED_WIDTH}`)
    this.#rowBytes = width * channels
    this.#rowCapacity = Math.max(1, Math.floor(BATCH_BYTES / this.#rowBytes))
    this.#rowsLeft = height
    this.#scored = Math.min(width, height) >= MIN_SCORED_SIDE
    this.kernel = createPerceptualKernel()
    this.#assertMemory(this.kernel.begin(width, height, channels, this.#rowCapacity, MEASURES[what]))
  }

  /** Adds the next rows of both pictures: the same number of whole rows, without padding. */
  push(reference: Uint8Array, candidate: Uint8Array): void {
    this.#push(reference, candidate, (rows) => this.kernel.push(rows))
  }

  /** Adds the next rows of RGBA whose colours are multiplied by alpha. `background`: rows are composited over it. */
  pushPremultiplied(reference: Uint8Array, candidate: Uint8Array, background: Background): void {
    this.#push(reference, candidate, (rows) => this.kernel.push_premultiplied(rows, background ?? NO_BACKGROUND))
  }

  #push(reference: Uint8Array, candidate: Uint8Array, compare: (rows: number) => number): void {
    const rows = reference.length / this.#rowBytes
    if (reference.length !== candidate.length || !Number.isInteger(rows) || rows > this.#rowsLeft)
      throw new RangeError(`expected whole rows of ${this.#rowBytes} bytes, at most ${this.#rowsLeft} more`)
    const { kernel } = this
    for (let row = 0; row < rows; row += this.#rowCapacity) {
      const count = Math.min(this.#rowCapacity, rows - row)
      const [from, to] = [row * this.#rowBytes, (row + count) * this.#rowBytes]
      new Uint8Array(kernel.memory.buffer, kernel.reference_at(), to - from).set(reference.subarray(from, to))
      new Uint8Array(kernel.memory.buffer, kernel.candidate_at(), to - from).set(candidate.subarray(from, to))
      this.#assertMemory(compare(count))
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

  #assertMemory(hadMemory: number): void {
    if (hadMemory) return
    this[Symbol.dispose]()
    throw new RangeError(`no memory to measure rows of ${this.#rowBytes} bytes`)
  }

  /** Frees the kernel without figures. `finish` frees it, too. */
  [Symbol.dispose](): void {
    this.kernel = retire(this.kernel)
  }
}

/** Compares two pictures of the same size, row by row from the top. */
export class PerceptualMeter extends RowMeter {
  constructor(width: number, height: number, channels: Channels) {
    super(width, height, channels, 'all')
  }

  /** Returns the figures. All rows must have been pushed, and the meter cannot be used afterwards. */
  finish(): PerceptualFigures {
    this.end()
    const { score, worstTile, kernel } = this
    const { cast, steps, bands, specks, flat_dirt } = kernel
    const figures = { score, worstTile, cast: cast(), steps: steps(), bands: bands(), specks: specks(), dirt: flat_dirt() }
    this[Symbol.dispose]()
    return figures
  }
}

/** Measures the score and the worst tile of two pictures, in a fifth of the time of `PerceptualMeter`. */
export class TileMeter extends RowMeter {
  constructor(width: number, height: number, channels: Channels) {
    super(width, height, channels, 'tiles')
  }

  /** Returns the figures. All rows must have been pushed, and the meter cannot be used afterwards. */
  finish(): Pick<PerceptualFigures, 'score' | 'worstTile'> {
    this.end()
    const { score, worstTile } = this
    this[Symbol.dispose]()
    return { score, worstTile }
  }
}

/** Measures only the score of two pictures, in a fifth of the time of `PerceptualMeter`. */
export class ScoreMeter extends RowMeter {
  constructor(width: number, height: number, channels: Channels) {
    super(width, height, channels, 'score')
  }

  /** Returns the score as in `PerceptualFigures.score`. All rows must have been pushed, and the meter cannot be used afterwards. */
  finish(): number | undefined {
    this.end()
    const { score } = this
    this[Symbol.dispose]()
    return score
  }
}
