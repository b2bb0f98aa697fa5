/**
 * WebP from pixel rows (see engine.c): lossy in about 3 bytes a pixel, lossless in about 16. One instance a picture, until
 * it is disposed of.
 *
 *     const encoder = new WebpEncoder(width, height, channels)
 *     for await (const strip of rows) encoder.write(strip)
 *     const file = encoder.encode({ quality: 75 })        // RIFF file
 *     encoder.measure()                                   // SSIM and PSNR of what was just encoded
 */
import { EngineError } from '../engine-error.ts'
import { instantiateLarge, type LargeEngine, retire } from '../memories/memories.ts'
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

/** VP8's limit in each direction. */
export const WEBP_SIDE_MAX = 16383

/** What an engine takes at most in an isolate (build.sh): transparency and exact pictures would take all there is before they give up. */
export const WEBP_MEMORY_MAX = 72 * 1024 * 1024

export interface WebpFigures {
  /** Mean SSIM of luma, 11×11 gaussian. */
  readonly ssim: number
  readonly psnrDb: number
  /** Over RGB, estimated from the errors of luma and chroma; chroma's own halving is not in it. */
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

const decibel = (error: number) => (error > 0 ? Math.min(99, 10 * Math.log10(65025 / error)) : 99)

export class WebpEncoder {
  private exports = start()
  private readonly stride: number
  private length = 0
  private hasSample = false
  private which: 0 | 1 = 0

  /** `exact`: for lossless coding only. Throws `EngineError` when memory does not suffice. */
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

  /** Sets bands of 64 rows aside for `encode(…, 'sample')`. False: the picture is too low for that to pay. */
  sample(bands: number): boolean {
    this.hasSample = this.exports.make_sample(bands) === 1
    return this.hasSample
  }

  /** `method` 0–6: effort. `frugal`: no tokens in memory, they are made twice. Returns the number of bytes; `file()` has them. */
  encode(options: { quality: number; method: number; lossless?: boolean; frugal?: boolean }, of: 'whole' | 'sample' = 'whole'): number {
    this.which = of === 'sample' && this.hasSample ? 1 : 0
    const { quality, method, lossless, frugal } = options
    this.length = this.exports.encode(this.which, quality, method, lossless ? 1 : 0, frugal ? 1 : 0)
    if (this.length === 0) throw new EngineError('webp', 'memory', 'out of memory')
    return this.length
  }

  /** Decodes what was encoded last (lossy) and compares. */
  measure(): WebpFigures {
    if (!this.exports.measure(this.which)) throw new EngineError('webp', 'damaged', 'the result cannot be decoded')
    const { result } = this.exports
    const error = result(1)
    return { ssim: result(0), psnrDb: decibel(error), colourPsnrDb: decibel(error + 1.086 * result(2) + 0.825 * result(3)) }
  }

  /** Share of pairs of neighbours whose hues are far apart, which halving by means spoils most. Of rows that were written as `means`. */
  get hueContrast(): number {
    return this.exports.hue_contrast()
  }

  /** What was encoded last: a RIFF file without metadata. A copy. */
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

/** A lossy file, with its alpha, as viewers show it: RGBA, row by row, in the memory of a few of them. Dispose of it. */
export class WebpRows {
  private exports = start()
  private readonly stride: number

  private constructor(width: number) {
    this.stride = width * 4
  }

  /** undefined where the file is damaged, exact, or has another size. */
  static open(file: Uint8Array, width: number, height: number): WebpRows | undefined {
    const rows = new WebpRows(width)
    if (rows.exports.begin_rows(put(rows.exports, file), file.length, width, height)) return rows
    rows[Symbol.dispose]()
    return undefined
  }

  /** Strips of some rows, each until the next one. Ends early where the file is damaged. */
  *strips(): Generator<Uint8Array> {
    for (let count = this.exports.next_rows(); count > 0; count = this.exports.next_rows()) {
      yield new Uint8Array(this.exports.memory.buffer, this.exports.taken_rows(), count * this.stride)
    }
  }

  [Symbol.dispose](): void {
    this.exports = retire(this.exports)
  }
}

/** A whole file as RGBA; undefined where it is damaged or has another size. */
export function decodeWebp(file: Uint8Array, width: number, height: number): Uint8Array | undefined {
  const exports = start()
  try {
    const pixels = exports.decode_rgba(put(exports, file), file.length, width, height)
    return pixels === 0 ? undefined : new Uint8Array(exports.memory.buffer, pixels, width * height * 4).slice()
  } finally {
    retire(exports)
  }
}
