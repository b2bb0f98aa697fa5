import { EngineError } from '../engine-error.ts'
import { importsOf } from '../loading/engine-files.ts'
import { instantiateLarge, type LargeEngine, retire } from '../memories/memories.ts'
import wasmModule from './jpeg.wasm'

/** Exports of the engine (src/*.c). Pointers are byte offsets into `memory`. */
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
  measure_errors_only(enabled: number): void
  stay_within(enabled: number): void
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
  write_cut(every: number): number
  lane_written(): number
  recode_next(): number
  recode_end(): void
  recode_packed(): number
}

/**
 * Kind of failure. `damaged` and `truncated`: invalid file. `unsupported`: valid variant that the engine cannot read. `limit`: hostile
 * file. `memory`: file too large. `misuse`: error of the caller.
 */
type JpegFailure = 'damaged' | 'truncated' | 'unsupported' | 'limit' | 'memory' | 'misuse'

/**
 * Kind of failure for an error code. Negative codes are the engine's own (src/jpeg.h); libjpeg's message texts show unsupported features.
 */
function troubleOf(code: number, message: string): JpegFailure {
  const ours: Record<number, JpegFailure> = {
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

/** Most bytes passed to the engine in one call. */
const CHUNK_BYTES = 128 * 1024

/** Range of bytes in a file. */
export interface FileRange {
  readonly offset: number
  readonly length: number
}

/** Engine instance with its own memory, for one job. Ends with `close`. */
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
    // libc's stdio and exit functions are linked but never used; every call returns an error.
    const wasi = Object.fromEntries(
      importsOf(wasmModule)
        .filter((entry) => entry.module === 'wasi_snapshot_preview1')
        .map((entry) => [entry.name, () => 8]),
    )
    this.exports = instantiateLarge<Exports>(wasmModule, { env, wasi_snapshot_preview1: wasi })
    this.exports._initialize()
  }

  /** Returns the engine's memory to the pool. Later calls throw. */
  close(): void {
    this.exports = retire(this.exports)
  }

  /** Peak of the WebAssembly memory so far, in bytes. */
  get memoryBytes(): number {
    return this.exports.heap_top()
  }

  /** Segments between the scans, as far as the file was read. */
  get lateSegments(): FileRange[] {
    const { late_segments, late_segment } = this.exports
    return Array.from({ length: late_segments() }, (_, index) => ({ offset: late_segment(index, 0), length: late_segment(index, 1) }))
  }

  /** Copies bytes into the engine's memory and calls `use` with their pointer. The next call reuses the buffer. */
  withCopy<T>(bytes: Uint8Array, use: (pointer: number) => T): T {
    const pointer = this.scratchBuffer(bytes.length)
    new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes)
    return use(pointer)
  }

  /** Returns a pointer to a buffer of `bytes` bytes, which the next call reuses. */
  scratchBuffer(bytes: number): number {
    if (bytes > this.scratchBytes) {
      if (this.scratch) this.exports.host_free(this.scratch)
      this.scratch = this.exports.host_alloc(bytes)
      this.scratchBytes = bytes
    }
    return this.scratch
  }

  /** Pushes bytes of a file. Returns true if the engine has finished and needs no more bytes. */
  push(bytes: Uint8Array): boolean {
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
      const part = bytes.subarray(offset, offset + CHUNK_BYTES)
      if (this.withCopy(part, (pointer) => this.exports.push(pointer, part.length, 0))) {
        this.unread = bytes.subarray(offset + CHUNK_BYTES)
        return true
      }
    }
    this.unread = undefined
    return false
  }

  /** Bytes of the last `push` that the engine did not consume. `undefined`: none. */
  unread: Uint8Array | undefined

  /** Signals the end of the file. Returns true if the engine has finished. @throws EngineError `truncated` if the picture is incomplete */
  pushEnd(): boolean {
    return this.exports.push(this.scratchBuffer(1), 0, 1) === 1
  }

  /** Pushes a whole file and calls `after` after every chunk. @throws EngineError `truncated` if the file ends inside the picture */
  async pushAll(input: JpegInput, after: () => void = () => undefined): Promise<void> {
    for await (const chunk of chunksOf(input)) {
      if (this.push(chunk)) return
      after()
    }
    if (!this.pushEnd()) throw new EngineError('jpeg', 'truncated', 'the file ends inside the picture')
  }

  /** Sets the receiver of the engine's output. */
  writeTo(write: (chunk: Uint8Array) => void): void {
    this.output = write
  }

  /** Calls `run` and passes the engine's output to `write`. */
  collect(write: (chunk: Uint8Array) => void, run: () => void): void {
    this.output = write
    try {
      run()
    } finally {
      this.output = undefined
    }
  }
}

/** Codes of libjpeg's J_COLOR_SPACE. */
export const COLOUR_CODE = { natural: 0, gray: 1, rgb: 2, ycbcr: 3, cmyk: 4, ycck: 5, rgbx: 7, rgba: 12 } as const

/** JPEG file in memory, or as a stream of chunks. */
export type JpegInput = Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>

export async function* chunksOf(input: JpegInput): AsyncGenerator<Uint8Array> {
  if (input instanceof Uint8Array) yield input
  else yield* input
}
