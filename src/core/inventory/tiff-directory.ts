/** Reads TIFF directories (TIFF 6.0, section 2; BigTIFF), which EXIF and TIFF files share. Values do not depend on the byte order. */

import { hex } from '../bytes/hex.ts'
import { latin1Of } from '../bytes/latin1.ts'
import { textOfBytes } from './decode-text.ts'
import { Digest } from './digest.ts'
import type { Ranges } from './ranges.ts'

export interface TiffHeader {
  readonly littleEndian: boolean
  /** True for BigTIFF, which has 64-bit offsets. */
  readonly big: boolean
  /** Offset of the first directory. */
  readonly firstAt: number
}

export interface TiffEntry {
  readonly tag: number
  /** Number of the field type (TIFF 6.0, section 2). */
  readonly type: number
  readonly count: number
  /** Offset of the value, which is inside of the entry if it is short. */
  readonly valueAt: number
  /** Bytes of the value. */
  readonly byteLength: number
}

export interface TiffDirectory {
  readonly entries: readonly TiffEntry[]
  /** Offset of the next directory. 0: this is the last one. */
  readonly nextAt: number
}

/** Bytes of one value by field type. Index 0 is no type; 13 and 18 are offsets of directories; 16 to 18 are BigTIFF. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
/** UTF-8 text (Exif 3.0, 4.6.2). */
const UTF8 = 129
const ASCII = 2
const bytesOfType = (type: number) => (type === UTF8 ? 1 : (TYPE_BYTES[type] ?? 0))

/** Most numbers that appear one by one; more appear as their count and a digest. */
const MOST_LISTED = 32
/** Longest text that is decoded, in bytes; a longer one appears as a digest. */
const MOST_TEXT_BYTES = 64 * 1024
/** Most entries of a directory that are read. Classic TIFF has a 16-bit count. */
const MOST_ENTRIES = 65_535
/** Bytes that are digested at once; a multiple of the size of every type. */
const PIECE_BYTES = 64 * 1024

/** Reads the header. `undefined`: the bytes are no TIFF structure. */
export async function readTiffHeader(file: Ranges): Promise<TiffHeader | undefined> {
  if (file.size < 8) return undefined
  const head = viewOf(await file.bytes(0, Math.min(16, file.size)))
  const order = head.getUint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return undefined
  const littleEndian = order === 0x4949
  const magic = head.getUint16(2, littleEndian)
  if (magic === 42) return { littleEndian, big: false, firstAt: head.getUint32(4, littleEndian) }
  if (magic !== 43 || head.byteLength < 16) return undefined
  return { littleEndian, big: true, firstAt: u64(head, 8, littleEndian) }
}

/**
 * Reads the directory at `at`. Entries that lie outside of the file are left out. `undefined`: there is no directory.
 * Values may still lie outside; `isInside` says so.
 */
export async function readTiffDirectory(file: Ranges, { littleEndian, big }: TiffHeader, at: number): Promise<TiffDirectory | undefined> {
  const [countBytes, entryBytes, offsetBytes] = big ? [8, 20, 8] : [2, 12, 4]
  if (at < 8 || at + countBytes > file.size) return undefined
  const head = viewOf(await file.bytes(at, countBytes))
  const told = big ? u64(head, 0, littleEndian) : head.getUint16(0, littleEndian)
  const first = at + countBytes
  const count = Math.min(told, MOST_ENTRIES, Math.floor((file.size - first) / entryBytes))
  const table = viewOf((await file.bytes(first, count * entryBytes)).slice())
  const entries = Array.from({ length: count }, (_, i): TiffEntry => {
    const entry = i * entryBytes
    const type = table.getUint16(entry + 2, littleEndian)
    const values = big ? u64(table, entry + 4, littleEndian) : table.getUint32(entry + 4, littleEndian)
    const byteLength = values * bytesOfType(type)
    const field = entry + 4 + offsetBytes
    const target = big ? u64(table, field, littleEndian) : table.getUint32(field, littleEndian)
    return {
      tag: table.getUint16(entry, littleEndian),
      type,
      count: values,
      byteLength,
      valueAt: byteLength <= offsetBytes ? first + field : target,
    }
  })
  const nextField = first + count * entryBytes
  if (count < told || nextField + offsetBytes > file.size) return { entries, nextAt: 0 }
  const next = viewOf(await file.bytes(nextField, offsetBytes))
  return { entries, nextAt: big ? u64(next, 0, littleEndian) : next.getUint32(0, littleEndian) }
}

/** True if the type of an entry is known and its whole value lies in the file. */
export const isInside = (file: Ranges, { type, valueAt, byteLength }: TiffEntry): boolean =>
  bytesOfType(type) > 0 && valueAt + byteLength <= file.size

