/** Finds the end of an HDF5 file in its superblock (HDF5 File Format Specification 3.0, II.A). Readers ignore bytes after it. */
import { ByteReader } from '../../bytes/reader.ts'
import type { Source } from '../../model/codec.ts'
import { MAX_SUPERBLOCK_OFFSET } from './tuning.ts'

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]
/** Bytes of a superblock up to the end of its four addresses. */
const HEAD_BYTES = 28 + 4 * 8
/** Each 32-bit half of HDF5's undefined address. */
const NO_ADDRESS = 0xffffffff

/** End of the HDF5 data in bytes. The file size if the superblock is unknown or names no smaller end. */
export async function endOfHdf5(source: Source): Promise<number> {
  for (let at = 0; at <= MAX_SUPERBLOCK_OFFSET && at < source.size; at = at === 0 ? 512 : at * 2) {
    const head = await source.read(at, HEAD_BYTES)
    if (head.length === HEAD_BYTES && SIGNATURE.every((byte, i) => head[i] === byte)) {
      const end = endOf(head, at)
      return end !== undefined && end > at && end < source.size ? end : source.size
    }
  }
  return source.size
}

/**
 * Returns the end-of-file address, the third in the superblock. `undefined`: addresses that are not 8 bytes long, which are rare, or a
 * special driver.
 */
function endOf(head: Uint8Array, at: number): number | undefined {
  const version = head[8] ?? 0
  const addressesAt = { 0: 24, 1: 28, 2: 12, 3: 12 }[version]
  if (addressesAt === undefined || head[version < 2 ? 13 : 9] !== 8) return undefined
  const reader = new ByteReader(head, true)
  const address = (index: number) => reader.u32(addressesAt + index * 8) + reader.u32(addressesAt + index * 8 + 4) * 2 ** 32
  // A driver information block means that the file may be one of several parts.
  const hasDriver = version < 2 && reader.u32(addressesAt + 24) !== NO_ADDRESS
  return address(0) === at && !hasDriver ? address(2) : undefined
}
