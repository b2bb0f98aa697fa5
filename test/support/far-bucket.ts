/** A bucket as far away as a real one, in memory: it counts what is asked of it, and what waiting for that would take. */
import type { Source } from '../../src/core/model/codec.ts'

/** What the platform allows an invocation that does not ask for more. */
const MOST_CALLS = 10_000
/** R2's own figure for the smallest reads is 44 ms. */
const CALL_MS = 50
/** One call of a hundred fails. */
const FAILS_EACH = 100

export interface FarBucket {
  /** As much of R2 as jobs use. */
  readonly bucket: R2Bucket
  /** Objects by key; those that are computed as they are read have a source. */
  readonly objects: Map<string, Uint8Array | Source>
  /** Reads, failed ones too. */
  reads: number
  /** All calls. */
  calls: number
  /** That calls took, one after the other; nobody really waits. */
  waitedMs: number
  /** That were read. */
  bytes: number
}

export function farBucket(mostCalls = MOST_CALLS): FarBucket {
  const objects = new Map<string, Uint8Array | Source>()
  const far: FarBucket = { bucket: undefined as unknown as R2Bucket, objects, reads: 0, calls: 0, waitedMs: 0, bytes: 0 }
  const call = async () => {
    far.calls++
    far.waitedMs += CALL_MS
    if (far.calls > mostCalls) throw new Error('Too many subrequests.')
    if (far.calls % FAILS_EACH === 0) throw new Error('We encountered an internal error. Please try again. (10001)')
    await Promise.resolve()
  }
  const range = async (key: string, offset: number, length: number) => {
    const object = objects.get(key)
    if (!object) return undefined
    // Buffers of their own: jobs free what they read.
    const bytes = new Uint8Array(
      object instanceof Uint8Array ? object.subarray(offset, offset + length) : await object.read(offset, length),
    )
    far.bytes += bytes.length
    return bytes
  }
  const sizeOf = (key: string) => {
    const object = objects.get(key)
    return object instanceof Uint8Array ? object.length : (object?.size ?? 0)
  }
  const bucket = {
    async get(key: string, options: { range?: { offset?: number; length?: number } } = {}) {
      far.reads++
      await call()
      if (!objects.has(key)) return null
      const offset = options.range?.offset ?? 0
      const length = Math.min(options.range?.length ?? Number.POSITIVE_INFINITY, sizeOf(key) - offset)
      return {
        arrayBuffer: async () => (await range(key, offset, length))!.buffer,
        get body() {
          return readable(length, (at, most) => range(key, offset + at, most) as Promise<Uint8Array>)
        },
      }
    },
    async put(key: string, bytes: Uint8Array) {
      await call()
      objects.set(key, new Uint8Array(bytes))
    },
    async delete(key: string) {
      await call()
      objects.delete(key)
    },
    async createMultipartUpload(key: string) {
      await call()
      const parts: Uint8Array[] = []
      return {
        async uploadPart(number: number, bytes: Uint8Array) {
          await call()
          parts[number - 1] = new Uint8Array(bytes)
          return { partNumber: number, etag: String(number) }
        },
        async complete() {
          await call()
          objects.set(key, new Uint8Array(Buffer.concat(parts)))
        },
        abort: () => call(),
      }
    },
  }
  return Object.assign(far, { bucket: bucket as unknown as R2Bucket })
}

/** What workerd adds to the readers of streams. */
function readable(size: number, read: (offset: number, length: number) => Promise<Uint8Array>) {
  let at = 0
  return {
    getReader: () => ({
      async readAtLeast(least: number) {
        const value = await read(at, Math.min(least, size - at))
        at += value.length
        return { value, done: value.length === 0 }
      },
      cancel: async () => undefined,
    }),
  }
}
