/** SHA-2 hashes and random bytes of the platform. The results are the same everywhere. */
import type { HashPort, Sha2Name } from './crypto-port.ts'
import { nodeCrypto } from './node.ts'
import { PORTABLE_SHA2 } from './portable.ts'

export type { Hash } from './crypto-port.ts'

export const { createHash, digestOf }: HashPort<Sha2Name> = nodeCrypto() ?? PORTABLE_SHA2

/** Most bytes of one call (Web Cryptography API, 10.1.1). */
const MOST_RANDOM_BYTES = 65_536

/** Returns `length` random bytes of cryptographic quality. */
export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += MOST_RANDOM_BYTES) crypto.getRandomValues(bytes.subarray(at, at + MOST_RANDOM_BYTES))
  return bytes
}
