/** Bytes of a film, as decoders want them. */

import { discard } from '../../../wasm/memories/discard.ts'
import type { Source } from '../model/codec.ts'
import { malformed } from '../model/error.ts'

const WINDOW_BYTES = 512 * 1024
/** For films that are read from one end to the other: more than any job of this family keeps of an object, so a request and no copy. */
export const LARGE_WINDOW_BYTES = 1536 * 1024

/** Reads that mostly go forward, through one buffer. What was read before is gone with the next `read`, and with the window. */
export class Window implements Disposable {
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
    // A source that is all in memory may hand out itself.
    if (this.#bytes.length < this.#source.size) discard(this.#bytes)
    this.#bytes = new Uint8Array()
  }
}
