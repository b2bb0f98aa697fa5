/** Detects float samples that integers cannot store: beyond full scale, or NaN and infinite. */
import { type Message, message } from '../../i18n/message.ts'
import type { SampleBlock } from './samples.ts'

export class FullScaleCheck {
  /** Largest magnitude of the samples; 1 is full scale. */
  #peak = 0
  #numbers = true

  add(samples: SampleBlock): void {
    if (samples.kind !== 'float') return
    for (const value of samples.values) {
      const magnitude = Math.abs(value)
      if (magnitude > this.#peak) this.#peak = magnitude
      if (!Number.isFinite(value)) this.#numbers = false
    }
  }

  /** Reason why other forms would clip the sound. `undefined`: they would not. */
  get clippingReason(): Message | undefined {
    if (!this.#numbers) return message('samples_no_numbers')
    return this.#peak > 1 ? message('samples_reach', { factor: this.#peak.toFixed(2) }) : undefined
  }
}
