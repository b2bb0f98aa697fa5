/** Streams an upload into R2: hashes it, and writes parts of equal size. Files of up to one part stay in memory. */
import { createHash } from 'node:crypto'
import { discard } from '../../../wasm/memories/discard.ts'
import type { Source } from '../../core/model/codec.ts'
import { memorySource } from '../../core/model/source.ts'
import { PART_BYTES, r2Source } from './blobs.ts'

/**
 * Receives chunks and stores parts. Small files stay in memory until `store`, so that refused files are never stored.
 * The buffer has at most one part. While a part is sent, the sender waits.
 */
export class Upload {
  readonly key: string
  readonly #bucket: R2Bucket
  readonly #onMultipart: ((uploadId: string) => void) | undefined
  /** SHA-256 of the bytes received so far. */
  readonly hash = createHash('sha256')
  #buffer = new Uint8Array(64 * 1024)
  #filled = 0
  #size = 0
  #multipart: R2MultipartUpload | undefined
  readonly #parts: R2UploadedPart[] = []
  #stored = false

  /** @param onMultipart called with the id of the multipart upload as soon as it exists. `undefined`: nobody needs it */
  constructor(bucket: R2Bucket, key: string, onMultipart?: (uploadId: string) => void) {
    this.#bucket = bucket
    this.key = key
    this.#onMultipart = onMultipart
  }

  get size(): number {
    return this.#size
  }

  /** Copies `chunk`. The caller may reuse its buffer afterwards. */
  async write(chunk: Uint8Array): Promise<void> {
    this.hash.update(chunk)
    this.#size += chunk.length
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#filled === PART_BYTES) await this.#sendPart()
      this.#growBuffer(rest.length)
      const copied = Math.min(rest.length, this.#buffer.length - this.#filled)
      this.#buffer.set(rest.subarray(0, copied), this.#filled)
      this.#filled += copied
      rest = rest.subarray(copied)
    }
  }

  /** Grows the buffer by doubling, up to the size of one part. */
  #growBuffer(more: number): void {
    let length = this.#buffer.length
    while (length < PART_BYTES && length < this.#filled + more) length = Math.min(PART_BYTES, length * 2)
    if (length === this.#buffer.length) return
    const grown = new Uint8Array(length)
    grown.set(this.#buffer.subarray(0, this.#filled))
    discard(this.#buffer)
    this.#buffer = grown
  }

  /** Sends the buffer as the next part and empties it. */
  async #sendPart(): Promise<void> {
    this.#multipart ??= await this.#begin()
    this.#parts.push(await this.#multipart.uploadPart(this.#parts.length + 1, this.#buffer.subarray(0, this.#filled)))
    this.#filled = 0
  }

  async #begin(): Promise<R2MultipartUpload> {
    const multipart = await this.#bucket.createMultipartUpload(this.key)
    this.#onMultipart?.(multipart.uploadId)
    return multipart
  }

  /** Returns up to `length` first bytes of the file. Valid until the first part is sent. */
  head(length: number): Uint8Array {
    return this.#buffer.subarray(0, Math.min(length, this.#filled))
  }

  /** Ends the upload. Files of more than one part are in R2 afterwards, smaller ones only after `store`. */
  async finish(): Promise<{ size: number; sha256: string }> {
    if (this.#multipart) {
      if (this.#filled > 0) await this.#sendPart()
      await this.#multipart.complete(this.#parts)
      this.#stored = true
      this.#free()
    }
    return { size: this.#size, sha256: this.hash.digest('hex') }
  }

  /** Returns the finished upload as a source, so that its format can be identified before it is stored. */
  source(name: string): Source {
    if (!this.#stored) return memorySource(this.#buffer.subarray(0, this.#filled), name)
    return r2Source(this.#bucket, this.key, this.#size, name)
  }

  async store(): Promise<void> {
    if (!this.#stored) await this.#bucket.put(this.key, this.#buffer.subarray(0, this.#filled))
    this.#stored = true
    this.#free()
  }

  /** Transfers the upload to its task. Nothing to do here, because only resumable uploads record it. */
  async handOver(): Promise<void> {}

  /** Removes everything that was stored and frees the buffer. */
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
