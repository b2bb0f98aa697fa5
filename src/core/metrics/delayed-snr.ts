/** Signal-to-noise ratio of sound whose decoded samples arrive later than the original ones. */
import { discard } from '../../../wasm/memories/discard.ts'
import { SnrMeter } from './snr.ts'

export class DelayedSnr {
  readonly #meter = new SnrMeter()
  /** Original samples that are not compared with decoded ones yet. */
  #expected: (readonly Float32Array[])[] = []
  /** Samples of the first block that are compared. */
  #at = 0
  #skip: number

  /** @param skip decoded samples in front of the first original one: the delay of encoder and decoder */
  constructor(skip: number) {
    this.#skip = skip
  }

  get decibels(): number {
    return this.#meter.heardDecibels
  }

  /** Adds planar samples of the original. They are freed after the comparison. */
  expect(planar: readonly Float32Array[]): void {
    this.#expected.push(planar)
  }

  /** Compares planar decoded samples with the original ones, and frees them. Samples behind the end of the original do not count. */
  decoded(planar: readonly Float32Array[]): void {
    const count = planar[0]?.length ?? 0
    let from = Math.min(this.#skip, count)
    this.#skip -= from
    while (from < count && this.#expected[0]) {
      const [first] = this.#expected
      const part = Math.min(count - from, first[0]!.length - this.#at)
      for (const [channel, samples] of first.entries())
        this.#meter.add(samples.subarray(this.#at, this.#at + part), planar[channel]!.subarray(from, from + part))
      from += part
      this.#at += part
      if (this.#at < first[0]!.length) continue
      this.#expected.shift()?.forEach(discard)
      this.#at = 0
    }
    planar.forEach(discard)
  }
}
