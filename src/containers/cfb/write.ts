/**
 * Compound files ([MS-CFB] 3.0, version 3: sectors of 512 bytes), laid out so that everything but one large stream
 * stands at the start: the small streams first (they may be patched later), then directory and tables, then the large
 * stream, which its owner writes by chunks.
 */
const SECTOR = 512
const MINI_SECTOR = 64
/** Streams below this live in the mini stream (2.2, Mini Stream Cutoff Size). */
export const MINI_CUTOFF = 4096
const ENTRIES_PER_SECTOR = SECTOR / 4
const DIRECTORY_ENTRY = 128
const HEADER_DIFAT = 109

const DIFAT_SECTOR = 0xfffffffc
const FAT_SECTOR = 0xfffffffd
const END_OF_CHAIN = 0xfffffffe
const FREE = 0xffffffff
const NO_STREAM = 0xffffffff

export type CfbNode = { readonly name: string } & (
  | { readonly children: readonly CfbNode[] }
  | { readonly content: Uint8Array }
  /** A stream whose bytes come later: patched when it is small, appended after the head when it is not. */
  | { readonly size: number }
)

export interface CfbLayout {
  /** Everything up to the large stream, or the whole file when there is none. */
  readonly head: Uint8Array
  /** Where each stream begins in the file, by its path ("a/b"). */
  readonly offsets: ReadonlyMap<string, number>
  /** Zero bytes that must follow the large stream to fill its last sector. */
  readonly padding: number
}

interface Item {
  readonly node: CfbNode
  readonly path: string
  left: number
  right: number
  child: number
  red: boolean
  start: number
}

