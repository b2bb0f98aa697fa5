/** Standard security handler (ISO 32000-2, 7.6.4): writes revision 6, opens revisions 2 to 6. */

import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { bytesOfHex } from '../../bytes/hex.ts'
import { decryptCbc, encryptCbc } from '../../bytes/platform/ciphers.ts'
import { randomBytes } from '../../bytes/platform/crypto.ts'
import { createHash, digestOf } from '../../bytes/platform/hashes.ts'
import { createCipher, createPdfDecipher, type Decipher, type EncryptionMethod } from './ciphers.ts'
import { ascii, Dict, Name, nameOf, numberOr, type ObjectId, type PdfObject, Str, Stream } from './objects.ts'
import { Rc4 } from './rc4.ts'
import type { Encryption } from './writer.ts'

const BLOCK_BYTES = 16
const KEY_BYTES = 32
const SALT_BYTES = 8
const HASH_BYTES = 32
/** Maximum length of a password in UTF-8 bytes (ISO 32000-2, 7.6.4.3.4). */
const MAX_PASSWORD_BYTES = 127
/** Value of /P that allows everything; bits 1 and 2 are reserved (ISO 32000-2, table 22). */
const PERMISSIONS = -4

/** Prepares a password as SASLprep does (RFC 4013): maps all spaces to U+0020, removes invisible characters and normalises to NFKC. */
export function saslPrep(password: string): Uint8Array {
  const mapped = password
    .replace(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu, ' ')
    .replace(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/gu, '')
    .normalize('NFKC')
  return new TextEncoder().encode(mapped).subarray(0, MAX_PASSWORD_BYTES)
}

/** Password hash of ISO 32000-2, algorithm 2.B. `user` is the 48-byte /U for owner hashes, otherwise empty. */
function hash(password: Uint8Array, salt: Uint8Array, user: Uint8Array): Uint8Array {
  let key: Uint8Array = digestOf('sha256', concat([password, salt, user]))
  for (let round = 0; ; round++) {
    const input = concat([password, key, user])
    const repeated = new Uint8Array(input.length * 64)
    for (let i = 0; i < 64; i++) repeated.set(input, i * input.length)
    const encrypted = aes(key.subarray(0, 16), key.subarray(16, 32), repeated)
    // The algorithm takes the first 16 bytes as a number modulo 3. Since 256 modulo 3 is 1, the sum of the bytes is sufficient.
    let sum = 0
    for (let i = 0; i < 16; i++) sum += encrypted[i]!
    key = digestOf((['sha256', 'sha384', 'sha512'] as const)[sum % 3]!, encrypted)
    if (round >= 63 && encrypted[encrypted.length - 1]! <= round - 31) return new Uint8Array(key.subarray(0, HASH_BYTES))
  }
}

function aes(key: Uint8Array, iv: Uint8Array, data: Uint8Array, decrypt = false): Uint8Array {
  const engine = decrypt ? decryptCbc({ key, iv }) : encryptCbc({ key, iv }, false)
  return concat([engine.update(data), engine.finish()])
}

const NO_USER = new Uint8Array(0)
/** True for cross-reference streams, which are never encrypted (ISO 32000-2, 7.5.8.2). */
const PLAIN_XREF = (dict: Dict) => nameOf(dict.get('Type')) === 'XRef'
const ZERO_IV = new Uint8Array(BLOCK_BYTES)

