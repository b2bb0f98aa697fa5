/**
 * Keys that receipts are signed with, as the secret RECEIPT_KEYS holds them. A new key before the old ones, of which the public parts
 * stay, so that receipts of before can still be checked:
 * `node src/local/receipt-keys.ts https://whittle.example.com | npx wrangler secret put RECEIPT_KEYS --name whittle`
 */
import { createHash, generateKeyPairSync } from 'node:crypto'

interface PublicKey {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly kid: string
}

/** JSON: a set of keys (RFC 7517) with a new Ed25519 key first; its id is its thumbprint (RFC 7638). */
export function newReceiptKeys(older: readonly PublicKey[] = []): string {
  const { kty, crv, x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as PublicKey & { d: string }
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  const kept = older.map((key) => ({ kty: key.kty, crv: key.crv, x: key.x, kid: key.kid }))
  return JSON.stringify({ keys: [{ kty, crv, x, d, kid }, ...kept] })
}

if (import.meta.main) {
  const service = process.argv[2]
  const answer = service === undefined ? undefined : await fetch(new URL('/.well-known/jwks.json', service))
  if (answer && !answer.ok)
    throw new Error(`${answer.url} answered ${answer.status}: without its keys, older receipts could not be checked any more`)
  const { keys } = answer ? ((await answer.json()) as { keys: PublicKey[] }) : { keys: [] }
  console.log(newReceiptKeys(keys))
}