/** @throws RangeError when more than one stream of `MINI_CUTOFF` bytes or more is given. */
export function layOutCompoundFile(root: readonly CfbNode[]): CfbLayout {
  const items: Item[] = []
  const add = (node: CfbNode, path: string): Item => {
    const item: Item = { node, path, left: NO_STREAM, right: NO_STREAM, child: NO_STREAM, red: false, start: 0 }
    items.push(item)
    return item
  }
  const addChildren = (parent: Item, nodes: readonly CfbNode[], prefix: string): void => {
    const first = items.length
    const sorted = [...nodes].sort((a, b) => compareNames(a.name, b.name))
    for (const node of sorted) add(node, prefix + node.name)
    const members = items.slice(first)
    parent.child = balance(members, first)
    for (const member of members) if ('children' in member.node) addChildren(member, member.node.children, `${member.path}/`)
  }
  addChildren(add({ name: 'Root Entry', children: root }, ''), root, '')

  const streams = items.filter((item) => !('children' in item.node))
  const small = streams.filter((item) => sizeOf(item.node) < MINI_CUTOFF)
  const large = streams.filter((item) => sizeOf(item.node) >= MINI_CUTOFF)
  if (large.length > 1) throw new RangeError('a compound file with more than one large stream is not laid out here')

  let miniSectors = 0
  for (const item of small) {
    item.start = sizeOf(item.node) === 0 ? END_OF_CHAIN : miniSectors
    miniSectors += Math.ceil(sizeOf(item.node) / MINI_SECTOR)
  }
  const largeSize = large[0] ? sizeOf(large[0].node) : 0
  const sectors = {
    mini: Math.ceil((miniSectors * MINI_SECTOR) / SECTOR),
    miniFat: Math.ceil(miniSectors / ENTRIES_PER_SECTOR),
    directory: Math.ceil(items.length / (SECTOR / DIRECTORY_ENTRY)),
    fat: 0,
    difat: 0,
    large: Math.ceil(largeSize / SECTOR),
  }
  const total = () => sectors.mini + sectors.miniFat + sectors.directory + sectors.fat + sectors.difat + sectors.large
  while (sectors.fat * ENTRIES_PER_SECTOR < total()) {
    sectors.fat = Math.ceil(total() / ENTRIES_PER_SECTOR)
    sectors.difat = Math.max(0, Math.ceil((sectors.fat - HEADER_DIFAT) / (ENTRIES_PER_SECTOR - 1)))
  }
  const at = { mini: 0, miniFat: 0, directory: 0, fat: 0, difat: 0, large: 0 }
  let next = 0
  for (const part of ['mini', 'miniFat', 'directory', 'fat', 'difat', 'large'] as const) {
    at[part] = next
    next += sectors[part]
  }
  if (large[0]) large[0].start = at.large

  const head = new Uint8Array(SECTOR * (1 + at.large))
  const view = new DataView(head.buffer)
  const sectorAt = (sector: number) => SECTOR * (1 + sector)
  const root0 = items[0]!
  root0.start = sectors.mini > 0 ? at.mini : END_OF_CHAIN

  // 2.2 Header
  head.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
  view.setUint16(24, 0x3e, true) // minor version
  view.setUint16(26, 3, true) // major version
  view.setUint16(28, 0xfffe, true) // byte order: little-endian
  view.setUint16(30, 9, true) // sector shift
  view.setUint16(32, 6, true) // mini sector shift
  view.setUint32(44, sectors.fat, true)
  view.setUint32(48, at.directory, true)
  view.setUint32(56, MINI_CUTOFF, true)
  view.setUint32(60, sectors.miniFat > 0 ? at.miniFat : END_OF_CHAIN, true)
  view.setUint32(64, sectors.miniFat, true)
  view.setUint32(68, sectors.difat > 0 ? at.difat : END_OF_CHAIN, true)
  view.setUint32(72, sectors.difat, true)
  for (let index = 0; index < HEADER_DIFAT; index++) view.setUint32(76 + 4 * index, index < sectors.fat ? at.fat + index : FREE, true)

  // 2.3 FAT: a chain a part; 2.5 DIFAT; 2.4 mini FAT
  const fatAt = sectorAt(at.fat)
  for (let index = 0; index < sectors.fat * ENTRIES_PER_SECTOR; index++) view.setUint32(fatAt + 4 * index, FREE, true)
  for (const part of ['mini', 'miniFat', 'directory', 'large'] as const) {
    for (let index = 0; index < sectors[part]; index++) {
      const sector = at[part] + index
      view.setUint32(fatAt + 4 * sector, index + 1 < sectors[part] ? sector + 1 : END_OF_CHAIN, true)
    }
  }
  for (let index = 0; index < sectors.fat; index++) view.setUint32(fatAt + 4 * (at.fat + index), FAT_SECTOR, true)
  for (let index = 0; index < sectors.difat; index++) {
    view.setUint32(fatAt + 4 * (at.difat + index), DIFAT_SECTOR, true)
    const offset = sectorAt(at.difat + index)
    for (let slot = 0; slot < ENTRIES_PER_SECTOR - 1; slot++) {
      const fat = HEADER_DIFAT + index * (ENTRIES_PER_SECTOR - 1) + slot
      view.setUint32(offset + 4 * slot, fat < sectors.fat ? at.fat + fat : FREE, true)
    }
    view.setUint32(offset + SECTOR - 4, index + 1 < sectors.difat ? at.difat + index + 1 : END_OF_CHAIN, true)
  }
  const miniFatAt = sectorAt(at.miniFat)
  for (let index = 0; index < sectors.miniFat * ENTRIES_PER_SECTOR; index++) view.setUint32(miniFatAt + 4 * index, FREE, true)

  const offsets = new Map<string, number>()
  for (const item of small) {
    const count = Math.ceil(sizeOf(item.node) / MINI_SECTOR)
    for (let index = 0; index < count; index++) {
      view.setUint32(miniFatAt + 4 * (item.start + index), index + 1 < count ? item.start + index + 1 : END_OF_CHAIN, true)
    }
    const offset = sectorAt(at.mini) + item.start * MINI_SECTOR
    if (count > 0) offsets.set(item.path, offset)
    if ('content' in item.node) head.set(item.node.content, offset)
  }
  if (large[0]) {
    offsets.set(large[0].path, head.length)
    if ('content' in large[0].node) throw new RangeError('the large stream is written after the head')
  }

  // 2.6 Directory
  for (let index = 0; index < sectors.directory * (SECTOR / DIRECTORY_ENTRY); index++) {
    const offset = sectorAt(at.directory) + index * DIRECTORY_ENTRY
    const item = items[index]
    for (const link of [68, 72, 76]) view.setUint32(offset + link, NO_STREAM, true)
    if (!item) continue
    for (let at16 = 0; at16 < item.node.name.length; at16++) view.setUint16(offset + 2 * at16, item.node.name.charCodeAt(at16), true)
    view.setUint16(offset + 64, 2 * (item.node.name.length + 1), true)
    head[offset + 66] = index === 0 ? 5 : 'children' in item.node ? 1 : 2 // root, storage, stream
    head[offset + 67] = item.red ? 0 : 1
    view.setUint32(offset + 68, item.left, true)
    view.setUint32(offset + 72, item.right, true)
    view.setUint32(offset + 76, item.child, true)
    const stored = index === 0 ? miniSectors * MINI_SECTOR : 'children' in item.node ? 0 : sizeOf(item.node)
    view.setUint32(offset + 116, index === 0 || !('children' in item.node) ? item.start : 0, true)
    view.setUint32(offset + 120, stored, true)
  }
  return { head, offsets, padding: (SECTOR - (largeSize % SECTOR)) % SECTOR }
}

const sizeOf = (node: CfbNode): number => ('content' in node ? node.content.length : 'size' in node ? node.size : 0)

/** 2.6.4: shorter names first, then by upper-cased UTF-16. */
function compareNames(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  const [x, y] = [a.toUpperCase(), b.toUpperCase()]
  return x < y ? -1 : x > y ? 1 : 0
}

/** Links sorted siblings as a balanced tree whose lowest, incomplete level is red; returns its root's index. */
function balance(members: readonly Item[], first: number): number {
  const depth = Math.floor(Math.log2(members.length))
  const perfect = members.length === 2 ** (depth + 1) - 1
  const link = (from: number, to: number, level: number): number => {
    if (from >= to) return NO_STREAM
    const middle = (from + to) >> 1
    const item = members[middle]!
    item.red = level === depth && !perfect && level > 0
    item.left = link(from, middle, level + 1)
    item.right = link(middle + 1, to, level + 1)
    return first + middle
  }
  return link(0, members.length, 0)
}
