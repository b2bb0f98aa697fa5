import { message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { malformed } from '../model/error.ts'

/** Bytes that are read ahead, so that many small reads cost one read of the source. */
const WINDOW_BYTES = 256 * 1024
/** Longest range that `bytes` returns. Longer content is read with `chunks`. */
const MAX_RANGE_BYTES = 16 * 1024 * 1024

/** Reads ranges of a file with one window of read-ahead. */
export class FileView {
  readonly size: number
  readonly #source: Source
  readonly #format: string
  readonly #signal: AbortSignal
  #window: Uint8Array = new Uint8Array(0)
  #start = 0

  /** `format`: name of the format in error messages. */
  constructor(source: Source, format: string, signal: AbortSignal) {
    this.#source = source
    this.#format = format
    this.#signal = signal
    this.size = source.size
  }

  /**
   * Returns `length` bytes at `at`, which stay valid until the next call.
   * @throws CodecError (malformed) if the file ends before
   */
  async bytes(at: number, length: number): Promise<Uint8Array> {
    if (at < 0 || length < 0 || at + length > this.size || length > MAX_RANGE_BYTES) throw this.malformed(at)
    if (at < this.#start || at + length > this.#start + this.#window.length) {
      this.#signal.throwIfAborted()
      this.#window = await this.#source.read(at, Math.min(Math.max(length, WINDOW_BYTES), this.size - at))
      this.#start = at
      if (this.#window.length < length) throw this.malformed(at)
    }
    return this.#window.subarray(at - this.#start, at - this.#start + length)
  }

  /** Returns at most `length` bytes at `at`: fewer at the end of the file, none behind it. */
  bytesUpTo(at: number, length: number): Promise<Uint8Array> {
    return this.bytes(Math.min(at, this.size), Math.max(0, Math.min(length, this.size - at)))
  }

  /** Yields a range in chunks, for content that is too long for `bytes`. */
  async *chunks(at: number, length: number): AsyncGenerator<Uint8Array> {
    for (let offset = at; offset < at + length; ) {
      const chunk = await this.bytes(offset, Math.min(WINDOW_BYTES, at + length - offset))
      offset += chunk.length
      yield chunk
    }
  }

  /** Returns the error for a structure that cannot be read at offset `at`. */
  malformed(at: number): Error {
    return malformed(this.#format, at, message('inventory_cannot_read'))
  }
}
