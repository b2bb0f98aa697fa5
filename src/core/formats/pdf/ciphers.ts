/** Ciphers that encrypt and decrypt the strings and streams of a PDF with a known file key (ISO 32000-2, 7.6.3). */

import { concat } from '../../bytes/concat.ts'
import { type BlockCipher, decryptCbc, encryptCbc } from '../../bytes/platform/ciphers.ts'
import { randomBytes } from '../../bytes/platform/crypto.ts'
import { createHash } from '../../bytes/platform/hashes.ts'
import { message } from '../../i18n/message.ts'
import { type ObjectId, PdfSyntax } from './objects.ts'
import { Rc4 } from './rc4.ts'
import type { Cipher } from './writer.ts'

/**
 * Encryption method of a crypt filter (ISO 32000-2, table 25). V2 is RC4, AESV2 is AES-128, AESV3 is AES-256. Only AESV3 uses the file key
 * for every object.
 */
export type EncryptionMethod = 'V2' | 'AESV2' | 'AESV3'

/**
 * Decrypts the strings and streams of a PDF.
 * @throws PdfSyntax if the encrypted bytes are malformed, for example if the AES padding is wrong.
 */
export interface Decipher {
  string(bytes: Uint8Array, id: ObjectId): Uint8Array
  stream(pieces: AsyncIterable<Uint8Array>, id: ObjectId): AsyncIterable<Uint8Array>
  /**
   * Number of decrypted bytes in a stream of `stored` encrypted bytes. `tail` reads the last 32 encrypted bytes, which hold the padding.
   */
  plainLength(stored: number, tail: () => Promise<Uint8Array>, id: ObjectId): Promise<number>
}

const BLOCK_BYTES = 16
const SALT = Uint8Array.of(0x73, 0x41, 0x6c, 0x54)
/** Maximum length of an RC4 or AES-128 object key in bytes (ISO 32000-2, algorithm 1, step d). */
const MAX_OBJECT_KEY_BYTES = 16

/** Returns the encryption key of one PDF object (ISO 32000-2, algorithm 1). */
function objectKey(fileKey: Uint8Array, method: EncryptionMethod, { number, generation }: ObjectId): Uint8Array {
  if (method === 'AESV3') return fileKey
  const id = Uint8Array.of(number & 255, (number >> 8) & 255, (number >> 16) & 255, generation & 255, (generation >> 8) & 255)
  const hash = createHash('md5').update(fileKey).update(id)
  if (method === 'AESV2') hash.update(SALT)
  return hash.digest().subarray(0, Math.min(fileKey.length + 5, MAX_OBJECT_KEY_BYTES))
}

export function createCipher(fileKey: Uint8Array, method: EncryptionMethod): Cipher {
  const keyOf = (number: number) => objectKey(fileKey, method, { number, generation: 0 })
  if (method === 'V2') {
    return {
      string: (bytes, number) => new Rc4(keyOf(number)).apply(bytes),
      encryptedLength: (length) => length,
      stream: (pieces, number) => rc4Stream(keyOf(number), pieces),
    }
  }
  // AES output begins with a random initialisation vector and ends with PKCS #7 padding (ISO 32000-2, 7.6.3.1).
  const start = (number: number) => {
    const key = keyOf(number)
    const iv = randomBytes(BLOCK_BYTES)
    return { iv, engine: encryptCbc({ key, iv }, true) }
  }
  return {
    string(bytes, number) {
      const { iv, engine } = start(number)
      return concat([iv, engine.update(bytes), engine.finish()])
    },
    encryptedLength: (length) => BLOCK_BYTES + (Math.floor(length / BLOCK_BYTES) + 1) * BLOCK_BYTES,
    async *stream(pieces, number) {
      const { iv, engine } = start(number)
      yield iv
      for await (const piece of pieces) yield engine.update(piece)
      yield engine.finish()
    },
  }
}

export function createPdfDecipher(fileKey: Uint8Array, method: EncryptionMethod): Decipher {
  const keyOf = (id: ObjectId) => objectKey(fileKey, method, id)
  if (method === 'V2') {
    return {
      string: (bytes, id) => new Rc4(keyOf(id)).apply(bytes),
      stream: (pieces, id) => rc4Stream(keyOf(id), pieces),
      plainLength: async (stored) => stored,
    }
  }
  return {
    string(bytes, id) {
      if (isEmpty(bytes.length)) return new Uint8Array(0)
      assertBlocks(bytes.length)
      const last = aesUpdate(keyOf(id), bytes.subarray(0, BLOCK_BYTES), bytes.subarray(BLOCK_BYTES))
      return last.subarray(0, last.length - padding(last))
    },
    async *stream(pieces, id) {
      const key = keyOf(id)
      let engine: BlockCipher | undefined
      let head: Uint8Array = new Uint8Array(0)
      // Last decrypted block. It is returned at the end only, because its last byte gives the padding length.
      let lastBlock: Uint8Array = new Uint8Array(0)
      for await (const piece of pieces) {
        let rest = piece
        if (!engine) {
          head = concat([head, piece])
          if (head.length < BLOCK_BYTES) continue
          engine = decryptCbc({ key, iv: head.slice(0, BLOCK_BYTES) })
          rest = head.subarray(BLOCK_BYTES)
        }
        const plain = concat([lastBlock, engine.update(rest)])
        const lastLength = Math.min(BLOCK_BYTES, plain.length)
        lastBlock = plain.slice(plain.length - lastLength)
        if (plain.length > lastLength) yield plain.subarray(0, plain.length - lastLength)
      }
      if (!engine) {
        if (head.length > 0) throw new PdfSyntax('encrypted_stream_of_less_than_block')
        return
      }
      const last = concat([lastBlock, final(engine)])
      // `last` is empty if the stream contains only the initialisation vector.
      if (last.length > 0) yield last.slice(0, last.length - padding(last))
    },
    async plainLength(stored, tail, id) {
      if (isEmpty(stored)) return 0
      assertBlocks(stored)
      const bytes = await tail()
      const last = aesUpdate(keyOf(id), bytes.subarray(0, BLOCK_BYTES), bytes.subarray(BLOCK_BYTES))
      return stored - BLOCK_BYTES - padding(last)
    },
  }
}

/**
 * True if the encrypted data has no content. Some PDF writers omit the padding block of empty data, or the initialisation vector as well.
 */
const isEmpty = (stored: number) => stored === 0 || stored === BLOCK_BYTES

/**
 * Checks that AES data is an initialisation vector followed by at least one whole block.
 * @throws PdfSyntax otherwise.
 */
function assertBlocks(length: number): void {
  if (length < 2 * BLOCK_BYTES || length % BLOCK_BYTES !== 0) throw new PdfSyntax(message('encrypted_bytes_no_whole_blocks', { length }))
}

function aesUpdate(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  const engine = decryptCbc({ key, iv })
  return concat([engine.update(data), final(engine)])
}

function final(engine: BlockCipher): Uint8Array {
  try {
    return engine.finish()
  } catch {
    throw new PdfSyntax('no_whole_blocks')
  }
}

function padding(bytes: Uint8Array): number {
  const count = bytes.at(-1) ?? 0
  if (count < 1 || count > BLOCK_BYTES) throw new PdfSyntax('encrypted_bytes_without_their_padding')
  return count
}

async function* rc4Stream(key: Uint8Array, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const engine = new Rc4(key)
  for await (const piece of pieces) yield engine.apply(piece)
}
