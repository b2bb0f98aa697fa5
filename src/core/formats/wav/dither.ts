/** Rounds samples to fewer bits with dither, so that the error is constant noise instead of distortion. */
import { log10 } from '../../bytes/same-math.ts'
import type { SampleBlock } from './samples.ts'

/** Bit depths that samples can be dithered to. */
export type DitheredBits = 16 | 24

/**
 * Random numbers from −½ to ½: 32-bit xorshift (Marsaglia, "Xorshift RNGs", 2003). The seed is fixed, so that equal uploads give equal
 * results.
 */
class Noise {
  #state = 0x9e3779b9

  next(): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) / 2 ** 32 - 0.5
  }
}

/**
 * Rounds with triangular dither of ±1 step (Lipshitz, Wannamaker and Vanderkooy, "Quantization and Dither", JAES 40, 1992). The error is
 * white noise with a mean square of a quarter of a squared step, whatever the sound.
 */
export class Dither {
  readonly #bits: DitheredBits
  readonly #noise = new Noise()

  constructor(bits: DitheredBits) {
    this.#bits = bits
  }

  /** Returns signed integers with the fewer bits. Digital silence stays zero. */
  round(samples: SampleBlock): Int32Array<ArrayBuffer> {
    const highest = 2 ** (this.#bits - 1) - 1
    const scale = samples.kind === 'integer' ? 2 ** (this.#bits - samples.bits) : 2 ** (this.#bits - 1)
    const out = new Int32Array(samples.values.length)
    for (let i = 0; i < out.length; i++) {
      const value = samples.values[i]!
      if (value === 0) continue
      const rounded = Math.round(value * scale + this.#noise.next() + this.#noise.next())
      out[i] = Math.max(-highest - 1, Math.min(highest, rounded))
    }
    return out
  }
}

/** Power of the dither error in dB relative to a full-scale sine: a quarter of a squared step against a mean square of ½. */
export const ditherNoiseDb = (bits: DitheredBits): number => 10 * log10((2 ** (1 - bits)) ** 2 / 4 / 0.5)
