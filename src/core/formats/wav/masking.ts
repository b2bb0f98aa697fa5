/** Decides whether the noise of fewer bits is inaudible: masked by the sound itself, or below the threshold of hearing. */

import { minOf } from '../../bytes/min-max.ts'
import { exp, log10, pow } from '../../bytes/same-math.ts'
import { type DitheredBits, ditherNoiseDb } from './dither.ts'
import type { SampleBlock } from './samples.ts'
import { BandSpectrum, type CriticalBand, criticalBands } from './spectrum.ts'
import { HIDDEN_MARGIN_DB, LOUDEST_DB_SPL, QUIET_MARGIN_DB } from './tuning.ts'

/** Threshold in quiet in dB SPL (Terhardt, "Calculating virtual pitch", Hearing Research 1, 1979). */
function quietDbSpl(hertz: number): number {
  const k = hertz / 1000
  return 3.64 * pow(k, -0.8) - 6.5 * exp(-0.6 * (k - 3.3) ** 2) + 1e-3 * k ** 4
}

/** Masking in dB of a band on the band `bark` Bark above it (Schroeder, Atal and Hall, JASA 66, 1979). */
const spreadDb = (bark: number) => 15.81 + 7.5 * (bark + 0.474) - 17.5 * Math.sqrt(1 + (bark + 0.474) ** 2)
/** Level in dB by which noise must be below a tone that masks it, the stricter case, by the tone's band (Johnston, IEEE JSAC 6, 1988). */
const belowToneDb = (band: number) => 14.5 + band

const decibels = (power: number) => 10 * log10(power)

/** Measures masking over all samples. Call `allows` after the last one. */
export class MaskingMeter {
  readonly #channels: number
  readonly #bands: readonly CriticalBand[]
  readonly #spectrum: BandSpectrum
  /** 1 for each band in which the sound did not mask the 16-bit noise at least once. */
  readonly #bare: Uint8Array
  /** Share of the noise power in each band, in dB. */
  readonly #shareDb: readonly number[]
  readonly #quietDb: readonly number[]
  /** Masking factor of one band on another, index `to * bands + from`. */
  readonly #spread: Float64Array
  /** Samples of each channel that are collected for the next spectrum. */
  readonly #stretch: readonly Float64Array[]
  #gathered = 0
  #peak = 0

  constructor(channels: number, hertz: number) {
    const bands = criticalBands(hertz)
    this.#channels = channels
    this.#bands = bands
    this.#spectrum = new BandSpectrum(hertz, bands)
    this.#bare = new Uint8Array(bands.length)
    this.#shareDb = bands.map(({ from, to }) => decibels((to - from) / (hertz / 2)))
    this.#quietDb = bands.map(quietest)
    this.#spread = Float64Array.from({ length: bands.length ** 2 }, (_, i) => {
      const [to, from] = [Math.floor(i / bands.length), i % bands.length]
      return pow(10, (spreadDb(to - from) - belowToneDb(from)) / 10)
    })
    this.#stretch = Array.from({ length: channels }, () => new Float64Array(this.#spectrum.length))
  }

  add(samples: SampleBlock): void {
    const { values } = samples
    const scale = samples.kind === 'integer' ? 2 ** (1 - samples.bits) : 1
    for (let at = 0; at < values.length; at += this.#channels) {
      for (let channel = 0; channel < this.#channels; channel++) {
        const value = values[at + channel]! * scale
        this.#stretch[channel]![this.#gathered] = value
        // `Math.max` keeps NaN, so a NaN sample makes the peak NaN.
        this.#peak = Math.max(this.#peak, Math.abs(value))
      }
      if (++this.#gathered === this.#spectrum.length) this.#measure()
    }
  }

  /** After the last sample: true if the noise of `bits` bits is inaudible and no sample exceeds full scale. */
  allows(bits: DitheredBits): boolean {
    if (this.#gathered > 0) {
      // Completes the last, short window with the samples before it.
      for (const stretch of this.#stretch) stretch.set([...stretch.subarray(this.#gathered), ...stretch.subarray(0, this.#gathered)])
      this.#measure()
    }
    if (!(this.#peak <= 1)) return false
    const playedDb = LOUDEST_DB_SPL - 20 * log10(this.#peak) + ditherNoiseDb(bits)
    return this.#bands.every((_, band) => {
      const hidden = bits === 16 && this.#bare[band] === 0
      return hidden || playedDb + this.#shareDb[band]! + QUIET_MARGIN_DB <= this.#quietDb[band]!
    })
  }

  #measure(): void {
    this.#gathered = 0
    if (this.#bare.every((bare) => bare === 1)) return
    const count = this.#bands.length
    const noiseDb = ditherNoiseDb(16)
    for (const stretch of this.#stretch) {
      const powers = this.#spectrum.measure(stretch)
      for (let to = 0; to < count; to++) {
        let hides = 0
        for (let from = 0; from < count; from++) hides += powers[from]! * this.#spread[to * count + from]!
        // A full-scale sine has a mean square of ½.
        if (!(noiseDb + this.#shareDb[to]! + HIDDEN_MARGIN_DB <= decibels(hides / 0.5))) this.#bare[to] = 1
      }
    }
  }
}

/** Lowest threshold in quiet within a band. */
function quietest({ from, to }: CriticalBand): number {
  const steps = Array.from({ length: 16 }, (_, i) => from + ((to - from) * (i + 0.5)) / 16)
  return minOf(steps.map(quietDbSpl))
}
