/** Compound files ([MS-CFB] 3.0) as old programs write them: with free sectors, and with streams in any order. */

export interface CompoundFileStream {
  /** Name, below a storage if it has a `/`. */
  readonly name: string
  readonly bytes: Uint8Array
}

export interface CompoundFileOptions {
  /** Free sectors before each stream. Default: 0. */
  readonly free?: number
}

const SECTOR = 512
const MINI = 64
const CUTOFF = 4096
const HEADER_FATS = 109
const [END, FREE, FAT_SECTOR, DIFAT_SECTOR, NONE] = [0xfffffffe, 0xffffffff, 0xfffffffd, 0xfffffffc, 0xffffffff]

interface Entry {
  readonly name: string
  readonly type: number
  bytes?: Uint8Array
  right: number
  child: number
  start: number
  size: number
}

/** Returns a compound file. The entries of a storage are linked as a list, which is a valid tree. */
export function compoundFile(streams: readonly CompoundFileStream[], { free = 0 }: CompoundFileOptions = {}): Uint8Array {
  const entries: Entry[] = [{ name: 'Root Entry', type: 5, right: NONE, child: NONE, start: END, size: 0 }]
  link(entries, 0, streams)
  const sectors: Uint8Array[] = []
  const fat: number[] = []
  const put = (bytes: Uint8Array): number => {
    const first = sectors.length
    for (let at = 0; at < bytes.length; at += SECTOR) {
      const sector = new Uint8Array(SECTOR).fill(0xaa)
      sector.set(bytes.subarray(at, at + SECTOR))
      sectors.push(sector)
      fat.push(at + SECTOR < bytes.length ? sectors.length : END)
    }
    return bytes.length === 0 ? END : first
  }
  const mini: Uint8Array[] = []
  const miniFat: number[] = []
  for (const entry of entries.filter(({ type }) => type === 2)) {
    const bytes = entry.bytes!
    entry.size = bytes.length
    for (let count = 0; count < free; count++) {
      sectors.push(new Uint8Array(SECTOR).fill(0xbb))
      fat.push(FREE)
    }
    entry.start = bytes.length >= CUTOFF ? put(bytes) : bytes.length === 0 ? END : miniFat.length
    if (bytes.length >= CUTOFF) continue
    for (let at = 0; at < bytes.length; at += MINI) {
      const sector = new Uint8Array(MINI)
      sector.set(bytes.subarray(at, at + MINI))
      mini.push(sector)
      miniFat.push(at + MINI < bytes.length ? miniFat.length + 1 : END)
    }
  }
  entries[0]!.size = mini.length * MINI
  entries[0]!.start = put(new Uint8Array(Buffer.concat(mini)))
  const miniFatAt = put(words(miniFat, FREE))
  const directoryAt = put(directory(entries))
  const fats = fatSectors(sectors.length)
  const fatAt = sectors.length
  for (let index = 0; index < fats; index++) fat.push(FAT_SECTOR)
  // FAT sectors that the header has no space for ([MS-CFB] 2.5).
  const [difats, difatAt] = [Math.ceil(Math.max(0, fats - HEADER_FATS) / 127), fatAt + fats]
  for (let index = 0; index < difats; index++) fat.push(DIFAT_SECTOR)
  const difat = Array.from({ length: difats }, (_, table) => [
    ...Array.from({ length: 127 }, (__, slot) => {
      const index = HEADER_FATS + 127 * table + slot
      return index < fats ? fatAt + index : FREE
    }),
    table + 1 < difats ? difatAt + table + 1 : END,
  ])
  const table = words(fat, FREE)
  const header = new DataView(new ArrayBuffer(SECTOR))
  for (const [at, byte] of [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1].entries()) header.setUint8(at, byte)
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    header.setUint16(at, value, true)
  const numbers = [
    [44, fats],
    [48, directoryAt],
    [56, CUTOFF],
    [60, miniFatAt],
    [64, Math.ceil(miniFat.length / 128)],
    [68, difats > 0 ? difatAt : END],
    [72, difats],
  ] as const
  for (const [at, value] of numbers) header.setUint32(at, value, true)
  for (let index = 0; index < HEADER_FATS; index++) header.setUint32(76 + 4 * index, index < fats ? fatAt + index : FREE, true)
  return new Uint8Array(Buffer.concat([new Uint8Array(header.buffer), ...sectors, table, words(difat.flat(), FREE)]))
}

const fatSectors = (others: number): number => {
  let fats = 1
  while (fats * 128 < others + fats + Math.ceil(Math.max(0, fats - HEADER_FATS) / 127)) fats++
  return fats
}

function link(entries: Entry[], parent: number, streams: readonly CompoundFileStream[], prefix = ''): void {
  const names = [...new Set(streams.map(({ name }) => name.slice(prefix.length).split('/')[0]!))]
  names.sort((a, b) => a.length - b.length || (a.toUpperCase() < b.toUpperCase() ? -1 : 1))
  let before = -1
  for (const name of names) {
    const bytes = streams.find((stream) => stream.name === prefix + name)?.bytes
    const index = entries.push({ name, type: bytes ? 2 : 1, ...(bytes && { bytes }), right: NONE, child: NONE, start: 0, size: 0 }) - 1
    if (before < 0) entries[parent]!.child = index
    else entries[before]!.right = index
    before = index
    if (!bytes)
      link(
        entries,
        index,
        streams.filter((stream) => stream.name.startsWith(`${prefix}${name}/`)),
        `${prefix}${name}/`,
      )
  }
}

function directory(entries: readonly Entry[]): Uint8Array {
  const bytes = Buffer.alloc(Math.ceil(entries.length / 4) * SECTOR)
  for (let at = 0; at < bytes.length; at += 128) for (const offset of [68, 72, 76]) bytes.writeUInt32LE(NONE, at + offset)
  for (const [index, { name, type, right, child, start, size }] of entries.entries()) {
    const at = index * 128
    bytes.write(name, at, 'utf16le')
    bytes.writeUInt16LE(2 * name.length + 2, at + 64)
    bytes.writeUInt8(type, at + 66)
    bytes.writeUInt8(1, at + 67)
    bytes.writeUInt32LE(right, at + 72)
    bytes.writeUInt32LE(child, at + 76)
    if (type !== 2) bytes.write('class of storage', at + 80, 'latin1')
    bytes.writeUInt32LE(start, at + 116)
    bytes.writeUInt32LE(size, at + 120)
  }
  return new Uint8Array(bytes)
}

function words(values: readonly number[], filler: number): Uint8Array {
  const bytes = Buffer.alloc(Math.ceil(values.length / 128) * SECTOR)
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(values[at / 4] ?? filler, at)
  return new Uint8Array(bytes)
}
