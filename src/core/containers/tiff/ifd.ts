/**
 * The header and the directories (IFDs) of TIFF, in files, in EXIF and in Multi-Picture indices: TIFF 6.0 section 2; BigTIFF as
 * libtiff documents it; Exif 2.32, 4.5.2.
 */

import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'

/** What all of a TIFF structure is read by. */
export interface TiffHeader {
  readonly littleEndian: boolean
  /** 42, or 43 for BigTIFF. */
  readonly version: number
  /** BigTIFF: counts and offsets of 8 bytes. */
  readonly big: boolean
  /** Where the first directory stands, counted from the header; 0 when a BigTIFF header is cut off in front of it. */
  readonly firstAt: number
}

/** Bytes of a directory's count of entries, of an entry, and of an offset. */
export const ifdLayout = ({ big }: Pick<TiffHeader, 'big'>) =>
  big ? { countBytes: 8, entryBytes: 20, offsetBytes: 8 } : { countBytes: 2, entryBytes: 12, offsetBytes: 4 }

/** The header at the beginning of `bytes`; undefined where they are too short for it, or begin with no byte order. */
export function readHeader(bytes: Uint8Array): TiffHeader | undefined {
  if (bytes.length < 8) return undefined
  const order = latin1Of(bytes.subarray(0, 2))
  if (order !== 'II' && order !== 'MM') return undefined
  const reader = new ByteReader(bytes, order === 'II')
  const version = reader.u16(2)
  const big = version === 43
  const firstAt = !big ? reader.u32(4) : bytes.length < 16 ? 0 : reader.u64(8)
  return { littleEndian: reader.littleEndian, version, big, firstAt }
}

/** How many entries the directory has whose first bytes these are. */
export function entryCount(reader: ByteReader, { big }: Pick<TiffHeader, 'big'>, at = 0): number {
  return big ? reader.u64(at) : reader.u16(at)
}

/** An entry of a directory, its value not yet read. */
export interface IfdField {
  readonly tag: number
  readonly type: number
  readonly count: number
  /** Where the value stands, or its offset, when it is too long for the entry. */
  readonly valueAt: number
}

export function readField(reader: ByteReader, { big }: Pick<TiffHeader, 'big'>, at: number): IfdField {
  const count = big ? reader.u64(at + 4) : reader.u32(at + 4)
  return { tag: reader.u16(at), type: reader.u16(at + 2), count, valueAt: at + (big ? 12 : 8) }
}

/** The first field of a tag in the directory at `directoryAt`; entries that do not lie in the bytes are left out. */
export function findField(reader: ByteReader, header: Pick<TiffHeader, 'big'>, directoryAt: number, tag: number): IfdField | undefined {
  const { countBytes, entryBytes } = ifdLayout(header)
  if (directoryAt + countBytes > reader.length) return undefined
  const count = entryCount(reader, header, directoryAt)
  let at = directoryAt + countBytes
  for (let i = 0; i < count && at + entryBytes <= reader.length; i++, at += entryBytes) {
    const field = readField(reader, header, at)
    if (field.tag === tag) return field
  }
  return undefined
}
