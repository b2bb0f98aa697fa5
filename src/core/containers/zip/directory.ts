/** Reads the central directory of a ZIP archive (APPNOTE.TXT 4.3.12–4.3.16), with or without zip64 records. */

import { ByteReader } from '../../bytes/reader.ts'
import { type MessageOrCode, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { endRecordsIn, MAX_32, readEndPosition, readTail, readZip64End, readZip64Position } from './end-record.ts'
import type { ZipEntry } from './entry.ts'
import { ZIP_LIMITS } from './limits.ts'
import { decodeName } from './names.ts'
import {
  CENTRAL_BYTES,
  CENTRAL_SIGNATURE,
  DEFLATED,
  END_BYTES,
  FLAG_ENCRYPTED,
  FLAG_MASKED,
  FLAG_STRONG_ENCRYPTION,
  STORED,
  withoutZip64,
  ZIP64_END_SIGNATURE,
  zip64Values,
} from './records.ts'

const MAX_16 = 0xffff

export interface CentralDirectory {
  readonly entries: readonly Omit<ZipEntry, 'limit'>[]
  readonly comment: Uint8Array
  /** File offset of the directory. */
  readonly directoryOffset: number
  /** File offset that the archive's offsets count from. Not 0 if a prefix was added without adjusting the offsets. */
  readonly base: number
  /** Bytes after the archive in the file. */
  readonly suffix: Uint8Array
}

export async function readDirectory(source: Source, format: string): Promise<CentralDirectory> {
  const { record, at, comment, suffix } = await findEnd(source, format)
  let { count, directoryBytes, directoryOffset } = readEndPosition(record)
  let endsAt = at
  if (record.u16(4) !== 0 || record.u16(6) !== 0) {
    // Disk number 0xffff: the number is in the zip64 record.
    if (record.u16(4) !== MAX_16 || record.u16(6) !== MAX_16) throw unsupported('archive_on_several_disks')
  }
  if (count === MAX_16 || directoryBytes === MAX_32 || directoryOffset === MAX_32) {
    const wide = await zip64End(source, at, format)
    if (wide) ({ count, directoryBytes, directoryOffset, endsAt } = wide)
  } else if (count !== record.u16(8)) throw unsupported('archive_on_several_disks')
  if (count > ZIP_LIMITS.entries) throw overBudget(message('archive_of_files', { count }))
  if (directoryBytes > ZIP_LIMITS.directoryBytes) throw overBudget(message('directory_of_bytes', { bytes: directoryBytes }))
  if (directoryOffset + directoryBytes > endsAt) throw malformed(format, at, 'directory_ends_behind_end_record')
  const base = endsAt - directoryOffset - directoryBytes
  if (base > 0 && !(await isCentral(source, directoryOffset + base))) throw unsupported('bytes_stand_between_directory_and_end_record')
  directoryOffset += base

  const bytes = await source.read(directoryOffset, directoryBytes)
  if (bytes.length < directoryBytes) throw malformed(format, directoryOffset, 'file_ends_inside_directory')
  const entries: Omit<ZipEntry, 'limit'>[] = []
  let offset = 0
  for (let index = 0; index < count; index++) {
    const { entry, length } = centralEntry(bytes, offset, directoryOffset, format)
    entries.push({ ...entry, localOffset: entry.localOffset + base })
    offset += length
  }
  if (offset !== bytes.length) throw malformed(format, directoryOffset + offset, 'directory_longer_than_files')
  return { entries, comment, directoryOffset, base, suffix }
}

async function isCentral(source: Source, offset: number): Promise<boolean> {
  const start = await source.read(offset, 4)
  return start.length === 4 && new ByteReader(start, true).u32(0) === CENTRAL_SIGNATURE
}

/**
 * Finds the end record whose comment extends to the end of the file. If there is none, takes the last record that leaves bytes after it.
 */
async function findEnd(source: Source, format: string) {
  const { tail, tailAt } = await readTail(source)
  const reader = new ByteReader(tail, true)
  let withTrailingData: number | undefined
  const record = (at: number, end: number) => ({
    record: new ByteReader(tail.subarray(at, at + END_BYTES), true),
    at: tailAt + at,
    comment: tail.slice(at + END_BYTES, end),
    suffix: tail.slice(end),
  })
  const endOf = (at: number) => at + END_BYTES + reader.u16(at + 20)
  for (const at of endRecordsIn(tail)) {
    if (endOf(at) === tail.length) return record(at, endOf(at))
    if (endOf(at) < tail.length) withTrailingData ??= at
  }
  if (withTrailingData !== undefined) return record(withTrailingData, endOf(withTrailingData))
  throw malformed(format, tailAt, 'no_end_of_central_directory')
}

async function zip64End(source: Source, endAt: number, format: string) {
  const found = await readZip64End(source, endAt)
  if (!found) return undefined
  const { locator, at, record } = found
  if (locator.u32(4) !== 0 || locator.u32(16) > 1) throw unsupported('archive_on_several_disks')
  if (!record) throw malformed(format, endAt, 'zip64_end_record_lies_outside_file')
  if (record.u32(0) !== ZIP64_END_SIGNATURE) throw malformed(format, at, 'no_zip64_end_record')
  if (record.u32(16) !== 0 || record.u32(20) !== 0) throw unsupported('archive_on_several_disks')
  return { ...readZip64Position(record), endsAt: at }
}

function centralEntry(bytes: Uint8Array, offset: number, base: number, format: string) {
  const refuse = (what: MessageOrCode) => malformed(format, base + offset, what)
  if (offset + CENTRAL_BYTES > bytes.length) throw refuse('directory_ends_inside_entry')
  const header = new ByteReader(bytes.subarray(offset, offset + CENTRAL_BYTES), true)
  if (header.u32(0) !== CENTRAL_SIGNATURE) throw refuse('no_directory_entry')
  const nameBytes = header.u16(28)
  const extraBytes = header.u16(30)
  const commentBytes = header.u16(32)
  const length = CENTRAL_BYTES + nameBytes + extraBytes + commentBytes
  if (offset + length > bytes.length) throw refuse('directory_ends_inside_entry')
  const part = (at: number, size: number) => bytes.slice(offset + at, offset + at + size)
  const rawName = part(CENTRAL_BYTES, nameBytes)
  const allExtra = part(CENTRAL_BYTES + nameBytes, extraBytes)

  // APPNOTE.TXT 4.5.3: the zip64 field has one number for each field that is 0xffffffff here, in this order.
  const wide = zip64Values(allExtra)
  const widen = (narrow: number): number => {
    if (narrow !== MAX_32) return narrow
    const value = wide?.shift()
    if (value === undefined) return narrow
    if (!Number.isSafeInteger(value)) throw refuse(message('number_too_large', { value }))
    return value
  }
  const size = widen(header.u32(24))
  const compressedSize = widen(header.u32(20))
  const localOffset = widen(header.u32(42))
  const disk = header.u16(34)
  if (disk !== 0 && disk !== MAX_16) throw unsupported('archive_on_several_disks')
  const flags = header.u16(8)
  if (flags & (FLAG_STRONG_ENCRYPTION | FLAG_MASKED)) throw unsupported('encrypted_directory')
  const method = header.u16(10)
  const name = decodeName(rawName, flags)
  const entry = {
    versionMadeBy: header.u16(4),
    versionNeeded: header.u16(6),
    flags,
    method,
    time: header.u16(12),
    date: header.u16(14),
    crc32: header.u32(16),
    compressedSize,
    size,
    internalAttributes: header.u16(36),
    externalAttributes: header.u32(38),
    rawName,
    extra: withoutZip64(allExtra),
    comment: part(CENTRAL_BYTES + nameBytes + extraBytes, commentBytes),
    name,
    localOffset,
    isDirectory: name.endsWith('/'),
    opaque: (flags & FLAG_ENCRYPTED) !== 0 || (method !== STORED && method !== DEFLATED),
  }
  return { entry, length }
}
