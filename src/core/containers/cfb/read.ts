/** Reads streams of a compound file ([MS-CFB] 3.0) by byte ranges. No table may be larger than the file. */

import { ByteReader } from '../../bytes/reader.ts'
import { lastStartUpTo } from '../../bytes/search.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'

const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
/** Bytes of a directory entry. */
export const DIRECTORY_ENTRY = 128
const LAST_SECTOR = 0xfffffffa
const NO_STREAM = 0xffffffff
const FREE_SECTOR = 0xffffffff
/** Directory entries that are read. Limits memory. */
export const MAX_DIRECTORY_ENTRIES = 10_000
/** Bytes of the table of small streams. All entries of a directory together need less. Limits memory. */
const MAX_MINI_FAT_BYTES = 4 * 1024 * 1024
/** Pieces of one stream that do not follow each other in the file. Limits memory. */
const MAX_RUNS = 250_000
/** Object type of a directory entry: stream ([MS-CFB] 2.6.1). */
export const STREAM = 2

export interface CfbStream {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface CompoundFile {
  /** Paths of all streams. Names of storages and streams are joined by "/". */
  readonly paths: readonly string[]
  open(path: string): CfbStream | undefined
  /** Offset behind the last sector that the FAT does not call free. */
  readonly end: number
  /** First 512 bytes of the file. */
  readonly header: Uint8Array
  /** Directory entries of 128 bytes, at most `MAX_DIRECTORY_ENTRIES`. */
  readonly directory: Uint8Array
  /** Bytes of the directory in the file, which may be more than `directory` has. */
  readonly directoryBytes: number
  /** Index of a stream's directory entry. `undefined`: there is no such stream. */
  indexOf(path: string): number | undefined
  /** Opens the stream of a directory entry, whether or not a storage leads to it. */
  openEntry(index: number): CfbStream
}

export function isCompoundFile(head: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => head[index] === byte)
}

/** Consecutive bytes of the file that belong to one stream. */
type Run = { readonly offset: number; readonly length: number }

/** Sectors of a compound file. All sectors have `bytes` bytes. */
interface Sectors {
  readonly source: Source
  readonly bytes: number
  readonly count: number
}

/**
 * Reads the tables of a compound file. @throws CodecError (malformed) if a table leaves the file or a sector chain has a loop,
 * `unsupported_feature` if a stream lies in too many pieces
 */
export async function openCompoundFile(source: Source): Promise<CompoundFile> {
  const header = await readHeader(source)
  const sectorBytes = 2 ** header.u16(30)
  const sectors: Sectors = { source, bytes: sectorBytes, count: Math.ceil(source.size / sectorBytes) }
  const miniSectorBytes = 2 ** header.u16(32)
  const fat = await readFat(sectors, await fatSectors(sectors, header))
  const chainOf = (start: number) => runsOf({ table: fat, start, unit: sectors.bytes, base: sectors.bytes }, sectors)

  const directoryRuns = chainOf(header.u32(48))
  const directory = await readDirectory(source, directoryRuns)
  const miniFat = await readTable(source, chainOf(header.u32(60)))
  const mini = streamOf(source, chainOf(directory.u32(116)), directory.u32(120))
  const cutoff = header.u32(56)
  const found = streamsOf(directory)
  const openAt = ({ start, size }: Placed) => {
    if (size === 0) return streamOf(source, [], 0)
    if (size >= cutoff) return streamOf(source, chainOf(start), size)
    // [MS-CFB] 2.4: small streams are chains of 64-byte mini sectors inside the root entry's stream.
    return streamOf(mini, runsOf({ table: miniFat, start, unit: miniSectorBytes, base: 0 }, sectors), size)
  }
  return {
    paths: [...found.keys()],
    end: endOf(fat, sectors),
    header: header.bytes,
    directory: directory.bytes,
    directoryBytes: bytesOf(directoryRuns),
    indexOf: (path) => found.get(path)?.index,
    open(path) {
      const stream = found.get(path)
      return stream && openAt(stream)
    },
    openEntry: (index) => openAt(placedAt(directory, index)),
  }
}

