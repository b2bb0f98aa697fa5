/**
 * Memory limit for request bodies in this isolate, which has 128 MB in total. A slow client occupies its buffers for minutes,
 * and many uploads can reach the same isolate. When the memory is used up, a request waits unread (TCP back-pressure)
 * and is then refused with a retry time. Small bodies do not wait for large ones.
 */
import { apiMessage } from '../i18n/message.ts'
import { PART_BYTES } from '../store/blobs.ts'
import { ApiError } from '../tasks/api-error.ts'
import { MemorySemaphore } from '../tasks/memory-semaphore.ts'

const MB = 1024 * 1024
/** Bytes of the buffers that a body is read and parsed through. */
const WINDOW_BYTES = 1 * MB
const SMALL_BYTES = 2 * MB
const smallOnes = new MemorySemaphore(12 * MB)
const largeOnes = new MemorySemaphore(36 * MB)
const WAIT_MS = 20_000
const RETRY_SECONDS = 5

/**
 * Runs `work` when memory for a body of `bytes` is free (`undefined`: unknown length), with at most the given number of R2 parts in memory.
 * @throws ApiError `overloaded`, before any byte of the body is read
 */
export async function withUploadMemory<T>(bytes: number | undefined, work: () => Promise<T>, parts = 1): Promise<T> {
  const room = Math.min(bytes ?? Number.POSITIVE_INFINITY, parts * PART_BYTES) + WINDOW_BYTES
  using place = await (room <= SMALL_BYTES ? smallOnes : largeOnes).acquire(room, WAIT_MS)
  if (place) return await work()
  const message = apiMessage('too_many_uploads', { seconds: RETRY_SECONDS })
  throw new ApiError('overloaded', message, {}, { 'Retry-After': String(RETRY_SECONDS) })
}
