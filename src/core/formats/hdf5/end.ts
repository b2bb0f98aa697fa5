/** Where an HDF5 file ends, by its superblock (HDF5 File Format Specification 3.0, II.A): readers do not look behind it. */
import { ByteReader } from '../../bytes/reader.ts'
import type { Source } from '../../model/codec.ts'

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]
/** A superblock and all before its addresses, and four of those. */
const HEAD_BYTES = 28 + 4 * 8
/** Each half of an address that leads nowhere. */
const NO_ADDRESS = 0xffffffff
/** User blocks of real files have 512 bytes. */
const LAST_PLACE = 1024 * 1024

/** The size of the file where its superblock is of a kind that is not known here, or says something else. */
export async function endOfHdf5(source: Source): Promise<number> {
  for (let at = 0; at <= LAST_PLACE && at < source.size; at = at === 0 ? 512 : at * 2) {
    const head = await source.read(at, HEAD_BYTES)
    if (head.length === HEAD_BYTES && SIGNATURE.every((byte, i) => head[i] === byte)) {
      const end = endOf(head, at)
      return end !== undefined && end > at && end < source.size ? end : source.size
    }
  }
  return source.size
}

/** The third address: behind it no object stands. Addresses of other sizes than eight bytes are rare. */
function endOf(head: Uint8Array, at: number): number | undefined {
  const version = head[8] ?? 0
  const addressesAt = { 0: 24, 1: 28, 2: 12, 3: 12 }[version]
  if (addressesAt === undefined || head[version < 2 ? 13 : 9] !== 8) return undefined
  const reader = new ByteReader(head, true)
  const address = (index: number) => reader.u32(addressesAt + index * 8) + reader.u32(addressesAt + index * 8 + 4) * 2 ** 32
  // Where a driver has a block of its own, the file may be a part of several.
  const hasDriver = version < 2 && reader.u32(addressesAt + 24) !== NO_ADDRESS
  return address(0) === at && !hasDriver ? address(2) : undefined
}
