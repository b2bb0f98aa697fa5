import { log10 } from '../bytes/same-math.ts'
/** Signal-to-noise ratio of audio, accumulated block by block. */
export class SnrMeter {
  signal = 0
  noise = 0

  /** Adds samples of the original and the result, in the same scale and order. */
  add(original: ArrayLike<number>, result: ArrayLike<number>, count: number = Math.min(original.length, result.length)): void {
    let signal = 0
    let noise = 0
    for (let i = 0; i < count; i++) {
      const a = original[i]!
      const d = a - result[i]!
      signal += a * a
      noise += d * d
    }
    this.signal += signal
    this.noise += noise
  }

  /** Ratio in dB. `Infinity` without noise; negative infinity for noise without signal. */
  get decibels(): number {
    return this.noise === 0 ? Number.POSITIVE_INFINITY : 10 * log10(this.signal / this.noise)
  }
}