function endOf(fat: Uint32Array, sectors: Sectors): number {
  let last = Math.min(fat.length, sectors.count) - 1
  while (last >= 0 && fat[last] === FREE_SECTOR) last--
  return Math.min(sectors.source.size, offsetOf(last + 1, sectors))
}

/** First sector and size of a stream. */
interface Placed {
  readonly index: number
  readonly start: number
  readonly size: number
}

const placedAt = (directory: ByteReader, index: number): Placed => {
  const at = index * DIRECTORY_ENTRY
  return { index, start: directory.u32(at + 116), size: directory.u32(at + 120) }
}

/** Reads the file header ([MS-CFB] 2.2). */
async function readHeader(source: Source): Promise<ByteReader> {
  const header = await source.read(0, 512)
  if (header.length < 512 || !isCompoundFile(header)) throw malformed('cfb', 0, 'no_compound_file_header')
  const reader = readerOf(header)
  const shift = reader.u16(30)
  const miniShift = reader.u16(32)
  if ((shift !== 9 && shift !== 12) || miniShift !== 6) throw malformed('cfb', 30, message('sector_shifts', { shift, miniShift }))
  return reader
}

const offsetOf = (sector: number, { bytes }: Pick<Sectors, 'bytes'>) => (sector + 1) * bytes

async function readSector(sectors: Sectors, sector: number): Promise<ByteReader> {
  const offset = offsetOf(sector, sectors)
  if (sector >= sectors.count) throw malformed('cfb', offset, 'sector_lies_outside_file')
  const bytes = await sectors.source.read(offset, sectors.bytes)
  if (bytes.length < sectors.bytes) throw malformed('cfb', offset, 'file_ends_inside_table')
  return readerOf(bytes)
}

/** Lists the sectors of the FAT: the header names the first 109, the DIFAT chain the others ([MS-CFB] 2.5). */
async function fatSectors(sectors: Sectors, header: ByteReader): Promise<number[]> {
  const found: number[] = []
  const perSector = sectors.bytes / 4
  // Files that became smaller may keep a larger FAT than they need.
  const most = Math.max(16, 4 * Math.ceil(sectors.count / perSector))
  const add = (table: ByteReader, at: number, count: number): void => {
    for (let index = 0; index < count; index++) {
      const sector = table.u32(at + 4 * index)
      if (sector <= LAST_SECTOR) found.push(sector)
    }
    if (found.length > most) throw malformed('cfb', 44, 'larger_fat_than_file_needs')
  }
  add(header, 76, 109)
  let difat = header.u32(68)
  for (let count = 0; difat <= LAST_SECTOR; count++) {
    if (count > most / (perSector - 1) + 1) throw malformed('cfb', 68, 'difat_chain_has_loop')
    const table = await readSector(sectors, difat)
    add(table, 0, perSector - 1)
    difat = table.u32(sectors.bytes - 4)
  }
  return found
}

/** Reads the FAT, which stores the next sector of each sector ([MS-CFB] 2.3). */
async function readFat(sectors: Sectors, places: readonly number[]): Promise<Uint32Array> {
  const perSector = sectors.bytes / 4
  const fat = new Uint32Array(places.length * perSector)
  for (const [index, sector] of places.entries()) {
    const table = await readSector(sectors, sector)
    for (let slot = 0; slot < perSector; slot++) fat[index * perSector + slot] = table.u32(4 * slot)
  }
  return fat
}

/** Sector chain in `table`, which begins at `start`. Sectors have `unit` bytes; sector 0 begins at file offset `base`. */
interface Chain {
  readonly table: Uint32Array
  readonly start: number
  readonly unit: number
  readonly base: number
}

