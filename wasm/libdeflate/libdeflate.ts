import { type Engine, instantiate, retire } from '../memories/memories.ts'
import wasmModule from './libdeflate.wasm'

/** Container of a Deflate stream: `raw` (RFC 1951), `zlib` with Adler-32 (RFC 1950), `gzip` with CRC-32 (RFC 1952). */
export type Container = 'raw' | 'zlib' | 'gzip'

const CONTAINER_CODE = { raw: 0, zlib: 1, gzip: 2 } as const

/** Exports of the libdeflate engine (glue.c). Pointers and lengths are bytes of Wasm memory. */
interface Exports extends Engine {
  arena_reserve(bytes: number): number
  arena_reset(): void
  prepare_level(level: number): number
  compress_bound(container: number, bytes: number): number
  compress(container: number, input: number, bytes: number, output: number, room: number): number
  begin_thorough(input: number, bytes: number, output: number, room: number): number
  thorough_stretch(): number
  end_thorough(): number
  decompress(container: number, input: number, bytes: number, output: number, room: number): number
  consumed(): number
  produced(): number
  begin_stream(): void
  compress_segment(input: number, bytes: number, window: number, moreFollows: number, output: number, room: number): number
}

export type Inflated =
  | { kind: 'done'; bytes: Uint8Array /** Input bytes that the stream occupies; later bytes are not part of it. */; consumed: number }
  /** The data is damaged or ends early. */
  | { kind: 'damaged' }
  /** The output exceeds `room` bytes. */
  | { kind: 'no_room' }

/** libdeflate instance with its own memory (at most 96 MiB) until it is disposed. Calls are synchronous and independent of each other. */
export class Libdeflate {
  #exports = instantiate<Exports>(wasmModule)

  /** Peak memory of this instance in bytes. */
  get memoryBytes(): number {
    return this.#exports.heap_top()
  }

  /** Releases the memory for the next engine. */
  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  /**
   * Compresses `bytes` at `level` 0 to 12, or 13 and 14 (priced.h). `undefined`: the result exceeds `room` bytes (default: no limit).
   * @throws RangeError if memory is insufficient: the compressor takes about 1.1 MB to 9 MB, plus input and output
   */
  compress(container: Container, bytes: Uint8Array, level: number, room?: number): Uint8Array | undefined {
    const engine = this.#exports
    const code = CONTAINER_CODE[container]
    engine.arena_reset()
    if (!engine.prepare_level(level)) throw new RangeError(`libdeflate: level ${level} is not supported, or memory is insufficient`)
    const bound = engine.compress_bound(code, bytes.length)
    const capacity = Math.min(bound, room ?? bound)
    const input = this.#copyIn(bytes)
    const output = this.#reserve(capacity)
    const written = engine.compress(code, input, bytes.length, output, capacity)
    return written ? this.#copyOut(output, written) : undefined
  }

  /**
   * Compresses `bytes` into a raw Deflate stream with optimal parsing and exact block splitting (thorough.h). It is about four times as
   * slow as level 12. `undefined`: the result exceeds `room` bytes. Memory: 15 MB, plus input and output. `pause` is awaited after every
   * 300,000 bytes, about a third of a second of work. Meanwhile no other call may use this instance.
   */
  async compressThorough(bytes: Uint8Array, room: number, pause: () => Promise<void> | undefined): Promise<Uint8Array | undefined> {
    const engine = this.#exports
    engine.arena_reset()
    if (!engine.prepare_level(12)) throw new RangeError('libdeflate: memory is insufficient for the compressor')
    const input = this.#copyIn(bytes)
    const capacity = Math.min(engine.compress_bound(0, bytes.length), room)
    const output = this.#reserve(capacity)
    if (!engine.begin_thorough(input, bytes.length, output, capacity)) return undefined
    while (engine.thorough_stretch()) await pause()
    const written = engine.end_thorough()
    return written ? this.#copyOut(output, written) : undefined
  }

