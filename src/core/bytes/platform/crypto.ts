/** Hashes and random bytes of the platform. The results are the same everywhere. */
import { nodeCrypto } from './node.ts'
import { PORTABLE_HASHES } from './portable.ts'

export type { Hash, HashName } from './crypto-port.ts'

export const { createHash, digestOf } = nodeCrypto() ?? PORTABLE_HASHES

/** Most bytes of one call (Web Cryptography API, 10.1.1). */
const MOST_RANDOM_BYTES = 65_536

/** Returns `length` random bytes of cryptographic quality. */
export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += MOST_RANDOM_BYTES) crypto.getRandomValues(bytes.subarray(at, at + MOST_RANDOM_BYTES))
  return bytes
}
