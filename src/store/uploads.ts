/** An upload on its way into R2: hashed as it comes, in parts of equal size, and in memory when it is one part or less. */
import { createHash } from 'node:crypto'
import type { Source } from '../codec/codec.ts'
import { memorySource } from '../codec/source.ts'
import { PART_BYTES, r2Source } from './blobs.ts'

/**
 * Takes chunks, stores parts. Small files stay in memory until `store`, so that what is refused was never stored.
 * One part is on its way while the next one fills: two part buffers at most.
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
  #sending: Promise<void> = Promise.resolve()
  #spare: Uint8Array<ArrayBuffer> | undefined
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
    this.#buffer = grown
  }

  /** Sends the buffer as the next part, after the one before has arrived. */
  async #send(): Promise<void> {
    this.#multipart ??= await this.#bucket.createMultipartUpload(this.key)
    await this.#sending
    const [multipart, number, buffer] = [this.#multipart, this.#parts.length + 1, this.#buffer.subarray(0, this.#filled)]
    this.#sending = multipart.uploadPart(number, buffer).then((part) => {
      this.#parts.push(part)
      this.#spare = new Uint8Array(buffer.buffer)
    })
    this.#sending.catch(() => undefined) // waited for before the next part
    this.#buffer = this.#spare ?? new Uint8Array(PART_BYTES)
    this.#spare = undefined
    this.#filled = 0
  }

  /** All bytes came. Files of more than one part are in R2 after this, smaller ones after `store`. */
  async finish(): Promise<{ size: number; sha256: string }> {
    if (this.#multipart) {
      if (this.#filled > 0) await this.#send()
      await this.#sending
      await this.#multipart.complete(this.#parts)
      this.#stored = true
      this.#buffer = new Uint8Array(0)
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
    this.#buffer = new Uint8Array(0)
  }

  /** A task has it from now on. */
  async handOver(): Promise<void> {}

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#sending.catch(() => undefined)
    if (this.#stored) await this.#bucket.delete(this.key)
    else await this.#multipart?.abort()
    this.#buffer = new Uint8Array(0)
    this.#filled = 0
  }
}
