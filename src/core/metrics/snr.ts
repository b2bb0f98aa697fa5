import { log10 } from '../bytes/same-math.ts'
import { FLOOR_SNR_DB } from '../catalog/floors.ts'

/** Mean power of the noise of rounding to 16 bits, for samples of full scale 1: −101 dBFS. */
const ROUNDING_POWER = 2 ** -30 / 12

/** Signal-to-noise ratio of audio, accumulated block by block. */
export class SnrMeter {
  signal = 0
  noise = 0
  /** Samples that were added. */
  samples = 0

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
    this.samples += count
  }

  /** Ratio in dB. `Infinity` without noise; negative infinity for noise without signal. */
  get decibels(): number {
    return this.noise === 0 ? Number.POSITIVE_INFINITY : 10 * log10(this.signal / this.noise)
  }

  /**
   * Ratio in dB of samples of full scale 1. `Infinity` if the original is silent or nearly so and the noise is no more than that of
   * rounding to 16 bits. Opus decodes silence to such noise.
   */
  get heardDecibels(): number {
    const { decibels } = this
    return decibels < FLOOR_SNR_DB && this.noise <= this.samples * ROUNDING_POWER ? Number.POSITIVE_INFINITY : decibels
  }
}
