/** R2 objects as sources and sinks of the codecs. */

import { discard } from '../../../wasm/memories/discard.ts'
import { hex } from '../../core/bytes/hex.ts'
import { PATCHABLE_BYTES, type Source } from '../../core/model/codec.ts'
import { noGain } from '../../core/model/error.ts'
import { assertPatchable, MIN_FREED_BYTES, type ResultSink } from '../../core/model/sink.ts'
import { BlockCache } from './blocks.ts'

/** Size in bytes of one part of a multipart upload. R2 requires equal parts of at least 5 MiB, except for the last. */
export const PART_BYTES = PATCHABLE_BYTES

/** Chunk size, in bytes, of the streams that read R2 objects. */
const STREAM_CHUNK_BYTES = 256 * 1024

/** Aborts a multipart upload that an interrupted attempt left. Does nothing if it has ended. */
export async function abortMultipart(bucket: R2Bucket, key: string, multipartId: string): Promise<void> {
  await bucket
    .resumeMultipartUpload(key, multipartId)
    .abort()
    .catch(() => undefined)
}

export function r2Source(bucket: R2Bucket, key: string, size: number, name: string, blocks = new BlockCache()): Source {
  const fetchRange = (offset: number, length: number) => {
    blocks.countRead()
    return blocks.request(`read of ${key}`, async () => {
      const object = await bucket.get(key, { range: { offset, length } })
      if (!object) throw new Error(`The blob ${key} does not exist.`)
      return new Uint8Array(await object.arrayBuffer())
    })
  }
  const windows = blocks.open(size, fetchRange)
  return {
    name,
    size,
    read: (offset, wanted) => windows.read(offset, Math.max(0, Math.min(wanted, size - offset))),
    stream: () => streamOf(bucket, key, blocks),
  }
}

/**
 * Streams the whole object in chunks of 256 KiB. R2's own chunks of 4 KB take 1.5 times as long and leave many small buffers on the heap.
 */
