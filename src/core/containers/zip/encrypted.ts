/** Writes an encrypted ZIP archive of one file in one pass, and opens it again to verify it. */

import { deflateRaw, deflateStream } from '../../bytes/deflate.ts'
import { inflateStream } from '../../bytes/inflate-stream.ts'
import { randomBytes } from '../../bytes/platform/crypto.ts'
import { ByteReader } from '../../bytes/reader.ts'
import type { Sink, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import {
  CENTRAL_BYTES,
  CENTRAL_SIGNATURE,
  centralHeader,
  DEFLATED,
  END_BYTES,
  END_SIGNATURE,
  type EntryMetadata,
  endRecords,
  extraFields,
  FLAG_ENCRYPTED,
  FLAG_UTF8,
  LOCAL_BYTES,
  localHeader,
  STORED,
  zip64Values,
} from './records.ts'
import { ENCRYPTED_LEVEL, PROBE_BYTES } from './tuning.ts'
import { AES_EXTRA, AES_METHOD, aesExtra, CODE_BYTES, OVERHEAD_BYTES, SALT_BYTES, VERIFIER_BYTES, winZipCipher } from './winzip-aes.ts'

/** APPNOTE.TXT 4.4.3.2: AES encryption needs version 5.1. */
const VERSION = 51
const MADE_BY_UNIX = 3 << 8
const REGULAR_FILE = 0o100644

/** Writes `source` as the only file of a ZIP archive with AES-256 (AE-2). Stores it uncompressed if Deflate saves less than 10 %. */
export async function writeEncryptedZip(source: Source, sink: Sink, name: string, password: string): Promise<void> {
  const method = (await isCompressible(source)) ? DEFLATED : STORED
  const salt = randomBytes(SALT_BYTES)
  const cipher = winZipCipher(password, salt)
  const facts: EntryMetadata = {
    versionMadeBy: MADE_BY_UNIX | VERSION,
    versionNeeded: VERSION,
    flags: FLAG_ENCRYPTED | FLAG_UTF8,
    method: AES_METHOD,
    // biome-ignore lint/style/noRestrictedGlobals: timestamp of the archive, in steps of two seconds; it is not used for measuring
    ...dosTime(new Date()),
    crc32: 0,
    compressedSize: source.size + OVERHEAD_BYTES,
    size: source.size,
    internalAttributes: 0,
    externalAttributes: REGULAR_FILE * 2 ** 16,
    rawName: new TextEncoder().encode(name),
    extra: aesExtra(method),
    comment: new Uint8Array(),
  }
  const header = localHeader(facts, facts.extra)
  const start = header.length
  await sink.write(header)
  await sink.write(new Uint8Array([...salt, ...cipher.verifier]))
  const stream = method === DEFLATED ? deflateStream(source.stream(), ENCRYPTED_LEVEL) : source.stream()
  for await (const chunk of stream) await sink.write(cipher.encrypt(chunk))
  await sink.write(cipher.code())

  const final = { ...facts, compressedSize: sink.written - start }
  if (final.compressedSize !== facts.compressedSize) {
    const patch = localHeader(final, final.extra)
    if (patch.length !== header.length)
      throw new RangeError('ZIP: the compressed size needs another header length (zip64) than the size of the source')
    sink.patch(0, patch)
  }
  const directory = centralHeader(final, 0)
  const directoryOffset = sink.written
  await sink.write(directory)
  await sink.write(endRecords(1, directoryOffset, directory.length, new Uint8Array()))
}

/**
 * Opens an archive of `writeEncryptedZip` through its directory and yields the decrypted bytes.
 * @throws CodecError (malformed) if the password is wrong or a byte was changed (detected only after the last chunk)
 */
export async function* openEncryptedZip(source: Source, password: string): AsyncGenerator<Uint8Array> {
  const { method, dataOffset, compressedSize, size } = await onlyEntry(source)
  const start = await source.read(dataOffset, SALT_BYTES + VERIFIER_BYTES)
  const cipher = winZipCipher(password, start.subarray(0, SALT_BYTES))
  if (!equal(cipher.verifier, start.subarray(SALT_BYTES))) throw malformed('zip', dataOffset + SALT_BYTES, 'password_does_not_fit')
  const end = dataOffset + compressedSize - CODE_BYTES
  async function* plain(): AsyncGenerator<Uint8Array> {
    for (let at = dataOffset + start.length; at < end; ) {
      const chunk = await source.read(at, Math.min(PROBE_BYTES, end - at))
      if (chunk.length === 0) throw malformed('zip', at, 'archive_ends_inside_file')
      at += chunk.length
      yield cipher.decrypt(chunk)
    }
    if (!equal(cipher.code(), await source.read(end, CODE_BYTES))) throw malformed('zip', end, 'authentication_code_differs')
  }
  if (method !== DEFLATED) return yield* plain()
  const chunks = plain()
  // A decompressor closes its input at the end of its stream. The rest is read here, because only the end checks the code.
  yield* inflateStream('raw', { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }, size)
  for await (const _ of chunks);
}

async function onlyEntry(source: Source) {
  const end = await source.read(source.size - END_BYTES, END_BYTES)
  const endReader = new ByteReader(end, true)
  if (endReader.u32(0) !== END_SIGNATURE) throw malformed('zip', source.size - END_BYTES, 'no_end_of_central_directory')
  let directoryOffset = endReader.u32(16)
  if (directoryOffset === 0xffffffff) {
    const wide = await source.read(source.size - END_BYTES - 76, 56)
    directoryOffset = new ByteReader(wide, true).u64(48)
  }
  const directory = await source.read(directoryOffset, source.size - directoryOffset)
  const reader = new ByteReader(directory, true)
  if (reader.u32(0) !== CENTRAL_SIGNATURE) throw malformed('zip', directoryOffset, 'no_central_directory')
  const nameBytes = reader.u16(28)
  const extra = directory.subarray(CENTRAL_BYTES + nameBytes, CENTRAL_BYTES + nameBytes + reader.u16(30))
  const aes = [...extraFields(extra)].find((field) => field.id === AES_EXTRA)?.data
  if (!aes || reader.u16(10) !== AES_METHOD) throw malformed('zip', directoryOffset, 'no_aes_extra_field')
  const wide = zip64Values(extra)
  const narrow = reader.u32(20)
  const compressedSize = narrow === 0xffffffff ? (wide?.[reader.u32(24) === 0xffffffff ? 1 : 0] ?? 0) : narrow
  const local = await source.read(0, LOCAL_BYTES)
  const localReader = new ByteReader(local, true)
  const dataOffset = LOCAL_BYTES + localReader.u16(26) + localReader.u16(28)
  const size = reader.u32(24) === 0xffffffff ? (wide?.[0] ?? 0) : reader.u32(24)
  return { method: aes[5]! | (aes[6]! << 8), dataOffset, compressedSize, size }
}

/** True if Deflate saves 10 % of two samples, from the start and the middle of the file. Compressed formats do not shrink that much. */
async function isCompressible(source: Source): Promise<boolean> {
  let before = 0
  let after = 0
  for (const at of new Set([0, Math.floor(source.size / 2)])) {
    const sample = await source.read(at, PROBE_BYTES)
    before += sample.length
    after += deflateRaw(sample, ENCRYPTED_LEVEL).length
  }
  return after < before * 0.9
}

/** MS-DOS date and time (APPNOTE.TXT 4.4.6), in steps of two seconds, from 1980. */
// biome-ignore lint/style/noRestrictedGlobals: used only as a type
function dosTime(now: Date): { time: number; date: number } {
  return {
    time: (now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1),
    date: ((now.getUTCFullYear() - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate(),
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
