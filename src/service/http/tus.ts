/** The headers of tus 1.0.0 (https://tus.io/protocols/resumable-upload), read and written. */
import { type ApiMessageOrCode, apiMessage, toApiMessage } from '../i18n/message.ts'
import { PLANS } from '../store/plans.ts'
import type { Checksum } from '../store/resumable.ts'
import { ApiError, invalidParameter } from '../tasks/api-error.ts'
import type { AppContext } from './context.ts'

const VERSION = '1.0.0'
const ALGORITHMS = { sha1: 20, sha256: 32 } as const
const MAX_METADATA_BYTES = 8 * 1024

export const CHUNK_TYPE = 'application/offset+octet-stream'

/** Headers of every answer of the upload routes, including errors. */
export const TUS_HEADERS = { 'Tus-Resumable': VERSION }

/** Headers of the answer to OPTIONS. */
export const TUS_FACTS = {
  'Tus-Version': VERSION,
  'Tus-Extension': 'creation,creation-with-upload,checksum,expiration,termination',
  'Tus-Checksum-Algorithm': Object.keys(ALGORITHMS).join(','),
  'Tus-Max-Size': String(PLANS.enterprise.maxFileBytes),
}

export function requireVersion(c: AppContext): void {
  const given = c.req.header('Tus-Resumable')
  if (given === VERSION) return
  const message = apiMessage('tus_version', { version: VERSION })
  throw new ApiError('precondition_failed', message, { param: 'Tus-Resumable', allowed: [VERSION] }, { 'Tus-Version': VERSION })
}

/** Parses a header that must be a whole number of bytes. */
export function wholeNumber(c: AppContext, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = c.req.header(name) ?? ''
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(value)) return value
  throw invalidParameter(name, apiMessage('header_must_be_bytes', { name }), text ? { got: text.slice(0, 40) } : {})
}

/** Length of the request body. `undefined`: no Content-Length, because the body is chunked. */
export function contentLength(c: AppContext): number | undefined {
  const text = c.req.header('Content-Length')
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined
}

export const isChunk = (c: AppContext) => c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase() === CHUNK_TYPE

export function parseChecksum(header: string | undefined): Checksum | undefined {
  if (header === undefined) return undefined
  const [, algorithm, digest = ''] = /^(\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(header) ?? []
  if (algorithm !== 'sha1' && algorithm !== 'sha256') {
    const allowed = Object.keys(ALGORITHMS)
    throw invalidParameter('Upload-Checksum', 'checksum_malformed', { allowed })
  }
  if (decoded(digest)?.length !== ALGORITHMS[algorithm]) {
    throw invalidParameter('Upload-Checksum', apiMessage('checksum_of_wrong_length', { bytes: ALGORITHMS[algorithm] }))
  }
  return { algorithm, digest }
}

export interface Metadata {
  readonly values: ReadonlyMap<string, string>
  /** `Upload-Metadata` without values that must not be shown again, such as the password. */
  readonly shown: string
}

/** Parses `Upload-Metadata`: pairs of key and base64 value, separated by commas. A key may have no value. */
export function parseMetadata(header: string | undefined, secret: string): Metadata {
  const values = new Map<string, string>()
  const shown: string[] = []
  const refuse = (why: ApiMessageOrCode) =>
    invalidParameter('Upload-Metadata', apiMessage('metadata_unreadable', { why: toApiMessage(why) }))
  if ((header?.length ?? 0) > MAX_METADATA_BYTES) throw refuse(apiMessage('it_is_longer_than_bytes', { limit: MAX_METADATA_BYTES }))
  for (const pair of header?.trim() ? header.split(',') : []) {
    const [key = '', text = '', ...more] = pair.trim().split(' ')
    if (!/^[\x21-\x2b\x2d-\x7e]+$/.test(key) || more.length > 0) throw refuse('must_be_key_base64_pairs')
    if (values.has(key)) throw refuse(apiMessage('given_twice', { name: key.slice(0, 40) }))
    const value = textOf(text)
    if (value === undefined) throw refuse(apiMessage('not_utf_8_in_base64', { name: key.slice(0, 40) }))
    values.set(key, value)
    if (key !== secret) shown.push(text ? `${key} ${text}` : key)
  }
  return { values, shown: shown.join(',') }
}

function decoded(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
  } catch {
    return undefined
  }
}

function textOf(base64: string): string | undefined {
  const bytes = decoded(base64)
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
