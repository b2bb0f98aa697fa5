/**
 * Inventory reader for HDF5 and NetCDF-4 (HDF5 File Format Specification 4.0, superblock versions 0 to 3): groups, datasets, types, links,
 * attributes, dimensions, comments, and the bytes before and after the HDF5 data. The values of datasets are not read: the codec compares
 * them.
 */
import type { Source } from '../model/codec.ts'
import { CachedRanges } from './cached-ranges.ts'
import { ItemCollector } from './collector.ts'
import { digestOfStream } from './digest.ts'
import { Hdf5File } from './hdf5/file.ts'
import { SharedMessages } from './hdf5/shared.ts'
import { readSuperblock } from './hdf5/superblock.ts'
import { Walk } from './hdf5/walk.ts'
import type { Inventory, InventoryReader } from './inventory.ts'

export const HDF5_READER: InventoryReader = { read: (source, signal) => read(source, 'hdf5', signal) }
export const NETCDF_READER: InventoryReader = { read: (source, signal) => read(source, 'netcdf', signal) }

/** Blocks of the file that are kept: 8 MiB, because links and attributes lead to any place. */
const MAX_BLOCKS = 128

async function read(source: Source, format: string, signal: AbortSignal): Promise<Inventory> {
  const ranges = new CachedRanges(source, { format, maxBlocks: MAX_BLOCKS }, signal)
  const to = new ItemCollector()
  try {
    const { base, sizes, end = source.size, root, extension } = await readSuperblock(ranges)
    await addRange(ranges, to, { kind: 'user_block', name: 'user block', from: 0, to: base })
    const file = new Hdf5File(ranges, base, sizes, signal)
    const walk = new Walk(file, await SharedMessages.open(file, extension), to)
    await walk.run(root)
    await addRange(ranges, to, { kind: 'trailing_bytes', name: 'after the HDF5 data', from: end, to: source.size })
  } catch (error) {
    // A field outside of its structure.
    if (error instanceof RangeError) throw ranges.malformed(0)
    throw error
  }
  return to.build()
}

interface NamedRange {
  readonly kind: 'user_block' | 'trailing_bytes'
  readonly name: string
  readonly from: number
  readonly to: number
}

async function addRange(ranges: CachedRanges, items: ItemCollector, { kind, name, from, to }: NamedRange): Promise<void> {
  if (to > from) items.add(kind, `${name} = ${to - from} bytes #${await digestOfStream(ranges.pieces(from, to - from))}`)
}
