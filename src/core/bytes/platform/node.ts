/**
 * Hashes and ciphers of Node's standard library, which Deno, Bun and workerd have as well. They are up to ten times faster than the portable
 * ones. This is the only file of the core that knows a module of Node. It does not import it, so that bundlers for browsers need no settings.
 */
import type * as NodeCrypto from 'node:crypto'
import type { BlockCipher, CipherPort, Hash, HashPort } from './crypto-port.ts'

/** ECB has no initialisation vector. workerd refuses `null`. */
const NO_IV = new Uint8Array(0)

/** The global `process`, as far as it is used. `getBuiltinModule` exists since Node 20.16. */
interface Process {
  getBuiltinModule?(name: 'node:crypto'): typeof NodeCrypto | undefined
}

/** Returns the platform's own hashes and ciphers. `undefined`: it has none that are synchronous. */
export function nodeCrypto(): (HashPort & CipherPort) | undefined {
  const crypto = (globalThis as { process?: Process }).process?.getBuiltinModule?.('node:crypto')
  return crypto && portOf(crypto)
}

function portOf(node: typeof NodeCrypto): HashPort & CipherPort {
  const algorithm = (key: Uint8Array, mode: 'cbc' | 'ecb') => `aes-${key.length * 8}-${mode}`
  return {
    createHash: (name) => hashOf(node.createHash(name)),
    createHmac: (name, key) => hashOf(node.createHmac(name, key)),
    // `hash` exists since Node 20.12 and is faster for short data.
    digestOf: (name, bytes) => plain(node.hash?.(name, bytes, 'buffer') ?? node.createHash(name).update(bytes).digest()),
    pbkdf2: (name, password, { salt, iterations, length }) => plain(node.pbkdf2Sync(password, salt, iterations, length, name)),
    encryptCbc: ({ key, iv }, padded) => cipherOf(node.createCipheriv(algorithm(key, 'cbc'), key, iv).setAutoPadding(padded)),
    decryptCbc: ({ key, iv }) => cipherOf(node.createDecipheriv(algorithm(key, 'cbc'), key, iv).setAutoPadding(false)),
    encryptEcb: (key) => cipherOf(node.createCipheriv(algorithm(key, 'ecb'), key, NO_IV).setAutoPadding(false)),
  }
}

function hashOf(node: { update(bytes: Uint8Array): unknown; digest(): Uint8Array }): Hash {
  return {
    update(bytes) {
      node.update(bytes)
      return this
    },
    digest: () => plain(node.digest()),
  }
}

function cipherOf(node: { update(bytes: Uint8Array): Uint8Array; final(): Uint8Array }): BlockCipher {
  return {
    update: (bytes) => plain(node.update(bytes)),
    finish() {
      try {
        return plain(node.final())
      } catch {
        throw new RangeError('AES: the data has no whole number of blocks')
      }
    },
  }
}

/** Returns the bytes of a Node `Buffer` as a `Uint8Array`, whose `slice` copies. */
const plain = ({ buffer, byteOffset, byteLength }: Uint8Array) => new Uint8Array(buffer, byteOffset, byteLength)
