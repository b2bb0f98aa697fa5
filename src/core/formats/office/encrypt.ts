/**
 * Encrypts office documents with a password: ECMA-376 agile encryption ([MS-OFFCRYPTO] 2.3.4.10–15) with AES-256-CBC and SHA-512, in a
 * compound file with the data space streams of 2.1.
 * One pass: package segments are streamed, and the integrity code is patched into the head at the end.
 */

import { base64Of, bytesOfBase64 } from '../../bytes/base64.ts'
import { concat } from '../../bytes/concat.ts'
import { equalSecrets } from '../../bytes/equal.ts'
import { createHmac, decryptCbc, encryptCbc } from '../../bytes/platform/ciphers.ts'
import { digestOf, randomBytes } from '../../bytes/platform/crypto.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { utf16Bytes } from '../../bytes/utf16.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { openCompoundFile } from '../../containers/cfb/read.ts'
import { layOutCompoundFile, MINI_CUTOFF } from '../../containers/cfb/write.ts'
import { message } from '../../i18n/message.ts'
import type { Sink, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { DATA_SPACES } from './data-spaces.ts'
import { MAX_SPIN_COUNT, SEGMENTS_PER_CHUNK, SPIN_COUNT } from './tuning.ts'

const SEGMENT_BYTES = 4096
const BLOCK_BYTES = 16
/** EncryptionVersionInfo 4.4 and the reserved value 0x40 ([MS-OFFCRYPTO] 2.3.4.10). */
const INFO_PREFIX = [4, 0, 4, 0, 0x40, 0, 0, 0]

/** Block keys ([MS-OFFCRYPTO] 2.3.4.11, 2.3.4.13, 2.3.4.14). */
const BLOCK_KEY = {
  verifierInput: [0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79],
  verifierValue: [0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e],
  packageKey: [0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6],
  hmacKey: [0x5f, 0xb2, 0xad, 0x01, 0x0c, 0xb9, 0xe1, 0xf6],
  hmacValue: [0xa0, 0x67, 0x7f, 0x02, 0xb2, 0x2c, 0x84, 0x33],
}

/** Encrypts an OOXML package into `sink`. The result is a few kilobytes larger than the package. */
export async function encryptOoxml(source: Source, sink: Sink, password: string): Promise<void> {
  const packageKey = randomBytes(32)
  const dataSalt = randomBytes(BLOCK_BYTES)
  const passwordSalt = randomBytes(BLOCK_BYTES)
  const spun = spin(password, passwordSalt, SPIN_COUNT)
  const verifier = randomBytes(BLOCK_BYTES)
  const hmacKey = randomBytes(64)
  const lock = (blockKey: readonly number[], bytes: Uint8Array) => aes(true, finalKey(spun, blockKey), passwordSalt, bytes)
  const info = (hmacValue: Uint8Array) =>
    encryptionInfo({
      dataSalt,
      passwordSalt,
      encryptedHmacKey: aes(true, packageKey, ivOf(dataSalt, BLOCK_KEY.hmacKey), hmacKey),
      encryptedHmacValue: aes(true, packageKey, ivOf(dataSalt, BLOCK_KEY.hmacValue), hmacValue),
      encryptedVerifierHashInput: lock(BLOCK_KEY.verifierInput, verifier),
      encryptedVerifierHashValue: lock(BLOCK_KEY.verifierValue, sha512(verifier)),
      encryptedKeyValue: lock(BLOCK_KEY.packageKey, packageKey),
    })

  const packageBytes = 8 + Math.ceil(source.size / BLOCK_BYTES) * BLOCK_BYTES
  const { head, offsets, padding } = layOutCompoundFile([
    { name: 'EncryptionInfo', content: info(new Uint8Array(64)) },
    { name: 'EncryptedPackage', size: packageBytes },
    DATA_SPACES,
  ])
  const packageAt = offsets.get('EncryptedPackage')!
  const small = packageBytes < MINI_CUTOFF
  await sink.write(head)

  const hmac = createHmac('sha512', hmacKey)
  let at = packageAt
  const put = async (bytes: Uint8Array) => {
    hmac.update(bytes)
    if (small) sink.patch(at, bytes)
    else await sink.write(bytes)
    at += bytes.length
  }
  await put(new ByteWriter(new Uint8Array(8), true).u64(source.size).finish())
  for await (const { index, bytes } of segments(source)) await put(cryptSegments(true, packageKey, dataSalt, index, bytes))
  if (!small && padding > 0) await sink.write(new Uint8Array(padding))
  sink.patch(offsets.get('EncryptionInfo')!, info(hmac.digest()))
}

/**
 * Decrypts a document of `encryptOoxml`, or any other agile AES/SHA-512 document, and yields the bytes of the package.
 * @throws CodecError (malformed) if the password is wrong or the integrity code differs (detected only after the last chunk)
 */
export async function* decryptOoxml(source: Source, password: string): AsyncGenerator<Uint8Array> {
  const file = await openCompoundFile(source)
  const [info, stream] = [file.open('EncryptionInfo'), file.open('EncryptedPackage')]
  if (!info || !stream || info.size > 64 * 1024 || stream.size < 8) throw malformed('ooxml', 0, 'no_agile_encryption_streams')
  const xml = new TextDecoder().decode((await info.read(0, info.size)).subarray(INFO_PREFIX.length))
  const [keyData, encryptedKey, integrity] = ['keyData', 'p:encryptedKey', 'dataIntegrity'].map((name) => element(xml, name))
  const field = (tag: string | undefined, name: string) => bytesOfBase64(attribute(tag, name))
  const spinCount = Number(attribute(encryptedKey, 'spinCount'))
  if (!(spinCount >= 0 && spinCount <= MAX_SPIN_COUNT)) throw malformed('ooxml', 0, message('spin_count', { spinCount }))

  const dataSalt = field(keyData, 'saltValue')
  const passwordSalt = field(encryptedKey, 'saltValue')
  const spun = spin(password, passwordSalt, spinCount)
  const unlock = (blockKey: readonly number[], name: string) =>
    aes(false, finalKey(spun, blockKey), passwordSalt, field(encryptedKey, name))
  const verifier = unlock(BLOCK_KEY.verifierInput, 'encryptedVerifierHashInput')
  const expected = unlock(BLOCK_KEY.verifierValue, 'encryptedVerifierHashValue')
  if (!equalSecrets(sha512(verifier), expected.subarray(0, 64))) throw malformed('ooxml', 0, 'password_does_not_fit')
  const packageKey = unlock(BLOCK_KEY.packageKey, 'encryptedKeyValue')
  const hmacKey = aes(false, packageKey, ivOf(dataSalt, BLOCK_KEY.hmacKey), field(integrity, 'encryptedHmacKey'))
  const hmacValue = aes(false, packageKey, ivOf(dataSalt, BLOCK_KEY.hmacValue), field(integrity, 'encryptedHmacValue'))

  const hmac = createHmac('sha512', hmacKey.subarray(0, 64))
  const prefix = await stream.read(0, 8)
  hmac.update(prefix)
  let left = new ByteReader(prefix, true).u64(0)
  if (left > stream.size - 8) throw malformed('ooxml', 0, message('package_of_bytes_in_stream', { left, streamSize: stream.size }))
  for (let at = 8; at < stream.size; ) {
    const bytes = await stream.read(at, SEGMENT_BYTES * SEGMENTS_PER_CHUNK)
    hmac.update(bytes)
    const plain = cryptSegments(false, packageKey, dataSalt, (at - 8) / SEGMENT_BYTES, bytes).subarray(0, left)
    at += bytes.length
    left -= plain.length
    if (plain.length > 0) yield plain
  }
  if (!equalSecrets(hmac.digest(), hmacValue.subarray(0, 64))) throw malformed('ooxml', 0, 'integrity_code_differs')
}

/** Yields the package in whole segments, several at a time. Only the last segment may be shorter. */
async function* segments(source: Source): AsyncGenerator<{ index: number; bytes: Uint8Array }> {
  for (let at = 0; at < source.size; at += SEGMENT_BYTES * SEGMENTS_PER_CHUNK) {
    const bytes = await source.read(at, SEGMENT_BYTES * SEGMENTS_PER_CHUNK)
    yield { index: at / SEGMENT_BYTES, bytes }
  }
}

/**
 * Encrypts or decrypts segments ([MS-OFFCRYPTO] 2.3.4.15). Each segment is a separate CBC chain whose IV is derived from its number. Zeros
 * pad the last block.
 */
function cryptSegments(encrypt: boolean, key: Uint8Array, salt: Uint8Array, firstIndex: number, bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += SEGMENT_BYTES) {
    let segment = bytes.subarray(at, at + SEGMENT_BYTES)
    const missing = (BLOCK_BYTES - (segment.length % BLOCK_BYTES)) % BLOCK_BYTES
    if (missing > 0) segment = concat([segment, new Uint8Array(missing)])
    parts.push(aes(encrypt, key, ivOf(salt, littleEndian(firstIndex + at / SEGMENT_BYTES)), segment))
  }
  return concat(parts)
}

