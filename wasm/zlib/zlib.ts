import type { Container } from '../libdeflate/libdeflate.ts'
import { instantiate } from '../memories/memories.ts'
import { StreamEngine, type StreamExports } from '../stream-engine.ts'
import wasmModule from './zlib.wasm'

/** Exports of the inflating half of zlib (glue.c). */
interface Exports extends StreamExports {
  open_inflate(windowBits: number): number
}

/** Values of zlib's `windowBits`: windows of 32 KiB, and the container. */
const WINDOW_BITS = { raw: -15, zlib: 15, gzip: 31 } as const

/** Decompressor of Deflate streams that checks their checksums. An engine can open one stream after the other. */
export class Inflater extends StreamEngine<Exports> {
  #container: Container = 'zlib'
  #padded = false

  constructor() {
    super(instantiate<Exports>(wasmModule))
  }

  /** True if no later input can belong to the stream. A gzip file may have several members (RFC 1952, 2.2); a zero after one ends it. */
  override get complete(): boolean {
    return this.#container === 'gzip' ? this.#padded : this.ended
  }

  /** Starts a stream. Called before its first byte. */
  open(container: Container): this {
    this.#container = container
    this.#padded = false
    this.reopened(this.exports.open_inflate(WINDOW_BITS[container]))
    return this
  }

  /**
   * Decompresses input.
   * @throws EngineError `damaged`, also for bytes between two gzip members
   */
  override *push(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    let rest = bytes
    while (rest.length > 0 && !this.complete) {
      if (this.ended && rest[0] === 0) this.#padded = true
      else {
        if (this.ended) this.open(this.#container)
        yield* super.push(rest)
        rest = rest.subarray(rest.length - this.unreadBytes)
      }
    }
  }
}
