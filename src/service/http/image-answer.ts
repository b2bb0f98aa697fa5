/**
 * Answers a request for a picture: from the account's cache, or, within 300 ms, with the variant that is being made, otherwise with the source.
 * The variant is there for the next request.
 */
import {
  type Flight,
  FRESH_MS,
  type PendingVariant,
  type PictureBlob,
  type PictureSource,
  type PictureVariant,
  RETRY_MS,
} from '../store/pictures.ts'
import { ApiError } from '../tasks/api-error.ts'
import { unknownPicture } from '../tasks/picture-origin.ts'
import { changedSource, deleteBlobs, obtainSource, picturesOf, sourceFlight } from '../tasks/picture-source.ts'
import { beginVariant, countVariant, finishVariant, type VariantOrder, variantFlight } from '../tasks/picture-variant.ts'
import { knownError } from '../tasks/task-failure.ts'
import { rateLimited } from './authenticate.ts'
import type { AppContext } from './context.ts'
import { openBlob } from './file-answer.ts'
import { isKnown } from './range.ts'

/** Time in milliseconds after which the source is sent instead of a variant that is not ready. */
const FIRST_ANSWER_MS = 300
/** Longest wait for a source that another request fetches, in milliseconds. */
const SOURCE_WAIT_MS = 15_000
const MAX_ROUNDS = 5

/** For variants: an hour, then a day in which the old one is shown while the new one is fetched (RFC 5861). */
export const VARIANT_CACHING = 'public, max-age=3600, stale-while-revalidate=86400'
const SOURCE_CACHING = 'no-cache'

/** Request for a variant, before its origin and plan are known. */
export interface PictureRequest extends Omit<VariantOrder, 'origin' | 'plan' | 'requestsPerMinute'> {
  readonly origin: string
  readonly generation: number
  readonly vary: readonly string[]
}

/** @throws ApiError if there is no such picture, or it cannot be fetched */
export async function imageAnswer(c: AppContext, request: PictureRequest): Promise<Response> {
  const until = Date.now() + FIRST_ANSWER_MS
  const pictures = picturesOf(c.env, request)
  const flight = variantFlight(request.key)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await pictures.find(request.key, request.origin, request.generation)
    if (found.kind === 'unknown') throw unknownPicture()
    const limits = found.kind === 'missing' ? { requestsPerMinute: found.requestsPerMinute } : { requestsPerMinute: null }
    const order: VariantOrder = { ...request, origin: found.origin, plan: found.plan, ...limits }
    if (found.kind === 'ready') {
      if (found.isStale) request.keepAlive(revalidate(c, order, found.variant))
      const answer = await variantAnswer(c, request, found.variant)
      if (answer) return answer
      // A lifecycle rule has removed the blob.
      await pictures.drop(request.key)
      continue
    }
    const joined = await pictures.join(flight)
    if (joined.kind === 'failed') throw knownError(joined.error)
    const leading = joined.kind === 'lead' ? await lead(c, order, joined) : undefined
    const answer = leading ? await firstOf(c, request, leading, until) : await followed(c, order, request, until)
    if (answer) return answer
  }
  throw new ApiError('overloaded', 'service_busy', {}, { 'Retry-After': '5' })
}

interface Leading {
  readonly source: () => Promise<PictureSource>
  /** `undefined`: the variant takes longer than this request can wait. */
  readonly variant: Promise<PictureVariant | undefined>
}

/** Makes a variant, which goes on after the response. */
async function lead(c: AppContext, order: VariantOrder, { id, pending }: Extract<Flight, { kind: 'lead' }>): Promise<Leading> {
  const { env } = c
  let fetched: Promise<PictureSource> | undefined
  const source = () => (fetched ??= obtainSource(env, order))
  const made = async () => {
    const finished = pending ? await finishVariant(env, order, pending) : 'gone'
    if (finished !== 'gone') return finished === 'running' ? undefined : finished
    const variant = await finishVariant(env, order, await beginVariant(env, order, await source()))
    return typeof variant === 'string' ? undefined : variant
  }
  const admitted = pending ? undefined : await countVariant(env, order)
  const variant = endFlight(c, order, id, admitted ? Promise.reject(rateLimited(order.plan, admitted)) : made())
  order.keepAlive(variant.catch(() => undefined))
  return { source, variant }
}

/** Notes the end of the flight. Errors of the account or the service are not remembered: the next request may succeed. */
async function endFlight(c: AppContext, order: VariantOrder, id: string, made: Promise<PictureVariant | undefined>) {
  const end = (error?: ApiError) => picturesOf(c.env, order).end(variantFlight(order.key), id, error?.asTaskError(''))
  try {
    const variant = await made
    // Otherwise the task is noted, and a later request finishes it.
    if (variant) await end()
    return variant
  } catch (error) {
    await end(error instanceof ApiError && isOfPicture(error) ? error : undefined)
    throw error
  }
}

