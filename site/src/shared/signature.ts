/** Checks signed receipts with the published keys of the service: a compact JWS with Ed25519 (RFC 7515, RFC 8037). */
import type { JSONWebKeySet } from 'jose'

/** Returns the payload of a receipt. @throws Error if its signature is wrong, or the browser cannot check it */
export async function verifiedPayload(receipt: string): Promise<unknown> {
  const [{ compactVerify, createLocalJWKSet }, keys] = await Promise.all([
    import('jose'),
    fetch('/.well-known/jwks.json').then((answer) => answer.json() as Promise<JSONWebKeySet>),
  ])
  const { payload } = await compactVerify(receipt, createLocalJWKSet(keys), { algorithms: ['EdDSA'] })
  return JSON.parse(new TextDecoder().decode(payload))
}

/** SHA-256 of a file as hex. */
export async function sha256(data: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await data.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