/** Derives a key from the password ([MS-OFFCRYPTO] 2.3.4.11): H(salt + password), then `count` times H(iterator + H). */
function spin(password: string, salt: Uint8Array, count: number): Uint8Array {
  const round = new Uint8Array(4 + 64)
  const writer = new ByteWriter(round, true)
  round.set(sha512(concat([salt, utf16Bytes(password)])), 4)
  for (let index = 0; index < count; index++) {
    writer.at(0).u32(index)
    writer.bytes(sha512(round))
  }
  return round.slice(4)
}

const finalKey = (spun: Uint8Array, blockKey: readonly number[]) => sha512(concat([spun, Uint8Array.from(blockKey)])).subarray(0, 32)
const ivOf = (salt: Uint8Array, blockKey: ArrayLike<number>) => sha512(concat([salt, Uint8Array.from(blockKey)])).subarray(0, BLOCK_BYTES)
const sha512 = (bytes: Uint8Array): Uint8Array => digestOf('sha512', bytes)

const littleEndian = (value: number) => new ByteWriter(new Uint8Array(4), true).u32(value).finish()

function aes(encrypt: boolean, key: Uint8Array, iv: Uint8Array, bytes: Uint8Array): Uint8Array {
  const cipher = encrypt ? encryptCbc({ key, iv }, false) : decryptCbc({ key, iv })
  return concat([cipher.update(bytes), cipher.finish()])
}

