/** AVIF files of one key frame from libaom. */
import { Av1Encoder, type Av1Settings } from '../../../../wasm/avif-encoder/avif-encoder.ts'
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { box, halfWords, latin1Bytes, words } from '../../containers/isobmff/box.ts'
import { overBudget } from '../../model/error.ts'
import { type ColourCoding, USUAL_CODING } from '../raster/avif-form.ts'
import type { Chroma } from './chroma.ts'
import { type CodedPicture, singleFile } from './file.ts'

/** RGB or RGBA samples: bytes, or 16-bit words with values up to 10 bits. */
export interface ColourSamples {
  readonly samples: Uint8Array | Uint16Array
  readonly width: number
  readonly height: number
  /** Default: 4. */
  readonly channels?: 3 | 4
}

export interface EncoderSettings extends Pick<Av1Settings, 'bits' | 'speed'> {
  readonly chroma: Chroma
  /** 0 to 100, as in libavif. */
  readonly quality: number
}

/** `alpha`: the fourth channel is coded as luma. */
type CodedSettings = Pick<EncoderSettings, 'bits' | 'speed' | 'quality'> & { readonly chroma: Chroma | 'alpha' }

/** Quantizer of libaom for a quality, as in libavif. */
const quantizerOf = (quality: number) => Math.floor(((100 - quality) * 63 + 50) / 100)

/** Fastest speed of libaom for still pictures. Speed 10 is taken as this one, as in libavif. */
const FASTEST = 9

const nclxOf = ({ primaries, transfer, matrix, fullRange }: ColourCoding) =>
  box('colr', latin1Bytes('nclx'), halfWords(primaries, transfer, matrix), new Uint8Array([fullRange ? 0x80 : 0]))

/** What the encoder optimises colours for: SSIMULACRA 2, or SSIM and PSNR of luma. */
export type Tuning = 'imageQuality' | 'ssim'

export class Encoder implements Disposable {
  readonly #encoder: Av1Encoder
  readonly #tuning: Tuning
  readonly #coding: ColourCoding

  constructor(tuning: Tuning, coding: ColourCoding, mostBytes: number | undefined) {
    this.#encoder = new Av1Encoder(mostBytes)
    this.#tuning = tuning
    this.#coding = coding
  }

  /** Encodes a picture as an AVIF file. Alpha is left out if it is opaque or `chroma` is `none`. */
  encode(picture: ColourSamples, settings: EncoderSettings): Uint8Array {
    const { width, height } = picture
    try {
      const colours = this.#coded(picture, settings)
      const hasAlpha = settings.chroma !== 'none' && isTranslucent(picture, settings.bits)
      return singleFile(colours, width, height, hasAlpha ? this.#coded(picture, { ...settings, chroma: 'alpha' }) : undefined)
    } catch (error) {
      throw isEngineError(error, 'avif-encoder') && error.failure === 'memory' ? overBudget('avif_encoder_gave_up') : error
    }
  }

  #coded({ samples, width, height, channels = 4 }: ColourSamples, { quality, bits, chroma, speed }: CodedSettings): CodedPicture {
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
    const isGrey = chroma === 'none' || chroma === 'alpha'
    const [tuning, coding] = isGrey ? (['psnr', USUAL_CODING] as const) : [this.#tuning, this.#coding]
    const isLumaOnly = isGrey || chroma === 'grey'
    const frame = this.#encoder.encode(bytes, {
      width,
      height,
      bits,
      channels,
      chroma: chroma === 'grey' ? 'none' : chroma,
      speed: Math.min(FASTEST, speed),
      quantizer: quantizerOf(quality),
      tuning,
      coding,
    })
    const depths = new Uint8Array(isLumaOnly ? 1 : 3).fill(bits)
    return {
      config: configOf(frame, bits, chroma),
      colour: [box('pixi', words(0), new Uint8Array([depths.length]), depths), nclxOf(coding)],
      frame,
    }
  }

  [Symbol.dispose](): void {
    this.#encoder[Symbol.dispose]()
  }
}

/** @param coding how colours are coded; alpha always has the usual coding. @param mostBytes largest memory of the encoder; default: 96 MiB */
export const openEncoder = (tuning: Tuning, coding: ColourCoding, mostBytes?: number): Encoder => new Encoder(tuning, coding, mostBytes)

/** AV1CodecConfigurationBox (AV1-ISOBMFF, 2.3.3) for a sequence header with reduced_still_picture_header (AV1, 5.5.1). */
function configOf(frame: Uint8Array, bits: 8 | 10, chroma: Chroma | 'alpha'): Uint8Array {
  // The first OBU is the sequence header: its header and size take a byte each.
  const [first = 0, second = 0] = frame.subarray(2)
  const level = ((first & 7) << 2) | (second >> 6)
  const subsampling = { none: 0b1_1_1, alpha: 0b1_1_1, grey: 0b1_1_1, halved: 0b0_1_1, fitted: 0b0_1_1, full: 0 }[chroma]
  return box('av1C', new Uint8Array([0x81, (first & 0xe0) | level, (bits === 10 ? 0x40 : 0) | (subsampling << 2), 0]))
}

function isTranslucent({ samples, channels = 4 }: ColourSamples, bits: 8 | 10): boolean {
  const most = 2 ** bits - 1
  if (channels === 4) for (let at = 3; at < samples.length; at += 4) if (samples[at] !== most) return true
  return false
}
