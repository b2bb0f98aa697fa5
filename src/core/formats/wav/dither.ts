/** Samples rounded to fewer bits with dither, so that what is lost is an even hiss and never a distortion of the sound. */
import type { Samples } from './samples.ts'

/** Words that samples are dithered to. */
export type DitheredBits = 16 | 24

/** Marsaglia, "Xorshift RNGs" (2003), 32 bits, as −½…½: the same for every run, so that equal uploads have equal results. */
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
 * Rounds with triangular dither of ±1 step (Lipshitz, Wannamaker and Vanderkooy, "Quantization and Dither", JAES 40, 1992):
 * the error is white, a quarter of a squared step strong whatever the sound is.
 */
export class Dither {
  readonly #bits: DitheredBits
  readonly #noise = new Noise()

  constructor(bits: DitheredBits) {
    this.#bits = bits
  }

  /** Signed integers of the fewer bits. Digital silence stays silent. */
  round(samples: Samples): Int32Array<ArrayBuffer> {
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

/** Strength of the error of dithered samples in dB below a full-scale sine: a quarter of a squared step against a half. */
export const ditherNoiseDb = (bits: DitheredBits): number => 10 * Math.log10((2 ** (1 - bits)) ** 2 / 4 / 0.5)
