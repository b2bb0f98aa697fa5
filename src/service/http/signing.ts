/**
 * Signed receipts: compact JWS (RFC 7515) with Ed25519 (RFC 8037), and the public keys to verify them.
 * The secret is a JSON Web Key Set (RFC 7517). Its first key signs; all keys are published without their private parts.
 */
import { CompactSign, type CryptoKey, importJWK, type JSONWebKeySet, type JWK } from 'jose'
import * as z from 'zod'
import { type SignedReceipt, signedReceipt } from '../store/signed-receipt.ts'
import type { Task } from '../store/task.ts'
import { ApiError } from '../tasks/api-error.ts'
import type { AppContext } from './context.ts'

const part = z.string().regex(/^[\w-]{43}$/)
const keySet = z.object({
  keys: z.array(z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: part, kid: z.string().min(1), d: part.optional() })).min(1),
})

interface Keys {
  readonly published: JSONWebKeySet
  readonly kid: string
  /** Signing key. `undefined`: the first key has no private part. */
  readonly signing: JWK | undefined
}

let parsed: { readonly secret: string; readonly keys: Keys } | undefined

/** @throws Error if the secret is not a valid key set. The message does not repeat the secret. */
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

/** Public keys, for `/.well-known/jwks.json`. */
export const publishedKeys = (secret: string | undefined): JSONWebKeySet => (secret === undefined ? { keys: [] } : keysOf(secret).published)

/** Receipt of a completed task, issued by the origin that the operator configured. */
export const receiptOf = (c: AppContext, task: Task): SignedReceipt => signedReceipt(task, c.env.PUBLIC_URL ?? c.env.ORIGIN)

/** Signs a payload. The same payload and key always give the same text. */
export async function signed(payload: object, secret: string | undefined): Promise<string> {
  const keys = secret === undefined ? undefined : keysOf(secret)
  if (!keys?.signing) throw new ApiError('maintenance', 'no_signing_key')
  const key = (await importJWK(keys.signing, 'EdDSA')) as CryptoKey
  const text = new TextEncoder().encode(JSON.stringify(payload))
  return new CompactSign(text).setProtectedHeader({ alg: 'EdDSA', kid: keys.kid, typ: 'whittle-receipt' }).sign(key)
}