  /** Decompresses the first stream in `bytes` into at most `room` bytes. */
  decompress(container: Container, bytes: Uint8Array, room: number): Inflated {
    const engine = this.#exports
    engine.arena_reset()
    if (!engine.prepare_level(-1)) throw new RangeError('libdeflate: memory is insufficient for the decompressor')
    const input = this.#copyIn(bytes)
    const output = this.#reserve(room)
    const result = engine.decompress(CONTAINER_CODE[container], input, bytes.length, output, room)
    if (result === 3) return { kind: 'no_room' }
    if (result !== 0) return { kind: 'damaged' }
    return { kind: 'done', bytes: this.#copyOut(output, engine.produced()), consumed: engine.consumed() }
  }

  #copyIn(bytes: Uint8Array): number {
    const at = this.#reserve(bytes.length)
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes)
    return at
  }

  #copyOut(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, at, length).slice()
  }

  #reserve(bytes: number): number {
    const at = this.#exports.arena_reserve(bytes)
    if (at === 0) throw new RangeError(`libdeflate: memory is insufficient for ${bytes} bytes`)
    return at
  }
}

const WINDOW_BYTES = 32_768

/**
 * Compresses data of any length into one raw Deflate stream. Each segment can refer to the 32 KiB before it. Memory: the compressor (up to
 * 9 MB) and twice the segment size.
 */
export class DeflateSegments {
  #exports = instantiate<Exports>(wasmModule)
  readonly #segmentBytes: number
  readonly #window: number
  readonly #segment: number
  readonly #output: number
  readonly #room: number
  #windowBytes = 0
  #filled = 0
  #retired = false

  /**
   * Creates a compressor. `level`: 5 to 12.
   * @throws RangeError for other levels, or if memory is insufficient
   */
  constructor(level: number, segmentBytes: number) {
    if (level < 5) throw new RangeError(`libdeflate: segments need level 5 to 12, received ${level}`)
    const engine = this.#exports
    if (!engine.prepare_level(level)) throw new RangeError(`libdeflate: level ${level} is not supported, or memory is insufficient`)
    this.#segmentBytes = segmentBytes
    this.#room = engine.compress_bound(0, segmentBytes) + 16
    this.#window = engine.arena_reserve(WINDOW_BYTES + segmentBytes)
    this.#segment = this.#window + WINDOW_BYTES
    this.#output = engine.arena_reserve(this.#room)
    if (!this.#window || !this.#output) throw new RangeError(`libdeflate: memory is insufficient for segments of ${segmentBytes} bytes`)
    engine.begin_stream()
  }

  /** Adds input and yields the output that is ready. */
  *push(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    for (let at = 0; at < bytes.length; ) {
      // A full segment is compressed only when more input arrives, because the last segment must be marked as final.
      if (this.#filled === this.#segmentBytes) yield this.#flush(true)
      const part = bytes.subarray(at, at + this.#segmentBytes - this.#filled)
      new Uint8Array(this.#exports.memory.buffer, this.#segment + this.#filled, part.length).set(part)
      this.#filled += part.length
      at += part.length
    }
  }

  /** Returns the rest of the stream. No input may be added afterwards. */
  finish(): Uint8Array {
    // An empty final block with fixed codes (RFC 1951, 3.2.6): the bits 1, 01 and seven zeros.
    const rest = this.#filled === 0 ? Uint8Array.of(0x03, 0x00) : this.#flush(false)
    this[Symbol.dispose]()
    return rest
  }

  /** Releases the memory for the next engine. Needed only if `finish` is not called. */
  [Symbol.dispose](): void {
    if (!this.#retired) this.#exports = retire(this.#exports)
    this.#retired = true
  }

  #flush(moreFollows: boolean): Uint8Array {
    const engine = this.#exports
    const written = engine.compress_segment(this.#segment, this.#filled, this.#windowBytes, moreFollows ? 1 : 0, this.#output, this.#room)
    const compressed = new Uint8Array(engine.memory.buffer, this.#output, written).slice()
    this.#windowBytes = Math.min(WINDOW_BYTES, this.#windowBytes + this.#filled)
    const memory = new Uint8Array(engine.memory.buffer)
    const end = this.#segment + this.#filled
    memory.copyWithin(this.#segment - this.#windowBytes, end - this.#windowBytes, end)
    this.#filled = 0
    return compressed
  }
}
