/**
 * Wrapper of libaom: encodes pixels to AVIF files, and decodes them with the build of @jsquash/avif. Both run in WebAssembly memories of the
 * shared pool.
 */

import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { CODEC_MEMORIES } from '../../../../wasm/memories/memories.ts'
import { isCodecError } from '../../model/error.ts'
import { compareSamples, type Figures, type Measure, PictureMeter } from '../compare/compare.ts'
import { type ColourCoding, USUAL_CODING } from '../raster/avif-form.ts'
import type { Chroma } from './chroma.ts'
import { FIRST_BYTES } from './emscripten.ts'
import type { Decoder } from './libaom-decoder.ts'
import type { ColourSamples, Encoder, EncoderSettings, Tuning } from './libaom-encoder.ts'
import type { Tile16 } from './tiles16.ts'

export type { Chroma }

/** RGBA pixels, 8 bits a channel. */
export interface RgbaPixels {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly width: number
  readonly height: number
}

/** Pixels of a whole picture, 8 bits a channel: RGB or RGBA. */
export interface FramePixels {
  readonly pixels: Uint8Array<ArrayBuffer>
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
}

interface Settings16 {
  readonly quality: number
  readonly speed: number
  readonly chroma: Chroma
  readonly bits: 10
}

/** Decoder of whole files, which returns its memory to the pool when it is disposed. */
interface FileDecoder {
  readonly decoder: Decoder
  readonly memory: WebAssembly.Memory
}

/** How a codec is opened. */
interface Opening {
  /** What the encoder optimises colours for; default: SSIMULACRA 2. */
  readonly tuning?: Tuning
  /** How the encoder codes colours; `undefined`: BT.601 in full range. */
  readonly coding?: ColourCoding | undefined
  /** Largest memory of the encoder; default: 96 MiB. */
  readonly encoderBytes?: number
}

/** Decoder of files of the encoder, 8 bits a channel. */
interface OwnDecoder {
  decodedByDav1d(file: Uint8Array): RgbaPixels
  stripsByDav1d(file: Uint8Array, channels: 3 | 4): Iterable<Uint8Array>
}

/** AVIF encoder and decoder of one job, at most 96 MiB of memory each. Dispose returns the memories to the pool. */
export class AvifCodec {
  readonly #encoder: Encoder | undefined
  /** Decoder of every AVIF file. `undefined`: files of the encoder are decoded with dav1d. */
  readonly #files: FileDecoder | undefined
  readonly #own: OwnDecoder | undefined
  #isDisposed = false

  private constructor(encoder: Encoder | undefined, files: FileDecoder | undefined, own?: OwnDecoder) {
    this.#encoder = encoder
    this.#files = files
    this.#own = own
  }

  /**
   * @param what `search`: an encoder, and a decoder that reads only its files of 8 bits, in less than half the time
   */
  static async open(
    what: 'both' | 'decoder' | 'search' = 'both',
    { tuning = 'imageQuality', coding = USUAL_CODING, encoderBytes }: Opening = {},
  ): Promise<AvifCodec> {
    const encoding = what === 'decoder' ? undefined : await withEngines(import('./libaom-encoder.ts'))
    if (what === 'search') {
      const own = await withEngines(import('./dav1d-picture.ts'))
      return new AvifCodec(encoding?.openEncoder(tuning, coding, encoderBytes), undefined, own)
    }
    const { openDecoder } = await withEngines(import('./libaom-decoder.ts'))
    const memory = CODEC_MEMORIES.take(FIRST_BYTES)
    return new AvifCodec(encoding?.openEncoder(tuning, coding, encoderBytes), { decoder: await openDecoder(memory), memory })
  }

  /** Encodes pixels as an AVIF file. The caller frees the file with `discard`. */
  encode(picture: RgbaPixels | FramePixels, quality: number, speed: number, chroma: Chroma = 'halved'): Uint8Array {
    const { pixels, width, height } = picture
    const samples = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)
    const channels = 'channels' in picture ? picture.channels : 4
    return this.#encode({ samples, width, height, channels }, { quality, speed, chroma, bits: 8 })
  }

  /** Encodes a tile of more than 8 bits a sample as an AVIF file. The caller frees the file with `discard`. */
  encode16(tile: Tile16, settings: Settings16): Uint8Array {
    return this.#encode(tile, settings)
  }

  #encode(picture: ColourSamples, settings: EncoderSettings): Uint8Array {
    if (!this.#encoder) throw new Error('this codec was opened as a decoder')
    return this.#encoder.encode(picture, settings)
  }

  /** Decodes a file to samples of `bits` bits. `undefined`: the file cannot be decoded. */
  decode16(file: Uint8Array, bits: 10): Tile16 | undefined {
    const decoded = this.#files?.decoder.decode(file.slice().buffer, bits)
    if (!decoded) return undefined
    const { data, width, height } = decoded
    const samples = data as Uint16Array<ArrayBuffer>
    return { samples, width, height }
  }

  /** Decodes a file to 8-bit pixels, which the caller frees with `discardPixels`. `undefined`: the file cannot be decoded. */
  decode(file: Uint8Array): RgbaPixels | undefined {
    if (this.#own) return this.#own.decodedByDav1d(file)
    const decoded = this.#files?.decoder.decode(file.slice().buffer, 8)
    if (!decoded) return undefined
    const { data, width, height } = decoded
    return { pixels: new Uint8ClampedArray(data.buffer, data.byteOffset, data.length), width, height }
  }

  /** Decodes a file of the encoder row by row and compares it with what was encoded. Only for `search`. */
  compare<M extends Measure>({ pixels, width, height, channels }: FramePixels, file: Uint8Array, measures: readonly M[]): Pick<Figures, M> {
    if (!this.#own) throw new Error('this codec was not opened for a search')
    using meter = new PictureMeter({ width, height, channels }, measures)
    let at = 0
    for (const strip of this.#own.stripsByDav1d(file, channels)) {
      meter.push(pixels.subarray(at, at + strip.length), strip)
      at += strip.length
    }
    return meter.finish()
  }

  /** Returns the WebAssembly memories of encoder and decoder to the pool. */
  [Symbol.dispose](): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#encoder?.[Symbol.dispose]()
    if (this.#files) CODEC_MEMORIES.release(this.#files.memory)
  }
}

/** True if the encoder had less memory than it needed. */
export const isEncoderExhausted = (error: unknown): boolean =>
  isCodecError(error, 'over_budget') && error.detail?.code === 'avif_encoder_gave_up'

/** Frees the memory of pixels that are no longer needed. */
export const discardPixels = ({ pixels }: RgbaPixels | FramePixels): void =>
  discard(new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length))

/** Compares a decoded picture with the one that was encoded. */
export const comparePixels = <M extends Measure>(reference: RgbaPixels, decoded: RgbaPixels, measures: readonly M[]): Pick<Figures, M> =>
  compareSamples(bytesOf(reference), bytesOf(decoded), { width: reference.width, height: reference.height, channels: 4 }, measures)

const bytesOf = ({ pixels }: RgbaPixels) => new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)