/** Creates the encryption of a file with a new random file key. The password is both user password and owner password. */
export function createEncryption(password: string): Encryption {
  const preparedPassword = saslPrep(password)
  const fileKey = randomBytes(KEY_BYTES)
  // /U and /UE, the entries for the user password (ISO 32000-2, algorithm 8).
  const [userSalt, userKeySalt] = [randomBytes(SALT_BYTES), randomBytes(SALT_BYTES)]
  const user = concat([hash(preparedPassword, userSalt, NO_USER), userSalt, userKeySalt])
  const userKey = aes(hash(preparedPassword, userKeySalt, NO_USER), ZERO_IV, fileKey)
  // /O and /OE, the entries for the owner password (ISO 32000-2, algorithm 9).
  const [ownerSalt, ownerKeySalt] = [randomBytes(SALT_BYTES), randomBytes(SALT_BYTES)]
  const owner = concat([hash(preparedPassword, ownerSalt, user), ownerSalt, ownerKeySalt])
  const ownerKey = aes(hash(preparedPassword, ownerKeySalt, user), ZERO_IV, fileKey)
  // /Perms: /P in 64 bits, "T" for encrypted metadata, "adb", four random bytes (ISO 32000-2, algorithm 10).
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
    // /Perms is encrypted with AES in ECB mode. For one block, CBC with a zero initialisation vector gives the same result.
    ['Perms', new Str(aes(fileKey, ZERO_IV, permissions))],
    ['CF', new Dict([['StdCF', filter]])],
    ['StmF', Name.of('StdCF')],
    ['StrF', Name.of('StdCF')],
    ['EncryptMetadata', true],
  ] as [string, PdfObject][])
  return {
    cipher: createCipher(fileKey, 'AESV3'),
    dictionary,
    version: '2.0',
    isUnencrypted: PLAIN_XREF,
    id: randomBytes(BLOCK_BYTES),
  }
}

/** Decryption of an opened file, and the encryption that its result gets. */
export interface OpenedEncryption {
  decipher: Decipher
  encryption: Encryption
}

/**
 * Opens an encrypted file with its user password; revisions 2 to 4 only with the empty password. `dictionary` must contain no references;
 * `id` is the first string of /ID. `undefined`: wrong password, unknown handler, or several encryption methods in one file.
 */
export function openEncryption(dictionary: Dict, password: string, id: Uint8Array, version: string): OpenedEncryption | undefined {
  if (nameOf(dictionary.get('Filter')) !== 'Standard') return undefined
  const method = methodOf(dictionary)
  const revision = numberOr(dictionary.get('R'), 0)
  const older = () => (password === '' ? keyOfPadded(dictionary, id) : undefined)
  const fileKey = revision >= 5 ? keyOfHashed(dictionary, password) : older()
  if (!method || !fileKey || (method === 'AESV3') !== (fileKey.length === KEY_BYTES)) return undefined
  const open = dictionary.get('EncryptMetadata') === false
  const plain = (dict: Dict) => PLAIN_XREF(dict) || (open && nameOf(dict.get('Type')) === 'Metadata') || isCrypt(dict)
  return {
    decipher: createPdfDecipher(fileKey, method),
    encryption: { cipher: createCipher(fileKey, method), dictionary, id, version, isUnencrypted: plain },
  }
}

/** True if a stream declares itself as not encrypted, by the crypt filter "Identity" (ISO 32000-2, 7.4.10). */
function isCrypt(dict: Dict): boolean {
  const [filter, parms] = [dict.get('Filter'), dict.get('DecodeParms')]
  if (nameOf(Array.isArray(filter) ? filter[0] : filter) !== 'Crypt') return false
  const own = Array.isArray(parms) ? parms[0] : parms
  return !(own instanceof Dict && own.has('Name')) || nameOf(own.get('Name')) === 'Identity'
}

/** Encryption method of all strings and streams (ISO 32000-2, tables 20 and 25). `undefined`: unknown, or not the same for all. */
function methodOf(dictionary: Dict): EncryptionMethod | undefined {
  const version = numberOr(dictionary.get('V'), 0)
  if (version === 1 || version === 2) return 'V2'
  const name = nameOf(dictionary.get('StmF'))
  const filters = dictionary.get('CF')
  const filter = filters instanceof Dict ? filters.get(name) : undefined
  if (nameOf(dictionary.get('StrF')) !== name || !(filter instanceof Dict)) return undefined
  if (dictionary.has('EFF') && nameOf(dictionary.get('EFF')) !== name) return undefined
  const method = nameOf(filter.get('CFM'))
  if (version === 4 && (method === 'V2' || method === 'AESV2')) return method
  return version === 5 && method === 'AESV3' ? method : undefined
}

