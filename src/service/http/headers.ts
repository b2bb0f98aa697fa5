/**
 * Headers of every answer, and CORS: any origin may call with an API key, and only its own with a browser token. CORS never allows
 * credentials, because the API uses no cookies.
 */
import type { RateState } from '../store/keys.ts'

const COMMON: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Referrer-Policy': 'no-referrer',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit-Policy, RateLimit, Retry-After, ' +
    'Content-Disposition, Content-Range, Accept-Ranges, ETag, Repr-Digest, Preference-Applied, Server-Timing, Allow, ' +
    'Location, Whittle-Task, Whittle-Outcome, Whittle-Original-Size, Whittle-Receipt, Upload-Offset, Upload-Length, Upload-Metadata, Upload-Expires, ' +
    'Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm',
}

/** @param readableBy only origin whose pages may read the answer. `''`: none. `undefined`: any */
export function setCommonHeaders(headers: Headers, readableBy?: string): void {
  for (const [name, value] of Object.entries(COMMON)) headers.set(name, value)
  if (readableBy === undefined) return
  headers.append('Vary', 'Origin')
  if (readableBy === '') headers.delete('Access-Control-Allow-Origin')
  else headers.set('Access-Control-Allow-Origin', readableBy)
}

const REQUEST_HEADERS =
  'Authorization, Content-Type, Prefer, Idempotency-Key, X-Request-Id, Range, If-Match, If-None-Match, If-Range, If-Modified-Since, Accept, Last-Event-ID, ' +
  'Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Checksum, Upload-Defer-Length, Upload-Concat, X-HTTP-Method-Override'

/** Answer to a CORS preflight request. It allows any origin, because browsers send neither key nor token with it. */
export function preflight(methods: readonly string[], facts: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': '86400',
      Allow: methods.join(', '),
      ...facts,
    },
  })
}

/** Rate limit headers, in the form of the specification and in that of draft-ietf-httpapi-ratelimit-headers. */
export function setRateHeaders(headers: Headers, rate: RateState, nowMs: number): void {
  if (rate.limit === null || rate.remaining === null) {
    headers.set('X-RateLimit-Limit', 'unlimited')
    headers.set('X-RateLimit-Remaining', 'unlimited')
    return
  }
  const resetMs = rate.resetAt ?? nowMs
  headers.set('X-RateLimit-Limit', String(rate.limit))
  headers.set('X-RateLimit-Remaining', String(rate.remaining))
  headers.set('X-RateLimit-Reset', String(Math.ceil(resetMs / 1000)))
  headers.set('RateLimit-Policy', `"minute";q=${rate.limit};w=60`)
  headers.set('RateLimit', `"minute";r=${rate.remaining};t=${secondsUntil(resetMs, nowMs)}`)
}

/** Whole seconds from now until a time, rounded up; at least 0. */
export const secondsUntil = (atMs: number, nowMs: number) => Math.max(0, Math.ceil((atMs - nowMs) / 1000))
