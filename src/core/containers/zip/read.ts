/**
 * Reads ZIP archives by byte ranges (PKWARE APPNOTE.TXT 6.3.10). Reads the central directory once and does not trust it: sizes, counts,
 * ratios, overlaps and names are checked before any file is read.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { crc32 } from '../../bytes/crc32.ts'
import { inflateRaw } from '../../bytes/deflate.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { inflateStream } from '../../bytes/inflate-stream.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { readDirectory } from './directory.ts'
import type { ZipEntry } from './entry.ts'
import { IN_MEMORY_BYTES, ZIP_LIMITS } from './limits.ts'
import { DEFLATED, FLAG_ENCRYPTED, LOCAL_BYTES, LOCAL_SIGNATURE, STORED, withoutZip64 } from './records.ts'
import { MAX_PREFIX_BYTES, MAX_WHOLE_READ_BYTES } from './tuning.ts'
import { type RangeReader, windowedReader } from './windowed.ts'

export interface ZipArchive {
  readonly source: Source
  /** Entries in the order of the directory. */
  readonly entries: readonly ZipEntry[]
  /** All entries of the archive in file order. */
  readonly physical: readonly ZipEntry[]
  readonly comment: Uint8Array
  /** Bytes before the first file, for example a self-extractor program or the mark of a split archive. */
  readonly prefixBytes: number
  /** File offset that the archive's offsets count from: 0, or the end of the prefix. */
  readonly base: number
  /** Bytes after the archive in the file. */
  readonly suffix: Uint8Array
  readonly reader: RangeReader
  /** Name of the format in error messages. */
  readonly format: string
}

/** Local header of an entry and the position of its data. */
export interface LocalHeader {
  /** Extra fields of the local header, without zip64. */
  readonly extra: Uint8Array
  readonly dataOffset: number
  /** The whole local header, unchanged. */
  readonly header: Uint8Array
}

/**
 * Opens an archive and checks its directory.
 * @throws CodecError (malformed) if it is a ZIP bomb, names lead outside the folder, entries overlap or repeat, or the directory is damaged
 * @throws CodecError (unsupported_feature) if it has several disks, an encrypted directory or a prefix above `MAX_PREFIX_BYTES`
 * @throws CodecError (over_budget) if it has more entries or bytes than `ZIP_LIMITS` allow
 */
export async function openZip(source: Source, format = 'zip'): Promise<ZipArchive> {
  const reader = windowedReader(source)
  const { entries, comment, directoryOffset, base, suffix } = await readDirectory(source, format)
  const physicalOrder = entries.map((_, index) => index).sort((a, b) => entries[a]!.localOffset - entries[b]!.localOffset)
  const limits = new Map(physicalOrder.map((index, place) => [index, entries[physicalOrder[place + 1]!]?.localOffset ?? directoryOffset]))
  const complete = entries.map((entry, index): ZipEntry => ({ ...entry, limit: limits.get(index)! }))
  checkEntries(complete, source.size, format)
  const prefixBytes = physicalOrder.length > 0 ? entries[physicalOrder[0]!]!.localOffset : directoryOffset
  if (prefixBytes > MAX_PREFIX_BYTES) throw unsupported(message('bytes_stand_in_front_of_archive', { bytes: prefixBytes }))
  const physical = physicalOrder.map((index) => complete[index]!)
  return { source, reader, entries: complete, physical, comment, prefixBytes, base, suffix, format }
}

function checkEntries(entries: readonly ZipEntry[], archiveBytes: number, format: string): void {
  const names = new Set<string>()
  let total = 0
  for (const entry of entries) {
    const at = entry.localOffset
    const refuse = (what: MessageOrCode) => malformed(format, at, what)
    if (leavesItsFolder(entry.name)) throw refuse(message('name_leaves_folder', { name: JSON.stringify(entry.name.slice(0, 80)) }))
    const key = latin1Of(entry.rawName)
    if (names.has(key)) throw refuse(message('two_files_named', { name: JSON.stringify(entry.name.slice(0, 80)) }))
    names.add(key)
    if (at + LOCAL_BYTES + entry.rawName.length + entry.compressedSize > entry.limit) throw refuse('file_overlaps_next_one')
    // RFC 1951: two bits produce at most 258 bytes, so a Deflate stream never expands by more than 1032.
    if (entry.method === DEFLATED && entry.size > entry.compressedSize * 1032 + 64)
      throw refuse(message('entry_bomb', { size: entry.size, compressedSize: entry.compressedSize }))
    if (entry.method === STORED && !entry.opaque && entry.size !== entry.compressedSize) throw refuse('stored_file_of_two_sizes')
    total += entry.size
  }
  if (total > ZIP_LIMITS.bombBytes && total > archiveBytes * ZIP_LIMITS.bombRatio) {
    throw malformed(format, 0, message('bomb', { bytes: total, archiveSize: archiveBytes }))
  }
  if (total > ZIP_LIMITS.totalBytes) throw overBudget(message('bytes_inside_archive', { bytes: total }))
}

/** True if a name is absolute, has a drive letter or contains `..` ("zip slip" attack). */
function leavesItsFolder(name: string): boolean {
  return name.includes('\0') || /^[/\\]|^[a-z]:|(^|[/\\])\.\.([/\\]|$)/i.test(name)
}

/**
 * Reads the local header of an entry (APPNOTE.TXT 4.3.7) and compares it with the directory. @throws CodecError (malformed) if they differ
 */
