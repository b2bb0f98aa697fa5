/** An upload on its way into R2: hashed as it comes, in parts of equal size, and in memory when it is one part or less. */
import { createHash } from 'node:crypto'
import { discard } from '../../../wasm/memories/discard.ts'
import type { Source } from '../../core/model/codec.ts'
import { memorySource } from '../../core/model/source.ts'
import { PART_BYTES, r2Source } from './blobs.ts'

/**
 * Takes chunks, stores parts. Small files stay in memory until `store`, so that what is refused was never stored. One buffer of a
 * part at most: while it is on its way, the line waits.
 */
export class Upload {
  readonly key: string
  readonly #bucket: R2Bucket
  /** SHA-256 of what was written. */
  readonly hash = createHash('sha256')
  #buffer = new Uint8Array(64 * 1024)
  #filled = 0
  #size = 0
  #multipart: R2MultipartUpload | undefined
  readonly #parts: R2UploadedPart[] = []
  #stored = false

  constructor(bucket: R2Bucket, key: string) {
    this.#bucket = bucket
    this.key = key
  }

  get size(): number {
    return this.#size
  }

  /** Copies `chunk`; the caller may reuse it at once. */
  async write(chunk: Uint8Array): Promise<void> {
    this.hash.update(chunk)
    this.#size += chunk.length
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#filled === PART_BYTES) await this.#send()
      this.#reserve(rest.length)
      const taken = Math.min(rest.length, this.#buffer.length - this.#filled)
      this.#buffer.set(rest.subarray(0, taken), this.#filled)
      this.#filled += taken
      rest = rest.subarray(taken)
    }
  }

  /** Grows the buffer by doubling, up to one part. */
  #reserve(more: number): void {
    let length = this.#buffer.length
    while (length < PART_BYTES && length < this.#filled + more) length = Math.min(PART_BYTES, length * 2)
    if (length === this.#buffer.length) return
    const grown = new Uint8Array(length)
    grown.set(this.#buffer.subarray(0, this.#filled))
    discard(this.#buffer)
    this.#buffer = grown
  }

  /** Sends the buffer as the next part, and fills it anew. */
  async #send(): Promise<void> {
    this.#multipart ??= await this.#bucket.createMultipartUpload(this.key)
    this.#parts.push(await this.#multipart.uploadPart(this.#parts.length + 1, this.#buffer.subarray(0, this.#filled)))
    this.#filled = 0
  }

  /** The first bytes, until the first part is sent. */
  head(length: number): Uint8Array {
    return this.#buffer.subarray(0, Math.min(length, this.#filled))
  }

  /** All bytes came. Files of more than one part are in R2 after this, smaller ones after `store`. */
  async finish(): Promise<{ size: number; sha256: string }> {
    if (this.#multipart) {
      if (this.#filled > 0) await this.#send()
      await this.#multipart.complete(this.#parts)
      this.#stored = true
      this.#free()
    }
    return { size: this.#size, sha256: this.hash.digest('hex') }
  }

  /** The finished upload, to be looked into before it is kept. */
  source(name: string): Source {
    if (!this.#stored) return memorySource(this.#buffer.subarray(0, this.#filled), name)
    return r2Source(this.#bucket, this.key, this.#size, name)
  }

  async store(): Promise<void> {
    if (!this.#stored) await this.#bucket.put(this.key, this.#buffer.subarray(0, this.#filled))
    this.#stored = true
    this.#free()
  }

  /** A task has it from now on. */
  async handOver(): Promise<void> {}

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    if (this.#stored) await this.#bucket.delete(this.key)
    else await this.#multipart?.abort()
    this.#free()
  }

  #free(): void {
    discard(this.#buffer)
    this.#buffer = new Uint8Array(0)
    this.#filled = 0
  }
}
