/** How close a picture is to the original: what the floors and the levels are measured with. */
import { retire } from '../../../wasm/memories/memories.ts'
import { createSsimKernel, type SsimKernel } from '../../../wasm/ssim/ssim.ts'

export interface Similarity {
  /** Mean SSIM of the luma, 11×11 Gaussian window with σ 1.5, 1 when equal. With transparency: on black or white, the worse. */
  readonly ssim: number
  /** PSNR of the luma in dB for a peak of 255; Infinity when equal. On the same terms. */
  readonly psnrDb: number
  /** PSNR over all colour channels in dB: catches lost colour, which luma cannot see. */
  readonly psnrRgbDb: number
}

/** Samples of a pixel: grey, grey and alpha, RGB, RGBA; alpha not premultiplied. */
export type Channels = 1 | 2 | 3 | 4

const BATCH_BYTES = 64 * 1024

/**
 * Compares two pictures of the same size, delivered row by row from the top; holds eleven rows. 12 megapixels take about
 * 0.3 s. Equal to the definition (wasm/measure/window.h) within 0.0001.
 */
export class SimilarityMeter {
  #kernel: SsimKernel
  readonly #height: number
  readonly #rowBytes: number
  readonly #rowCapacity: number
  #rows = 0

  /** Samples have 8 bits, or 16 (little-endian, 65535 stands for 255). */
  constructor(width: number, height: number, channels: Channels, bits: 8 | 16 = 8) {
    if (!(width >= 1 && height >= 1 && width <= 0x40000)) throw new RangeError(`a picture of ${width}×${height} cannot be measured`)
    this.#height = height
    this.#rowBytes = (width * channels * bits) / 8
    this.#rowCapacity = Math.max(1, Math.floor(BATCH_BYTES / this.#rowBytes))
    this.#kernel = createSsimKernel()
    if (!this.#kernel.begin(width, channels, this.#rowCapacity, bits === 16 ? 1 : 0))
      throw new RangeError(`no memory to measure rows of ${width} pixels`)
  }

  /** The next rows of both: the same whole number of rows, packed. */
  push(reference: Uint8Array, candidate: Uint8Array): void {
    const rows = reference.length / this.#rowBytes
    if (reference.length !== candidate.length || !Number.isInteger(rows) || this.#rows + rows > this.#height) {
      throw new RangeError(`expected whole rows of ${this.#rowBytes} bytes, at most ${this.#height - this.#rows} more`)
    }
    for (let row = 0; row < rows; row += this.#rowCapacity) {
      const from = row * this.#rowBytes
      const to = Math.min(row + this.#rowCapacity, rows) * this.#rowBytes
      this.#feed(reference.subarray(from, to), candidate.subarray(from, to))
    }
    this.#rows += rows
  }

  /** The figures, once all rows have been pushed; nothing can follow. */
  finish(): Similarity {
    if (this.#rows !== this.#height) throw new RangeError(`only ${this.#rows} of ${this.#height} rows were pushed`)
    this.#kernel.finish()
    const lumaError = this.#kernel.luma_mse()
    const similarity = {
      ssim: lumaError === 0 ? 1 : Math.min(1, this.#kernel.ssim()),
      psnrDb: psnrDb(lumaError),
      psnrRgbDb: psnrDb(this.#kernel.colour_mse()),
    }
    this[Symbol.dispose]()
    return similarity
  }

  /** Without figures; `finish` does so, too. */
  [Symbol.dispose](): void {
    this.#kernel = retire(this.#kernel)
  }

  #feed(reference: Uint8Array, candidate: Uint8Array): void {
    const { memory } = this.#kernel
    new Uint8Array(memory.buffer, this.#kernel.reference_at(), reference.length).set(reference)
    new Uint8Array(memory.buffer, this.#kernel.candidate_at(), candidate.length).set(candidate)
    this.#kernel.push(reference.length / this.#rowBytes)
  }
}

/** Peak signal-to-noise ratio for a mean squared error of 8-bit samples. */
export function psnrDb(meanSquaredError: number): number {
  return meanSquaredError === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 * 255) / meanSquaredError)
}

/** The other way round; 0 for infinity. */
export const meanSquaredError = (decibels: number): number => (255 * 255) / 10 ** (decibels / 10)
