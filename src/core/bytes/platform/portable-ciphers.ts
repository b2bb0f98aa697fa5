/** Ciphers and keyed hashes in JavaScript, for platforms that have only asynchronous ones: browsers. */
import { cbc, ecb } from '@noble/ciphers/aes.js'
import { hmac } from '@noble/hashes/hmac.js'
import { pbkdf2 } from '@noble/hashes/pbkdf2.js'
import { concat } from '../concat.ts'
import type { BlockCipher, CipherPort } from './crypto-port.ts'
import { HASHES } from './portable-hashes.ts'

const BLOCK_BYTES = 16
const WHOLE_BLOCKS = { disablePadding: true }

export const PORTABLE_CIPHERS: CipherPort = {
  createHmac: (name, key) => hmac.create(HASHES[name], key),
  pbkdf2: (name, password, { salt, iterations, length }) => pbkdf2(HASHES[name], password, salt, { c: iterations, dkLen: length }),
  encryptCbc({ key, iv }, padded) {
    let previous = iv
    return blockwise((blocks) => {
      const encrypted = cbc(key, previous, WHOLE_BLOCKS).encrypt(blocks)
      previous = encrypted.slice(-BLOCK_BYTES)
      return encrypted
    }, padded)
  },
  decryptCbc({ key, iv }) {
    let previous = iv
    return blockwise((blocks) => {
      const decrypted = cbc(key, previous, WHOLE_BLOCKS).decrypt(blocks)
      previous = blocks.slice(-BLOCK_BYTES)
      return decrypted
    }, false)
  },
  encryptEcb: (key) => blockwise((blocks) => ecb(key, WHOLE_BLOCKS).encrypt(blocks), false),
}

/** Cipher that collects its input to whole blocks. @param process encrypts or decrypts one block or more */
function blockwise(process: (blocks: Uint8Array) => Uint8Array, padded: boolean): BlockCipher {
  let rest: Uint8Array = new Uint8Array()
  return {
    update(bytes) {
      const all = rest.length > 0 ? concat([rest, bytes]) : bytes
      const whole = all.length - (all.length % BLOCK_BYTES)
      rest = all.slice(whole)
      return whole > 0 ? process(all.subarray(0, whole)) : new Uint8Array()
    },
    finish() {
      if (padded) {
        const missing = BLOCK_BYTES - rest.length
        return process(concat([rest, new Uint8Array(missing).fill(missing)]))
      }
      if (rest.length > 0) throw new RangeError('AES: the data has no whole number of blocks')
      return new Uint8Array()
    },
  }
}
