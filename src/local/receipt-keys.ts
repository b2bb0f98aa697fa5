/**
 * Makes the value of the secret RECEIPT_KEYS, which signs receipts: a new key, followed by the public parts of the older keys, so that
 * older receipts can still be verified.
 * `node src/local/receipt-keys.ts https://whittle.example.com | npx wrangler secret put RECEIPT_KEYS --name whittle`
 */
import { createHash, generateKeyPairSync } from 'node:crypto'

interface PublicKey {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly kid: string
}

/** JSON Web Key Set (RFC 7517) with a new Ed25519 key first. Its id is its thumbprint (RFC 7638). */
export function newReceiptKeys(older: readonly PublicKey[] = []): string {
  const { kty, crv, x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as PublicKey & { d: string }
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  const olderKeys = older.map((key) => ({ kty: key.kty, crv: key.crv, x: key.x, kid: key.kid }))
  return JSON.stringify({ keys: [{ kty, crv, x, d, kid }, ...olderKeys] })
}

if (import.meta.main) {
  const service = process.argv[2]
  const response = service === undefined ? undefined : await fetch(new URL('/.well-known/jwks.json', service))
  if (response && !response.ok)
    throw new Error(`${response.url} failed with HTTP ${response.status}. Without its keys, older receipts could no longer be verified.`)
  const { keys } = response ? ((await response.json()) as { keys: PublicKey[] }) : { keys: [] }
  console.log(newReceiptKeys(keys))
}
