/** Superblock (HDF5 File Format Specification 4.0, II.A): where the file begins and ends, and where its root group is. */
import type { CachedRanges } from '../cached-ranges.ts'
import { metadataChecksum } from './checksum.ts'
import { Cursor, type FieldSizes } from './cursor.ts'

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]
const NEWEST_VERSION = 3
/** Bytes of the longest superblock: version 1 with addresses of 8 bytes. */
const MAX_BYTES = 28 + 4 * 8 + 8 + 8 + 24
const CHECKSUM_BYTES = 4
/** Sizes of addresses and lengths that files have. */
const FIELD_BYTES = [2, 4, 8]

export interface Superblock {
  /** Offset of the superblock in the file, which is the length of the user block. All addresses are relative to it. */
  readonly base: number
  readonly sizes: FieldSizes
  /** Offset in the file after the HDF5 data. `undefined`: the file may be one of several parts. */
  readonly end: number | undefined
  /** Address of the object header of the root group. */
  readonly root: number | undefined
  /** Address of an object header with messages about the whole file. `undefined`: there is none. */
  readonly extension: number | undefined
}

/** Finds and reads the superblock. @throws CodecError (malformed) if there is none that this reader knows */
export async function readSuperblock(ranges: CachedRanges): Promise<Superblock> {
  for (let at = 0; at < ranges.size; at = at === 0 ? 512 : at * 2) {
    const bytes = await ranges.bytes(at, Math.min(MAX_BYTES, ranges.size - at))
    if (!SIGNATURE.every((byte, i) => bytes[i] === byte)) continue
    const found = parse(bytes, at)
    if (!found || (found.end !== undefined && found.end > ranges.size)) throw ranges.malformed(at)
    return found
  }
  throw ranges.malformed(0)
}

function parse(bytes: Uint8Array, base: number): Superblock | undefined {
  const version = bytes[8]!
  if (version > NEWEST_VERSION) return undefined
  const [offsetBytes, lengthBytes] = version < 2 ? [bytes[13]!, bytes[14]!] : [bytes[9]!, bytes[10]!]
  if (![offsetBytes, lengthBytes].every((size) => FIELD_BYTES.includes(size))) return undefined
  const sizes = { offsetBytes, lengthBytes }
  const cursor = new Cursor(bytes, sizes, [24, 28, 12, 12][version])
  const [storedBase, second, storedEnd, fourth] = [cursor.address(), cursor.address(), cursor.address(), cursor.address()]
  // A program may have put bytes before the file without a change of its addresses.
  const end = storedBase === undefined || storedEnd === undefined ? undefined : storedEnd + base - storedBase
  if (version >= 2) {
    const isSound = cursor.at + CHECKSUM_BYTES <= bytes.length && metadataChecksum(bytes.subarray(0, cursor.at)) === cursor.u32()
    return isSound ? { base, sizes, end, root: fourth, extension: second } : undefined
  }
  // The fourth address is that of the driver information. The root group is a symbol table entry: name, address of the header.
  const root = cursor.skip(lengthBytes).address()
  return { base, sizes, end: fourth === undefined ? end : undefined, root, extension: undefined }
}
