/** Ciphers and keyed hashes of the platform, apart from its hashes because few files are encrypted. The results are the same everywhere. */
import { nodeCrypto } from './node.ts'
import { PORTABLE_CIPHERS } from './portable-ciphers.ts'

export type { BlockCipher } from './crypto-port.ts'

export const { createHmac, pbkdf2, encryptCbc, decryptCbc, encryptEcb } = nodeCrypto() ?? PORTABLE_CIPHERS
