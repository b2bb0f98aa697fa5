/** Fetches the source of a picture into the bucket, once for all requests that need it at the same time. */
import type { KnownFormat } from '../../core/catalog/outputs.ts'
import type { Env } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import type { ImageOrigin } from '../store/image-origins.ts'
import { newSourceBlob, type PictureSource, type PicturesApi, type PictureVariant, type Validators } from '../store/pictures.ts'
import { PLANS, type PlanId } from '../store/plans.ts'
import { ApiError } from './api-error.ts'
import { chunkReaderOf, FETCH_READ_BYTES } from './body-stream.ts'
import { sourceBody } from './fetch-source.ts'
import { fileTooLarge, receiveFile, storeFile } from './ingest.ts'
import { contentTypeOf, isPictureFormat, PICTURE_FORMATS } from './picture-formats.ts'
import { type OpenPicture, ORIGIN_LIMITS, originError, originTimeout, pictureOrigin } from './picture-origin.ts'
import { knownError } from './task-failure.ts'
import { TimeLimits } from './time-limits.ts'
import { withUploadMemory } from './upload-memory.ts'

/** Picture that a request asks for, where it comes from, and whose it is. */
export interface PictureOrder {
  readonly accountId: string
  readonly plan: PlanId
  readonly origin: ImageOrigin
  readonly path: string
}

/** Longest wait for another request that fetches the same source, in milliseconds. */
const FOLLOW_MS = 15_000
const MAX_ROUNDS = 5

export const picturesOf = (env: Env, { accountId }: Pick<PictureOrder, 'accountId'>): PicturesApi =>
  env.ACCOUNTS.getByName(accountId).pictures

/** Name of the flight that fetches a source. */
export const sourceFlight = ({ origin, path }: PictureOrder): string => `source ${origin.name}/${path}`

/**
 * Returns the source, fetched now or in the last minutes.
 * @throws ApiError if it cannot be fetched, or is no picture
 */
export async function obtainSource(env: Env, order: PictureOrder): Promise<PictureSource> {
  const pictures = picturesOf(env, order)
  const flight = sourceFlight(order)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await pictures.source({ origin: order.origin.name, path: order.path })
    if (stored) return stored
    const joined = await pictures.join(flight)
    if (joined.kind === 'failed') throw knownError(joined.error)
    if (joined.kind === 'follow') await pictures.wait(flight, FOLLOW_MS)
    else return (await leadFetch(env, order, joined.id))!
  }
  throw originTimeout()
}

/**
 * Returns the source if it is another version than that of a variant. `'same'`: it is not. `'busy'`: another request is fetching it.
 * @throws ApiError as `obtainSource` does
 */
export async function changedSource(
  env: Env,
  order: PictureOrder,
  { validators, fetchedAt }: Pick<PictureVariant, 'validators' | 'fetchedAt'>,
): Promise<PictureSource | 'same' | 'busy'> {
  const pictures = picturesOf(env, order)
  const unlessSame = (source: PictureSource) => (source.sha256 === validators.sha256 ? 'same' : source)
  // Another variant of the picture may have fetched it just now.
  const stored = await pictures.source({ origin: order.origin.name, path: order.path })
  if (stored && stored.fetchedAt > fetchedAt) return unlessSame(stored)
  const joined = await pictures.join(sourceFlight(order))
  if (joined.kind === 'failed') throw knownError(joined.error)
  if (joined.kind === 'follow') return 'busy'
  const source = await leadFetch(env, order, joined.id, validators)
  return source ? unlessSame(source) : 'same'
}

async function leadFetch(env: Env, order: PictureOrder, id: string, known?: Validators): Promise<PictureSource | undefined> {
  const pictures = picturesOf(env, order)
  const flight = sourceFlight(order)
  try {
    const source = await fetchPicture(env, order, known)
    if (source) await deleteBlobs(env, await pictures.keepSource(source))
    await pictures.end(flight, id)
    return source
  } catch (error) {
    await pictures.end(flight, id, error instanceof ApiError && error.type !== 'overloaded' ? error.asTaskError('') : undefined)
    throw error
  }
}

/** Most keys that R2 deletes in one call. */
const MAX_DELETED = 1000

export async function deleteBlobs(env: Env, blobs: readonly string[]): Promise<void> {
  for (let at = 0; at < blobs.length; at += MAX_DELETED) await env.BLOBS.delete(blobs.slice(at, at + MAX_DELETED))
}

async function fetchPicture(env: Env, order: PictureOrder, known: Validators | undefined): Promise<PictureSource | undefined> {
  const fetchedAt = Date.now()
  const { firstByteMs, wholeMs } = ORIGIN_LIMITS
  using limits = new TimeLimits(new AbortController().signal, wholeMs, originTimeout)
  limits.expect(firstByteMs, originTimeout)
  try {
    const opened = await pictureOrigin(env, order.accountId, order.origin).open(order.path, {
      ...(known ? { known } : {}),
      signal: limits.signal,
    })
    limits.stopExpecting()
    return opened === 'same' ? undefined : await stored(env, order, opened, limits, fetchedAt)
  } catch (error) {
    throw originError(limits.timedOut ?? error)
  }
}

async function stored(
  env: Env,
  { accountId, plan, origin, path }: PictureOrder,
  { body, fileName, length, validators }: OpenPicture,
  limits: TimeLimits,
  fetchedAt: number,
): Promise<PictureSource> {
  const { maxFileBytes, retentionMs } = PLANS[plan]
  const uploadKey = newSourceBlob(accountId)
  try {
    if (length !== undefined && length > maxFileBytes) throw fileTooLarge(maxFileBytes)
    return await withUploadMemory({ accountId, bytes: length }, async (place) => {
      const reader = place.watch(chunkReaderOf(body, FETCH_READ_BYTES, 1))
      const bytes = sourceBody(reader, { length, limits, maxBytes: maxFileBytes, silenceMs: ORIGIN_LIMITS.silenceMs })
      const received = await receiveFile(env, fileName, bytes, {
        ...{ accountId, maxFileBytes, retentionMs, isAlone: true, mayBePacked: () => false },
        place: { taskId: '', uploadKey, onMultipart: () => undefined },
      })
      const { outcome, size, sha256 } = await storeFile(received)
      if ('refusal' in outcome) throw outcome.refusal
      if (!('format' in outcome)) throw new Error('A received file has a format or a refusal.')
      const { format, upload } = outcome
      if (!isPictureFormat(format)) {
        await upload.discard()
        throw notPicture(format)
      }
      const about = { origin: origin.name, path, blob: uploadKey, size, sha256, contentType: contentTypeOf(format) }
      return { ...about, format: format.id, validators, fetchedAt }
    })
  } catch (error) {
    throw error instanceof ApiError && (error.type === 'unsupported_format' || error.type === 'empty_file') ? notPicture() : error
  } finally {
    if (!body.locked) await body.cancel().catch(() => undefined)
  }
}

function notPicture(format?: KnownFormat): ApiError {
  const allowed = [...PICTURE_FORMATS]
  const facts = { allowed, ...(format ? { detected: format.title } : {}) }
  return new ApiError('not_a_picture', apiMessage('source_is_no_picture', { allowed: allowed.join(', ') }), facts)
}
