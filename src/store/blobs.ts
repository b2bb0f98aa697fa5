/** R2 as sources and sinks. Names: `uploads/<task>`, `results/<task>/<attempt>`, `parts/<task>/<generation>/<part>/<attempt>`. */
import { discard } from '../bytes/discard.ts'
import { hex } from '../bytes/hex.ts'
import { NoGain, PATCHABLE_BYTES, type Source } from '../codec/codec.ts'
import { assertPatchable, FREED_BYTES, type ResultSink } from '../codec/sink.ts'

/** R2 wants parts of equal size, at least 5 MiB, but for the last. */
export const PART_BYTES = 5 * 1024 * 1024

/** Small reads are served from blocks, so that a parser that hops through headers does not pay a round trip each time. */
const BLOCK_BYTES = 256 * 1024
const MAX_BLOCKS = 8

export function r2Source(bucket: R2Bucket, key: string, size: number, name: string): Source {
  const blocks = new Map<number, Promise<Uint8Array>>()

  async function fetchRange(offset: number, length: number): Promise<Uint8Array> {
    const object = await bucket.get(key, { range: { offset, length } })
    if (!object) throw new Error(`the blob ${key} is gone`)
    return new Uint8Array(await object.arrayBuffer())
  }

  function block(index: number): Promise<Uint8Array> {
    const known = blocks.get(index)
    blocks.delete(index)
    const bytes = known ?? fetchRange(index * BLOCK_BYTES, Math.min(BLOCK_BYTES, size - index * BLOCK_BYTES))
    blocks.set(index, bytes)
    // Whoever waits for the block that goes was first in line, and has copied what it wanted.
    if (blocks.size > MAX_BLOCKS) forget(blocks.keys().next().value!)
    return bytes
  }

  function forget(index: number): void {
    blocks.get(index)!.then(discard, () => undefined)
    blocks.delete(index)
  }

  return {
    name,
    size,
    async read(offset, wanted) {
      const length = Math.max(0, Math.min(wanted, size - offset))
      if (length === 0) return new Uint8Array()
      if (length > BLOCK_BYTES) return fetchRange(offset, length)
      const first = Math.floor(offset / BLOCK_BYTES)
      const start = offset - first * BLOCK_BYTES
      const bytes = new Uint8Array(length)
      const head = Math.min(length, BLOCK_BYTES - start)
      bytes.set((await block(first)).subarray(start, start + head))
      if (head < length) bytes.set((await block(first + 1)).subarray(0, length - head), head)
      return bytes
    },
    stream() {
      const { readable, writable } = new IdentityTransformStream()
      const copy = async () => {
        const object = await bucket.get(key)
        if (!object) throw new Error(`the blob ${key} is gone`)
        await object.body.pipeTo(writable)
      }
      copy().catch((error: unknown) => writable.abort(error).catch(() => undefined))
      return readable
    },
  }
}

/**
 * Writes one R2 object by parts and refuses to reach `limit` bytes. The first part stays in memory until the end, so that
 * it can be patched; small results never become a multipart upload.
 */
export function r2Sink(bucket: R2Bucket, key: string, limit: number, name: string): ResultSink {
  let first = new Uint8Array(0)
  let firstLength = 0
  let part = new Uint8Array(0)
  let partLength = 0
  let written = 0
  let upload: R2MultipartUpload | undefined
  let stored = false
  const parts: R2UploadedPart[] = []

  async function flush() {
    upload ??= await bucket.createMultipartUpload(key)
    parts.push(await upload.uploadPart(parts.length + 2, part.subarray(0, partLength)))
    partLength = 0
  }

  async function append(chunk: Uint8Array) {
    let rest = chunk
    if (firstLength < PATCHABLE_BYTES) {
      const taken = rest.subarray(0, PATCHABLE_BYTES - firstLength)
      first = grown(first, firstLength, taken.length)
      first.set(taken, firstLength)
      firstLength += taken.length
      rest = rest.subarray(taken.length)
    }
    while (rest.length > 0) {
      const taken = rest.subarray(0, PART_BYTES - partLength)
      part = grown(part, partLength, taken.length)
      part.set(taken, partLength)
      partLength += taken.length
      rest = rest.subarray(taken.length)
      if (partLength === PART_BYTES) await flush()
    }
  }

  return {
    get written() {
      return written
    },
    async write(chunk) {
      if (written + chunk.length >= limit) throw new NoGain()
      written += chunk.length
      await append(chunk)
      if (chunk.length >= FREED_BYTES) discard(chunk)
    },
    patch(offset, bytes) {
      assertPatchable(offset, bytes.length, written)
      first.set(bytes, offset)
    },
    async finish() {
      if (written <= PATCHABLE_BYTES) {
        await bucket.put(key, first.subarray(0, firstLength))
      } else {
        if (partLength > 0) await flush()
        const head = await upload!.uploadPart(1, first.subarray(0, firstLength))
        await upload!.complete([head, ...parts])
      }
      stored = true
      upload = undefined
      discard(first)
      discard(part)
      first = part = new Uint8Array(0)
      return r2Source(bucket, key, written, name)
    },
    async abort() {
      first = part = new Uint8Array(0)
      await upload?.abort()
      if (stored) await bucket.delete(key)
    },
  }
}

/** A buffer with room for `more` bytes after `length`, doubling up to one part. */
function grown(buffer: Uint8Array<ArrayBuffer>, length: number, more: number): Uint8Array<ArrayBuffer> {
  if (length + more <= buffer.length) return buffer
  const next = new Uint8Array(Math.min(PART_BYTES, Math.max(64 * 1024, buffer.length * 2, length + more)))
  next.set(buffer.subarray(0, length))
  discard(buffer)
  return next
}

/** SHA-256 (hex) of what is really stored. */
export async function sha256OfSource(source: Source): Promise<string> {
  const digest = new crypto.DigestStream('SHA-256')
  await source.stream().pipeTo(digest)
  return hex(await digest.digest)
}
