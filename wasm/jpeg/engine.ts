import { EngineError } from '../engine-error.ts'
import { instantiateLarge, type LargeEngine, retire } from '../memories/memories.ts'
import wasmModule from './jpeg.wasm'

/** What the engine exports (src/*.c). Pointers are byte offsets into `memory`. */
interface Exports extends LargeEngine {
  _initialize(): void
  host_alloc(bytes: number): number
  host_free(pointer: number): void
  intake_mode(mode: number, every: number): void
  smooth_planes(): number
  assume_smooth(planes: number): void
  stream_quality(quality: number, trellis: number): void
  chroma_quality(shift: number): void
  try_tables(pointer: number, weight: number): void
  read_begin(): void
  read_again(): void
  rows_out_begin(dctScale: number, colour: number): void
  push(pointer: number, length: number, end: number): number
  rows_out_info(what: number): number
  rows_out_read(pointer: number, rows: number): number
  rows_out_end(): number
  rows_in_begin(width: number, height: number, channels: number, from: number, to: number, subsampled: number): void
  rows_in_write(pointer: number, rows: number): void
  rows_in_end(): void
  info(what: number, plane: number): number
  result(what: number): number
  measure_errors_only(wanted: number): void
  stay_within(wanted: number): void
  requantise_start(quality: number, trellis: number, every: number, store: number): void
  requantise_step(rows: number): number
  end_offset(): number
  late_segments(): number
  late_segment(index: number, what: number): number
  decimate(every: number): number
  digest(plane: number, half: number): number
  release(which: number): void
  estimated_bytes(made: number): number
  finish(made: number, progressive: number, headers: number, counting: number): number
  show(): void
  lane_written(): number
  recode_next(): number
  recode_end(): void
  recode_packed(): number
}

/** `damaged` and `truncated`: the file's fault; `unsupported`: a variant that is not handled; `limit`: hostile; `memory`: too large. */
export type JpegTrouble = 'damaged' | 'truncated' | 'unsupported' | 'limit' | 'memory' | 'misuse'

/** Negative codes are ours (src/jpeg.h); libjpeg's messages tell what it does not support. */
function troubleOf(code: number, message: string): JpegTrouble {
  const ours: Record<number, JpegTrouble> = {
    [-1]: 'memory',
    [-2]: 'truncated',
    [-3]: 'damaged',
    [-4]: 'unsupported',
    [-5]: 'limit',
    [-6]: 'misuse',
  }
  if (code < 0) return ours[code] ?? 'damaged'
  if (/^Insufficient memory/.test(message)) return 'memory'
  return /^Unsupported|not implemented|not supported|Sorry|too big for|Requested feature/i.test(message) ? 'unsupported' : 'damaged'
}

/** Bytes handed to the engine at a time. */
const CHUNK_BYTES = 128 * 1024

/** Bytes of a file. */
export interface Place {
  readonly offset: number
  readonly length: number
}

/** One instance with its own memory: one job, which ends with `close`. */
export class Engine {
  exports: Exports
  private output: ((chunk: Uint8Array) => void) | undefined
  private scratch = 0
  private scratchBytes = 0

  constructor() {
    const text = (pointer: number) => {
      const bytes = new Uint8Array(this.exports.memory.buffer, pointer)
      return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)))
    }
    const env = {
      fail: (code: number, message: number) => {
        throw new EngineError('jpeg', troubleOf(code, text(message)), text(message))
      },
      write: (pointer: number, length: number) => this.output?.(new Uint8Array(this.exports.memory.buffer, pointer, length).slice()),
    }
    // libc's stdio and exit paths are linked but never taken; whatever is called fails.
    const wasi = Object.fromEntries(
      WebAssembly.Module.imports(wasmModule)
        .filter((entry) => entry.module === 'wasi_snapshot_preview1')
        .map((entry) => [entry.name, () => 8]),
    )
    this.exports = instantiateLarge<Exports>(wasmModule, { env, wasi_snapshot_preview1: wasi })
    this.exports._initialize()
  }

  /** Its memory is the next engine's; what is asked afterwards fails. */
  close(): void {
    this.exports = retire(this.exports)
  }

  /** The most Wasm memory that it took so far. */
  get memoryBytes(): number {
    return this.exports.heap_top()
  }

  /** Segments after the first scan's header, as far as the file was read. */
  get lateSegments(): Place[] {
    const { late_segments, late_segment } = this.exports
    return Array.from({ length: late_segments() }, (_, index) => ({ offset: late_segment(index, 0), length: late_segment(index, 1) }))
  }

  /** Copies bytes to where `use` finds them; the place is reused by the next call. */
  lend<T>(bytes: Uint8Array, use: (pointer: number) => T): T {
    const pointer = this.room(bytes.length)
    new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes)
    return use(pointer)
  }

  /** A place for `bytes` bytes, reused by the next call. */
  room(bytes: number): number {
    if (bytes > this.scratchBytes) {
      if (this.scratch) this.exports.host_free(this.scratch)
      this.scratch = this.exports.host_alloc(bytes)
      this.scratchBytes = bytes
    }
    return this.scratch
  }

  /** Pushes bytes of a file; true when the engine has what it was asked for and wants no more. */
  push(bytes: Uint8Array): boolean {
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
      const part = bytes.subarray(offset, offset + CHUNK_BYTES)
      if (this.lend(part, (pointer) => this.exports.push(pointer, part.length, 0))) {
        this.unread = bytes.subarray(offset + CHUNK_BYTES)
        return true
      }
    }
    this.unread = undefined
    return false
  }

  /** What the last `push` did not get to. */
  unread: Uint8Array | undefined

  /** The file has no more bytes: throws `truncated` unless the engine can finish. */
  pushEnd(): boolean {
    return this.exports.push(this.room(1), 0, 1) === 1
  }

  /** Pushes a whole file; `after` is called behind every chunk. Throws `truncated` where it ends inside the picture. */
  async take(input: JpegInput, after: () => void = () => undefined): Promise<void> {
    for await (const chunk of chunksOf(input)) {
      if (this.push(chunk)) return
      after()
    }
    if (!this.pushEnd()) throw new EngineError('jpeg', 'truncated', 'the file ends inside the picture')
  }

  /** What is written from now on goes there. */
  writeTo(write: (chunk: Uint8Array) => void): void {
    this.output = write
  }

  /** Runs `finish` and collects what it writes. */
  collect(write: (chunk: Uint8Array) => void, run: () => void): void {
    this.output = write
    try {
      run()
    } finally {
      this.output = undefined
    }
  }
}

/** libjpeg's J_COLOR_SPACE. */
export const COLOUR_CODE = { natural: 0, gray: 1, rgb: 2, ycbcr: 3, cmyk: 4, ycck: 5, rgbx: 7, rgba: 12 } as const

/** A file: in memory, or in chunks as it comes. */
export type JpegInput = Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>

export async function* chunksOf(input: JpegInput): AsyncGenerator<Uint8Array> {
  if (input instanceof Uint8Array) yield input
  else yield* input
}
