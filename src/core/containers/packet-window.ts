/** Buffered reads of packets from a film. */

import { discard } from '../../../wasm/memories/discard.ts'
import type { Source } from '../model/codec.ts'
import { malformed } from '../model/error.ts'

const WINDOW_BYTES = 512 * 1024
/** Bytes of a read for films that are read from start to end. Larger than any cached block, so a read is one request without a copy. */
export const LARGE_WINDOW_BYTES = 1536 * 1024

/** Buffer for reads that mostly advance. Bytes that `read` returned become invalid at the next `read` and when the window is disposed. */
export class ReadWindow implements Disposable {
  readonly #source: Source
  #bytes: Uint8Array = new Uint8Array()
  #at = 0
  readonly #step: number

  constructor(source: Source, stepBytes = WINDOW_BYTES) {
    this.#source = source
    this.#step = stepBytes
  }

  async read(offset: number, size: number): Promise<Uint8Array> {
    if (offset < this.#at || offset + size > this.#at + this.#bytes.length) {
      this[Symbol.dispose]()
      this.#bytes = await this.#source.read(offset, Math.max(size, this.#step))
      this.#at = offset
      if (this.#bytes.length < size) throw malformed('video', offset, 'file_ends_inside_packet')
    }
    return this.#bytes.subarray(offset - this.#at, offset - this.#at + size)
  }

  [Symbol.dispose](): void {
    // A source in memory may return its own buffer, which must not be freed.
    if (this.#bytes.length < this.#source.size) discard(this.#bytes)
    this.#bytes = new Uint8Array()
  }
}
