/** The standard security handler, revision 6: AES-256 (ISO 32000-2, 7.6.4). */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { concat } from '../../bytes/concat.ts'
import { ascii, Dict, Name, type PdfObject, Str } from './objects.ts'
import type { Cipher, Lock } from './writer.ts'

const BLOCK_BYTES = 16
const KEY_BYTES = 32
const SALT_BYTES = 8
const HASH_BYTES = 32
/** 7.6.4.3.4: a password is at most this long in UTF-8. */
const MAX_PASSWORD_BYTES = 127
/** Everything is allowed; bits 1 and 2 are reserved (table 22). */
const PERMISSIONS = -4

/** RFC 4013: other spaces are spaces, invisible characters are none, compatibility forms are composed. */
export function saslPrep(password: string): Uint8Array {
  const mapped = password
    .replace(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu, ' ')
    .replace(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/gu, '')
    .normalize('NFKC')
  return new TextEncoder().encode(mapped).subarray(0, MAX_PASSWORD_BYTES)
}

/** Algorithm 2.B. `user` is the 48-byte /U for owner hashes, else empty. */
function hash(password: Uint8Array, salt: Uint8Array, user: Uint8Array): Uint8Array {
  let key: Uint8Array = createHash('sha256').update(password).update(salt).update(user).digest()
  for (let round = 0; ; round++) {
    const once = concat([password, key, user])
    const repeated = new Uint8Array(once.length * 64)
    for (let i = 0; i < 64; i++) repeated.set(once, i * once.length)
    const encrypted = aes('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32), repeated)
    // The first 16 bytes as a number modulo 3: 256 is 1 modulo 3, so their sum will do.
    let sum = 0
    for (let i = 0; i < 16; i++) sum += encrypted[i]!
    key = createHash((['sha256', 'sha384', 'sha512'] as const)[sum % 3]!)
      .update(encrypted)
      .digest()
    if (round >= 63 && encrypted[encrypted.length - 1]! <= round - 31) return new Uint8Array(key.subarray(0, HASH_BYTES))
  }
}

function aes(algorithm: string, key: Uint8Array, iv: Uint8Array, data: Uint8Array, decrypt = false): Uint8Array {
  const engine = decrypt ? createDecipheriv(algorithm, key, iv) : createCipheriv(algorithm, key, iv)
  engine.setAutoPadding(false)
  return concat([engine.update(data), engine.final()])
}

const NO_USER = new Uint8Array(0)
const ZERO_IV = new Uint8Array(BLOCK_BYTES)

/** A fresh file key under one password, which opens the file as its user and its owner. */
export function lockWith(password: string): Lock {
  const word = saslPrep(password)
  const fileKey = new Uint8Array(randomBytes(KEY_BYTES))
  // Algorithm 8: /U and /UE.
  const [userSalt, userKeySalt] = [randomBytes(SALT_BYTES), randomBytes(SALT_BYTES)]
  const user = concat([hash(word, userSalt, NO_USER), userSalt, userKeySalt])
  const userKey = aes('aes-256-cbc', hash(word, userKeySalt, NO_USER), ZERO_IV, fileKey)
  // Algorithm 9: /O and /OE.
  const [ownerSalt, ownerKeySalt] = [randomBytes(SALT_BYTES), randomBytes(SALT_BYTES)]
  const owner = concat([hash(word, ownerSalt, user), ownerSalt, ownerKeySalt])
  const ownerKey = aes('aes-256-cbc', hash(word, ownerKeySalt, user), ZERO_IV, fileKey)
  // Algorithm 10: /Perms. P in 64 bits, metadata encrypted, "adb", four bytes of anything.
  const permissions = new Uint8Array(BLOCK_BYTES)
  new DataView(permissions.buffer).setInt32(0, PERMISSIONS, true)
  permissions.fill(255, 4, 8)
  permissions.set(ascii('Tadb'), 8)
  permissions.set(randomBytes(4), 12)
  const filter = new Dict([
    ['CFM', Name.of('AESV3')],
    ['AuthEvent', Name.of('DocOpen')],
    ['Length', KEY_BYTES],
  ] as [string, PdfObject][])
  const dictionary = new Dict([
    ['Filter', Name.of('Standard')],
    ['V', 5],
    ['R', 6],
    ['Length', KEY_BYTES * 8],
    ['P', PERMISSIONS],
    ['O', new Str(owner)],
    ['U', new Str(user)],
    ['OE', new Str(ownerKey)],
    ['UE', new Str(userKey)],
    // ECB of a single block is CBC from zeros, which every runtime has.
    ['Perms', new Str(aes('aes-256-cbc', fileKey, ZERO_IV, permissions))],
    ['CF', new Dict([['StdCF', filter]])],
    ['StmF', Name.of('StdCF')],
    ['StrF', Name.of('StdCF')],
    ['EncryptMetadata', true],
  ] as [string, PdfObject][])
  return { cipher: cipherOf(fileKey), dictionary, id: new Uint8Array(randomBytes(BLOCK_BYTES)) }
}

/** AES-256 in CBC mode, a random initialisation vector in front, padded as in PKCS #7 (7.6.3.1). */
function cipherOf(key: Uint8Array): Cipher {
  const start = () => {
    const iv = new Uint8Array(randomBytes(BLOCK_BYTES))
    return { iv, engine: createCipheriv('aes-256-cbc', key, iv) }
  }
  return {
    string(bytes) {
      const { iv, engine } = start()
      return concat([iv, engine.update(bytes), engine.final()])
    },
    encryptedLength: (length) => BLOCK_BYTES + (Math.floor(length / BLOCK_BYTES) + 1) * BLOCK_BYTES,
    async *stream(pieces) {
      const { iv, engine } = start()
      yield iv
      for await (const piece of pieces) yield new Uint8Array(engine.update(piece))
      yield new Uint8Array(engine.final())
    },
  }
}

/** Takes strings and streams back out of a file. */
export interface Decipher {
  string(bytes: Uint8Array): Uint8Array
  stream(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

/** Opens what `lockWith` locked: algorithm 2.A for the user's password. Undefined for another password or another handler. */
export function unlock(dictionary: Dict, password: string): Decipher | undefined {
  const [user, userKey] = [dictionary.get('U'), dictionary.get('UE')]
  if (dictionary.get('R') !== 6 || !(user instanceof Str) || !(userKey instanceof Str)) return undefined
  if (user.bytes.length < 48 || userKey.bytes.length !== KEY_BYTES) return undefined
  const word = saslPrep(password)
  const expected = hash(word, user.bytes.subarray(32, 40), NO_USER)
  if (Buffer.compare(expected, user.bytes.subarray(0, HASH_BYTES)) !== 0) return undefined
  const key = aes('aes-256-cbc', hash(word, user.bytes.subarray(40, 48), NO_USER), ZERO_IV, userKey.bytes, true)
  return {
    string(bytes) {
      const engine = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, BLOCK_BYTES))
      return concat([engine.update(bytes.subarray(BLOCK_BYTES)), engine.final()])
    },
    async *stream(pieces) {
      let engine: ReturnType<typeof createDecipheriv> | undefined
      let head: Uint8Array = new Uint8Array(0)
      for await (const piece of pieces) {
        let rest = piece
        if (!engine) {
          head = concat([head, piece])
          if (head.length < BLOCK_BYTES) continue
          engine = createDecipheriv('aes-256-cbc', key, head.subarray(0, BLOCK_BYTES))
          rest = head.subarray(BLOCK_BYTES)
        }
        yield new Uint8Array(engine.update(rest))
      }
      if (engine) yield new Uint8Array(engine.final())
    },
  }
}
