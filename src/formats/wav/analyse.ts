/** One pass over the samples: what they would fit into without loss, and how much noise each lossy form would add. */
import { discard } from '../../bytes/discard.ts'
import type { Options, Source } from '../../codec/codec.ts'
import { SnrMeter } from '../../quality/snr.ts'
import { g711 } from './g711.ts'
import type { Wave } from './header.ts'
import { ImaEncoder } from './ima.ts'
import { in16thUnits, readSamples, type Samples, to16 } from './samples.ts'

/** What samples can be stored as. */
export type Target =
  | { readonly coding: 'integer'; readonly bits: 8 | 16 | 24 | 32 }
  | { readonly coding: 'float'; readonly bits: 32 | 64 }
  | { readonly coding: 'alaw' | 'mulaw'; readonly bits: 8 }
  | { readonly coding: 'ima'; readonly bits: 4 }

export interface Analysis {
  /** The smallest form whose decoded samples are equal; undefined when that is the present one. */
  readonly exact: Target | undefined
  /** Signal-to-noise ratio in dB of the forms that lose something. */
  readonly snrDb: { readonly rounded16: number; readonly alaw: number; readonly mulaw: number; readonly ima: number }
}

/** The ratio below about 4 kHz, where a drifting predictor is heard first: both signals averaged over a few samples. */
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

/** Facts about the bits of all samples, gathered block by block. */
class Bits {
  /** OR of all integers: its trailing zeros are everybody's. */
  or = 0
  inMulaw = true
  inAlaw = true
  /** Floats: all are multiples of 2⁻¹⁵, 2⁻²³, 2⁻³¹ inside −1…1, or single-precision. */
  fits = { 16: true, 24: true, 32: true, single: true }

  add(samples: Samples): void {
    if (samples.kind === 'float') {
      this.#addFloats(samples.values)
      return
    }
    let or = 0
    for (const value of samples.values) or |= value
    this.or |= or
    if (samples.bits === 16 && (this.inAlaw || this.inMulaw)) this.#addLaws(samples.values)
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
      // A negative zero is not an integer's zero, and decoders show the difference.
      const whole = value >= -1 && value < 1 && !Object.is(value, -0)
      if (fits[16] && !(whole && Number.isInteger(value * 2 ** 15))) fits[16] = false
      if (fits[24] && !(whole && Number.isInteger(value * 2 ** 23))) fits[24] = false
      if (fits[32] && !(whole && Number.isInteger(value * 2 ** 31))) fits[32] = false
    }
  }
}

/** Reads every sample once. `lossy` also tries the lossy forms (slower). */
export async function analyse(source: Source, wave: Wave, lossy: boolean, options: Options): Promise<Analysis> {
  const { channels, hertz } = wave.layout
  const bits = new Bits()
  const meters = { rounded16: new SnrMeter(), alaw: new SnrMeter(), mulaw: new SnrMeter(), ima: new SnrMeter() }
  const laws = g711()
  const drift = new SnrMeter()
  const imaLow = new LowBandMeter(channels, hertz)
  const ima = lossy && channels <= 2 ? new ImaEncoder(hertz, channels) : undefined
  // The ADPCM search is slow: of long files it looks at a minute's worth, spread evenly.
  const every = Math.max(1, Math.ceil(wave.frames / (hertz * 60)))
  let block = 0
  for await (const samples of readSamples(source, wave, options, (share) => options.progress(share * 0.4))) {
    bits.add(samples)
    if (!lossy) continue
    const original = in16thUnits(samples)
    const rounded = to16(samples)
    meters.rounded16.add(original, rounded)
    for (const name of ['alaw', 'mulaw'] as const) {
      const { expand, compress } = laws[name]
      const decoded = new Int16Array(rounded.length)
      for (let i = 0; i < rounded.length; i++) decoded[i] = expand[compress[rounded[i]! + 32768]!]!
      meters[name].add(original, decoded)
      discard(decoded)
    }
    // Blocks need not line up with those of the result to predict its noise.
    if (ima && block++ % every === 0) {
      const step = ima.blockSamples * channels
      for (let at = 0; at < rounded.length; at += step) {
        const { decoded, multiplied } = ima.encode(rounded.subarray(at, at + step))
        const part = original.subarray(at, at + step)
        meters.ima.add(part, decoded)
        drift.add(part, multiplied)
        imaLow.add(part, multiplied)
      }
    }
    discard(rounded)
    discard(original)
  }
  const snr = (meter: SnrMeter) => (lossy ? meter.decibels : 0)
  return {
    exact: exactTarget(wave, bits),
    snrDb: {
      rounded16: snr(meters.rounded16),
      alaw: snr(meters.alaw),
      mulaw: snr(meters.mulaw),
      ima: ima ? Math.min(snr(meters.ima), snr(drift), imaLow.decibels + 6) : 0,
    },
  }
}

function exactTarget(wave: Wave, bits: Bits): Target | undefined {
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
  if (stored === 16 && bits.inMulaw) return { coding: 'mulaw', bits: 8 }
  if (stored === 16 && bits.inAlaw) return { coding: 'alaw', bits: 8 }
  if (stored > 16 && needed <= 16) return { coding: 'integer', bits: 16 }
  return stored > 24 && needed <= 24 ? { coding: 'integer', bits: 24 } : undefined
}
