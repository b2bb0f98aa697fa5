/**
 * Writes the records of a ZIP archive (PKWARE APPNOTE.TXT 6.3.10, sections 4.3 and 4.4). All numbers are little-endian. Sizes that do not
 * fit in 32 bits go into the zip64 extra field (4.5.3).
 */
import { concat } from '../../bytes/concat.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'

export const LOCAL_SIGNATURE = 0x04034b50
export const CENTRAL_SIGNATURE = 0x02014b50
export const END_SIGNATURE = 0x06054b50
export const ZIP64_END_SIGNATURE = 0x06064b50
export const ZIP64_LOCATOR_SIGNATURE = 0x07064b50
export const DESCRIPTOR_SIGNATURE = 0x08074b50

export const LOCAL_BYTES = 30
export const CENTRAL_BYTES = 46
export const END_BYTES = 22
export const ZIP64_END_BYTES = 56
export const ZIP64_LOCATOR_BYTES = 20

/** General purpose bit flags (APPNOTE.TXT 4.4.4). */
export const FLAG_ENCRYPTED = 1
export const FLAG_DESCRIPTOR = 1 << 3
export const FLAG_STRONG_ENCRYPTION = 1 << 6
export const FLAG_UTF8 = 1 << 11
export const FLAG_MASKED = 1 << 13

export const STORED = 0
export const DEFLATED = 8

const ZIP64_EXTRA = 0x0001
const MAX_32 = 0xffffffff
const MAX_16 = 0xffff

/** Metadata of one file in the archive, with the field names of APPNOTE.TXT 4.4. */
export interface EntryMetadata {
  readonly versionMadeBy: number
  readonly versionNeeded: number
  readonly flags: number
  readonly method: number
  /** MS-DOS time and date, as stored. */
  readonly time: number
  readonly date: number
  readonly crc32: number
  readonly compressedSize: number
  readonly size: number
  readonly internalAttributes: number
  readonly externalAttributes: number
  /** Name as stored in the archive, in any encoding. */
  readonly rawName: Uint8Array
  /** Extra fields of the central directory, without zip64. */
  readonly extra: Uint8Array
  readonly comment: Uint8Array
}

/** Writes a local file header (APPNOTE.TXT 4.3.7). `localExtra`: its extra fields, without zip64. */
export function localHeader(facts: EntryMetadata, localExtra: Uint8Array): Uint8Array {
  const large = facts.size >= MAX_32 || facts.compressedSize >= MAX_32
  const zip64 = large ? zip64Extra([facts.size, facts.compressedSize]) : new Uint8Array()
  return ByteWriter.growing(true)
    .u32(LOCAL_SIGNATURE)
    .u16(large ? Math.max(45, facts.versionNeeded) : facts.versionNeeded)
    .u16(facts.flags)
    .u16(facts.method)
    .u16(facts.time)
    .u16(facts.date)
    .u32(facts.crc32)
    .u32(large ? MAX_32 : facts.compressedSize)
    .u32(large ? MAX_32 : facts.size)
    .u16(facts.rawName.length)
    .u16(localExtra.length + zip64.length)
    .bytes(facts.rawName)
    .bytes(zip64)
    .bytes(localExtra)
    .finish()
}

/** Writes a central directory header (APPNOTE.TXT 4.3.12). */
export function centralHeader(facts: EntryMetadata, localOffset: number): Uint8Array {
  const wide: number[] = []
  const narrow = (value: number) => {
    if (value < MAX_32) return value
    wide.push(value)
    return MAX_32
  }
  // APPNOTE.TXT 4.5.3: the zip64 field has the numbers that do not fit, in this order: size, compressed size, offset.
  const size = narrow(facts.size)
  const compressedSize = narrow(facts.compressedSize)
  const offset = narrow(localOffset)
  const zip64 = wide.length > 0 ? zip64Extra(wide) : new Uint8Array()
  return ByteWriter.growing(true)
    .u32(CENTRAL_SIGNATURE)
    .u16(facts.versionMadeBy)
    .u16(wide.length > 0 ? Math.max(45, facts.versionNeeded) : facts.versionNeeded)
    .u16(facts.flags)
    .u16(facts.method)
    .u16(facts.time)
    .u16(facts.date)
    .u32(facts.crc32)
    .u32(compressedSize)
    .u32(size)
    .u16(facts.rawName.length)
    .u16(facts.extra.length + zip64.length)
    .u16(facts.comment.length)
    .u16(0) // field: disk number
    .u16(facts.internalAttributes)
    .u32(facts.externalAttributes)
    .u32(offset)
    .bytes(facts.rawName)
    .bytes(zip64)
    .bytes(facts.extra)
    .bytes(facts.comment)
    .finish()
}

