/**
 * Receipts that can be checked by others: compact JWS (RFC 7515) by Ed25519 (RFC 8037), and the keys that they are checked with. The
 * secret is a set of JSON Web Keys (RFC 7517): the first signs, all are published without their private parts.
 */
import { CompactSign, type CryptoKey, importJWK, type JSONWebKeySet, type JWK } from 'jose'
import * as z from 'zod'
import { ApiError } from '../tasks/api-error.ts'

const part = z.string().regex(/^[\w-]{43}$/)
const keySet = z.object({
  keys: z.array(z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: part, kid: z.string().min(1), d: part.optional() })).min(1),
})

interface Keys {
  readonly published: JSONWebKeySet
  readonly kid: string
  /** Undefined where the first key has no private part. */
  readonly signing: JWK | undefined
}

let parsed: { readonly secret: string; readonly keys: Keys } | undefined

/** @throws Error where the secret is no such set. It is not repeated in the message. */
function keysOf(secret: string): Keys {
  if (parsed?.secret === secret) return parsed.keys
  let json: unknown
  try {
    json = JSON.parse(secret)
  } catch {
    throw new Error('RECEIPT_KEYS is not JSON')
  }
  const found = keySet.safeParse(json)
  if (!found.success) throw new Error('RECEIPT_KEYS is not a set of Ed25519 keys (RFC 7517)')
  const first = found.data.keys[0]!
  const published = { keys: found.data.keys.map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid, use: 'sig', alg: 'EdDSA' })) }
  const { d, ...open } = first
  const keys = { published, kid: first.kid, signing: d === undefined ? undefined : { ...open, d } }
  parsed = { secret, keys }
  return keys
}

/** For `/.well-known/jwks.json`. */
export const publishedKeys = (secret: string | undefined): JSONWebKeySet => (secret === undefined ? { keys: [] } : keysOf(secret).published)

/** The same payload under the same key is the same text. */
export async function signed(payload: object, secret: string | undefined): Promise<string> {
  const keys = secret === undefined ? undefined : keysOf(secret)
  if (!keys?.signing) throw new ApiError('maintenance', 'no_signing_key')
  const key = (await importJWK(keys.signing, 'EdDSA')) as CryptoKey
  const text = new TextEncoder().encode(JSON.stringify(payload))
  return new CompactSign(text).setProtectedHeader({ alg: 'EdDSA', kid: keys.kid, typ: 'whittle-receipt' }).sign(key)
}