const isOfPicture = ({ type }: ApiError) => !['rate_limited', 'overloaded', 'storage_quota_exceeded', 'internal'].includes(type)

/** Answers with the variant if it is made in time, otherwise with the source. `undefined`: look again. */
async function firstOf(c: AppContext, request: PictureRequest, { source, variant }: Leading, until: number): Promise<Response | undefined> {
  const made = await Promise.race([variant, after(until - Date.now())])
  if (made) return await variantAnswer(c, request, made)
  const first = await Promise.race([variant, source()])
  if (!first) return await sourceAnswer(c, request, await source())
  return 'key' in first ? await variantAnswer(c, request, first) : await sourceAnswer(c, request, first)
}

const after = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), Math.max(0, ms)))

/** Waits for the variant that another request makes, then for its source. `undefined`: look again. */
async function followed(c: AppContext, order: VariantOrder, request: PictureRequest, until: number): Promise<Response | undefined> {
  const pictures = picturesOf(c.env, order)
  const picture = { origin: order.origin.name, path: order.path }
  if ((await pictures.wait(variantFlight(order.key), Math.max(1, until - Date.now()))) === 'ended') return undefined
  let source = await pictures.source(picture)
  if (!source) {
    await pictures.wait(sourceFlight(order), SOURCE_WAIT_MS)
    source = await pictures.source(picture)
  }
  if (source) return await sourceAnswer(c, request, source)
  await pictures.wait(variantFlight(order.key), SOURCE_WAIT_MS)
  return undefined
}

/** Compares a variant with its origin, and makes it again if the source is another one. The old one is sent meanwhile. */
async function revalidate(c: AppContext, order: VariantOrder, variant: PictureVariant): Promise<void> {
  const pictures = picturesOf(c.env, order)
  const { key } = variant
  const flight = variantFlight(key)
  const joined = await pictures.join(flight)
  if (joined.kind !== 'lead') return
  try {
    // Requests that come meanwhile need not ask the origin.
    await pictures.noteFresh(key, Date.now() + RETRY_MS)
    const pending = joined.pending ?? (await remade(c, order, variant))
    if (pending) await finishVariant(c.env, order, pending)
  } catch (error) {
    if (error instanceof ApiError && error.type === 'unknown_picture') await deleteBlobs(c.env, await pictures.drop(key))
    else console.warn(JSON.stringify({ level: 'warn', event: 'picture_not_revalidated', error: String(error) }))
  } finally {
    await pictures.end(flight, joined.id)
  }
}

/** Begins a new variant if the source is another one. `undefined`: the old one stays. */
async function remade(c: AppContext, order: VariantOrder, variant: PictureVariant): Promise<PendingVariant | undefined> {
  const source = await changedSource(c.env, order, variant)
  if (source === 'same') await picturesOf(c.env, order).noteFresh(order.key, Date.now() + FRESH_MS)
  if (typeof source === 'string' || (await countVariant(c.env, order))) return undefined
  return await beginVariant(c.env, order, source)
}

const variantAnswer = (c: AppContext, request: PictureRequest, variant: PictureVariant) =>
  blobAnswer(c, request, variant, { 'Cache-Control': VARIANT_CACHING, 'Whittle-Outcome': variant.outcome })

async function sourceAnswer(c: AppContext, request: PictureRequest, source: PictureSource): Promise<Response | undefined> {
  return await blobAnswer(c, request, source, { 'Cache-Control': SOURCE_CACHING, 'Whittle-Outcome': 'pending' })
}

/** Answers a GET or HEAD with a blob. `undefined`: the blob is gone. */
async function blobAnswer(
  c: AppContext,
  { accountId, vary }: PictureRequest,
  { blob, size, sha256, contentType }: PictureBlob,
  caching: Readonly<Record<string, string>>,
): Promise<Response | undefined> {
  const hints = vary.filter((name) => name.startsWith('Sec-CH-'))
  const headers = {
    ...caching,
    ETag: `"${sha256}"`,
    ...(vary.length > 0 ? { Vary: vary.join(', ') } : {}),
    ...(hints.length > 0 ? { 'Accept-CH': hints.join(', ') } : {}),
    // Pages of every origin may show the picture, also those that are isolated.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  }
  if (isKnown(c.req.header('If-None-Match'), headers.ETag)) return new Response(null, { status: 304, headers })
  const described = {
    ...headers,
    'Content-Type': contentType,
    'Content-Length': String(size),
    'Content-Disposition': 'inline',
    'Content-Security-Policy': "sandbox; default-src 'none'",
  }
  if (c.req.raw.method === 'HEAD') return new Response(null, { headers: described })
  const body = await openBlob(c, accountId, blob, { offset: 0, length: size })
  return body && new Response(body, { headers: described })
}
