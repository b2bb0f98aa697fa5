/**
 * The records of a ZIP archive as they are written (PKWARE APPNOTE.TXT 6.3.10, sections 4.3 and 4.4). All numbers are
 * little-endian; sizes that do not fit 32 bits go into the zip64 extra field (4.5.3).
 */
import { concat } from '../../bytes/concat.ts'

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

/** General purpose bits (4.4.4). */
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

/** What an archive says about one of its files, in the terms of APPNOTE 4.4. */
export interface EntryFacts {
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
  /** The name as it stands in the archive, whatever its encoding. */
  readonly rawName: Uint8Array
  /** Extra fields of the central directory, without zip64. */
  readonly extra: Uint8Array
  readonly comment: Uint8Array
}

/** Local file header (4.3.7). `localExtra` are its own extra fields, without zip64. */
export function localHeader(facts: EntryFacts, localExtra: Uint8Array): Uint8Array {
  const large = facts.size >= MAX_32 || facts.compressedSize >= MAX_32
  const zip64 = large ? zip64Extra([facts.size, facts.compressedSize]) : new Uint8Array()
  const header = new Uint8Array(LOCAL_BYTES)
  const view = new DataView(header.buffer)
  view.setUint32(0, LOCAL_SIGNATURE, true)
  view.setUint16(4, large ? Math.max(45, facts.versionNeeded) : facts.versionNeeded, true)
  view.setUint16(6, facts.flags, true)
  view.setUint16(8, facts.method, true)
  view.setUint16(10, facts.time, true)
  view.setUint16(12, facts.date, true)
  view.setUint32(14, facts.crc32, true)
  view.setUint32(18, large ? MAX_32 : facts.compressedSize, true)
  view.setUint32(22, large ? MAX_32 : facts.size, true)
  view.setUint16(26, facts.rawName.length, true)
  view.setUint16(28, localExtra.length + zip64.length, true)
  return concat([header, facts.rawName, zip64, localExtra])
}

/** Central directory header (4.3.12). */
export function centralHeader(facts: EntryFacts, localOffset: number): Uint8Array {
  const wide: number[] = []
  const narrow = (value: number) => {
    if (value < MAX_32) return value
    wide.push(value)
    return MAX_32
  }
  const header = new Uint8Array(CENTRAL_BYTES)
  const view = new DataView(header.buffer)
  view.setUint32(0, CENTRAL_SIGNATURE, true)
  view.setUint16(4, facts.versionMadeBy, true)
  view.setUint16(8, facts.flags, true)
  view.setUint16(10, facts.method, true)
  view.setUint16(12, facts.time, true)
  view.setUint16(14, facts.date, true)
  view.setUint32(16, facts.crc32, true)
  // The zip64 field holds, in this order, those that did not fit: size, compressed size, offset (4.5.3).
  view.setUint32(24, narrow(facts.size), true)
  view.setUint32(20, narrow(facts.compressedSize), true)
  view.setUint32(42, narrow(localOffset), true)
  const zip64 = wide.length > 0 ? zip64Extra(wide) : new Uint8Array()
  view.setUint16(6, wide.length > 0 ? Math.max(45, facts.versionNeeded) : facts.versionNeeded, true)
  view.setUint16(28, facts.rawName.length, true)
  view.setUint16(30, facts.extra.length + zip64.length, true)
  view.setUint16(32, facts.comment.length, true)
  view.setUint16(36, facts.internalAttributes, true)
  view.setUint32(38, facts.externalAttributes, true)
  return concat([header, facts.rawName, zip64, facts.extra, facts.comment])
}

/** End of central directory record (4.3.16), after its zip64 forms (4.3.14, 4.3.15) when something does not fit. */
export function endRecords(count: number, directoryOffset: number, directoryBytes: number, comment: Uint8Array): Uint8Array {
  const end = new Uint8Array(END_BYTES)
  const view = new DataView(end.buffer)
  view.setUint32(0, END_SIGNATURE, true)
  view.setUint16(8, Math.min(count, MAX_16), true)
  view.setUint16(10, Math.min(count, MAX_16), true)
  view.setUint32(12, Math.min(directoryBytes, MAX_32), true)
  view.setUint32(16, Math.min(directoryOffset, MAX_32), true)
  view.setUint16(20, comment.length, true)
  if (count < MAX_16 && directoryBytes < MAX_32 && directoryOffset < MAX_32) return concat([end, comment])

  const wide = new Uint8Array(ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES)
  const wideView = new DataView(wide.buffer)
  wideView.setUint32(0, ZIP64_END_SIGNATURE, true)
  wideView.setBigUint64(4, BigInt(ZIP64_END_BYTES - 12), true)
  wideView.setUint16(12, 45, true)
  wideView.setUint16(14, 45, true)
  wideView.setBigUint64(24, BigInt(count), true)
  wideView.setBigUint64(32, BigInt(count), true)
  wideView.setBigUint64(40, BigInt(directoryBytes), true)
  wideView.setBigUint64(48, BigInt(directoryOffset), true)
  wideView.setUint32(ZIP64_END_BYTES, ZIP64_LOCATOR_SIGNATURE, true)
  wideView.setBigUint64(ZIP64_END_BYTES + 8, BigInt(directoryOffset + directoryBytes), true)
  wideView.setUint32(ZIP64_END_BYTES + 16, 1, true)
  return concat([wide, end, comment])
}

function zip64Extra(values: readonly number[]): Uint8Array {
  const extra = new Uint8Array(4 + 8 * values.length)
  const view = new DataView(extra.buffer)
  view.setUint16(0, ZIP64_EXTRA, true)
  view.setUint16(2, 8 * values.length, true)
  values.forEach((value, index) => {
    view.setBigUint64(4 + 8 * index, BigInt(value), true)
  })
  return extra
}

/** The extra fields (4.5.1) of a header, one by one; what does not parse to its end is yielded as `id: undefined`. */
export function* extraFields(extra: Uint8Array): Generator<{ id: number | undefined; data: Uint8Array; whole: Uint8Array }> {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength)
  let at = 0
  while (at + 4 <= extra.length) {
    const length = view.getUint16(at + 2, true)
    if (at + 4 + length > extra.length) break
    const whole = extra.subarray(at, at + 4 + length)
    yield { id: view.getUint16(at, true), data: whole.subarray(4), whole }
    at += whole.length
  }
  if (at < extra.length) yield { id: undefined, data: extra.subarray(at), whole: extra.subarray(at) }
}

/** Extra fields without zip64, which the writer adds anew where it is needed. */
export function withoutZip64(extra: Uint8Array): Uint8Array {
  const kept = [...extraFields(extra)].filter((field) => field.id !== ZIP64_EXTRA)
  return concat(kept.map((field) => field.whole))
}

/** The zip64 extra field's numbers, in their order; undefined when there is none. */
export function zip64Values(extra: Uint8Array): number[] | undefined {
  for (const { id, data } of extraFields(extra)) {
    if (id !== ZIP64_EXTRA) continue
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    return Array.from({ length: Math.floor(data.length / 8) }, (_, index) => Number(view.getBigUint64(8 * index, true)))
  }
  return undefined
}
