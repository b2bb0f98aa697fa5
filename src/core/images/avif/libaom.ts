/**
 * Wrapper of libaom as built by @jsquash/avif, in WebAssembly memories of the shared pool: encodes pixels to AVIF files and decodes them.
 */

import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { CODEC_MEMORIES } from '../../../../wasm/memories/memories.ts'
import type { ColourFigures } from '../../catalog/target.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { overBudget } from '../../model/error.ts'
import { compareSamples, type Figures, type Measure } from '../compare/compare.ts'
import { FIRST_BYTES } from './emscripten.ts'
import type { Decoder } from './libaom-decoder.ts'
import type { Encoder } from './libaom-encoder.ts'
import type { Tile16 } from './tiles16.ts'

const SETTINGS = {
  qualityAlpha: -1,
  denoiseLevel: 0,
  tileColsLog2: 0,
  tileRowsLog2: 0,
  chromaDeltaQ: false,
  sharpness: 0,
  tune: 0,
  bitDepth: 8,
  lossless: false,
} as const

/**
 * Chroma formats of the encoder: 4:0:0, 4:2:0, 4:2:0 and 4:4:4. `halved` averages four pixels. `fitted` optimises chroma for interpolating
 * decoders (libsharpyuv), which preserves thin lines of strong colours.
 */
const SUBSAMPLE = { none: 0, halved: 1, fitted: 1, full: 3 }
export type Chroma = keyof typeof SUBSAMPLE

/** RGBA pixels, 8 bits a channel. */
export interface RgbaPixels {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly width: number
  readonly height: number
}

interface Settings16 {
  readonly quality: number
  readonly speed: number
  readonly chroma: Chroma
  readonly bits: 10
}

/** AVIF encoder and decoder of one job, at most 96 MiB of memory each. Dispose returns the memories to the pool. */
export class AvifCodec {
  readonly #encoder: Encoder | undefined
  readonly #decoder: Decoder
  #memories: readonly WebAssembly.Memory[]

  private constructor(encoder: Encoder | undefined, decoder: Decoder, memories: readonly WebAssembly.Memory[]) {
    this.#encoder = encoder
    this.#decoder = decoder
    this.#memories = memories
  }

  static async open(what: 'both' | 'decoder' = 'both'): Promise<AvifCodec> {
    const { openDecoder } = await withEngines(import('./libaom-decoder.ts'))
    const encoding = what === 'both' ? await withEngines(import('./libaom-encoder.ts')) : undefined
    const memory = CODEC_MEMORIES.take(FIRST_BYTES)
    const decoder = await openDecoder(memory)
    if (!encoding) return new AvifCodec(undefined, decoder, [memory])
    const other = CODEC_MEMORIES.take(FIRST_BYTES)
    return new AvifCodec(await encoding.openEncoder(other), decoder, [memory, other])
  }

  /** Encodes pixels as an AVIF file. The caller frees the file with `discard`. */
  encode({ pixels, width, height }: RgbaPixels, quality: number, speed: number, chroma: Chroma = 'halved'): Uint8Array {
    const bytes = this.#encoder?.encode(new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length), width, height, {
      ...SETTINGS,
      quality,
      speed,
      subsample: SUBSAMPLE[chroma],
      enableSharpYUV: chroma === 'fitted',
    })
    if (!bytes) throw overBudget('avif_encoder_gave_up')
    return bytes
  }

  /** Encodes a tile of more than 8 bits a sample as an AVIF file. The caller frees the file with `discard`. */
  encode16({ samples, width, height }: Tile16, { quality, speed, chroma, bits }: Settings16): Uint8Array {
    const bytes = this.#encoder?.encode(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), width, height, {
      ...SETTINGS,
      bitDepth: bits,
      quality,
      speed,
      subsample: SUBSAMPLE[chroma],
      enableSharpYUV: false,
    })
    if (!bytes) throw overBudget('avif_encoder_gave_up')
    return bytes
  }

  /** Decodes a file to samples of `bits` bits. `undefined`: the file cannot be decoded. */
  decode16(file: Uint8Array, bits: 10): Tile16 | undefined {
    const decoded = this.#decoder.decode(file.slice().buffer, bits)
    if (!decoded) return undefined
    const { data, width, height } = decoded
    const samples = data as Uint16Array<ArrayBuffer>
    return { samples, width, height }
  }

  /** Decodes a file to 8-bit pixels, which the caller frees with `discardPixels`. `undefined`: the file cannot be decoded. */
  decode(file: Uint8Array): RgbaPixels | undefined {
    const decoded = this.#decoder.decode(file.slice().buffer, 8)
    if (!decoded) return undefined
    const { data, width, height } = decoded
    return { pixels: new Uint8ClampedArray(data.buffer, data.byteOffset, data.length), width, height }
  }

  /** Returns the WebAssembly memories of encoder and decoder to the pool. */
  [Symbol.dispose](): void {
    for (const memory of this.#memories) CODEC_MEMORIES.release(memory)
    this.#memories = []
  }
}

/** Frees the memory of pixels that are no longer needed. */
export const discardPixels = ({ pixels }: RgbaPixels): void => discard(new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length))

/** Compares a decoded picture with the one that was encoded. */
export const comparePixels = <M extends Measure>(reference: RgbaPixels, decoded: RgbaPixels, measures: readonly M[]): Pick<Figures, M> =>
  compareSamples(bytesOf(reference), bytesOf(decoded), { width: reference.width, height: reference.height, channels: 4 }, measures)

const bytesOf = ({ pixels }: RgbaPixels) => new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)

export const colourFiguresOf = ({ ssim, psnrDb, psnrRgbDb }: Similarity): ColourFigures => ({
  ssim,
  psnrDb: Math.min(99, psnrDb),
  colourPsnrDb: Math.min(99, psnrRgbDb),
})
