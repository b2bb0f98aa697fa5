/** What eyes see of the difference between two pictures, beyond SSIM and PSNR of the luma. */
import { retire } from '../../wasm/memories/memories.ts'
import { createVisibleKernel, type VisibleKernel } from '../../wasm/visible/visible.ts'
import type { Channels } from './metrics.ts'

export interface Visible {
  /**
   * SSIMULACRA 2.1 of the whole picture, of opaque samples as sRGB: 90 is not to be told apart, 85 not in place at 1:1, 70 differs
   * without annoying, 50 annoys slightly. 100 when equal. Translucent pictures on black, grey and white, the worst.
   * undefined: the picture is too small for it, less than 64 pixels on a side.
   */
  readonly score: number | undefined
  /** The same of the worst tile of 64 × 64 pixels. */
  readonly worstTile: number | undefined
  /** Distance in CIE Lab a and b of the mean colour, in the worst window of 15 × 15 pixels. */
  readonly cast: number
  /** What smooth areas are off in steps, in CIE Lab, in the worst such window. */
  readonly steps: number
  /** Standard deviation in levels of luma (of 255) of what came into the worst block of 8 × 8 pixels that was of one colour. */
  readonly dirt: number
}

/** Smaller pictures have too few scales left for the score to say much. */
export const LEAST_SCORED = 64
const BATCH_BYTES = 64 * 1024

/** Compares two pictures of the same size, delivered row by row from the top; some 700 bytes a pixel of width. */
export class VisibleMeter {
  #kernel: VisibleKernel
  readonly #rowBytes: number
  readonly #rowCapacity: number
  readonly #scored: boolean
  #rowsLeft: number

  /** Samples have 8 bits; alpha is not premultiplied. */
  constructor(width: number, height: number, channels: Channels) {
    if (!(width >= 1 && height >= 1 && width <= 0x8000)) throw new RangeError(`a picture of ${width}×${height} cannot be measured`)
    this.#rowBytes = width * channels
    this.#rowCapacity = Math.max(1, Math.floor(BATCH_BYTES / this.#rowBytes))
    this.#rowsLeft = height
    this.#scored = Math.min(width, height) >= LEAST_SCORED
    this.#kernel = createVisibleKernel()
    if (!this.#kernel.begin(width, height, channels, this.#rowCapacity)) {
      this[Symbol.dispose]()
      throw new RangeError(`no memory to measure rows of ${width} pixels`)
    }
  }

  /** The next rows of both: the same whole number of rows, packed. */
  push(reference: Uint8Array, candidate: Uint8Array): void {
    const rows = reference.length / this.#rowBytes
    if (reference.length !== candidate.length || !Number.isInteger(rows) || rows > this.#rowsLeft)
      throw new RangeError(`expected whole rows of ${this.#rowBytes} bytes, at most ${this.#rowsLeft} more`)
    const kernel = this.#kernel
    for (let row = 0; row < rows; row += this.#rowCapacity) {
      const count = Math.min(this.#rowCapacity, rows - row)
      const [from, to] = [row * this.#rowBytes, (row + count) * this.#rowBytes]
      new Uint8Array(kernel.memory.buffer, kernel.reference_at(), to - from).set(reference.subarray(from, to))
      new Uint8Array(kernel.memory.buffer, kernel.candidate_at(), to - from).set(candidate.subarray(from, to))
      kernel.push(count)
    }
    this.#rowsLeft -= rows
  }

  /** The figures, once all rows have been pushed; nothing can follow. */
  finish(): Visible {
    if (this.#rowsLeft > 0) throw new RangeError(`${this.#rowsLeft} rows were not pushed`)
    const kernel = this.#kernel
    kernel.finish()
    const visible = {
      score: this.#scored ? kernel.score() : undefined,
      worstTile: this.#scored ? kernel.worst_tile() : undefined,
      cast: kernel.cast(),
      steps: kernel.steps(),
      dirt: kernel.flat_dirt(),
    }
    this[Symbol.dispose]()
    return visible
  }

  /** Without figures; `finish` does so, too. */
  [Symbol.dispose](): void {
    this.#kernel = retire(this.#kernel)
  }
}
