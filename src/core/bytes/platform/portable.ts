/** Hashes in JavaScript, for platforms that have only asynchronous ones: browsers. */
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import type { HashPort, Sha2Name } from './crypto-port.ts'

export const SHA2 = { sha256, sha384, sha512 }

export const PORTABLE_SHA2: HashPort<Sha2Name> = {
  createHash: (name) => SHA2[name].create(),
  digestOf: (name, bytes) => SHA2[name](bytes),
}
