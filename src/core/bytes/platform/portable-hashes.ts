/** All hashes in JavaScript, for platforms that have only asynchronous ones: browsers. */
import { md5, sha1 } from '@noble/hashes/legacy.js'
import type { HashPort } from './crypto-port.ts'
import { SHA2 } from './portable.ts'

export const HASHES = { md5, sha1, ...SHA2 }

export const PORTABLE_HASHES: HashPort = {
  createHash: (name) => HASHES[name].create(),
  digestOf: (name, bytes) => HASHES[name](bytes),
}
