/**
 * Header and directories (IFDs) of TIFF in files, in EXIF and in Multi-Picture indexes: TIFF 6.0 section 2; BigTIFF as libtiff documents
 * it; Exif 2.32, 4.5.2.
 */

import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'

/** Header fields that are needed to read the other TIFF structures. */
export interface TiffHeader {
  readonly littleEndian: boolean
  /** Version number: 42, or 43 for BigTIFF. */
  readonly version: number
  /** True for BigTIFF: counts and offsets have 8 bytes. */
  readonly big: boolean
  /** Offset of the first directory from the header. 0 if a BigTIFF header is cut off before it. */
  readonly firstAt: number
}

/** Bytes of a directory's entry count, of an entry and of an offset. */
export const ifdLayout = ({ big }: Pick<TiffHeader, 'big'>) =>
  big ? { countBytes: 8, entryBytes: 20, offsetBytes: 8 } : { countBytes: 2, entryBytes: 12, offsetBytes: 4 }

/** Reads the header at the start of `bytes`. `undefined`: fewer than 8 bytes, or no byte order mark. */
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

/** Number of entries of the directory that starts at `at`. */
export function entryCount(reader: ByteReader, { big }: Pick<TiffHeader, 'big'>, at = 0): number {
  return big ? reader.u64(at) : reader.u16(at)
}

/** An entry of a directory whose value is not read yet. */
export interface IfdField {
  readonly tag: number
  readonly type: number
  readonly count: number
  /** Offset of the value. If the value is too long for the entry, the offset of its offset. */
  readonly valueAt: number
}

export function readField(reader: ByteReader, { big }: Pick<TiffHeader, 'big'>, at: number): IfdField {
  const count = big ? reader.u64(at + 4) : reader.u32(at + 4)
  return { tag: reader.u16(at), type: reader.u16(at + 2), count, valueAt: at + (big ? 12 : 8) }
}

/** Returns the first field with this tag in the directory at `directoryAt`. Ignores entries outside the bytes. */
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