function streamOf(bucket: R2Bucket, key: string, blocks: BlockCache): ReadableStream<Uint8Array> {
  let reader: ReadableStreamBYOBReader | undefined
  let at = 0
  const next = async () => {
    try {
      reader ??= (await openStream(bucket, key, at)).getReader({ mode: 'byob' })
      return (await reader.readAtLeast(STREAM_CHUNK_BYTES, new Uint8Array(STREAM_CHUNK_BYTES))).value
    } catch (error) {
      // Continue a failed stream with a new request from the current position.
      reader = undefined
      throw error
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!reader) blocks.countRead()
        const value = await blocks.request(`stream of ${key}`, next)
        at += value?.length ?? 0
        if (value?.length) controller.enqueue(value)
        else controller.close()
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

async function openStream(bucket: R2Bucket, key: string, offset: number): Promise<ReadableStream<Uint8Array>> {
  const object = await bucket.get(key, offset > 0 ? { range: { offset } } : {})
  if (!object) throw new Error(`The blob ${key} does not exist.`)
  return object.body
}

export interface R2SinkOptions {
  /** Whether the first part stays in memory so that it can be patched. Default: `true`. */
  readonly patchable?: boolean
  /** Read cache of the job. Default: a new one. */
  readonly blockCache?: BlockCache
}

/** Creates a sink that writes one R2 object, in parts if it has more than one part. Throws `no_gain` when `limit` bytes are reached. */
export function r2Sink(bucket: R2Bucket, key: string, limit: number, name: string, options: R2SinkOptions = {}): ResultSink {
  const { patchable = true, blockCache: blocks = new BlockCache() } = options
  return new R2Sink(new R2Parts(bucket, key, blocks), limit, name, patchable)
}

/** One R2 object. Becomes a multipart upload when its second part is written. */
class R2Parts {
  readonly bucket: R2Bucket
  readonly key: string
  readonly blocks: BlockCache
  #upload: R2MultipartUpload | undefined
  readonly #parts: R2UploadedPart[] = []

  constructor(bucket: R2Bucket, key: string, blocks: BlockCache) {
    this.bucket = bucket
    this.key = key
    this.blocks = blocks
  }

  get isBegun(): boolean {
    return this.#upload !== undefined
  }

  /** Next free part number: one more than the highest number so far. */
  get nextNumber(): number {
    return this.#parts.length + 1
  }

  async put(buffer: PartBuffer, number: number): Promise<void> {
    await this.blocks.request(`part ${number} of ${this.key}`, async () => {
      this.#upload ??= await this.bucket.createMultipartUpload(this.key)
      this.#parts[number - 1] = await this.#upload.uploadPart(number, buffer.bytes())
    })
    buffer.length = 0
  }

  async complete(): Promise<void> {
    await this.blocks.request(`end of ${this.key}`, async () => this.#upload?.complete(this.#parts))
    this.#upload = undefined
  }

  async putWhole(buffer: PartBuffer): Promise<void> {
    await this.blocks.request(`write of ${this.key}`, () => this.bucket.put(this.key, buffer.bytes()))
  }

  async abort(): Promise<void> {
    await this.#upload?.abort()
    this.#upload = undefined
    this.#parts.length = 0
  }
}

class R2Sink implements ResultSink {
  readonly #object: R2Parts
  readonly #limit: number
  readonly #name: string
  readonly #patchable: boolean
  /** First part of the object. Kept in memory until the end, so that it can be patched. */
  readonly #first = new PartBuffer()
  readonly #part = new PartBuffer()
  #written = 0
  #stored = false

  constructor(object: R2Parts, limit: number, name: string, patchable: boolean) {
    this.#object = object
    this.#limit = limit
    this.#name = name
    this.#patchable = patchable
  }

  get written(): number {
    return this.#written
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#written + chunk.length >= this.#limit) throw noGain()
    this.#written += chunk.length
    let rest = this.#patchable ? this.#first.take(chunk) : chunk
    while (rest.length > 0) {
      rest = this.#part.take(rest)
      if (this.#part.length === PART_BYTES) await this.#flush()
    }
    if (chunk.length >= MIN_FREED_BYTES) discard(chunk)
  }

  patch(offset: number, bytes: Uint8Array): void {
    if (!this.#patchable) throw new Error(`The sink of ${this.#object.key} is not patchable: written bytes cannot be changed.`)
    assertPatchable(offset, bytes.length, this.#written)
    this.#first.bytes().set(bytes, offset)
  }

  async finish(): Promise<Source> {
    const { bucket, key, blocks } = this.#object
    if (this.#object.isBegun || (this.#patchable && this.#part.length > 0)) {
      if (this.#part.length > 0) await this.#flush()
      if (this.#patchable) await this.#object.put(this.#first, 1)
      await this.#object.complete()
    } else await this.#object.putWhole(this.#patchable ? this.#first : this.#part)
    this.#stored = true
    this.#free()
    return r2Source(bucket, key, this.#written, this.#name, blocks)
  }

  async abort(): Promise<void> {
    this.#free()
    await this.#object.abort()
    if (this.#stored) await this.#object.bucket.delete(this.#object.key)
    this.#stored = false
    this.#written = 0
  }

  /** Part number 1 is reserved for the first part of a patchable object. */
  #flush(): Promise<void> {
    return this.#object.put(this.#part, Math.max(this.#object.nextNumber, this.#patchable ? 2 : 1))
  }

  #free(): void {
    this.#first.free()
    this.#part.free()
  }
}

/** Size in bytes above which the part buffer grows to a whole part at once. Doubling would need 1.5 parts of memory for a moment. */
const MAX_DOUBLING_BYTES = 1024 * 1024

/** Buffer of one part. Grows by doubling, then to the full part size. */
class PartBuffer {
  length = 0
  #capacity = new Uint8Array(0)

  /**
   * Copies the bytes that fit into the part.
   * @returns the bytes that did not fit
   */
  take(chunk: Uint8Array): Uint8Array {
    const copied = chunk.subarray(0, PART_BYTES - this.length)
    if (this.length + copied.length > this.#capacity.length) {
      const wanted = Math.max(64 * 1024, this.#capacity.length * 2, this.length + copied.length)
      const grown = new Uint8Array(wanted > MAX_DOUBLING_BYTES ? PART_BYTES : wanted)
      grown.set(this.bytes())
      discard(this.#capacity)
      this.#capacity = grown
    }
    this.#capacity.set(copied, this.length)
    this.length += copied.length
    return chunk.subarray(copied.length)
  }

  bytes(): Uint8Array {
    return this.#capacity.subarray(0, this.length)
  }

  free(): void {
    discard(this.#capacity)
    this.#capacity = new Uint8Array(0)
    this.length = 0
  }
}

/** SHA-256 (hex) of the stored object, computed by reading it back. */
export async function sha256OfBlob(bucket: R2Bucket, key: string): Promise<string> {
  const digest = new crypto.DigestStream('SHA-256')
  const writer = digest.getWriter()
  for await (const chunk of streamOf(bucket, key, new BlockCache())) {
    await writer.write(chunk)
    discard(chunk)
  }
  await writer.close()
  return hex(await digest.digest)
}
