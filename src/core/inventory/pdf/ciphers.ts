/** Digests and ciphers of the standard security handler (ISO 32000-2, 7.6). */
import { concat } from '../../bytes/concat.ts'
import { type BlockCipher, decryptCbc, encryptCbc } from '../../bytes/platform/ciphers.ts'
import { createHash } from '../../bytes/platform/hashes.ts'
import { damaged } from './values.ts'

/** Bytes of an AES block and of an initialisation vector. */
export const BLOCK_BYTES = 16

export function digestBy(algorithm: 'md5' | 'sha256' | 'sha384' | 'sha512', ...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash(algorithm)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Encrypts whole blocks with AES-CBC without padding. */
export const aesEncrypted = (key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array =>
  outputOf(encryptCbc({ key, iv }, false), data)

/** Decrypts whole blocks with AES-CBC. The padding stays. */
export const aesDecrypted = (key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array => outputOf(decryptCbc({ key, iv }), data)

const outputOf = (cipher: BlockCipher, data: Uint8Array) => concat([cipher.update(data), cipher.finish()])

/** Decrypts AES data as PDF stores it: an initialisation vector, then blocks with padding. Without a whole block it is empty. */
export async function* aesStream(key: Uint8Array, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [iv, held]: [Uint8Array | undefined, Uint8Array] = [undefined, new Uint8Array(0)]
  for await (const piece of pieces) {
    held = concat([held, piece])
    if (!iv && held.length >= BLOCK_BYTES) [iv, held] = [held.slice(0, BLOCK_BYTES), held.subarray(BLOCK_BYTES)]
    // The last block is decrypted at the end, because its last byte gives the length of the padding.
    const ready = Math.floor((held.length - 1) / BLOCK_BYTES) * BLOCK_BYTES
    if (!iv || ready < BLOCK_BYTES) continue
    const blocks = held.subarray(0, ready)
    yield aesDecrypted(key, iv, blocks)
    ;[iv, held] = [blocks.slice(ready - BLOCK_BYTES), held.slice(ready)]
  }
  if (!iv || held.length < BLOCK_BYTES) return
  const last = aesDecrypted(key, iv, held.subarray(0, BLOCK_BYTES))
  const padding = last[BLOCK_BYTES - 1]!
  if (padding < 1 || padding > BLOCK_BYTES) throw damaged(0)
  if (padding < BLOCK_BYTES) yield last.subarray(0, BLOCK_BYTES - padding)
}

/** RC4, which modern crypto libraries no longer offer. */
export class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, index) => index)
  #i = 0
  #j = 0

  constructor(key: Uint8Array) {
    const state = this.#state
    for (let i = 0, j = 0; i < 256; i++) {
      j = (j + state[i]! + key[i % key.length]!) & 255
      this.#swap(i, j)
    }
  }

  /** Encrypts or decrypts the next bytes. */
  next(data: Uint8Array): Uint8Array {
    const state = this.#state
    return data.map((byte) => {
      this.#i = (this.#i + 1) & 255
      this.#j = (this.#j + state[this.#i]!) & 255
      this.#swap(this.#i, this.#j)
      return byte ^ state[(state[this.#i]! + state[this.#j]!) & 255]!
    })
  }

  #swap(i: number, j: number): void {
    const kept = this.#state[i]!
    this.#state[i] = this.#state[j]!
    this.#state[j] = kept
  }
}
