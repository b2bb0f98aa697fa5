/**
 * Room for bodies on their way through this isolate, which has 128 MB for everything: a slow client holds its buffers for minutes,
 * and a dozen uploads of one city may meet here. Who comes when it is full waits without being read (the line's own back-pressure),
 * and is then told to come again. Small bodies do not wait behind large ones.
 */
import { apiMessage } from '../i18n/message.ts'
import { PART_BYTES } from '../store/blobs.ts'
import { ApiError } from '../tasks/api-error.ts'
import { Gate } from '../tasks/memory-semaphore.ts'

const MB = 1024 * 1024
/** The windows that a body is read and parsed through. */
const WINDOW_BYTES = 1 * MB
const SMALL_BYTES = 2 * MB
const smallOnes = new Gate(12 * MB)
const largeOnes = new Gate(36 * MB)
const WAIT_MS = 20_000
const RETRY_SECONDS = 5

/**
 * For a body of `bytes` (undefined: nobody said how long it is), of which so many parts of R2's are held at most.
 * @throws ApiError `overloaded` before anything of it was read
 */
export async function withRoom<T>(bytes: number | undefined, work: () => Promise<T>, parts = 1): Promise<T> {
  const room = Math.min(bytes ?? Number.POSITIVE_INFINITY, parts * PART_BYTES) + WINDOW_BYTES
  using place = await (room <= SMALL_BYTES ? smallOnes : largeOnes).enter(room, WAIT_MS)
  if (place) return await work()
  const message = apiMessage('too_many_uploads', { seconds: RETRY_SECONDS })
  throw new ApiError('overloaded', message, {}, { 'Retry-After': String(RETRY_SECONDS) })
}
