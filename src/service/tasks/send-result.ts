/** Sends a result to its destination: one PUT, in bounded memory and time. */

import { feed } from '../buckets/feed.ts'
import { BucketError } from '../buckets/object-store.ts'
import type { Env } from '../env.ts'
import { apiMessage, translate } from '../i18n/message.ts'
import { type BucketDestination, type Destination, destinationKey, type UrlDestination } from '../store/destinations.ts'
import { rangedStream } from '../store/ranged-stream.ts'
import type { TaskResult } from '../store/task.ts'
import { troubleMessage } from './bucket-trouble.ts'
import { openNamedConnection } from './connections.ts'
import { egressSender } from './egress.ts'
import { attachment } from './file-name.ts'
import { type Delivery, readFirstBytes } from './notify.ts'
import { TimeLimits } from './time-limits.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
/** Longest time of one request in milliseconds. */
export const SEND_MS = 10 * MINUTE_MS
/** Longest time in milliseconds until a receiver takes the next bytes, and from the last byte to its response. */
export const TAKE_MS = MINUTE_MS

/** Times of the 2nd, 3rd, … request in milliseconds after the first one. */
const RETRIES_AT_MS = [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS] as const
export const MAX_SENDS = RETRIES_AT_MS.length + 1

/**
 * Pause in milliseconds after request number `attempts`, from 1. `undefined`: it was the last one.
 * Pauses are lengthened by up to 20 % at random, so that a recovering receiver is not overloaded.
 */
export function pauseAfter(attempts: number, random: () => number = Math.random): number | undefined {
  const next = RETRIES_AT_MS[attempts - 1]
  return next === undefined ? undefined : (next - (RETRIES_AT_MS[attempts - 2] ?? 0)) * (1 + random() / 5)
}

export const isDelivered = ({ status }: Pick<Delivery, 'status'>) => status >= 200 && status < 300

export interface SendRequest {
  readonly accountId: string
  readonly destination: Destination
  readonly result: TaskResult
  /** Signal that aborts when the task is removed. */
  readonly signal: AbortSignal
  /** Longest time in milliseconds. Default: `SEND_MS`. */
  readonly withinMs?: number
}

/** Sends the result once. Redirects are not followed. Never throws: trouble becomes the error of the delivery. */
export async function sendResult(env: Env, request: SendRequest): Promise<Delivery> {
  const { signal, withinMs = SEND_MS } = request
  const at = Date.now()
  using limits = new TimeLimits(signal, withinMs, () => new Error('The transfer took too long.'))
  try {
    return { at, ...(await sendWithin(env, request, limits)), ms: Date.now() - at }
  } catch (error) {
    return { at, status: statusOf(error), ms: Date.now() - at, error: textOf(limits.timedOut ?? error) }
  }
}

/** HTTP status of a refusal. 0: none. A bucket can refuse by an error after a status of success. */
const statusOf = (error: unknown): number => {
  const { status = 0 } = error instanceof BucketError ? error : {}
  return isDelivered({ status }) ? 0 : status
}

const textOf = (error: unknown): string => {
  if (error instanceof BucketError) return translate('en', apiMessage('bucket_not_written', { why: troubleMessage(error) }))
  return error instanceof Error ? error.message : String(error)
}

async function sendWithin(env: Env, { accountId, destination, result }: SendRequest, limits: TimeLimits) {
  const stored = await openResult(env, result)
  if ('url' in destination) return sendTo(env, destination, { result, stored }, limits)
  return writeTo(env, { accountId, destination, result, stored }, limits)
}

/** @throws Error if the result was deleted */
export async function openResult(env: Env, result: TaskResult): Promise<ReadableStream<Uint8Array>> {
  const rangeBytes = env.DOWNLOAD_RANGE_BYTES === undefined ? undefined : Number(env.DOWNLOAD_RANGE_BYTES)
  const stored = await rangedStream(env.BLOBS, result.key, { offset: 0, length: result.size, rangeBytes })
  if (!stored) throw new Error('The result is no longer stored.')
  return stored
}

interface StoredResult {
  readonly result: TaskResult
  readonly stored: ReadableStream<Uint8Array>
}

interface BucketWrite extends StoredResult {
  readonly accountId: string
  readonly destination: BucketDestination
}

/** Stores the result as an object. The credentials are those that the connection has now. */
async function writeTo(env: Env, { accountId, destination, result, stored }: BucketWrite, limits: TimeLimits) {
  const { outputName, contentType, size } = result
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      limits.expect(TAKE_MS, tookNothing)
      controller.enqueue(chunk)
    },
  })
  const body = stored.pipeThrough(watch)
  limits.expect(TAKE_MS, tookNothing)
  try {
    const store = await openNamedConnection(env, { accountId, name: destination.connection }, limits.signal)
    const headers = { contentType, contentDisposition: attachment(outputName) }
    await store.write(destinationKey(destination, outputName), body, size, headers)
    return { status: 200 }
  } finally {
    // Does nothing if the transfer has begun, which then ends the stream itself.
    await body.cancel().catch(() => undefined)
  }
}

async function sendTo(env: Env, destination: UrlDestination, { result, stored }: StoredResult, limits: TimeLimits) {
  // The stream of known length makes the request carry a Content-Length, which presigned addresses need.
  const { readable, writable } = new FixedLengthStream(result.size)
  const onTaken = () => limits.expect(TAKE_MS, tookNothing)
  const pumped = feed(stored, writable, limits.signal, onTaken).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  limits.expect(TAKE_MS, tookNothing)
  const response = await egressSender(env.EGRESS, { stream: true })(destination.url, {
    method: 'PUT',
    redirect: 'manual',
    signal: limits.signal,
    headers: {
      'content-type': result.contentType,
      'content-disposition': attachment(result.outputName),
      'user-agent': 'Whittle-Deliver/1.0',
      ...destination.headers,
    },
    body: readable,
  })
  if (isDelivered(response)) {
    // A receiver that answers early has the result only when it has taken all bytes.
    const failure = await pumped
    if (failure) throw failure.error
  }
  limits.expect(TAKE_MS, tookNothing)
  const answer = await readFirstBytes(response).catch(() => '')
  return { status: response.status, ...(answer ? { answer } : {}) }
}

const tookNothing = () => new Error(`The receiver took no bytes and did not answer for ${TAKE_MS / SECOND_MS} seconds.`)
