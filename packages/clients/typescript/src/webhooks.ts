/** Callbacks: whether they come from the service (Standard Webhooks 1.0.0). */
import { SignatureError } from './errors.ts'
import type { CallbackEvent } from './types.ts'

/** How far the sender's clock may be away. */
const TOLERANCE_SECONDS = 300

/**
 * @param secret the account's `whsec_…`
 * @param headers of the request
 * @param body exactly as it came; JSON that was parsed and written again has another signature
 * @throws SignatureError
 */
export async function verifyCallback(secret: string, headers: Headers | Record<string, unknown>, body: string): Promise<CallbackEvent> {
  const get = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const [id, stamp] = [get('webhook-id'), get('webhook-timestamp')]
  if (!/^\d+$/.test(stamp) || Math.abs(Date.now() / 1000 - Number(stamp)) > TOLERANCE_SECONDS) {
    throw new SignatureError('the callback has no time, or not one of these five minutes')
  }
  const secretBytes = decoded(secret.replace(/^whsec_/, ''))
  const signed = new TextEncoder().encode(`${id}.${stamp}.${body}`)
  if (!secretBytes) throw new SignatureError('the secret is none: it is whsec_ and base64')
  const key = await crypto.subtle.importKey('raw', secretBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  for (const given of get('webhook-signature').split(' ')) {
    const signature = given.startsWith('v1,') ? decoded(given.slice(3)) : undefined
    // Takes as long whatever is wrong with it.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return JSON.parse(body) as CallbackEvent
  }
  throw new SignatureError('the callback has no signature by this secret')
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
