/** Opens files that are encrypted with an empty user password: standard security handler, revisions 2 to 6 (ISO 32000-2, 7.6.4). */
import { concat } from '../../bytes/concat.ts'
import { isCodecError } from '../../model/error.ts'
import { aesDecrypted, aesEncrypted, aesStream, BLOCK_BYTES, digestBy, Rc4 } from './ciphers.ts'
import { nameText, type ObjectId, PdfDictionary, PdfString, type PdfValue } from './values.ts'

type Method = 'RC4' | 'AES-128' | 'AES-256'

const NONE = new Uint8Array(0)
const ZERO_IV = new Uint8Array(BLOCK_BYTES)
/** Replaces the empty password (ISO 32000-2, algorithm 2, step a). */
const PADDING = Uint8Array.from([
  0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08, 0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e,
  0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
])
/** Added to the key of AES-128 (ISO 32000-2, algorithm 1, step b): "sAlT". */
const AES_SALT = Uint8Array.of(0x73, 0x41, 0x6c, 0x54)

/** Permissions (ISO 32000-2, table 22): bit of /P, counted from 1, and its name. */
const PERMISSIONS: readonly (readonly [number, string])[] = [
  [3, 'print'],
  [4, 'change'],
  [5, 'copy'],
  [6, 'comment'],
  [9, 'fill forms'],
  [10, 'read aloud'],
  [11, 'assemble'],
  [12, 'print in high resolution'],
]

/** Decrypts strings and streams of one file. */
export class Decryption {
  readonly #key: Uint8Array
  readonly #method: Method
  /** True if streams of type /Metadata are not encrypted. */
  readonly #plainMetadata: boolean
  /** Method and permissions in words. */
  readonly description: string

  private constructor(key: Uint8Array, method: Method, dictionary: PdfDictionary) {
    this.#key = key
    this.#method = method
    this.#plainMetadata = dictionary.get('EncryptMetadata') === false
    const bits = integer(dictionary.get('P'))
    const granted = PERMISSIONS.filter(([bit]) => (bits >> (bit - 1)) & 1).map(([, name]) => name)
    this.description = `permissions = ${granted.join(', ') || 'none'} (${method}, ${key.length * 8} bits)`
  }

  /**
   * Opens a file. `dictionary`: /Encrypt without references. `id`: first string of /ID. `undefined`: the file needs a password, or it is
   * encrypted by another method.
   */
  static open(dictionary: PdfDictionary, id: Uint8Array): Decryption | undefined {
    if (nameText(dictionary.get('Filter')) !== 'Standard') return undefined
    const method = methodOf(dictionary)
    const key = integer(dictionary.get('R')) >= 5 ? keyOfHashes(dictionary) : keyOfPadding(dictionary, id)
    return method && key && (method === 'AES-256') === (key.length === 32) ? new Decryption(key, method, dictionary) : undefined
  }

  /** Decrypts a string. One that is not encrypted, such as a signature, stays as it is. */
  async string(string: PdfString, id: ObjectId): Promise<PdfString> {
    try {
      const parts: Uint8Array[] = []
      for await (const part of this.data(once(string.bytes), id)) parts.push(part)
      return new PdfString(concat(parts))
    } catch (error) {
      if (!isCodecError(error, 'malformed')) throw error
      return string
    }
  }

