/** SSIM and PSNR of two pictures, as used by floors and levels. */

import { retire } from '../../../wasm/memories/memories.ts'
import { createSsimKernel, type SsimKernel } from '../../../wasm/ssim/ssim.ts'
import { log10, pow } from '../bytes/same-math.ts'

export interface Similarity {
  /**
   * Mean SSIM of luma (11 × 11 Gaussian window, σ 1.5), 1 if equal. A translucent picture is measured on black and white; the lower counts.
   */
  readonly ssim: number
  /** PSNR of luma in dB for a peak of 255; `Infinity` if equal. A translucent picture is measured on black and white; the lower counts. */
  readonly psnrDb: number
  /** PSNR over all colour channels in dB. It detects lost colour, which luma does not show. */
  readonly psnrRgbDb: number
}

/** Samples per pixel: grey, grey and alpha, RGB, RGBA. Alpha is not premultiplied. */
export type Channels = 1 | 2 | 3 | 4

const BATCH_BYTES = 64 * 1024

/**
 * Compares two pictures of the same size row by row from the top, with eleven rows in memory. 12 megapixels take about 0.3 s. The SSIM
 * differs by less than 0.0001 from the definition (wasm/measure/window.h).
 */
export class SimilarityMeter {
  #kernel: SsimKernel
  readonly #height: number
  readonly #rowBytes: number
  readonly #rowCapacity: number
  #rows = 0

  /**
   * @param bits 8, or 16 for little-endian samples whose peak is 65535
   * @throws RangeError if the size cannot be measured
   */
  constructor(width: number, height: number, channels: Channels, bits: 8 | 16 = 8) {
    if (!(width >= 1 && height >= 1 && width <= 0x40000))
      throw new RangeError(`a picture of ${width}×${height} pixels cannot be measured; the width may be 1 to ${0x40000}`)
    this.#height = height
    this.#rowBytes = (width * channels * bits) / 8
    this.#rowCapacity = Math.max(1, Math.floor(BATCH_BYTES / this.#rowBytes))
    this.#kernel = createSsimKernel()
    if (!this.#kernel.begin(width, channels, this.#rowCapacity, bits === 16 ? 1 : 0))
      throw new RangeError(`no memory to measure rows of ${width} pixels`)
  }

  /** Adds the next rows of both pictures: the same number of whole rows, without padding. */
  push(reference: Uint8Array, candidate: Uint8Array): void {
    this.#push(reference, candidate, this.#rowBytes, (rows) => this.#kernel.push(rows))
  }

  /** Adds the next rows of RGBA whose colours are multiplied by alpha, composited over a grey level. The meter must have RGB. */
  pushPremultiplied(reference: Uint8Array, candidate: Uint8Array, background: 0 | 255): void {
    const compare = (rows: number) => this.#kernel.push_over(rows, background === 255 ? 1 : 0)
    this.#push(reference, candidate, (this.#rowBytes / 3) * 4, compare)
  }

  #push(reference: Uint8Array, candidate: Uint8Array, rowBytes: number, compare: (rows: number) => void): void {
    const rows = reference.length / rowBytes
    if (reference.length !== candidate.length || !Number.isInteger(rows) || this.#rows + rows > this.#height) {
      throw new RangeError(`expected whole rows of ${rowBytes} bytes, at most ${this.#height - this.#rows} more`)
    }
    for (let row = 0; row < rows; row += this.#rowCapacity) {
      const to = Math.min(row + this.#rowCapacity, rows)
      this.#feed(reference.subarray(row * rowBytes, to * rowBytes), candidate.subarray(row * rowBytes, to * rowBytes))
      compare(to - row)
    }
    this.#rows += rows
  }

  /** Returns the figures. All rows must have been pushed, and the meter cannot be used afterwards. */
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

  /** Frees the kernel without figures. `finish` frees it, too. */
  [Symbol.dispose](): void {
    this.#kernel = retire(this.#kernel)
  }

  #feed(reference: Uint8Array, candidate: Uint8Array): void {
    const { memory } = this.#kernel
    new Uint8Array(memory.buffer, this.#kernel.reference_at(), reference.length).set(reference)
    new Uint8Array(memory.buffer, this.#kernel.candidate_at(), candidate.length).set(candidate)
  }
}

/** Returns the PSNR in dB for a mean squared error of 8-bit samples; `Infinity` for 0. */
export function psnrDb(meanSquaredError: number): number {
  return meanSquaredError === 0 ? Number.POSITIVE_INFINITY : 10 * log10((255 * 255) / meanSquaredError)
}

/** Returns the mean squared error for a PSNR in dB; 0 for `Infinity`. */
export const meanSquaredError = (decibels: number): number => (255 * 255) / pow(10, decibels / 10)