/** Writes the end of central directory record (APPNOTE.TXT 4.3.16). If a number does not fit, zip64 records (4.3.14, 4.3.15) precede it. */
export function endRecords(count: number, directoryOffset: number, directoryBytes: number, comment: Uint8Array): Uint8Array {
  const records = ByteWriter.growing(true)
  if (count >= MAX_16 || directoryBytes >= MAX_32 || directoryOffset >= MAX_32) {
    records
      .u32(ZIP64_END_SIGNATURE)
      .u64(ZIP64_END_BYTES - 12)
      .u16(45) // fields: version made by, version needed
      .u16(45)
      .u32(0) // fields: number of this disk, disk of the directory
      .u32(0)
      .u64(count) // fields: entries on this disk, entries in total
      .u64(count)
      .u64(directoryBytes)
      .u64(directoryOffset)
      .u32(ZIP64_LOCATOR_SIGNATURE)
      .u32(0) // field: disk of the zip64 end record
      .u64(directoryOffset + directoryBytes)
      .u32(1) // field: number of disks
  }
  return records
    .u32(END_SIGNATURE)
    .u16(0) // fields: number of this disk, disk of the directory
    .u16(0)
    .u16(Math.min(count, MAX_16)) // fields: entries on this disk, entries in total
    .u16(Math.min(count, MAX_16))
    .u32(Math.min(directoryBytes, MAX_32))
    .u32(Math.min(directoryOffset, MAX_32))
    .u16(comment.length)
    .bytes(comment)
    .finish()
}

function zip64Extra(values: readonly number[]): Uint8Array {
  const extra = ByteWriter.growing(true)
    .u16(ZIP64_EXTRA)
    .u16(8 * values.length)
  for (const value of values) extra.u64(value)
  return extra.finish()
}

/** Yields the extra fields (APPNOTE.TXT 4.5.1) of a header. Bytes that do not form a complete field are yielded with `id: undefined`. */
export function* extraFields(extra: Uint8Array): Generator<{ id: number | undefined; data: Uint8Array; whole: Uint8Array }> {
  const reader = new ByteReader(extra, true)
  let at = 0
  while (at + 4 <= extra.length) {
    const length = reader.u16(at + 2)
    if (at + 4 + length > extra.length) break
    const whole = extra.subarray(at, at + 4 + length)
    yield { id: reader.u16(at), data: whole.subarray(4), whole }
    at += whole.length
  }
  if (at < extra.length) yield { id: undefined, data: extra.subarray(at), whole: extra.subarray(at) }
}

/** Returns the extra fields without zip64. The writer adds a new zip64 field if needed. */
export function withoutZip64(extra: Uint8Array): Uint8Array {
  const kept = [...extraFields(extra)].filter((field) => field.id !== ZIP64_EXTRA)
  return concat(kept.map((field) => field.whole))
}

/** Numbers of the zip64 extra field in their order. `undefined`: there is no zip64 field. */
export function zip64Values(extra: Uint8Array): number[] | undefined {
  for (const { id, data } of extraFields(extra)) {
    if (id !== ZIP64_EXTRA) continue
    const reader = new ByteReader(data, true)
    return Array.from({ length: Math.floor(data.length / 8) }, (_, index) => reader.u64(8 * index))
  }
  return undefined
}
