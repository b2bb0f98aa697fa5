/** What encrypts the strings and streams of a file once its key is known (ISO 32000-2, 7.6.3). */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { concat } from '../../bytes/concat.ts'
import { message } from '../../i18n/message.ts'
import { type ObjectId, PdfSyntax } from './objects.ts'
import { Rc4 } from './rc4.ts'
import type { Cipher } from './writer.ts'

/** V2: RC4. AESV2: AES-128. AESV3: AES-256, the only one whose key is the same for all objects (table 25). */
export type Method = 'V2' | 'AESV2' | 'AESV3'

/** Takes strings and streams back out of a file. @throws PdfSyntax where they are not what the method makes. */
export interface Decipher {
  string(bytes: Uint8Array, id: ObjectId): Uint8Array
  stream(pieces: AsyncIterable<Uint8Array>, id: ObjectId): AsyncIterable<Uint8Array>
  /** Bytes that `stored` encrypted bytes hold; `tail` reads the last 32 of them. */
  plainLength(stored: number, tail: () => Promise<Uint8Array>, id: ObjectId): Promise<number>
}

const BLOCK_BYTES = 16
const SALT = Uint8Array.of(0x73, 0x41, 0x6c, 0x54)
/** A file key of any length makes keys of at most this many bytes for single objects (algorithm 1, step d). */
const MOST_KEY_BYTES = 16

/** Algorithm 1: the key of one object. */
function objectKey(fileKey: Uint8Array, method: Method, { number, generation }: ObjectId): Uint8Array {
  if (method === 'AESV3') return fileKey
  const id = Uint8Array.of(number & 255, (number >> 8) & 255, (number >> 16) & 255, generation & 255, (generation >> 8) & 255)
  const hash = createHash('md5').update(fileKey).update(id)
  if (method === 'AESV2') hash.update(SALT)
  return new Uint8Array(hash.digest()).subarray(0, Math.min(fileKey.length + 5, MOST_KEY_BYTES))
}

const algorithmOf = (key: Uint8Array) => (key.length === 32 ? 'aes-256-cbc' : 'aes-128-cbc')

export function cipherOf(fileKey: Uint8Array, method: Method): Cipher {
  const keyOf = (number: number) => objectKey(fileKey, method, { number, generation: 0 })
  if (method === 'V2') {
    return {
      string: (bytes, number) => new Rc4(keyOf(number)).apply(bytes),
      encryptedLength: (length) => length,
      stream: (pieces, number) => rc4Stream(keyOf(number), pieces),
    }
  }
  // A random initialisation vector in front, padded as in PKCS #7 (7.6.3.1).
  const start = (number: number) => {
    const key = keyOf(number)
    const iv = new Uint8Array(randomBytes(BLOCK_BYTES))
    return { iv, engine: createCipheriv(algorithmOf(key), key, iv) }
  }
  return {
    string(bytes, number) {
      const { iv, engine } = start(number)
      return concat([iv, engine.update(bytes), engine.final()])
    },
    encryptedLength: (length) => BLOCK_BYTES + (Math.floor(length / BLOCK_BYTES) + 1) * BLOCK_BYTES,
    async *stream(pieces, number) {
      const { iv, engine } = start(number)
      yield iv
      for await (const piece of pieces) yield new Uint8Array(engine.update(piece))
      yield new Uint8Array(engine.final())
    },
  }
}

export function decipherOf(fileKey: Uint8Array, method: Method): Decipher {
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
      let engine: ReturnType<typeof createDecipheriv> | undefined
      let head: Uint8Array = new Uint8Array(0)
      // The last block is held back: it says how much of it is padding.
      let held: Uint8Array = new Uint8Array(0)
      for await (const piece of pieces) {
        let rest = piece
        if (!engine) {
          head = concat([head, piece])
          if (head.length < BLOCK_BYTES) continue
          engine = createDecipheriv(algorithmOf(key), key, head.subarray(0, BLOCK_BYTES))
          engine.setAutoPadding(false)
          rest = head.subarray(BLOCK_BYTES)
        }
        const plain = concat([held, engine.update(rest)])
        const keep = Math.min(BLOCK_BYTES, plain.length)
        held = plain.slice(plain.length - keep)
        if (plain.length > keep) yield plain.subarray(0, plain.length - keep)
      }
      if (!engine) {
        if (head.length > 0) throw new PdfSyntax('encrypted_stream_of_less_than_block')
        return
      }
      const last = concat([held, final(engine)])
      // Nothing but the initialisation vector.
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

/** Some writers leave out the padding of what is empty, or the initialisation vector, too. */
const isEmpty = (stored: number) => stored === 0 || stored === BLOCK_BYTES

/** An initialisation vector and at least one block. */
function assertBlocks(length: number): void {
  if (length < 2 * BLOCK_BYTES || length % BLOCK_BYTES !== 0) throw new PdfSyntax(message('encrypted_bytes_no_whole_blocks', { length }))
}

function aesUpdate(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  const engine = createDecipheriv(algorithmOf(key), key, iv)
  engine.setAutoPadding(false)
  return concat([engine.update(data), final(engine)])
}

function final(engine: ReturnType<typeof createDecipheriv>): Uint8Array {
  try {
    return engine.final()
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
