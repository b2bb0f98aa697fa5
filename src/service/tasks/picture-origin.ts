/** Origins of pictures: an address, or a bucket. */

import { BucketError } from '../buckets/object-store.ts'
import { type Env, outgoingRules } from '../env.ts'
import { type ApiMessageOrCode, apiMessage } from '../i18n/message.ts'
import type { ImageBucket, ImageOrigin } from '../store/image-origins.ts'
import type { Validators } from '../store/pictures.ts'
import { ApiError } from './api-error.ts'
import { openNamedConnection } from './connections.ts'
import { egressSender } from './egress.ts'
import { cleanFileName } from './file-name.ts'
import { openObject } from './open-object.ts'
import { MAX_ADDRESS_LENGTH, openSource } from './open-source.ts'
import { checkOutgoingUrl } from './outgoing-url.ts'
import { bucketUnreachable } from './source-trouble.ts'

/** Longest time in milliseconds until an origin begins to answer, of its silence, and of the whole transfer. A visitor waits for it. */
export const ORIGIN_LIMITS = { firstByteMs: 10_000, silenceMs: 10_000, wholeMs: 60_000 }

/** Picture that an origin has begun to send. */
export interface OpenPicture {
  /** Name of the file, for its format. */
  readonly fileName: string
  /** Length in bytes. `undefined`: the origin did not say. */
  readonly length: number | undefined
  readonly validators: Validators
  readonly body: ReadableStream<Uint8Array>
}

export interface OpenPictureOptions {
  /** Version that is stored already. `undefined`: none, so the picture is always sent. */
  readonly known?: Validators
  readonly signal: AbortSignal
}

/** Place that pictures are fetched from. */
export interface PictureOrigin {
  /**
   * Opens the picture at a path, which has neither `.` nor `..` as a segment. `'same'`: it is the known version.
   * @throws ApiError `unknown_picture`, `origin_unreachable` or `origin_timeout`
   * @throws the reason of `signal`
   */
  open(path: string, options: OpenPictureOptions): Promise<OpenPicture | 'same'>
}

/** Returns the origin of a setting. */
export const pictureOrigin = (env: Env, accountId: string, place: ImageOrigin): PictureOrigin =>
  'bucket' in place ? new BucketOrigin(env, accountId, place.bucket) : new HttpOrigin(env, place.origin)

class HttpOrigin implements PictureOrigin {
  readonly #env: Env
  readonly #base: string

  constructor(env: Env, base: string) {
    this.#env = env
    this.#base = base
  }

  async open(path: string, { known = {}, signal }: OpenPictureOptions): Promise<OpenPicture | 'same'> {
    const rules = { ...outgoingRules(this.#env), maxLength: MAX_ADDRESS_LENGTH }
    const url = this.#base + path.split('/').map(encodeURIComponent).join('/')
    // The rules may have changed since the origin was stored.
    if (!checkOutgoingUrl(url, rules).ok) throw originUnreachable('origin_address_not_allowed')
    const { host } = new URL(this.#base)
    const send = egressSender(this.#env.EGRESS, { stream: true })
    try {
      const mayFollow = (target: string) => new URL(target).host === host
      const { headers, length, body } = await openSource(url, { send, rules, signal, conditions: conditionsFor(known), mayFollow })
      return { fileName: cleanFileName(path), length, validators: validatorsOf(headers), body }
    } catch (error) {
      if (error instanceof ApiError && error.facts['status'] === 304) return 'same'
      throw originError(error)
    }
  }
}

class BucketOrigin implements PictureOrigin {
  readonly #env: Env
  readonly #accountId: string
  readonly #bucket: ImageBucket

  constructor(env: Env, accountId: string, bucket: ImageBucket) {
    this.#env = env
    this.#accountId = accountId
    this.#bucket = bucket
  }

  async open(path: string, { known, signal }: OpenPictureOptions): Promise<OpenPicture | 'same'> {
    const { connection, prefix } = this.#bucket
    const key = prefix + path
    try {
      if (known?.etag !== undefined && (await this.#etag(key, signal)) === known.etag) return 'same'
      const { length, etag, body } = await openObject(this.#env, this.#accountId, { connection, key }, signal)
      return { fileName: cleanFileName(path), length, validators: { etag }, body }
    } catch (error) {
      signal.throwIfAborted()
      throw originError(error instanceof BucketError ? bucketUnreachable(error) : error)
    }
  }

  /** Entity tag that the object has now. `undefined`: there is none. */
  async #etag(key: string, signal: AbortSignal): Promise<string | undefined> {
    const store = await openNamedConnection(this.#env, { accountId: this.#accountId, name: this.#bucket.connection }, signal)
    return (await store.head(key))?.etag
  }
}

/** Conditions of RFC 9110, 13.1. The entity tag is the better one. */
function conditionsFor({ etag, lastModified }: Validators): Record<string, string> {
  if (etag !== undefined) return { 'if-none-match': etag }
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified }
}

/** Longest validator that is stored, in characters. */
const MAX_VALIDATOR_LENGTH = 300

function validatorsOf(headers: Headers): Validators {
  const of = (name: string) => {
    const value = headers.get(name)
    return value !== null && value.length <= MAX_VALIDATOR_LENGTH ? value : undefined
  }
  const [etag, lastModified] = [of('ETag'), of('Last-Modified')]
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
}

export const originUnreachable = (why: ApiMessageOrCode, facts: ApiError['facts'] = {}) => new ApiError('origin_unreachable', why, facts)

export const originTimeout = () =>
  new ApiError('origin_timeout', apiMessage('origin_too_slow', { seconds: ORIGIN_LIMITS.firstByteMs / 1000 }))

export const unknownPicture = () => new ApiError('unknown_picture', 'no_such_picture')

/** Converts the error of a source that was not fetched to that of a picture. Other errors stay. */
export function originError(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.type !== 'source_unreachable') return error
  const { status, reason } = error.facts
  if (status === 404 || status === 410 || reason === 'missing_object') return unknownPicture()
  if (reason === 'stalled' || reason === 'too_slow' || reason === 'no_answer') return originTimeout()
  return originUnreachable(error.apiMessage, { status, reason })
}