interface InfoFields {
  dataSalt: Uint8Array
  passwordSalt: Uint8Array
  encryptedHmacKey: Uint8Array
  encryptedHmacValue: Uint8Array
  encryptedVerifierHashInput: Uint8Array
  encryptedVerifierHashValue: Uint8Array
  encryptedKeyValue: Uint8Array
}

/** Writes the EncryptionInfo stream ([MS-OFFCRYPTO] 2.3.4.10). Its length does not depend on the values. */
function encryptionInfo(fields: InfoFields): Uint8Array {
  const base64 = base64Of
  const algorithms =
    'saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512"'
  const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<encryption xmlns="http://schemas.microsoft.com/office/2006/encryption" xmlns:p="http://schemas.microsoft.com/office/2006/keyEncryptor/password" xmlns:c="http://schemas.microsoft.com/office/2006/keyEncryptor/certificate"><keyData ${algorithms} saltValue="${base64(fields.dataSalt)}"/><dataIntegrity encryptedHmacKey="${base64(fields.encryptedHmacKey)}" encryptedHmacValue="${base64(fields.encryptedHmacValue)}"/><keyEncryptors><keyEncryptor uri="http://schemas.microsoft.com/office/2006/keyEncryptor/password"><p:encryptedKey spinCount="${SPIN_COUNT}" ${algorithms} saltValue="${base64(fields.passwordSalt)}" encryptedVerifierHashInput="${base64(fields.encryptedVerifierHashInput)}" encryptedVerifierHashValue="${base64(fields.encryptedVerifierHashValue)}" encryptedKeyValue="${base64(fields.encryptedKeyValue)}"/></keyEncryptor></keyEncryptors></encryption>`
  return concat([Uint8Array.from(INFO_PREFIX), new TextEncoder().encode(xml)])
}

function element(xml: string, name: string): string {
  const found = new RegExp(`<${name}\\s[^>]*>`).exec(xml)
  if (!found) throw malformed('ooxml', 0, message('encryption_info_without', { name }))
  return found[0]
}

function attribute(tag: string | undefined, name: string): string {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag ?? '')?.[1] ?? ''
}
