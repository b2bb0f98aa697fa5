import { bytesFor } from './cursor.ts'
import type { Hdf5File } from './file.ts'
import { type Filter, filtersOf } from './filters.ts'

const MAX_ID_BYTES = 64

/** Header of a fractal heap. */
export interface HeapLayout {
  readonly idBytes: number
  readonly filters: readonly Filter[]
  readonly hugeTree: number | undefined
  /** Blocks of a row of the doubling table. */
  readonly width: number
  readonly startBytes: number
  readonly maxDirectBytes: number
  readonly offsetBytes: number
  readonly lengthBytes: number
  readonly root: number | undefined
  /** Rows of the root block. 0: it is a direct block. */
  readonly rootRows: number
  readonly filteredRootBytes: number
  readonly filteredRootMask: number
}

/** Reads the header of a fractal heap. @throws CodecError (malformed) if its sizes are impossible */
export async function readLayout(file: Hdf5File, address: number | undefined): Promise<HeapLayout> {
  const { offsetBytes: addressBytes, lengthBytes } = file.sizes
  const fixedBytes = 26 + 3 * addressBytes + 12 * lengthBytes
  const start = await file.signed(address, fixedBytes - 4, 'FRHP')
  start.skip(1)
  const [idBytes, filterBytes] = [start.u16(), start.u16()]
  const filterPart = filterBytes > 0 ? lengthBytes + 4 + filterBytes : 0
  const head = (await file.checked(address, fixedBytes + filterPart, 'FRHP')).skip(6)
  const maxManagedBytes = head.u32()
  head.skip(lengthBytes)
  const hugeTree = head.address()
  head.skip(addressBytes + 9 * lengthBytes)
  const [width, startBytes, maxDirectBytes, offsetBits] = [head.u16(), head.length(), head.length(), head.u16()]
  head.skip(2)
  const [root, rootRows] = [head.address(), head.u16()]
  const isSound = idBytes <= MAX_ID_BYTES && [width, startBytes, maxDirectBytes].every(isPowerOfTwo) && offsetBits <= 64
  if (!isSound || maxDirectBytes < startBytes) throw file.malformed(address)
  return {
    ...{ idBytes, hugeTree, width, startBytes, maxDirectBytes, root, rootRows },
    filteredRootBytes: filterPart > 0 ? head.length() : startBytes,
    filteredRootMask: filterPart > 0 ? head.u32() : 0,
    filters: filterPart > 0 ? filtersOf(head.part(filterBytes)) : [],
    offsetBytes: Math.ceil(offsetBits / 8),
    lengthBytes: Math.min(Math.ceil(Math.log2(maxDirectBytes) / 8), bytesFor(maxManagedBytes)),
  }
}

const isPowerOfTwo = (value: number): boolean => value >= 1 && value <= 2 ** 52 && Number.isInteger(Math.log2(value))