export async function readLocalHeader(archive: ZipArchive, entry: ZipEntry): Promise<LocalHeader> {
  const refuse = (what: MessageOrCode) => malformed(archive.format, entry.localOffset, what)
  const fixed = await archive.reader(entry.localOffset, LOCAL_BYTES)
  if (fixed.length < LOCAL_BYTES) throw refuse('file_ends_inside_header')
  const reader = new ByteReader(fixed, true)
  if (reader.u32(0) !== LOCAL_SIGNATURE) throw refuse('no_local_header')
  const nameBytes = reader.u16(26)
  const headerBytes = LOCAL_BYTES + nameBytes + reader.u16(28)
  const header = await archive.reader(entry.localOffset, headerBytes)
  if (header.length < headerBytes) throw refuse('file_ends_inside_header')
  if (entry.localOffset + headerBytes + entry.compressedSize > entry.limit) throw refuse('file_overlaps_next_one')
  const rawName = header.subarray(LOCAL_BYTES, LOCAL_BYTES + nameBytes)
  if (!equalBytes(rawName, entry.rawName)) throw refuse('another_name_than_in_directory')
  if (reader.u16(8) !== entry.method) throw refuse('another_method_than_in_directory')
  if ((reader.u16(6) & FLAG_ENCRYPTED) !== (entry.flags & FLAG_ENCRYPTED)) throw refuse('encrypted_here_plain_in_directory')
  return { header, extra: withoutZip64(header.slice(LOCAL_BYTES + nameBytes)), dataOffset: entry.localOffset + headerBytes }
}

/** Yields the bytes before the archive. */
export async function* prefixChunks(archive: ZipArchive): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < archive.prefixBytes; ) {
    const chunk = await archive.reader(at, Math.min(1024 * 1024, archive.prefixBytes - at))
    if (chunk.length === 0) throw malformed(archive.format, at, 'file_ends_in_front_of_archive')
    at += chunk.length
    yield chunk
  }
}

/** Yields the stored bytes of an entry, without decompressing them. */
export async function* rawChunks(archive: ZipArchive, entry: ZipEntry, dataOffset: number): AsyncGenerator<Uint8Array> {
  const end = dataOffset + entry.compressedSize
  for (let at = dataOffset; at < end; ) {
    const chunk = await archive.reader(at, Math.min(1024 * 1024, end - at))
    if (chunk.length === 0) throw malformed(archive.format, at, 'file_ends_inside_entry')
    at += chunk.length
    yield chunk
  }
}

/**
 * Returns the whole content of an entry and checks size and CRC.
 * @throws CodecError (over_budget) if it has more than `IN_MEMORY_BYTES` bytes; use `entryChunks` instead
 */
export async function readEntry(archive: ZipArchive, entry: ZipEntry, local?: LocalHeader): Promise<Uint8Array> {
  if (entry.size > IN_MEMORY_BYTES) throw overBudget(message('entry_of_bytes', { name: entry.name, size: entry.size }))
  const { dataOffset } = local ?? (await readLocalHeader(archive, entry))
  const raw = await archive.reader(dataOffset, entry.compressedSize)
  if (raw.length < entry.compressedSize) throw malformed(archive.format, dataOffset, 'file_ends_inside_entry')
  return decodeEntry(archive, entry, raw)
}

/** Decompresses the stored bytes of an entry and checks size and CRC. */
export function decodeEntry(archive: ZipArchive, entry: ZipEntry, raw: Uint8Array): Uint8Array {
  const refuse = (what: MessageOrCode) =>
    malformed(archive.format, entry.localOffset, message('of_named', { name: entry.name, what: toMessage(what) }))
  if (entry.opaque) throw refuse('not_readable')
  let bytes = raw
  if (entry.method === DEFLATED) {
    try {
      bytes = inflateRaw(raw, Math.max(1, entry.size))
    } catch (error) {
      if (isEngineError(error, 'deflate')) throw refuse(message('engine_reports', { problem: error.message }))
      throw error
    }
  }
  if (bytes.length !== entry.size) throw refuse(message('bytes_instead_of', { found: bytes.length, size: entry.size }))
  if (crc32(bytes) !== entry.crc32) throw refuse('crc_differs')
  return bytes
}

/** Yields the content of an entry of any size in chunks. Size and CRC are checked after the last chunk. */
export async function* entryChunks(archive: ZipArchive, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const refuse = (what: MessageOrCode) =>
    malformed(archive.format, entry.localOffset, message('of_named', { name: entry.name, what: toMessage(what) }))
  if (entry.opaque) throw refuse('not_readable')
  const local = await readLocalHeader(archive, entry)
  if (Math.max(entry.size, entry.compressedSize) <= MAX_WHOLE_READ_BYTES) {
    yield await readEntry(archive, entry, local)
    return
  }
  const { dataOffset } = local
  const raw = rawChunks(archive, entry, dataOffset)
  let size = 0
  let crc = 0
  try {
    for await (const chunk of entry.method === DEFLATED ? inflateStream('raw', raw, entry.size) : raw) {
      size += chunk.length
      crc = crc32(chunk, crc)
      yield chunk
    }
  } catch (error) {
    if (isEngineError(error, 'deflate')) throw refuse(message('engine_reports', { problem: error.message }))
    throw error
  }
  if (size !== entry.size) throw refuse(message('bytes_instead_of', { found: size, size: entry.size }))
  if (crc !== entry.crc32) throw refuse('crc_differs')
}
