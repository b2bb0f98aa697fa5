/**
 * Converts sample rates that MP3 does not support, by a windowed sinc (Smith and Gossett, "A flexible sampling-rate conversion method",
 * ICASSP '84).
 */

import { sin } from '../bytes/same-math.ts'
import { FILTER_PHASES, KAISER_BETA, PASS_BAND, SINC_CROSSINGS } from './tuning.ts'

/** Modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let [sum, term] = [1, 1]
  for (let k = 1; k < 40; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

export class Resampler {
  readonly #from: number
  readonly #to: number
  /** Filter taps on each side of the centre. */
  readonly #half: number
  /** `FILTER_PHASES + 1` filters in one array. */
  readonly #filters: Float32Array
  /** Input samples per channel that later output needs, from sample `#start` on. */
  #kept: Float32Array[]
  #start = 0
  #received = 0
  #given = 0

  constructor(channels: number, from: number, to: number) {
    this.#from = from
    this.#to = to
    const shrink = Math.min(1, to / from)
    this.#half = Math.ceil(SINC_CROSSINGS / shrink)
    const taps = 2 * this.#half
    this.#filters = new Float32Array((FILTER_PHASES + 1) * taps)
    const edge = bessel(KAISER_BETA)
    for (let phase = 0; phase <= FILTER_PHASES; phase++) {
      let sum = 0
      for (let tap = 0; tap < taps; tap++) {
        const distance = tap - (this.#half - 1) - phase / FILTER_PHASES
        const x = Math.PI * distance * shrink * PASS_BAND
        const inside = 1 - (distance / this.#half) ** 2
        const value = inside <= 0 ? 0 : (x === 0 ? 1 : sin(x) / x) * (bessel(KAISER_BETA * Math.sqrt(inside)) / edge)
        this.#filters[phase * taps + tap] = value
        sum += value
      }
      for (let tap = 0; tap < taps; tap++) this.#filters[phase * taps + tap]! /= sum
    }
    this.#start = -this.#half
    this.#kept = Array.from({ length: channels }, () => new Float32Array(this.#half))
  }

  /** Number of resampled samples for `count` input samples. */
  static samples(count: number, from: number, to: number): number {
    return Math.round((count * to) / from)
  }

  push(planar: readonly Float32Array[]): Float32Array[] {
    this.#received += planar[0]!.length
    this.#kept = this.#kept.map((kept, channel) => {
      const joined = new Float32Array(kept.length + planar[channel]!.length)
      joined.set(kept)
      joined.set(planar[channel]!, kept.length)
      return joined
    })
    const end = this.#start + this.#kept[0]!.length
    // Produces output up to the last sample whose filter lies within the input so far.
    return this.#make(Math.max(this.#given, Math.ceil(((end - this.#half) * this.#to) / this.#from)))
  }

  /** Returns the remaining output, with silence after the end of the input. */
  finish(): Float32Array[] {
    const silence = new Float32Array(this.#half + 1)
    this.#kept = this.#kept.map((kept) => {
      const joined = new Float32Array(kept.length + silence.length)
      joined.set(kept)
      return joined
    })
    return this.#make(Resampler.samples(this.#received, this.#from, this.#to))
  }

  /** Computes output samples up to number `wanted`. */
  #make(wanted: number): Float32Array[] {
    const count = Math.max(0, wanted - this.#given)
    const out = this.#kept.map(() => new Float32Array(count))
    const taps = 2 * this.#half
    for (let i = 0; i < count; i++) {
      const place = (this.#given + i) * this.#from
      const whole = Math.floor(place / this.#to)
      const phase = ((place % this.#to) / this.#to) * FILTER_PHASES
      const [row, share] = [Math.floor(phase), phase - Math.floor(phase)]
      const first = row * taps
      const at = whole - this.#half + 1 - this.#start
      this.#kept.forEach((kept, channel) => {
        let low = 0
        let high = 0
        for (let tap = 0; tap < taps; tap++) {
          const sample = kept[at + tap]!
          low += sample * this.#filters[first + tap]!
          high += sample * this.#filters[first + taps + tap]!
        }
        out[channel]![i] = low + (high - low) * share
      })
    }
    this.#given += count
    const next = Math.floor((this.#given * this.#from) / this.#to) - this.#half + 1
    const drop = Math.max(0, Math.min(next - this.#start, this.#kept[0]!.length))
    if (drop > 0) {
      this.#kept = this.#kept.map((kept) => kept.slice(drop))
      this.#start += drop
    }
    return out
  }
}
