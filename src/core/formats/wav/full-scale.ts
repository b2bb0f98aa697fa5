/** Float samples that no integer holds: beyond full scale, or no numbers at all. */
import { type Message, message } from '../../i18n/message.ts'
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
  get excess(): Message | undefined {
    if (!this.#numbers) return message('samples_no_numbers')
    return this.#peak > 1 ? message('samples_reach', { factor: this.#peak.toFixed(2) }) : undefined
  }
}