/** File key from the user password for revisions 5 and 6 (ISO 32000-2, algorithm 2.A). `undefined`: wrong password. */
function keyOfHashed(dictionary: Dict, password: string): Uint8Array | undefined {
  const [user, userKey] = [dictionary.get('U'), dictionary.get('UE')]
  if (!(user instanceof Str) || !(userKey instanceof Str)) return undefined
  if (user.bytes.length < 48 || userKey.bytes.length !== KEY_BYTES) return undefined
  const preparedPassword = saslPrep(password)
  // Revision 5 is an Adobe extension that hashes the password only once.
  const hashOnce = (salt: Uint8Array) => digestOf('sha256', concat([preparedPassword, salt]))
  const hashed = dictionary.get('R') === 5 ? hashOnce : (salt: Uint8Array) => hash(preparedPassword, salt, NO_USER)
  if (!equalBytes(hashed(user.bytes.subarray(32, 40)), user.bytes.subarray(0, HASH_BYTES))) return undefined
  return aes(hashed(user.bytes.subarray(40, 48)), ZERO_IV, userKey.bytes, true)
}

/** Padding string of short passwords (ISO 32000-2, algorithm 2, step a). It replaces the whole empty password. */
const PADDING = bytesOfHex('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a')

/**
 * File key for the empty user password, revisions 2 to 4 (ISO 32000-2, algorithm 2), checked by algorithm 6. `undefined`: a password is
 * needed.
 */
function keyOfPadded(dictionary: Dict, id: Uint8Array): Uint8Array | undefined {
  const [owner, user] = [dictionary.get('O'), dictionary.get('U')]
  const revision = numberOr(dictionary.get('R'), 0)
  if (!(owner instanceof Str) || !(user instanceof Str) || user.bytes.length < 16 || revision < 2 || revision > 4) return undefined
  const permissions = new DataView(new ArrayBuffer(4))
  permissions.setInt32(0, numberOr(dictionary.get('P'), 0) | 0, true)
  const first = createHash('md5').update(PADDING).update(owner.bytes.subarray(0, 32)).update(new Uint8Array(permissions.buffer)).update(id)
  if (revision >= 4 && dictionary.get('EncryptMetadata') === false) first.update(Uint8Array.of(255, 255, 255, 255))
  const digest = first.digest()
  // Many files of version 4 have a wrong /Length, so 128-bit and 40-bit keys are tried, too.
  for (const bytes of new Set(revision === 2 ? [5] : [numberOr(dictionary.get('Length'), 40) / 8, 16, 5])) {
    if (!Number.isInteger(bytes) || bytes < 5 || bytes > 16) continue
    let key = digest.subarray(0, bytes)
    if (revision >= 3) for (let i = 0; i < 50; i++) key = digestOf('md5', key).subarray(0, bytes)
    if (opens(key, user.bytes, revision, id)) return key
  }
  return undefined
}

/** True if this key produces /U (ISO 32000-2, algorithm 6). */
function opens(key: Uint8Array, user: Uint8Array, revision: number, id: Uint8Array): boolean {
  if (revision === 2) return equalBytes(new Rc4(key).apply(PADDING), user.subarray(0, 32))
  let text: Uint8Array = digestOf('md5', concat([PADDING, id]))
  for (let round = 0; round < 20; round++) text = new Rc4(key.map((byte) => byte ^ round)).apply(text)
  return equalBytes(text, user.subarray(0, 16))
}

/** Decrypts all strings of an indirect object (ISO 32000-2, 7.6.2). */
export function decrypted(object: PdfObject, decipher: Decipher, id: ObjectId): PdfObject {
  if (object instanceof Str) return new Str(decipher.string(object.bytes, id))
  if (Array.isArray(object)) return object.map((item) => decrypted(item, decipher, id))
  if (object instanceof Dict) return decryptedDict(object, decipher, id)
  if (object instanceof Stream) {
    // Strings of a cross-reference stream, such as /ID, are not encrypted (ISO 32000-2, 7.5.8.2).
    const dict = nameOf(object.dict.get('Type')) === 'XRef' ? object.dict : decryptedDict(object.dict, decipher, id)
    return new Stream(dict, object.offset, id)
  }
  return object
}

const decryptedDict = (dict: Dict, decipher: Decipher, id: ObjectId) =>
  new Dict([...dict].map(([key, value]) => [key, decrypted(value, decipher, id)] as [string, PdfObject]))
