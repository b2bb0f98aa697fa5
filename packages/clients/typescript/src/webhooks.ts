/** Signature check of callbacks (Standard Webhooks 1.0.0). */
import { SignatureError } from './errors.ts'
import type { CallbackEvent } from './types.ts'

/** Most seconds between the time stamp and now. */
const TOLERANCE_SECONDS = 300

/**
 * Verifies that a callback comes from the service.
 *
 * @example
 * ```ts
 * const event = await verifyCallback(secret, request.headers, await request.text())
 * ```
 * @param secret the account's `whsec_…`
 * @param headers headers of the request
 * @param body the body as received; JSON that was parsed and written again has another signature
 * @returns the event
 * @throws SignatureError if the signature or time stamp is invalid
 */
export async function verifyCallback(secret: string, headers: Headers | Record<string, unknown>, body: string): Promise<CallbackEvent> {
  const get = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const [id, timestamp] = [get('webhook-id'), get('webhook-timestamp')]
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new SignatureError('the callback has no webhook-timestamp within 5 minutes of now')
  }
  const secretBytes = decodeBase64(secret.replace(/^whsec_/, ''))
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  if (!secretBytes) throw new SignatureError('the secret is invalid: expected whsec_ followed by base64')
  const key = await crypto.subtle.importKey('raw', secretBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  for (const candidate of get('webhook-signature').split(' ')) {
    const signature = candidate.startsWith('v1,') ? decodeBase64(candidate.slice(3)) : undefined
    // `subtle.verify` takes the same time for every wrong signature.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return JSON.parse(body) as CallbackEvent
  }
  throw new SignatureError('the callback has no valid webhook-signature for this secret')
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
