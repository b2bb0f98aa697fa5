import { latin1Of } from '../src/core/bytes/latin1.ts'

/** Returns `bytes` random bytes as base64url text. */
export function randomText(bytes: number): string {
  const text = btoa(latin1Of(crypto.getRandomValues(new Uint8Array(bytes))))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
