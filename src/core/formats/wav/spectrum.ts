/** Power of short windows of sound by critical band. */

import { cos, sin } from '../../bytes/same-math.ts'
import { MAX_BIN_HERTZ, MAX_WINDOW_BITS } from './tuning.ts'

/** Edges of the critical bands in Hz (Zwicker, "Subdivision of the Audible Frequency Range", JASA 33, 1961). */
const EDGES = [
  0, 100, 200, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700, 4400, 5300, 6400, 7700, 9500, 12000,
  15500, 20500,
]

export interface CriticalBand {
  readonly from: number
  readonly to: number
}

/** Critical bands below half of the sample rate. */
export function criticalBands(hertz: number): CriticalBand[] {
  const bands: CriticalBand[] = []
  for (let i = 0; i + 1 < EDGES.length && EDGES[i]! < hertz / 2; i++)
    bands.push({ from: EDGES[i]!, to: Math.min(EDGES[i + 1]!, hertz / 2) })
  return bands
}

/** Spectrum of one window of samples: Hann window and radix-2 Fourier transform. */
export class BandSpectrum {
  /** Samples per spectrum window, a power of two. */
  readonly length: number
  readonly #window: Float64Array
  readonly #cos: Float64Array
  readonly #sin: Float64Array
  readonly #re: Float64Array
  readonly #im: Float64Array
  readonly #swapped: Uint32Array
  /** Critical band of each spectrum bin. */
  readonly #bandOf: Uint8Array
  readonly #powers: Float64Array
  readonly #scale: number

  constructor(hertz: number, bands: readonly CriticalBand[]) {
    const bits = Math.max(6, Math.min(MAX_WINDOW_BITS, Math.ceil(Math.log2(hertz / MAX_BIN_HERTZ))))
    const n = 2 ** bits
    this.length = n
    this.#window = Float64Array.from({ length: n }, (_, i) => 0.5 - 0.5 * cos((2 * Math.PI * i) / n))
    this.#cos = Float64Array.from({ length: n / 2 }, (_, i) => cos((2 * Math.PI * i) / n))
    this.#sin = Float64Array.from({ length: n / 2 }, (_, i) => -sin((2 * Math.PI * i) / n))
    this.#re = new Float64Array(n)
    this.#im = new Float64Array(n)
    this.#swapped = Uint32Array.from({ length: n }, (_, i) => reversed(i, bits))
    const last = bands.length - 1
    this.#bandOf = Uint8Array.from({ length: n / 2 }, (_, bin) => {
      const found = bands.findIndex(({ to }) => (bin * hertz) / n < to)
      return found < 0 ? last : found
    })
    this.#powers = new Float64Array(bands.length)
    // Scales for both halves of the spectrum and for the window's power (3/8).
    this.#scale = 2 / (n * n * 0.375)
  }

  /** Mean square by band of `length` samples of one channel. Valid until the next call. */
  measure(samples: Float64Array): Float64Array {
    const n = this.length
    for (let i = 0; i < n; i++) {
      this.#re[i] = samples[this.#swapped[i]!]! * this.#window[this.#swapped[i]!]!
      this.#im[i] = 0
    }
    for (let size = 2; size <= n; size *= 2) this.#butterflies(size)
    this.#powers.fill(0)
    for (let bin = 1; bin < n / 2; bin++) {
      this.#powers[this.#bandOf[bin]!]! += (this.#re[bin]! ** 2 + this.#im[bin]! ** 2) * this.#scale
    }
    return this.#powers
  }

  #butterflies(size: number): void {
    const [re, im, n, half] = [this.#re, this.#im, this.length, size / 2]
    for (let k = 0; k < half; k++) {
      const [c, s] = [this.#cos[(k * n) / size]!, this.#sin[(k * n) / size]!]
      for (let a = k; a < n; a += size) {
        const b = a + half
        const x = re[b]! * c - im[b]! * s
        const y = re[b]! * s + im[b]! * c
        re[b] = re[a]! - x
        im[b] = im[a]! - y
        re[a]! += x
        im[a]! += y
      }
    }
  }
}

function reversed(value: number, bits: number): number {
  let out = 0
  for (let i = 0; i < bits; i++) out |= ((value >> i) & 1) << (bits - 1 - i)
  return out
}
