/** Analyses all samples in one pass: which smaller form stores them without loss, and how much noise each lossy form adds. */

import { discard } from '../../../../wasm/memories/discard.ts'
import type { Message } from '../../i18n/message.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { Options, Source } from '../../model/codec.ts'
import { Dither, type DitheredBits } from './dither.ts'
import { FullScaleCheck } from './full-scale.ts'
import { g711 } from './g711.ts'
import type { Wave } from './header.ts'
import { ImaEncoder } from './ima.ts'
import { MaskingMeter } from './masking.ts'
import { in16BitUnits, readSamples, roundTo16Bits, type SampleBlock } from './samples.ts'
import { ADPCM_TRIAL_SECONDS, LOW_BAND_MARGIN_DB } from './tuning.ts'

/** Form in which the result stores samples. */
export type SampleForm =
  | { readonly coding: 'integer'; readonly bits: 8 | 16 | 24 | 32; readonly dithered?: true }
  | { readonly coding: 'float'; readonly bits: 32 | 64 }
  | { readonly coding: 'alaw' | 'mulaw'; readonly bits: 8 }
  | { readonly coding: 'ima'; readonly bits: 4 }

export interface WaveAnalysis {
  /** Smallest PCM or float form with equal samples. `undefined`: the present form. */
  readonly exact: SampleForm | undefined
  /** G.711 law that stores the same samples exactly. `undefined`: neither does. */
  readonly exactLaw: SampleForm | undefined
  /** Fewest dithered bits whose noise is inaudible. `undefined`: no fewer than present, or not tested. */
  readonly inaudibleBits: DitheredBits | undefined
  /** Signal-to-noise ratio, in dB, of the forms with audible loss. */
  readonly snrDb: { readonly dithered16: number; readonly alaw: number; readonly mulaw: number; readonly ima: number }
  /** Reason why integers would clip the sound. `undefined`: they would not. */
  readonly clippingReason: Message | undefined
}

/**
 * Measures the ratio below about 4 kHz, where errors of a drifting predictor are most audible: averages groups of samples of both signals
 * first.
 */
class LowBandMeter extends SnrMeter {
  readonly #channels: number
  readonly #span: number

  constructor(channels: number, hertz: number) {
    super()
    this.#channels = channels
    this.#span = Math.max(1, Math.round(hertz / 8000))
  }

  override add(original: ArrayLike<number>, result: ArrayLike<number>): void {
    const step = this.#channels * this.#span
    for (let at = 0; at + step <= original.length; at += step) {
      for (let channel = 0; channel < this.#channels; channel++) {
        let a = 0
        let b = 0
        for (let i = at + channel; i < at + step; i += this.#channels) {
          a += original[i]!
          b += result[i]!
        }
        this.signal += a * a
        this.noise += (a - b) ** 2
      }
    }
  }
}

/** Collects facts about the bits of all samples. */
class Bits {
  /** OR of all integer samples. Its trailing zero bits are zero in every sample. */
  or = 0
  inMulaw = true
  inAlaw = true
  /** Float samples only: true while all are multiples of 2⁻¹⁵, 2⁻²³ or 2⁻³¹ inside −1…1, or exact in single precision. */
  fits = { 16: true, 24: true, 32: true, single: true }

  /** True once no smaller form can store the samples. */
  #settled = false

  /** Adds samples. False if further samples cannot change the result. */
  add(samples: SampleBlock): boolean {
    if (this.#settled) return false
    if (samples.kind === 'float') {
      this.#addFloats(samples.values)
      this.#settled = !Object.values(this.fits).includes(true)
      return !this.#settled
    }
    const { values } = samples
    // Once one integer sample is odd, all bits are needed.
    for (let i = 0; i < values.length && !(this.or & 1); i++) this.or |= values[i]!
    if (samples.bits === 16 && (this.inAlaw || this.inMulaw)) this.#addLaws(values)
    this.#settled = (this.or & 1) === 1 && (samples.bits !== 16 || !(this.inAlaw || this.inMulaw))
    return !this.#settled
  }

  #addLaws(values: Int32Array): void {
    const { alaw, mulaw } = g711()
    for (const value of values) {
      if (this.inAlaw && alaw.expand[alaw.compress[value + 32768]!] !== value) this.inAlaw = false
      if (this.inMulaw && mulaw.expand[mulaw.compress[value + 32768]!] !== value) this.inMulaw = false
      if (!this.inAlaw && !this.inMulaw) return
    }
  }

  #addFloats(values: Float64Array): void {
    const { fits } = this
    for (const value of values) {
      if (fits.single && !Object.is(Math.fround(value), value)) fits.single = false
      // Integers have no negative zero, and decoders show the difference.
      const whole = value >= -1 && value < 1 && !Object.is(value, -0)
      if (fits[16] && !(whole && Number.isInteger(value * 2 ** 15))) fits[16] = false
      if (fits[24] && !(whole && Number.isInteger(value * 2 ** 23))) fits[24] = false
      if (fits[32] && !(whole && Number.isInteger(value * 2 ** 31))) fits[32] = false
    }
  }
}

/** Measures the audible noise of each lossy form, by trial encoding. */
class Trials {
  readonly #meters = { dithered16: new SnrMeter(), alaw: new SnrMeter(), mulaw: new SnrMeter(), ima: new SnrMeter() }
  readonly #dither: Dither | undefined
  readonly #ima: ImaEncoder | undefined
  readonly #drift = new SnrMeter()
  readonly #imaLow: LowBandMeter
  /** One block in this many is encoded as ADPCM, because the search is slow: a minute's worth, spread evenly. */
  readonly #every: number
  #block = 0