  /** Decrypts the pieces of a stream. */
  async *data(pieces: AsyncIterable<Uint8Array>, id: ObjectId): AsyncGenerator<Uint8Array> {
    const key = this.#keyOf(id)
    if (this.#method !== 'RC4') yield* aesStream(key, pieces)
    else {
      const cipher = new Rc4(key)
      for await (const piece of pieces) yield cipher.next(piece)
    }
  }

  /** True for streams that are stored without encryption (ISO 32000-2, 7.5.8.2, 7.6.3 and 7.4.10). */
  isPlain(stream: PdfDictionary): boolean {
    const type = nameText(stream.get('Type'))
    if (type === 'XRef' || (this.#plainMetadata && type === 'Metadata')) return true
    const [filter, parameters] = [firstOf(stream.get('Filter')), firstOf(stream.get('DecodeParms'))]
    if (nameText(filter) !== 'Crypt') return false
    return !(parameters instanceof PdfDictionary && parameters.has('Name')) || nameText(parameters.get('Name')) === 'Identity'
  }

  /** Key of one object (ISO 32000-2, algorithm 1). */
  #keyOf({ number, generation }: ObjectId): Uint8Array {
    if (this.#method === 'AES-256') return this.#key
    const id = Uint8Array.of(number & 255, (number >> 8) & 255, (number >> 16) & 255, generation & 255, (generation >> 8) & 255)
    const digest = digestBy('md5', this.#key, id, this.#method === 'AES-128' ? AES_SALT : NONE)
    return digest.subarray(0, Math.min(this.#key.length + 5, 16))
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const firstOf = (value: PdfValue | undefined) => (Array.isArray(value) ? value[0] : value)
const integer = (value: PdfValue | undefined): number => (typeof value === 'number' ? Math.trunc(value) : 0)
const bytesOf = (value: PdfValue | undefined): Uint8Array => (value instanceof PdfString ? value.bytes : NONE)
const areEqual = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, index) => byte === b[index])

/** Method for all strings and streams (ISO 32000-2, tables 20 and 25). `undefined`: unknown, or not the same for all. */
function methodOf(dictionary: PdfDictionary): Method | undefined {
  const version = integer(dictionary.get('V'))
  if (version === 1 || version === 2) return 'RC4'
  const name = nameText(dictionary.get('StmF'))
  const filters = dictionary.get('CF')
  const filter = filters instanceof PdfDictionary ? filters.get(name) : undefined
  if (nameText(dictionary.get('StrF')) !== name || !(filter instanceof PdfDictionary)) return undefined
  const method = nameText(filter.get('CFM'))
  if (version === 4) return method === 'V2' ? 'RC4' : method === 'AESV2' ? 'AES-128' : undefined
  return version === 5 && method === 'AESV3' ? 'AES-256' : undefined
}

/** Key of revisions 5 and 6 (ISO 32000-2, algorithm 2.A). Revision 5 is an extension of Adobe with a simpler digest. */
function keyOfHashes(dictionary: PdfDictionary): Uint8Array | undefined {
  const [user, key] = [bytesOf(dictionary.get('U')), bytesOf(dictionary.get('UE'))]
  if (user.length < 48 || key.length !== 32) return undefined
  const hash = integer(dictionary.get('R')) === 5 ? (salt: Uint8Array) => digestBy('sha256', salt) : hardenedHash
  if (!areEqual(hash(user.subarray(32, 40)), user.subarray(0, 32))) return undefined
  return aesDecrypted(hash(user.subarray(40, 48)), ZERO_IV, key)
}

/** Digest of the empty password (ISO 32000-2, algorithm 2.B). */
function hardenedHash(salt: Uint8Array): Uint8Array {
  let key = digestBy('sha256', salt)
  for (let round = 1; ; round++) {
    const encrypted = aesEncrypted(key.subarray(0, 16), key.subarray(16, 32), concat(Array.from({ length: 64 }, () => key)))
    // The first 16 bytes modulo 3 are the sum of the bytes modulo 3, because 256 modulo 3 is 1.
    const sum = encrypted.subarray(0, 16).reduce((total, byte) => total + byte, 0)
    key = digestBy((['sha256', 'sha384', 'sha512'] as const)[sum % 3]!, encrypted)
    if (round >= 64 && encrypted.at(-1)! <= round - 32) return key.slice(0, 32)
  }
}

/** Key of revisions 2 to 4 (ISO 32000-2, algorithm 2), checked by algorithm 6. Many writers state a wrong length, so others are tried. */
function keyOfPadding(dictionary: PdfDictionary, id: Uint8Array): Uint8Array | undefined {
  const revision = integer(dictionary.get('R'))
  const user = bytesOf(dictionary.get('U'))
  const permissions = new Uint8Array(4)
  new DataView(permissions.buffer).setInt32(0, integer(dictionary.get('P')) | 0, true)
  const plain = revision >= 4 && dictionary.get('EncryptMetadata') === false ? Uint8Array.of(255, 255, 255, 255) : NONE
  const digest = digestBy('md5', PADDING, bytesOf(dictionary.get('O')).subarray(0, 32), permissions, id, plain)
  const stated = dictionary.has('Length') ? integer(dictionary.get('Length')) / 8 : 5
  for (const length of revision === 2 ? [5] : [stated, 16, 5]) {
    if (!Number.isInteger(length) || length < 5 || length > 16) continue
    let key = digest.subarray(0, length)
    if (revision >= 3) for (let round = 0; round < 50; round++) key = digestBy('md5', key).subarray(0, length)
    if (opens(key, user, revision, id)) return key
  }
  return undefined
}

/** True if `key` creates /U (ISO 32000-2, algorithms 4 to 6). */
function opens(key: Uint8Array, user: Uint8Array, revision: number, id: Uint8Array): boolean {
  if (revision < 2 || user.length < 16) return false
  if (revision === 2) return areEqual(new Rc4(key).next(PADDING), user.subarray(0, 32))
  let text = digestBy('md5', PADDING, id)
  for (let round = 0; round < 20; round++) text = new Rc4(key.map((byte) => byte ^ round)).next(text)
  return areEqual(text, user.subarray(0, 16))
}
