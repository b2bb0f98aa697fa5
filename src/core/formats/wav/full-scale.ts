/** Float samples that no integer holds: beyond full scale, or no numbers at all. */
import type { Samples } from './samples.ts'

export class FullScale {
  /** The largest magnitude, 1 being full scale. */
  #peak = 0
  #numbers = true

  add(samples: Samples): void {
    if (samples.kind !== 'float') return
    for (const value of samples.values) {
      const magnitude = Math.abs(value)
      if (magnitude > this.#peak) this.#peak = magnitude
      if (!Number.isFinite(value)) this.#numbers = false
    }
  }

  /** Why other forms would clip the sound, in words; undefined where they would not. */
  get excess(): string | undefined {
    if (!this.#numbers) return 'samples that are infinite or no numbers'
    return this.#peak > 1 ? `samples that reach ${this.#peak.toFixed(2)} times full scale` : undefined
  }
}
