/**
 * Memory limit for request bodies in this isolate, which has 128 MB in total. A slow client occupies its buffers for minutes,
 * and many uploads can reach the same isolate. When the memory is used up, a request waits unread (TCP back-pressure)
 * and is then refused with a retry time. Small bodies do not wait for large ones.
 *
 * One account cannot use up the memory, and a place whose client sends too slowly is taken away while others wait.
 */
import { apiMessage } from '../i18n/message.ts'
import { PART_BYTES } from '../store/blobs.ts'
import { ApiError } from './api-error.ts'
import type { ChunkReader } from './body-stream.ts'
import { type Guest, MemorySemaphore } from './memory-semaphore.ts'

const MB = 1024 * 1024
const KB = 1024
/** Bytes of the buffers that a body is read and parsed through. */
const WINDOW_BYTES = 1 * MB
/** Most bytes of a body that uses the reserve, and the memory that it counts for. */
const TINY_BYTES = 256 * KB
const TINY_PLACE_BYTES = 512 * KB
const SMALL_PLACE_BYTES = 2 * MB
/** Pace below which a place is taken away while others wait: 2 Mbit/s. */
const MIN_BYTES_PER_SECOND = 256 * KB
const RESERVE = new MemorySemaphore(6 * MB, { ownerBytes: 3 * MB, minBytesPerSecond: MIN_BYTES_PER_SECOND })
const SMALL = new MemorySemaphore(8 * MB, { ownerBytes: 4 * MB, minBytesPerSecond: MIN_BYTES_PER_SECOND })
/** Six places. Two are an account's own; it may use two more while two stay free. */
const LARGE = new MemorySemaphore(36 * MB, { ownerBytes: 12 * MB, minBytesPerSecond: MIN_BYTES_PER_SECOND })
/** Milliseconds after which an evicted upload notices it. */
const EVICTION_CHECK_MS = 500
const WAIT_MS = 20_000
const RETRY_SECONDS = 5

export interface UploadDemand {
  readonly accountId: string
  /** Length of the body. `undefined`: unknown. */
  readonly bytes: number | undefined
  /** R2 parts in memory at a time. Default: 1. */
  readonly parts?: number
}

/**
 * Runs `work` when memory for its body is free. `work` must read the body through `UploadPlace.watch`.
 * @throws ApiError `overloaded`: before any byte of the body is read, or because its client sends too slowly while others wait
 */
export async function withUploadMemory<T>(demand: UploadDemand, work: (place: UploadPlace) => Promise<T>): Promise<T> {
  const place = new UploadPlace(demand.accountId)
  const [semaphore, bytes] = placeFor(demand)
  using permit = await semaphore.acquire(bytes, WAIT_MS, place)
  if (permit) return await work(place)
  throw overloaded('too_many_uploads')
}

function placeFor({ bytes = Number.POSITIVE_INFINITY, parts = 1 }: UploadDemand): readonly [MemorySemaphore, number] {
  if (bytes <= TINY_BYTES) return [RESERVE, TINY_PLACE_BYTES]
  const placeBytes = Math.min(bytes, parts * PART_BYTES) + WINDOW_BYTES
  return [placeBytes <= SMALL_PLACE_BYTES ? SMALL : LARGE, placeBytes]
}

const overloaded = (code: 'too_many_uploads' | 'upload_too_slow') =>
  new ApiError('overloaded', apiMessage(code, { seconds: RETRY_SECONDS }), {}, { 'Retry-After': String(RETRY_SECONDS) })

/** Place of one upload in the memory of this isolate. */
export class UploadPlace implements Guest {
  readonly owner: string
  receivedBytes = 0
  isReceiving = false
  #isEvicted = false

  constructor(accountId: string) {
    this.owner = accountId
  }

  /** Called by another request. It only sets a flag, because no request may do I/O for another one. */
  evict(): void {
    this.#isEvicted = true
  }

  /** Returns the same reader, with its progress counted. Its `pull` throws ApiError `overloaded` after an eviction. */
  watch({ pull, close }: ChunkReader): ChunkReader {
    return {
      close,
      pull: async () => {
        const eviction = Promise.withResolvers<never>()
        const timer = setInterval(() => this.#isEvicted && eviction.reject(overloaded('upload_too_slow')), EVICTION_CHECK_MS)
        this.isReceiving = true
        try {
          const chunk = await Promise.race([eviction.promise, pull()])
          this.receivedBytes += chunk?.length ?? 0
          return chunk
        } catch (error) {
          if (this.#isEvicted) void close().catch(() => undefined)
          throw error
        } finally {
          this.isReceiving = false
          clearInterval(timer)
        }
      },
    }
  }
}
