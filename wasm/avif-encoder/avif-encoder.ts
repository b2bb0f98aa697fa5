import { EngineError } from '../engine-error.ts'
import { instantiate, type LargeEngine, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './avif-encoder.wasm'

interface Exports extends LargeEngine {
  _initialize(): void
  host_alloc(bytes: number): number
  encode(
    pixels: number,
    width: number,
    height: number,
    bits: number,
    channels: number,
    chroma: number,
    quantizer: number,
    speed: number,
    tuning: number,
  ): number
  output(): number
  set_coding(primaries: number, transfer: number, matrix: number, isFullRange: number, redWeight: number, blueWeight: number): void
}

/** Chroma formats and tunings in the numbers of encode.c and libaom's `aom_tune_metric`. */
const CHROMA = { none: 0, halved: 1, fitted: 2, full: 3, alpha: 4 } as const
const TUNINGS = { psnr: 0, ssim: 1, imageQuality: 10 } as const

/** Memory in bytes that the module is linked with (build.sh). */
const FIRST_BYTES = 4 * 1024 * 1024
const MOST_BYTES = 96 * 1024 * 1024

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
  /** RGB or RGBA. */
  readonly channels: 3 | 4
  /**
   * `none`: luma only. `halved`: 4:2:0, means of four pixels. `fitted`: 4:2:0 for interpolating decoders (libsharpyuv), 8 bits only.
   * `full`: 4:4:4. `alpha`: the fourth channel as luma.
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

  /** @param mostBytes largest memory of the encoder. `undefined`: 96 MiB */
  constructor(mostBytes?: number) {
    const fail = (code: number): never => {
      throw new EngineError('avif-encoder', code === -1 ? 'memory' : 'misuse', `the picture cannot be encoded (${code})`)
    }
    this.#exports = instantiate<Exports>(wasmModule, refusedWasi(wasmModule, { fail }), undefined, FIRST_BYTES)
    if (mostBytes !== undefined) this.#exports.heap_most(Math.min(mostBytes, MOST_BYTES))
    this.#exports._initialize()
  }

  /**
   * Encodes pixels. Memory: docs/contributors/memory.md, "AVIF".
   * @returns sequence header and key frame
   * @throws EngineError if memory does not suffice. The encoder must not be used afterwards.
   */
  encode(pixels: Uint8Array, { width, height, bits, channels, chroma, quantizer, speed, tuning, coding }: Av1Settings): Uint8Array {
    const { memory, host_alloc, set_coding, encode, output } = this.#exports
    const { primaries, transfer, matrix, fullRange, redWeight, blueWeight } = coding
    set_coding(primaries, transfer, matrix, fullRange ? 1 : 0, redWeight, blueWeight)
    const pointer = host_alloc(pixels.length)
    new Uint8Array(memory.buffer, pointer, pixels.length).set(pixels)
    const length = encode(pointer, width, height, bits, channels, CHROMA[chroma], quantizer, speed, TUNINGS[tuning])
    return new Uint8Array(memory.buffer, output(), length).slice()
  }

  [Symbol.dispose](): void {
    retire(this.#exports)
  }
}
