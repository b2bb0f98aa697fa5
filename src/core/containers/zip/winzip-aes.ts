/**
 * WinZip's AES-256 encryption for ZIP ("AES Encryption Information: Encryption Specification AE-1 and AE-2", version 1.04).
 * PBKDF2-HMAC-SHA1, AES in counter mode with a little-endian counter that starts at 1, HMAC-SHA1 over the ciphertext.
 */

import { createHmac, encryptEcb, pbkdf2 } from '../../bytes/platform/ciphers.ts'
export const AES_METHOD = 99
export const AES_EXTRA = 0x9901
export const SALT_BYTES = 16
export const VERIFIER_BYTES = 2
export const CODE_BYTES = 10
export const OVERHEAD_BYTES = SALT_BYTES + VERIFIER_BYTES + CODE_BYTES

const ITERATIONS = 1000
const BLOCK_BYTES = 16

/** Extra field 0x9901: AE-2 (no CRC in the headers), vendor "AE", strength 3 (256 bits), the real compression method. */
export function aesExtra(method: number): Uint8Array {
  return new Uint8Array([0x01, 0x99, 7, 0, 2, 0, 0x41, 0x45, 3, method & 255, method >> 8])
}

export interface WinZipCipher {
  /** Two bytes that detect most wrong passwords before decryption. */
  readonly verifier: Uint8Array
  /** Encrypts the next plain bytes and updates the authentication code. */
  encrypt(plain: Uint8Array): Uint8Array
  /** Decrypts the next bytes and updates the authentication code. */
  decrypt(ciphertext: Uint8Array): Uint8Array
  /** Returns the HMAC-SHA1-80 of all ciphertext so far. The cipher cannot be used afterwards. */
  code(): Uint8Array
}

/** Creates a cipher. @param salt 16 random bytes, stored before the data */
export function winZipCipher(password: string, salt: Uint8Array): WinZipCipher {
  const keys = pbkdf2('sha1', new TextEncoder().encode(password), { salt, iterations: ITERATIONS, length: 66 })
  const cipher = encryptEcb(keys.subarray(0, 32))
  const hmac = createHmac('sha1', keys.subarray(32, 64))
  let counter = 1
  let rest: Uint8Array = new Uint8Array()

  /** Returns `length` bytes of key stream (encrypted counter blocks). Each call continues where the last one ended. */
  const keyStream = (length: number): Uint8Array => {
    const blocks = Math.max(0, Math.ceil((length - rest.length) / BLOCK_BYTES))
    const counters = new DataView(new ArrayBuffer(blocks * BLOCK_BYTES))
    for (let index = 0; index < blocks; index++, counter++) {
      counters.setUint32(index * BLOCK_BYTES, counter % 2 ** 32, true)
      counters.setUint32(index * BLOCK_BYTES + 4, Math.floor(counter / 2 ** 32), true)
    }
    const fresh = cipher.update(new Uint8Array(counters.buffer))
    const stream = new Uint8Array(rest.length + fresh.length)
    stream.set(rest)
    stream.set(fresh, rest.length)
    rest = stream.slice(length)
    return stream.subarray(0, length)
  }

  const xored = (bytes: Uint8Array): Uint8Array => {
    const stream = keyStream(bytes.length)
    for (let index = 0; index < bytes.length; index++) stream[index]! ^= bytes[index]!
    return stream
  }

  return {
    verifier: keys.subarray(64, 66),
    encrypt(plain) {
      const ciphertext = xored(plain)
      hmac.update(ciphertext)
      return ciphertext
    },
    decrypt(ciphertext) {
      hmac.update(ciphertext)
      return xored(ciphertext)
    },
    code: () => hmac.digest().subarray(0, CODE_BYTES),
  }
}
