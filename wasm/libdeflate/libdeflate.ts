import { type Engine, instantiate, retire } from '../memories/memories.ts'
import wasmModule from './libdeflate.wasm'

/** How a Deflate stream is wrapped: RFC 1951 bare, RFC 1950 with Adler-32, RFC 1952 with CRC-32. */
export type Container = 'raw' | 'zlib' | 'gzip'

const CONTAINER_CODE = { raw: 0, zlib: 1, gzip: 2 } as const

/** What the engine exports (glue.c). Pointers and lengths are bytes of its memory. */
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
  | { kind: 'done'; bytes: Uint8Array /** Bytes of input that the stream took; what follows is not part of it. */; consumed: number }
  /** The data is damaged or ends early. */
  | { kind: 'damaged' }
  /** More than `room` bytes come out. */
  | { kind: 'no_room' }

/** One libdeflate with its own memory (at most 96 MiB) until it is disposed of. Calls are synchronous and leave nothing behind. */
export class Libdeflate {
  #exports = instantiate<Exports>(wasmModule)

  /** The most memory that it needed so far. */
  get memoryBytes(): number {
    return this.#exports.heap_top()
  }

  /** Its memory is the next engine's. */
  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  /**
   * `bytes` compressed at `level` 0–12 (13 and 14: priced.h), or undefined when the result would be longer than `room` (default: no bound).
   * @throws RangeError when the memory does not suffice: about 1.1 MB to 9 MB for the compressor, plus input and output
   */
  compress(container: Container, bytes: Uint8Array, level: number, room?: number): Uint8Array | undefined {
    const engine = this.#exports
    const code = CONTAINER_CODE[container]
    engine.arena_reset()
    if (!engine.prepare_level(level)) throw new RangeError(`libdeflate has no level ${level}, or no memory for it`)
    const bound = engine.compress_bound(code, bytes.length)
    const capacity = Math.min(bound, room ?? bound)
    const input = this.#copyIn(bytes)
    const output = this.#reserve(capacity)
    const written = engine.compress(code, input, bytes.length, output, capacity)
    return written ? this.#copyOut(output, written) : undefined
  }

  /**
   * A raw stream as small as optimal parsing and exact block splitting make it (thorough.h), some four times as slow as
   * level 12; undefined when it would be longer than `room`. Needs 15 MB, plus input and output. `rest` is awaited after every
   * 300,000 bytes, about a third of a second of work; nobody may use this instance meanwhile.
   */
  async compressThorough(bytes: Uint8Array, room: number, rest: () => Promise<void> | undefined): Promise<Uint8Array | undefined> {
    const engine = this.#exports
    engine.arena_reset()
    if (!engine.prepare_level(12)) throw new RangeError('libdeflate has no memory for its compressor')
    const input = this.#copyIn(bytes)
    const capacity = Math.min(engine.compress_bound(0, bytes.length), room)
    const output = this.#reserve(capacity)
    if (!engine.begin_thorough(input, bytes.length, output, capacity)) return undefined
    while (engine.thorough_stretch()) await rest()
    const written = engine.end_thorough()
    return written ? this.#copyOut(output, written) : undefined
  }

  /** Decompresses the first stream in `bytes` into at most `room` bytes. */
  decompress(container: Container, bytes: Uint8Array, room: number): Inflated {
    const engine = this.#exports
    engine.arena_reset()
    if (!engine.prepare_level(-1)) throw new RangeError('libdeflate has no memory for its decompressor')
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
    if (at === 0) throw new RangeError(`libdeflate has no memory for ${bytes} bytes`)
    return at
  }
}

const WINDOW_BYTES = 32_768

/**
 * One raw Deflate stream from data of any length, compressed in segments that see the 32 KiB before them. Needs the
 * compressor (up to 9 MB) and twice a segment.
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

  /** `level` 5 to 12. */
  constructor(level: number, segmentBytes: number) {
    if (level < 5) throw new RangeError(`level ${level} has no segments`)
    const engine = this.#exports
    if (!engine.prepare_level(level)) throw new RangeError(`libdeflate has no level ${level}, or no memory for it`)
    this.#segmentBytes = segmentBytes
    this.#room = engine.compress_bound(0, segmentBytes) + 16
    this.#window = engine.arena_reserve(WINDOW_BYTES + segmentBytes)
    this.#segment = this.#window + WINDOW_BYTES
    this.#output = engine.arena_reserve(this.#room)
    if (!this.#window || !this.#output) throw new RangeError(`libdeflate has no memory for segments of ${segmentBytes} bytes`)
    engine.begin_stream()
  }

  /** Takes more input; what is ready comes out. */
  *push(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    for (let at = 0; at < bytes.length; ) {
      // A full segment waits for the next byte, so that the last one is known to be the last.
      if (this.#filled === this.#segmentBytes) yield this.#flush(true)
      const part = bytes.subarray(at, at + this.#segmentBytes - this.#filled)
      new Uint8Array(this.#exports.memory.buffer, this.#segment + this.#filled, part.length).set(part)
      this.#filled += part.length
      at += part.length
    }
  }

  /** The rest. Nothing may be pushed afterwards. */
  finish(): Uint8Array {
    // RFC 1951, 3.2.6: an empty final block with fixed codes is the bits 1, 01 and seven zeros.
    const rest = this.#filled === 0 ? Uint8Array.of(0x03, 0x00) : this.#flush(false)
    this[Symbol.dispose]()
    return rest
  }

  /** Its memory is the next engine's: for who does not come to the end. */
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
