/** Simulates a remote R2 bucket in memory. It counts calls and their latency. */
import type { Source } from '../../src/core/model/codec.ts'

/** Default limit of calls per invocation on the platform. */
const MOST_CALLS = 10_000
/** Latency of a call in milliseconds. Cloudflare states 44 ms for the smallest reads of R2. */
const CALL_MS = 50
/** Every hundredth call fails. */
const FAILS_EACH = 100

export interface FarBucket {
  /** The parts of the R2 API that jobs use. */
  readonly bucket: R2Bucket
  /** Objects by key. A `Source` is computed while it is read. */
  readonly objects: Map<string, Uint8Array | Source>
  /** Number of reads, including failed ones. */
  reads: number
  /** Number of all calls. */
  calls: number
  /** Sum of the latency of all calls in milliseconds. The simulation does not really wait. */
  waitedMs: number
  /** Number of bytes read. */
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
    // The bytes are copied, because jobs free the buffers that they read.
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

/** Reader with the additional methods of workerd. */
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
