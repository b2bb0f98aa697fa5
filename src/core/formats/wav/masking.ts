/** Whether the hiss of fewer bits stays unheard: below what the sound itself hides, or below what an ear hears at all. */
import { leastOf } from '../../bytes/min-max.ts'
import { type DitheredBits, ditherNoiseDb } from './dither.ts'
import type { Samples } from './samples.ts'
import { type Band, BandSpectrum, criticalBands } from './spectrum.ts'

/** The file's loudest sample is played this loud, in dB SPL of a sine: a quiet recording is turned up. */
const LOUDEST_DB_SPL = 96
/** The hiss stays so far below what the sound hides … */
const HIDDEN_MARGIN_DB = 6
/** … or below the threshold in quiet, which the quietest codec's own noise passes by some 10 dB. */
const QUIET_MARGIN_DB = 3

/** Threshold in quiet in dB SPL (Terhardt, "Calculating virtual pitch", Hearing Research 1, 1979). */
function quietDbSpl(hertz: number): number {
  const k = hertz / 1000
  return 3.64 * k ** -0.8 - 6.5 * Math.exp(-0.6 * (k - 3.3) ** 2) + 1e-3 * k ** 4
}

/** What a band's sound hides in a band so many Bark above it, in dB (Schroeder, Atal and Hall, JASA 66, 1979). */
const spreadDb = (bark: number) => 15.81 + 7.5 * (bark + 0.474) - 17.5 * Math.sqrt(1 + (bark + 0.474) ** 2)
/** How far noise must lie below a tone that hides it, the stricter case, by the tone's band (Johnston, IEEE JSAC 6, 1988). */
const belowToneDb = (band: number) => 14.5 + band

const decibels = (power: number) => 10 * Math.log10(power)

/** Watches sound go by and answers at its end. */
export class MaskingMeter {
  readonly #channels: number
  readonly #bands: readonly Band[]
  readonly #spectrum: BandSpectrum
  /** Bands where the sound once did not hide the hiss of 16 bits. */
  readonly #bare: Uint8Array
  /** Strength of the hiss by band as a share of all of it, in dB. */
  readonly #shareDb: readonly number[]
  readonly #quietDb: readonly number[]
  /** Share of a band's power that counts in another: `to * bands + from`. */
  readonly #spread: Float64Array
  /** The stretch of each channel that is being gathered. */
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
      return 10 ** ((spreadDb(to - from) - belowToneDb(from)) / 10)
    })
    this.#stretch = Array.from({ length: channels }, () => new Float64Array(this.#spectrum.length))
  }

  add(samples: Samples): void {
    const { values } = samples
    const scale = samples.kind === 'integer' ? 2 ** (1 - samples.bits) : 1
    for (let at = 0; at < values.length; at += this.#channels) {
      for (let channel = 0; channel < this.#channels; channel++) {
        const value = values[at + channel]! * scale
        this.#stretch[channel]![this.#gathered] = value
        // What is not a number stays one.
        this.#peak = Math.max(this.#peak, Math.abs(value))
      }
      if (++this.#gathered === this.#spectrum.length) this.#look()
    }
  }

  /** After the last sample: whether the hiss of so many bits is inaudible, and nothing is clipped. */
  allows(bits: DitheredBits): boolean {
    if (this.#gathered > 0) {
      // The end together with what came before it.
      for (const stretch of this.#stretch) stretch.set([...stretch.subarray(this.#gathered), ...stretch.subarray(0, this.#gathered)])
      this.#look()
    }
    if (!(this.#peak <= 1)) return false
    const playedDb = LOUDEST_DB_SPL - 20 * Math.log10(this.#peak) + ditherNoiseDb(bits)
    return this.#bands.every((_, band) => {
      const hidden = bits === 16 && this.#bare[band] === 0
      return hidden || playedDb + this.#shareDb[band]! + QUIET_MARGIN_DB <= this.#quietDb[band]!
    })
  }

  #look(): void {
    this.#gathered = 0
    if (this.#bare.every((bare) => bare === 1)) return
    const count = this.#bands.length
    const noiseDb = ditherNoiseDb(16)
    for (const stretch of this.#stretch) {
      const powers = this.#spectrum.measure(stretch)
      for (let to = 0; to < count; to++) {
        let hides = 0
        for (let from = 0; from < count; from++) hides += powers[from]! * this.#spread[to * count + from]!
        // A sine of full scale has a mean square of a half.
        if (!(noiseDb + this.#shareDb[to]! + HIDDEN_MARGIN_DB <= decibels(hides / 0.5))) this.#bare[to] = 1
      }
    }
  }
}

/** The lowest threshold in quiet inside a band. */
function quietest({ from, to }: Band): number {
  const steps = Array.from({ length: 16 }, (_, i) => from + ((to - from) * (i + 0.5)) / 16)
  return leastOf(steps.map(quietDbSpl))
}
