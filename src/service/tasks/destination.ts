/** Validation of `destination_url` and `destination_headers`. */
import { type Env, outgoingRules } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import type { Destination } from '../store/destinations.ts'
import { ApiError, invalidParameter } from './api-error.ts'
import { MAX_ADDRESS_LENGTH } from './open-source.ts'
import { checkOutgoingUrl } from './outgoing-url.ts'

const URL_FIELD = 'destination_url'
const HEADERS_FIELD = 'destination_headers'

/** Headers that presigned addresses of S3, R2, Google Cloud Storage and Azure use. A `*` stands for letters, digits and hyphens. */
export const DESTINATION_HEADERS = ['x-ms-blob-type', 'x-amz-*', 'x-goog-*', 'content-type', 'cache-control'] as const
const ALLOWED = /^(x-ms-blob-type|x-(amz|goog)-[a-z0-9-]{1,100}|content-type|cache-control)$/
const MAX_HEADERS = 20
/** Visible ASCII characters, with spaces between them. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]{0,2046}[\x21-\x7e])?$/

/**
 * Returns the destination that the fields of a request name. `undefined`: it names none.
 * @throws ApiError `unsafe_url`, or `invalid_parameter` for headers that are not allowed or have no address
 */
export function destinationOf(env: Env, url: string | undefined, headers: string | undefined): Destination | undefined {
  if (url !== undefined)
    return { url: checkDestinationUrl(env, url), headers: headers === undefined ? {} : parseDestinationHeaders(headers) }
  if (headers !== undefined)
    throw invalidParameter(HEADERS_FIELD, apiMessage('field_needs_another', { name: HEADERS_FIELD, other: URL_FIELD }))
  return undefined
}

/** Returns the address normalised. @throws ApiError `unsafe_url` */
export function checkDestinationUrl(env: Env, url: string): string {
  const checked = checkOutgoingUrl(url, { ...outgoingRules(env), maxLength: MAX_ADDRESS_LENGTH })
  if (checked.ok) return checked.url
  throw new ApiError('unsafe_url', apiMessage('field_unusable', { name: URL_FIELD, why: checked.why }), { param: URL_FIELD })
}

/** Parses headers from a JSON object. Values are never repeated in errors, because they may be secrets. @throws ApiError */
export function parseDestinationHeaders(text: string): Readonly<Record<string, string>> {
  const entries = Object.entries(parsedObject(text))
  if (entries.length > MAX_HEADERS)
    throw invalidParameter(HEADERS_FIELD, apiMessage('too_many_headers', { name: HEADERS_FIELD, limit: MAX_HEADERS }))
  const headers = new Map<string, string>()
  for (const [name, value] of entries) {
    const known = name.toLowerCase()
    if (!ALLOWED.test(known) || headers.has(known)) throw refusedHeader('header_not_allowed', name)
    if (typeof value !== 'string' || !VALUE.test(value)) throw refusedHeader('header_value_not_allowed', name)
    headers.set(known, value)
  }
  return Object.fromEntries(headers)
}

function parsedObject(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalidParameter(HEADERS_FIELD, apiMessage('field_must_be_json_object', { name: HEADERS_FIELD }))
}

const refusedHeader = (code: 'header_not_allowed' | 'header_value_not_allowed', header: string) =>
  invalidParameter(HEADERS_FIELD, apiMessage(code, { header: header.slice(0, 60), allowed: DESTINATION_HEADERS.join(', ') }), {
    allowed: DESTINATION_HEADERS,
  })
