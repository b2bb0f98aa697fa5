import wasmModule from './libdeflate.wasm'

/** How a Deflate stream is wrapped: RFC 1951 bare, RFC 1950 with Adler-32, RFC 1952 with CRC-32. */
export type Container = 'raw' | 'zlib' | 'gzip'

const CONTAINER_CODE = { raw: 0, zlib: 1, gzip: 2 } as const

/** What the engine exports (glue.c). Pointers and lengths are bytes of its memory. */
interface Exports {
  memory: WebAssembly.Memory
  arena_reserve(bytes: number): number
  arena_reset(): void
  prepare_level(level: number): number
  compress_bound(container: number, bytes: number): number
  compress(container: number, input: number, bytes: number, output: number, room: number): number
  decompress(container: number, input: number, bytes: number, output: number, room: number): number
  consumed(): number
  produced(): number
}

export type Inflated =
  | { kind: 'done'; bytes: Uint8Array /** Bytes of input that the stream took; what follows is not part of it. */; consumed: number }
  /** The data is damaged or ends early. */
  | { kind: 'damaged' }
  /** More than `room` bytes come out. */
  | { kind: 'no_room' }

/** One libdeflate with its own memory (at most 96 MiB). Calls are synchronous and leave nothing behind. */
export class Libdeflate {
  readonly #exports: Exports

  constructor() {
    this.#exports = new WebAssembly.Instance(wasmModule).exports as unknown as Exports
  }

  /** Bytes of linear memory; it never shrinks, so an engine that grew large is best dropped. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength
  }

  /**
   * `bytes` compressed at `level` 0–12, or undefined when the result would be longer than `room` (default: no bound).
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
    return at >>> 0
  }
}
