/** All hashes of the platform, apart from those of `crypto.ts` because only old files need MD5 and SHA-1. The results are the same everywhere. */
import type { HashPort } from './crypto-port.ts'
import { nodeCrypto } from './node.ts'
import { PORTABLE_HASHES } from './portable-hashes.ts'

export const { createHash, digestOf }: HashPort = nodeCrypto() ?? PORTABLE_HASHES
