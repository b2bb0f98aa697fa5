/** R2 as sources and sinks. */

import { discard } from '../../../wasm/memories/discard.ts'
import { hex } from '../../core/bytes/hex.ts'
import { PATCHABLE_BYTES, type Source } from '../../core/model/codec.ts'
import { noGain } from '../../core/model/error.ts'
import { assertPatchable, FREED_BYTES, type ResultSink } from '../../core/model/sink.ts'
import { Blocks } from './blocks.ts'

/** R2 wants parts of equal size, at least 5 MiB, but for the last. */
export const PART_BYTES = PATCHABLE_BYTES

/** What streams hand out at a time. */
const STREAMED_BYTES = 256 * 1024

export function r2Source(bucket: R2Bucket, key: string, size: number, name: string, blocks = new Blocks()): Source {
  const fetchRange = (offset: number, length: number) => {
    blocks.countRead()
    return blocks.ask(`read of ${key}`, async () => {
      const object = await bucket.get(key, { range: { offset, length } })
      if (!object) throw new Error(`the blob ${key} is gone`)
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

/** The whole object. By itself R2 hands out 4 KB at a time, which costs half as much again and leaves a heap of small garbage. */
function streamOf(bucket: R2Bucket, key: string, blocks: Blocks): ReadableStream<Uint8Array> {
  let reader: ReadableStreamBYOBReader | undefined
  let at = 0
  const next = async () => {
    try {
      reader ??= (await opened(bucket, key, at)).getReader({ mode: 'byob' })
      return (await reader.readAtLeast(STREAMED_BYTES, new Uint8Array(STREAMED_BYTES))).value
    } catch (error) {
      // A stream that broke goes on in another one.
      reader = undefined
      throw error
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!reader) blocks.countRead()
        const value = await blocks.ask(`stream of ${key}`, next)
        at += value?.length ?? 0
        if (value?.length) controller.enqueue(value)
        else controller.close()
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

async function opened(bucket: R2Bucket, key: string, offset: number): Promise<ReadableStream<Uint8Array>> {
  const object = await bucket.get(key, offset > 0 ? { range: { offset } } : {})
  if (!object) throw new Error(`the blob ${key} is gone`)
  return object.body
}

export interface R2SinkOptions {
  /** Without it the first part does not stay in memory until the end. Default: true. */
  readonly patchable?: boolean
  /** Of the job. */
  readonly blocks?: Blocks
}

/** Writes one R2 object by parts and refuses to reach `limit` bytes. Small results never become a multipart upload. */
export function r2Sink(bucket: R2Bucket, key: string, limit: number, name: string, options: R2SinkOptions = {}): ResultSink {
  const { patchable = true, blocks = new Blocks() } = options
  return new R2Sink(new R2Parts(bucket, key, blocks), limit, name, patchable)
}

/** One R2 object, uploaded by parts as soon as there is more than one. */
class R2Parts {
  readonly bucket: R2Bucket
  readonly key: string
  readonly blocks: Blocks
  #upload: R2MultipartUpload | undefined
  readonly #parts: R2UploadedPart[] = []

  constructor(bucket: R2Bucket, key: string, blocks: Blocks) {
    this.bucket = bucket
    this.key = key
    this.blocks = blocks
  }

  get isBegun(): boolean {
    return this.#upload !== undefined
  }

  /** One more than the highest number so far. */
  get nextNumber(): number {
    return this.#parts.length + 1
  }

  async put(buffer: PartBuffer, number: number): Promise<void> {
    await this.blocks.ask(`part ${number} of ${this.key}`, async () => {
      this.#upload ??= await this.bucket.createMultipartUpload(this.key)
      this.#parts[number - 1] = await this.#upload.uploadPart(number, buffer.bytes())
    })
    buffer.length = 0
  }

  async complete(): Promise<void> {
    await this.blocks.ask(`end of ${this.key}`, async () => this.#upload?.complete(this.#parts))
    this.#upload = undefined
  }

  async putWhole(buffer: PartBuffer): Promise<void> {
    await this.blocks.ask(`write of ${this.key}`, () => this.bucket.put(this.key, buffer.bytes()))
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
  /** The first part of a patchable object, which is uploaded last. */
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
    if (chunk.length >= FREED_BYTES) discard(chunk)
  }

  patch(offset: number, bytes: Uint8Array): void {
    if (!this.#patchable) throw new Error('what was written to this sink is gone')
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

  /** The number 1 is the first part's. */
  #flush(): Promise<void> {
    return this.#object.put(this.#part, Math.max(this.#object.nextNumber, this.#patchable ? 2 : 1))
  }

  #free(): void {
    this.#first.free()
    this.#part.free()
  }
}

/** From here on a buffer grows to a whole part at once, or there would be one and a half for a moment. */
const LARGE_BYTES = 1024 * 1024

/** Grows by doubling, then to one part. */
class PartBuffer {
  length = 0
  #capacity = new Uint8Array(0)

  /** Copies what fits. @returns the rest */
  take(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, PART_BYTES - this.length)
    if (this.length + taken.length > this.#capacity.length) {
      const wanted = Math.max(64 * 1024, this.#capacity.length * 2, this.length + taken.length)
      const grown = new Uint8Array(wanted > LARGE_BYTES ? PART_BYTES : wanted)
      grown.set(this.bytes())
      discard(this.#capacity)
      this.#capacity = grown
    }
    this.#capacity.set(taken, this.length)
    this.length += taken.length
    return chunk.subarray(taken.length)
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

/** SHA-256 (hex) of what is really stored. */
export async function sha256OfBlob(bucket: R2Bucket, key: string): Promise<string> {
  const digest = new crypto.DigestStream('SHA-256')
  const into = digest.getWriter()
  for await (const chunk of streamOf(bucket, key, new Blocks())) {
    await into.write(chunk)
    discard(chunk)
  }
  await into.close()
  return hex(await digest.digest)
}
