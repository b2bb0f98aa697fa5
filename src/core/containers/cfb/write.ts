/**
 * Writes compound files ([MS-CFB] 3.0, version 3: sectors of 512 bytes).
 * Order in the file: small streams (they may be patched later), directory and tables, then one large stream. The caller writes the large
 * stream in chunks.
 */
import { ByteWriter } from '../../bytes/writer.ts'
import { type CfbNode, type DirectoryItem, directoryItems, NO_STREAM, sizeOf } from './directory-tree.ts'

const SECTOR = 512
const MINI_SECTOR = 64
/** Bytes. Streams below this size are stored in the mini stream ([MS-CFB] 2.2, Mini Stream Cutoff Size). */
export const MINI_CUTOFF = 4096
const ENTRIES_PER_SECTOR = SECTOR / 4
const DIRECTORY_ENTRY = 128
const HEADER_DIFAT = 109

const DIFAT_SECTOR = 0xfffffffc
const FAT_SECTOR = 0xfffffffd
const END_OF_CHAIN = 0xfffffffe
const FREE = 0xffffffff

export interface CfbLayout {
  /** Everything before the large stream. The whole file if there is no large stream. */
  readonly head: Uint8Array
  /** File offset of each stream, by path ("a/b"). */
  readonly offsets: ReadonlyMap<string, number>
  /** Zero bytes that must follow the large stream to fill its last sector. */
  readonly padding: number
}

/** Parts of the file in file order. */
const PARTS = ['mini', 'miniFat', 'directory', 'fat', 'difat', 'large'] as const
type Part = (typeof PARTS)[number]
interface Sectors {
  readonly count: Readonly<Record<Part, number>>
  readonly first: Readonly<Record<Part, number>>
}

const sectorOffset = (sector: number) => SECTOR * (1 + sector)

/** Lays out the file. @throws RangeError if several streams have `MINI_CUTOFF` bytes or more */
export function layOutCompoundFile(root: readonly CfbNode[]): CfbLayout {
  const items = directoryItems(root)
  const streams = items.filter((item) => !('children' in item.node))
  const small = streams.filter((item) => sizeOf(item.node) < MINI_CUTOFF)
  const [large, second] = streams.filter((item) => sizeOf(item.node) >= MINI_CUTOFF)
  if (second) throw new RangeError('compound file: at most one stream may have MINI_CUTOFF bytes or more')
  if (large && 'content' in large.node) throw new RangeError('compound file: pass `size` instead of `content` for the large stream')

  const miniSectors = placeSmallStreams(small)
  const largeSize = large ? sizeOf(large.node) : 0
  const sectors = layOutSectors(miniSectors, items.length, largeSize)
  if (large) large.start = sectors.first.large

  const head = new Uint8Array(sectorOffset(sectors.first.large))
  const out = new ByteWriter(head, true)
  writeHeader(out, sectors)
  writeFat(out, sectors)
  writeDifat(out, sectors)
  writeMiniFat(out, sectors, small)
  const offsets = writeSmallStreams(head, sectors, small)
  if (large) offsets.set(large.path, head.length)
  writeDirectory(out, sectors, items, miniSectors * MINI_SECTOR)
  return { head, offsets, padding: (SECTOR - (largeSize % SECTOR)) % SECTOR }
}

/** Assigns mini sectors to the small streams. @returns the number of mini sectors */
function placeSmallStreams(small: readonly DirectoryItem[]): number {
  let miniSectors = 0
  for (const item of small) {
    item.start = sizeOf(item.node) === 0 ? END_OF_CHAIN : miniSectors
    miniSectors += Math.ceil(sizeOf(item.node) / MINI_SECTOR)
  }
  return miniSectors
}

function layOutSectors(miniSectors: number, directoryItems: number, largeSize: number): Sectors {
  const count = {
    mini: Math.ceil((miniSectors * MINI_SECTOR) / SECTOR),
    miniFat: Math.ceil(miniSectors / ENTRIES_PER_SECTOR),
    directory: Math.ceil(directoryItems / (SECTOR / DIRECTORY_ENTRY)),
    fat: 0,
    difat: 0,
    large: Math.ceil(largeSize / SECTOR),
  }
  // The FAT has one entry for each sector, and its own sectors count too.
  const total = () => PARTS.reduce((sum, part) => sum + count[part], 0)
  while (count.fat * ENTRIES_PER_SECTOR < total()) {
    count.fat = Math.ceil(total() / ENTRIES_PER_SECTOR)
    count.difat = Math.max(0, Math.ceil((count.fat - HEADER_DIFAT) / (ENTRIES_PER_SECTOR - 1)))
  }
  const first = { mini: 0, miniFat: 0, directory: 0, fat: 0, difat: 0, large: 0 }
  let next = 0
  for (const part of PARTS) {
    first[part] = next
    next += count[part]
  }
  return { count, first }
}

