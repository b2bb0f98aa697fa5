/** Records at the end of a ZIP archive, which lead to its directory (APPNOTE.TXT 4.3.14–4.3.16). */

import { ByteReader } from '../../bytes/reader.ts'
import type { Source } from '../../model/codec.ts'
import { END_BYTES, END_SIGNATURE, ZIP64_END_BYTES, ZIP64_LOCATOR_BYTES, ZIP64_LOCATOR_SIGNATURE } from './records.ts'

const MOST_COMMENT_BYTES = 0xffff
/** Placeholder value of a field whose number is in the zip64 record. */
export const MAX_32 = 0xffffffff

/** Position of the directory as the end record gives it. */
export interface DirectoryPosition {
  readonly count: number
  readonly directoryBytes: number
  readonly directoryOffset: number
}

/** Reads the end of the file: an end record and the longest possible comment. */
export async function readTail(source: Source): Promise<{ tail: Uint8Array; tailAt: number }> {
  const tailAt = Math.max(0, source.size - END_BYTES - MOST_COMMENT_BYTES)
  return { tail: await source.read(tailAt, END_BYTES + MOST_COMMENT_BYTES), tailAt }
}

/** Yields offsets of possible end records, from last to first. */
export function* endRecordsIn(tail: Uint8Array): Generator<number> {
  const reader = new ByteReader(tail, true)
  for (let at = tail.length - END_BYTES; at >= 0; at--) if (reader.u32(at) === END_SIGNATURE) yield at
}

/** Reads the end of central directory record (APPNOTE.TXT 4.3.16). */
export const readEndPosition = (record: ByteReader): DirectoryPosition => ({
  count: record.u16(10),
  directoryBytes: record.u32(12),
  directoryOffset: record.u32(16),
})

/** Reads the zip64 end of central directory record (APPNOTE.TXT 4.3.14). */
export const readZip64Position = (record: ByteReader): DirectoryPosition => ({
  count: record.u64(32),
  directoryBytes: record.u64(40),
  directoryOffset: record.u64(48),
})

/**
 * Reads the zip64 locator before the end record at `endAt`, and the record that it points to. `record` is `undefined` if that is outside
 * the file.
 */
export async function readZip64End(source: Source, endAt: number) {
  if (endAt < ZIP64_LOCATOR_BYTES) return undefined
  const locator = new ByteReader(await source.read(endAt - ZIP64_LOCATOR_BYTES, ZIP64_LOCATOR_BYTES), true)
  if (locator.u32(0) !== ZIP64_LOCATOR_SIGNATURE) return undefined
  const at = locator.u64(8)
  const bytes = await source.read(Math.min(at, source.size), ZIP64_END_BYTES)
  return { locator, at, record: bytes.length < ZIP64_END_BYTES ? undefined : new ByteReader(bytes, true) }
}
