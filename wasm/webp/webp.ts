/**
 * WebP encoder and decoder (libwebp). A lossy encoding uses about 3 bytes of memory a pixel, a lossless one about 16. Each instance
 * encodes one picture and must be disposed.
 *
 *     using encoder = new WebpEncoder(width, height, channels)
 *     for await (const strip of rows) encoder.write(strip)
 *     encoder.encode({ quality: 75, method: 4 })          // size in bytes
 *     encoder.measure()                                   // SSIM and PSNR of the encoded picture
 *     const file = encoder.file()                         // RIFF file
 */

import { EngineError } from '../engine-error.ts'
import { instantiateLarge, type LargeEngine, retire } from '../memories/memories.ts'
import { log10 } from '../same-math.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './webp.wasm'

interface Exports extends LargeEngine {
  _initialize(): void
  host_alloc(bytes: number): number
  host_free(pointer: number): void
  begin(width: number, height: number, channels: number, exact: number, fitted: number): void
  rows(pointer: number, count: number): void
  make_sample(bands: number): number
  encode(which: number, quality: number, method: number, lossless: number, frugal: number): number
  output(): number
  measure(which: number): number
  result(what: number): number
  hue_contrast(): number
  begin_rows(pointer: number, length: number, width: number, height: number): number
  next_rows(): number
  taken_rows(): number
  decode_rgba(pointer: number, length: number, width: number, height: number): number
}

/** Largest side of a WebP in pixels (VP8). */
export const WEBP_SIDE_MAX = 16383

/**
 * Most memory in bytes of an engine in an isolate (build.sh). Pictures with alpha and lossless encodings would otherwise exhaust the
 * isolate before they fail.
 */
export const WEBP_MEMORY_MAX = 72 * 1024 * 1024

export interface WebpFigures {
  /** Mean SSIM of luma (11 × 11 Gaussian window). */
  readonly ssim: number
  readonly psnrDb: number
  /** PSNR over RGB in dB, estimated from the errors of luma and chroma. The loss by halving chroma is not included. */
  readonly colourPsnrDb: number
}

function start(): Exports {
  const fail = (): never => {
    throw new EngineError('webp', 'memory', 'out of memory')
  }
  const exports = instantiateLarge<Exports>(wasmModule, refusedWasi(wasmModule, { fail }))
  exports._initialize()
  return exports
}

const decibel = (error: number) => (error > 0 ? Math.min(99, 10 * log10(65025 / error)) : 99)

export class WebpEncoder {
  private exports = start()
  private readonly stride: number
  private length = 0
  private hasSample = false
  private which: 0 | 1 = 0

  /**
   * Opens an encoder. `planes`: `means` averages chroma, `fitted` optimises it (libsharpyuv), `exact` allows lossless encoding only.
   * @throws EngineError `memory` if memory does not suffice
   */
  constructor(width: number, height: number, channels: 1 | 2 | 3 | 4, planes: 'means' | 'fitted' | 'exact' = 'means') {
    this.stride = width * channels
    this.exports.begin(width, height, channels, planes === 'exact' ? 1 : 0, planes === 'fitted' ? 1 : 0)
  }

  write(rows: Uint8Array): void {
    const pointer = this.exports.host_alloc(rows.length)
    new Uint8Array(this.exports.memory.buffer, pointer, rows.length).set(rows)
    this.exports.rows(pointer, rows.length / this.stride)
    this.exports.host_free(pointer)
  }

  /** Selects bands of 64 rows for `encode(…, 'sample')`. Returns false if the picture is too low for a sample to pay. */
  sample(bands: number): boolean {
    this.hasSample = this.exports.make_sample(bands) === 1
    return this.hasSample
  }

  /**
   * Encodes the picture or its sample and returns the size in bytes; `file()` returns the bytes. `method`: effort 0 to 6. `frugal`:
   * computes tokens twice instead of storing them.
   */
  encode(options: { quality: number; method: number; lossless?: boolean; frugal?: boolean }, of: 'whole' | 'sample' = 'whole'): number {
    this.which = of === 'sample' && this.hasSample ? 1 : 0
    const { quality, method, lossless, frugal } = options
    this.length = this.exports.encode(this.which, quality, method, lossless ? 1 : 0, frugal ? 1 : 0)
    if (this.length === 0) throw new EngineError('webp', 'memory', 'out of memory')
    return this.length
  }

  /** Decodes the last lossy encoding and compares it with the original. */
  measure(): WebpFigures {
    if (!this.exports.measure(this.which)) throw new EngineError('webp', 'damaged', 'the result cannot be decoded')
    const { result } = this.exports
    const error = result(1)
    return { ssim: result(0), psnrDb: decibel(error), colourPsnrDb: decibel(error + 1.086 * result(2) + 0.825 * result(3)) }
  }

  /** Share of neighbouring pixels with very different hues, which averaged chroma spoils most. Requires planes of `means`. */
  get hueContrast(): number {
    return this.exports.hue_contrast()
  }

  /** Returns a copy of the last encoding: a RIFF file without metadata. */
  file(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, this.exports.output(), this.length).slice()
  }

  get memoryBytes(): number {
    return this.exports.heap_top()
  }

  [Symbol.dispose](): void {
    this.exports = retire(this.exports)
  }
}

function put(exports: Exports, file: Uint8Array): number {
  const pointer = exports.host_alloc(file.length)
  new Uint8Array(exports.memory.buffer, pointer, file.length).set(file)
  return pointer
}

/** Decodes a lossy WebP and its alpha to RGBA as viewers do, row by row, with a few rows in memory. Must be disposed. */
export class WebpRows {
  private exports = start()
  private readonly stride: number

  private constructor(width: number) {
    this.stride = width * 4
  }

  /** Opens a file. `undefined`: it is damaged, lossless, or has another size. */
  static open(file: Uint8Array, width: number, height: number): WebpRows | undefined {
    const rows = new WebpRows(width)
    if (rows.exports.begin_rows(put(rows.exports, file), file.length, width, height)) return rows
    rows[Symbol.dispose]()
    return undefined
  }

  /** Yields strips of a few rows, each valid until the next one. Ends early if the file is damaged. */
  *strips(): Generator<Uint8Array> {
    for (let count = this.exports.next_rows(); count > 0; count = this.exports.next_rows()) {
      yield new Uint8Array(this.exports.memory.buffer, this.exports.taken_rows(), count * this.stride)
    }
  }

  [Symbol.dispose](): void {
    this.exports = retire(this.exports)
  }
}

/** Decodes a whole file to RGBA. `undefined`: it is damaged or has another size. */
export function decodeWebp(file: Uint8Array, width: number, height: number): Uint8Array | undefined {
  const exports = start()
  try {
    const pixels = exports.decode_rgba(put(exports, file), file.length, width, height)
    return pixels === 0 ? undefined : new Uint8Array(exports.memory.buffer, pixels, width * height * 4).slice()
  } finally {
    retire(exports)
  }
}