/** Writes the file header ([MS-CFB] 2.2). */
function writeHeader(out: ByteWriter, { count, first }: Sectors): void {
  out.at(0).bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
  out.at(24).u16(0x3e) // field: minor version
  out.u16(3) // field: major version
  out.u16(0xfffe) // field: byte order, little-endian
  out.u16(9) // field: sector shift, 2^9 = 512 bytes
  out.u16(6) // field: mini sector shift, 2^6 = 64 bytes
  out.at(44).u32(count.fat)
  out.u32(first.directory)
  out.at(56).u32(MINI_CUTOFF)
  out.u32(count.miniFat > 0 ? first.miniFat : END_OF_CHAIN)
  out.u32(count.miniFat)
  out.u32(count.difat > 0 ? first.difat : END_OF_CHAIN)
  out.u32(count.difat)
  for (let index = 0; index < HEADER_DIFAT; index++) out.u32(index < count.fat ? first.fat + index : FREE)
}

/** Writes the FAT: one sector chain for each part of the file ([MS-CFB] 2.3). */
function writeFat(out: ByteWriter, { count, first }: Sectors): void {
  const at = sectorOffset(first.fat)
  fillFree(out, at, count.fat)
  for (const part of ['mini', 'miniFat', 'directory', 'large'] as const) writeChain(out, at, first[part], count[part])
  out.at(at + 4 * first.fat)
  for (let index = 0; index < count.fat; index++) out.u32(FAT_SECTOR)
  out.at(at + 4 * first.difat)
  for (let index = 0; index < count.difat; index++) out.u32(DIFAT_SECTOR)
}

/** Writes the DIFAT: the FAT sectors that the header has no space for ([MS-CFB] 2.5). */
function writeDifat(out: ByteWriter, { count, first }: Sectors): void {
  for (let index = 0; index < count.difat; index++) {
    out.at(sectorOffset(first.difat + index))
    for (let slot = 0; slot < ENTRIES_PER_SECTOR - 1; slot++) {
      const fat = HEADER_DIFAT + index * (ENTRIES_PER_SECTOR - 1) + slot
      out.u32(fat < count.fat ? first.fat + fat : FREE)
    }
    out.u32(index + 1 < count.difat ? first.difat + index + 1 : END_OF_CHAIN)
  }
}

/** Writes the mini FAT ([MS-CFB] 2.4). */
function writeMiniFat(out: ByteWriter, { count, first }: Sectors, small: readonly DirectoryItem[]): void {
  const at = sectorOffset(first.miniFat)
  fillFree(out, at, count.miniFat)
  for (const item of small) writeChain(out, at, item.start, Math.ceil(sizeOf(item.node) / MINI_SECTOR))
}

function fillFree(out: ByteWriter, tableAt: number, sectors: number): void {
  out.at(tableAt)
  for (let index = 0; index < sectors * ENTRIES_PER_SECTOR; index++) out.u32(FREE)
}

/** Writes `length` consecutive sectors as one chain of the table at `tableAt`. */
function writeChain(out: ByteWriter, tableAt: number, start: number, length: number): void {
  out.at(tableAt + 4 * start)
  for (let index = 1; index <= length; index++) out.u32(index < length ? start + index : END_OF_CHAIN)
}

/** Copies the small streams into `head`. @returns the file offset of each stream that has bytes, by path */
function writeSmallStreams(head: Uint8Array, { first }: Sectors, small: readonly DirectoryItem[]): Map<string, number> {
  const offsets = new Map<string, number>()
  for (const item of small) {
    if (sizeOf(item.node) === 0) continue
    const offset = sectorOffset(first.mini) + item.start * MINI_SECTOR
    offsets.set(item.path, offset)
    if ('content' in item.node) head.set(item.node.content, offset)
  }
  return offsets
}

/** Writes the directory ([MS-CFB] 2.6). The stream of the root entry is the mini stream. */
function writeDirectory(out: ByteWriter, { count, first }: Sectors, items: readonly DirectoryItem[], miniStreamBytes: number): void {
  const at = sectorOffset(first.directory)
  for (let index = 0; index < count.directory * (SECTOR / DIRECTORY_ENTRY); index++) {
    const offset = at + index * DIRECTORY_ENTRY
    const item = items[index]
    if (!item)
      out
        .at(offset + 68)
        .u32(NO_STREAM)
        .u32(NO_STREAM)
        .u32(NO_STREAM)
    else if (index === 0)
      writeEntry(out, offset, item, { type: 5, start: count.mini > 0 ? first.mini : END_OF_CHAIN, size: miniStreamBytes })
    else if ('children' in item.node) writeEntry(out, offset, item, { type: 1, start: 0, size: 0 })
    else writeEntry(out, offset, item, { type: 2, start: item.start, size: sizeOf(item.node) })
  }
}

/** Writes a directory entry ([MS-CFB] 2.6.1). `type`: 1 storage, 2 stream, 5 root. */
function writeEntry(
  out: ByteWriter,
  offset: number,
  item: DirectoryItem,
  { type, start, size }: { type: 1 | 2 | 5; start: number; size: number },
) {
  const { name } = item.node
  out.at(offset)
  for (let unit = 0; unit < name.length; unit++) out.u16(name.charCodeAt(unit))
  out
    .at(offset + 64)
    .u16(2 * (name.length + 1))
    .u8(type)
    .u8(item.red ? 0 : 1)
    .u32(item.left)
    .u32(item.right)
    .u32(item.child)
  out
    .at(offset + 116)
    .u32(start)
    .u32(size)
}
