/** Hashes in JavaScript, for platforms that have only asynchronous ones: browsers. */
import { md5, sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import type { HashPort } from './crypto-port.ts'

export const HASHES = { md5, sha1, sha256, sha384, sha512 }

export const PORTABLE_HASHES: HashPort = {
  createHash: (name) => HASHES[name].create(),
  digestOf: (name, bytes) => HASHES[name](bytes),
}