function runsOf({ table, start, unit, base }: Chain, sectors: Sectors): Run[] {
  const runs: { offset: number; length: number }[] = []
  let steps = 0
  for (let sector = start; sector <= LAST_SECTOR; sector = table[sector] ?? NO_STREAM) {
    if (sector >= table.length || steps++ > table.length) throw malformed('cfb', offsetOf(sector, sectors), 'chain_leaves_table')
    const offset = base + sector * unit
    const last = runs.at(-1)
    if (last && last.offset + last.length === offset) last.length += unit
    else if (runs.push({ offset, length: unit }) > MAX_RUNS) throw unsupported('compound_file_not_rewritten')
  }
  return runs
}

const bytesOf = (runs: readonly Run[]) => runs.reduce((sum, run) => sum + run.length, 0)

async function readDirectory(source: Source, runs: readonly Run[]): Promise<ByteReader> {
  const entries = Math.min(bytesOf(runs) / DIRECTORY_ENTRY, MAX_DIRECTORY_ENTRIES)
  const directory = readerOf(await streamOf(source, runs, bytesOf(runs)).read(0, entries * DIRECTORY_ENTRY))
  if (directory.length < DIRECTORY_ENTRY) throw malformed('cfb', 48, 'no_directory')
  return directory
}

async function readTable(source: Source, runs: readonly Run[]): Promise<Uint32Array> {
  if (bytesOf(runs) > MAX_MINI_FAT_BYTES) throw malformed('cfb', 60, 'larger_fat_than_file_needs')
  const reader = readerOf(await streamOf(source, runs, bytesOf(runs)).read(0, bytesOf(runs)))
  return Uint32Array.from({ length: reader.length / 4 }, (_, index) => reader.u32(4 * index))
}

/** Maps the path of each stream to its first sector and size ([MS-CFB] 2.6). Visits each directory entry once, so loops end. */
function streamsOf(directory: ByteReader): Map<string, Placed> {
  const found = new Map<string, Placed>()
  const seen = new Set<number>()
  const stack = [{ id: directory.u32(76), prefix: '' }]
  for (let top = stack.pop(); top; top = stack.pop()) {
    const at = top.id * DIRECTORY_ENTRY
    if (top.id === NO_STREAM || at + DIRECTORY_ENTRY > directory.length || seen.has(top.id)) continue
    seen.add(top.id)
    const path = top.prefix + nameAt(directory, at)
    if (directory.u8(at + 66) === STREAM) found.set(path, placedAt(directory, top.id))
    stack.push(
      { id: directory.u32(at + 68), prefix: top.prefix },
      { id: directory.u32(at + 72), prefix: top.prefix },
      { id: directory.u32(at + 76), prefix: `${path}/` },
    )
  }
  return found
}

function nameAt(directory: ByteReader, at: number): string {
  const units = Math.max(0, Math.min(31, directory.u16(at + 64) / 2 - 1))
  let name = ''
  for (let unit = 0; unit < units; unit++) name += String.fromCharCode(directory.u16(at + 2 * unit))
  return name
}

function streamOf(source: Pick<Source, 'read'>, runs: readonly Run[], size: number): CfbStream {
  const starts = new Float64Array(runs.length)
  let held = 0
  for (const [index, { length }] of runs.entries()) {
    starts[index] = held
    held += length
  }
  if (size > held) throw malformed('cfb', 0, message('stream_of_bytes_has_sectors', { size, held }))
  return {
    size,
    async read(offset, length) {
      const end = Math.min(size, offset + length)
      const bytes = new Uint8Array(Math.max(0, end - offset))
      for (let index = lastStartUpTo(starts, runs.length, offset); index < runs.length && starts[index]! < end; index++) {
        const [run, start] = [runs[index]!, starts[index]!]
        const from = Math.max(offset, start)
        const to = Math.min(end, start + run.length)
        if (from >= to) continue
        const part = await source.read(run.offset + from - start, to - from)
        if (part.length < to - from) throw malformed('cfb', run.offset, 'file_ends_inside_stream')
        bytes.set(part, from - offset)
      }
      return bytes
    },
  }
}

const readerOf = (bytes: Uint8Array) => new ByteReader(bytes, true)
