import { EngineError } from '../engine-error.ts'
import { type Engine, instantiate, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './avif-encoder.wasm'

interface Exports extends Engine {
  _initialize(): void
  host_alloc(bytes: number): number
  host_free(pointer: number): void
  encode(
    pixels: number,
    width: number,
    height: number,
    bits: number,
    chroma: number,
    quantizer: number,
    speed: number,
    tuning: number,
  ): number
  output(): number
  set_coding(primaries: number, transfer: number, matrix: number, isFullRange: number, redWeight: number, blueWeight: number): void
}

/** Chroma formats and tunings in the numbers of encode.c and libaom's `aom_tune_metric`. */
const CHROMA = { none: 0, halved: 1, fitted: 2, full: 3 } as const
const TUNINGS = { psnr: 0, ssim: 1, imageQuality: 10 } as const

/** Memory in bytes that the module is linked with (build.sh). */
const FIRST_BYTES = 4 * 1024 * 1024

/** Code points of the sequence header (ITU-T H.273), and the weights of red and blue in luma that the matrix stands for. */
export interface Av1Coding {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
  readonly fullRange: boolean
  readonly redWeight: number
  readonly blueWeight: number
}

/** Settings of one AV1 picture. */
export interface Av1Settings {
  readonly width: number
  readonly height: number
  /** Bits a sample: 8 with bytes, 10 with 16-bit words. */
  readonly bits: 8 | 10
  /**
   * `none`: luma only. `halved`: 4:2:0, means of four pixels. `fitted`: 4:2:0 for interpolating decoders (libsharpyuv), 8 bits only.
   * `full`: 4:4:4.
   */
  readonly chroma: keyof typeof CHROMA
  /** libaom's quantizer, 0 (best) to 63. */
  readonly quantizer: number
  /** libaom's speed, 0 (slowest) to 9. */
  readonly speed: number
  readonly tuning: keyof typeof TUNINGS
  readonly coding: Av1Coding
}

/** AV1 encoder of still pictures (libaom), for any number of pictures. Must be disposed. */
export class Av1Encoder implements Disposable {
  readonly #exports: Exports

  constructor() {
    const fail = (code: number): never => {
      throw new EngineError('avif-encoder', code === -1 ? 'memory' : 'misuse', `the picture cannot be encoded (${code})`)
    }
    this.#exports = instantiate<Exports>(wasmModule, refusedWasi(wasmModule, { fail }), undefined, FIRST_BYTES)
    this.#exports._initialize()
  }

  /**
   * Encodes RGBA pixels, without alpha. Memory: about 140 bytes a pixel.
   * @returns sequence header and key frame
   * @throws EngineError if memory does not suffice. The encoder must not be used afterwards.
   */
  encode(pixels: Uint8Array, { width, height, bits, chroma, quantizer, speed, tuning, coding }: Av1Settings): Uint8Array {
    const { memory, host_alloc, host_free, set_coding, encode, output } = this.#exports
    const { primaries, transfer, matrix, fullRange, redWeight, blueWeight } = coding
    set_coding(primaries, transfer, matrix, fullRange ? 1 : 0, redWeight, blueWeight)
    const pointer = host_alloc(pixels.length)
    new Uint8Array(memory.buffer, pointer, pixels.length).set(pixels)
    const length = encode(pointer, width, height, bits, CHROMA[chroma], quantizer, speed, TUNINGS[tuning])
    host_free(pointer)
    return new Uint8Array(memory.buffer, output(), length).slice()
  }

  [Symbol.dispose](): void {
    retire(this.#exports)
  }
}
