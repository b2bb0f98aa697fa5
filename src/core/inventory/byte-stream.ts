/** Reads bytes in order, from a file or from data that is inflated on the fly. */
import { concat } from '../bytes/concat.ts'
import { YieldBudget } from '../bytes/yield.ts'
import type { FileView } from './file-view.ts'
import { type InflateOptions, inflated } from './inflate.ts'

/** Bytes that a stream of a file reads at once, and bytes that `chunks` yields at most. A multiple of every word size. */
const CHUNK_BYTES = 64 * 1024
/** Bytes of inflated data between two pauses for other jobs, about 0.1 seconds of work. */
const YIELD_BYTES = 8 * 1024 * 1024

/** Source of a stream. */
interface Supply {
  /** Returns the next bytes, at least one. `undefined`: the data ends here. */
  more(): Promise<Uint8Array | undefined>
  /** Skips bytes without reading them. `undefined`: the source cannot do that. */
  readonly jump?: (length: number) => void
  readonly failed: () => Error
}

/** Bytes in order. Callers fill the stream first and then take bytes without waiting. */
export class ByteStream {
  /** Bytes taken or skipped so far. */
  position = 0
  readonly #supply: Supply
  #held: Uint8Array = new Uint8Array(0)
  #at = 0

  constructor(supply: Supply) {
    this.#supply = supply
  }

  /** Bytes that `take` can return. */
  get available(): number {
    return this.#held.length - this.#at
  }

  /** True if `take` can return `length` bytes. */
  has(length: number): boolean {
    return this.available >= length
  }

  /** Reads on until `length` bytes can be taken. False: the data ends before. */
  async fill(length: number): Promise<boolean> {
    while (!this.has(length)) {
      const rest = this.#held.subarray(this.#at)
      const more = await this.#supply.more()
      if (!more) return false
      this.#held = rest.length === 0 ? more : concat([rest, more])
      this.#at = 0
    }
    return true
  }

  /** Returns the next bytes, at most `length`, of those that are there. They are valid until the next call of `fill` or `skip`. */
  peek(length: number): Uint8Array {
    return this.#held.subarray(this.#at, this.#at + length)
  }

  /** Returns the next `length` bytes, which must be there. They are valid until the next call of `fill` or `skip`. */
  take(length: number): Uint8Array {
    const bytes = this.peek(length)
    if (bytes.length < length) throw this.#supply.failed()
    this.#at += length
    this.position += length
    return bytes
  }

  /**
   * Skips bytes.
   * @throws CodecError (malformed) if the data ends before
   */
  async skip(length: number): Promise<void> {
    let left = length
    for (;;) {
      const part = Math.min(left, this.available)
      this.#at += part
      left -= part
      if (left === 0) break
      if (this.#supply.jump) {
        this.#supply.jump(left)
        break
      }
      if (!(await this.fill(1))) throw this.#supply.failed()
    }
    this.position += length
  }

  /**
   * Yields the next `length` bytes in chunks, each valid until the next one.
   * @throws CodecError (malformed) if the data ends before
   */
  async *chunks(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      const size = Math.min(left, CHUNK_BYTES)
      await this.fill(size)
      yield this.take(size)
      left -= size
    }
  }
}

/** Returns a stream of a file from `start` to its end. */
export function streamOfFile(view: FileView, start: number): ByteStream {
  let at = start
  return new ByteStream({
    async more() {
      const bytes = await view.bytesUpTo(at, CHUNK_BYTES)
      at += bytes.length
      return bytes.length > 0 ? bytes : undefined
    },
    jump(length) {
      if (at + length > view.size) throw view.malformed(at)
      at += length
    },
    failed: () => view.malformed(at),
  })
}

/**
 * Returns a stream of the data that is compressed from `start` to the end of the file. Damaged data and data that ends too early are
 * malformed.
 */
export function streamOfInflated(view: FileView, start: number, options: InflateOptions, signal: AbortSignal): ByteStream {
  const chunks = inflated(view.chunks(start, view.size - start), options)
  const budget = new YieldBudget(YIELD_BYTES, signal)
  return new ByteStream({
    async more() {
      try {
        const { done, value } = await chunks.next()
        if (done) return undefined
        await budget.after(value.length)
        return value
      } catch (error) {
        if (signal.aborted) throw error
        throw view.malformed(start)
      }
    },
    failed: () => view.malformed(start),
  })
}