  constructor({ layout: { channels, hertz, bits }, frames }: Wave) {
    this.#dither = bits > 16 ? new Dither(16) : undefined
    this.#ima = channels <= 2 ? new ImaEncoder(hertz, channels) : undefined
    this.#imaLow = new LowBandMeter(channels, hertz)
    this.#every = Math.max(1, Math.ceil(frames / (hertz * ADPCM_TRIAL_SECONDS)))
  }

  add(samples: SampleBlock): void {
    const original = in16BitUnits(samples)
    const rounded = roundTo16Bits(samples)
    if (this.#dither) {
      const dithered = this.#dither.round(samples)
      this.#meters.dithered16.add(original, dithered)
      discard(dithered)
    }
    this.#addLaws(original, rounded)
    if (this.#ima && this.#block++ % this.#every === 0) this.#addIma(this.#ima, original, rounded)
    discard(rounded)
    discard(original)
  }

  #addLaws(original: Float64Array | Int32Array, rounded: Int32Array): void {
    const laws = g711()
    for (const name of ['alaw', 'mulaw'] as const) {
      const { expand, compress } = laws[name]
      const decoded = new Int16Array(rounded.length)
      for (let i = 0; i < rounded.length; i++) decoded[i] = expand[compress[rounded[i]! + 32768]!]!
      this.#meters[name].add(original, decoded)
      discard(decoded)
    }
  }

  /** Encodes blocks as IMA ADPCM to predict the noise. They need not align with the result's blocks. */
  #addIma(ima: ImaEncoder, original: Float64Array | Int32Array, rounded: Int32Array): void {
    const step = ima.blockSamples * ima.channels
    for (let at = 0; at < rounded.length; at += step) {
      const { decoded, multiplied } = ima.encode(rounded.subarray(at, at + step))
      const part = original.subarray(at, at + step)
      this.#meters.ima.add(part, decoded)
      this.#drift.add(part, multiplied)
      this.#imaLow.add(part, multiplied)
    }
  }

  get snrDb(): WaveAnalysis['snrDb'] {
    const { dithered16, alaw, mulaw, ima } = this.#meters
    return {
      dithered16: this.#dither ? dithered16.decibels : 0,
      alaw: alaw.decibels,
      mulaw: mulaw.decibels,
      ima: this.#ima ? Math.min(ima.decibels, this.#drift.decibels, this.#imaLow.decibels + LOW_BAND_MARGIN_DB) : 0,
    }
  }
}

/** What to search: exact forms only, also fewer bits with inaudible noise, or also (slower) forms with audible loss. */
export type SearchDepth = 'exact' | 'unheard' | 'lossy'

const NOT_MEASURED: WaveAnalysis['snrDb'] = { dithered16: 0, alaw: 0, mulaw: 0, ima: 0 }

/** Reads the samples once, and stops early if further samples cannot change the result. */
export async function analyse(source: Source, wave: Wave, depth: SearchDepth, options: Options): Promise<WaveAnalysis> {
  const { channels, hertz, bits: stored } = wave.layout
  const bits = new Bits()
  const fullScale = new FullScaleCheck()
  const masking = depth !== 'exact' && stored > 16 ? new MaskingMeter(channels, hertz) : undefined
  const trials = depth === 'lossy' ? new Trials(wave) : undefined
  for await (const samples of readSamples(source, wave, options, (share) => options.progress(share * 0.4))) {
    const open = bits.add(samples)
    if (!open && !masking && !trials && samples.kind === 'integer') break
    fullScale.add(samples)
    masking?.add(samples)
    trials?.add(samples)
  }
  const exact = exactTarget(wave, bits)
  const unheard = masking && ([16, 24] as const).find((word) => word < (exact?.bits ?? stored) && masking.allows(word))
  return {
    exact,
    exactLaw: exactLaw(wave, bits),
    inaudibleBits: unheard,
    snrDb: trials?.snrDb ?? NOT_MEASURED,
    clippingReason: fullScale.clippingReason,
  }
}

function exactTarget(wave: Wave, bits: Bits): SampleForm | undefined {
  const { coding, bits: stored } = wave.layout
  if (coding === 'float') {
    if (bits.fits[16]) return { coding: 'integer', bits: 16 }
    if (bits.fits[24]) return { coding: 'integer', bits: 24 }
    if (stored === 64 && bits.fits[32]) return { coding: 'integer', bits: 32 }
    return stored === 64 && bits.fits.single ? { coding: 'float', bits: 32 } : undefined
  }
  if (coding !== 'integer') return undefined
  const zeros = bits.or === 0 ? stored : 31 - Math.clz32(bits.or & -bits.or)
  const needed = stored - zeros
  if (stored > 8 && needed <= 8) return { coding: 'integer', bits: 8 }
  if (stored > 16 && needed <= 16) return { coding: 'integer', bits: 16 }
  return stored > 24 && needed <= 24 ? { coding: 'integer', bits: 24 } : undefined
}

function exactLaw({ layout }: Wave, bits: Bits): SampleForm | undefined {
  if (layout.coding !== 'integer' || layout.bits !== 16) return undefined
  return bits.inMulaw ? { coding: 'mulaw', bits: 8 } : bits.inAlaw ? { coding: 'alaw', bits: 8 } : undefined
}