/** Returns the numbers of an entry, at most `most`. Empty: the entry has no numbers, or lies outside. */
export async function numbersOf(file: Ranges, { littleEndian }: TiffHeader, entry: TiffEntry, most: number): Promise<number[]> {
  if (!isInside(file, entry)) return []
  const size = bytesOfType(entry.type)
  const count = Math.min(entry.count, most)
  const view = viewOf(await file.bytes(entry.valueAt, count * size))
  return Array.from({ length: count }, (_, i) => numberAt(view, i * size, entry.type, littleEndian))
}

/**
 * Returns the value of an entry as text: equal values give equal texts, in both byte orders and for every integer type. Long values
 * appear as their size and a digest. A value outside of the file, or of an unknown type, appears as `unreadable`.
 */
export async function textOfEntry(file: Ranges, header: TiffHeader, entry: TiffEntry): Promise<string> {
  if (!isInside(file, entry)) return 'unreadable'
  if (entry.byteLength === 0) return ''
  if (entry.type === ASCII || entry.type === UTF8) return await textValue(file, entry)
  if (isOpaque(entry)) return await bytesValue(file, entry)
  if (entry.count > MOST_LISTED) return `${entry.count} numbers #${await digestInBigEndian(file, header, entry)}`
  const numbers = await numbersOf(file, header, entry, MOST_LISTED)
  return numbers.map((value) => String(Number(value.toPrecision(12)))).join(' ')
}

/** True for bytes whose meaning only their tag says: `UNDEFINED`, and byte arrays that are too long for numbers. */
const isOpaque = ({ type, count }: TiffEntry) => type === 7 || ((type === 1 || type === 6) && count > 8)

async function textValue(file: Ranges, entry: TiffEntry): Promise<string> {
  if (entry.byteLength > MOST_TEXT_BYTES) return await bytesValue(file, entry)
  return textOfBytes(await file.bytes(entry.valueAt, entry.byteLength)).replace(/\0+$/, '')
}

async function bytesValue(file: Ranges, entry: TiffEntry): Promise<string> {
  const { valueAt, byteLength } = entry
  if (byteLength <= MOST_TEXT_BYTES) {
    const text = latin1Of(await file.bytes(valueAt, byteLength)).replace(/\0+$/, '')
    if (/^[ -~]*$/.test(text) && text !== '') return text
    if (byteLength <= 16) return hex(await file.bytes(valueAt, byteLength))
  }
  return `${byteLength} bytes #${await digestOfRange(file, valueAt, byteLength)}`
}

/** Returns a digest of a range, like `digestOf`, in constant memory. */
export async function digestOfRange(file: Ranges, at: number, length: number): Promise<string> {
  const hash = new Digest()
  for (let done = 0; done < length; done += PIECE_BYTES) hash.update(await file.bytes(at + done, Math.min(PIECE_BYTES, length - done)))
  return hash.finish()
}

/** Digest of the numbers of an entry as big-endian bytes. */
async function digestInBigEndian(file: Ranges, { littleEndian }: TiffHeader, { type, valueAt, byteLength }: TiffEntry): Promise<string> {
  const word = type === 5 || type === 10 ? 4 : bytesOfType(type)
  if (!littleEndian || word === 1) return await digestOfRange(file, valueAt, byteLength)
  const hash = new Digest()
  for (let done = 0; done < byteLength; done += PIECE_BYTES) {
    const piece = (await file.bytes(valueAt + done, Math.min(PIECE_BYTES, byteLength - done))).slice()
    for (let at = 0; at < piece.length; at += word) piece.subarray(at, at + word).reverse()
    hash.update(piece)
  }
  return hash.finish()
}

function numberAt(view: DataView, at: number, type: number, littleEndian: boolean): number {
  switch (type) {
    case 3:
      return view.getUint16(at, littleEndian)
    case 4:
    case 13:
      return view.getUint32(at, littleEndian)
    case 5:
      return view.getUint32(at, littleEndian) / view.getUint32(at + 4, littleEndian)
    case 6:
      return view.getInt8(at)
    case 8:
      return view.getInt16(at, littleEndian)
    case 9:
      return view.getInt32(at, littleEndian)
    case 10:
      return view.getInt32(at, littleEndian) / view.getInt32(at + 4, littleEndian)
    case 11:
      return view.getFloat32(at, littleEndian)
    case 12:
      return view.getFloat64(at, littleEndian)
    case 16:
    case 18:
      return u64(view, at, littleEndian)
    case 17:
      return Number(view.getBigInt64(at, littleEndian))
    default:
      return view.getUint8(at)
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const u64 = (view: DataView, at: number, littleEndian: boolean) => Number(view.getBigUint64(at, littleEndian))
