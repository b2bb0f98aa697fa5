/** Reads streams and storages of a compound file ([MS-CFB] 3.0). */

import type { CachedRanges } from '../cached-ranges.ts'
import { Fields } from '../fields.ts'
import type { Ranges } from '../ranges.ts'
import { type Run, RunRanges } from './runs.ts'

const ENTRY_BYTES = 128
const MINI_SECTOR_BYTES = 64
const HEADER_DIFAT = 109
/** Sector numbers above it have another meaning. */
const LAST_SECTOR = 0xfffffffa
const FREE = 0xffffffff
const MAX_ENTRIES = 20_000
/** Bytes of the table of small streams, of which all entries together need less. */
const MAX_TABLE_BYTES = 8 * 1024 * 1024

export interface CompoundStream {
  /** Names of its storages and its own, joined by `/`. */
  readonly path: string
  /** Opens the data. The places of its sectors take memory, so readers keep one stream at a time. */
  open(): Ranges
}

export interface CompoundContent {
  readonly streams: readonly CompoundStream[]
  /** Path of each storage with its class, and times if it has them. */
  readonly storages: readonly string[]
  /** Offset behind the last sector that is in use. */
  readonly end: number
}

export async function readCompound(file: CachedRanges): Promise<CompoundContent> {
  const header = Fields.little((await file.bytes(0, 512)).slice())
  const sectorBytes = 2 ** header.u16(30)
  if ((sectorBytes !== 512 && sectorBytes !== 4096) || header.u32(0) !== 0xe011cfd0) throw file.malformed(0)
  const reader = new SectorReader(file, sectorBytes)
  await reader.readFat(header)
  const directory = reader.chain(header.u32(48))
  const miniTable = await reader.table(header.u32(60))
  const count = Math.floor(directory.size / ENTRY_BYTES)
  if (count === 0 || count > MAX_ENTRIES) throw file.malformed(48)
  const entries = Fields.little((await directory.bytes(0, count * ENTRY_BYTES)).slice())
  const mini = reader.chain(entries.u32(116), entries.u32(120))
  const cutoff = header.u32(56)
  const open = (start: number, size: number): Ranges => {
    if (size === 0) return new RunRanges(file, [], 0)
    const data =
      size >= cutoff ? reader.chain(start, size) : new RunRanges(mini, runsOf(miniTable, start, MINI_SECTOR_BYTES, 0, file), size)
    if (data.size < size) throw file.malformed(48)
    return data
  }
  const content = walk(entries, open)
  // Entries that share sectors would make a small file large.
  if (content.bytes > file.size) throw file.malformed(48)
  return { ...content, end: reader.end }
}

/** Walks the tree of entries. Each is visited once, so loops end. `bytes`: of all streams. */
function walk(entries: Fields, open: (start: number, size: number) => Ranges): Omit<CompoundContent, 'end'> & { readonly bytes: number } {
  const streams: CompoundStream[] = []
  const storages: string[] = []
  let bytes = 0
  const seen = new Set<number>()
  const stack = [{ id: 0, prefix: '' }]
  for (let top = stack.pop(); top; top = stack.pop()) {
    const at = top.id * ENTRY_BYTES
    if (at + ENTRY_BYTES > entries.length || seen.has(top.id)) continue
    seen.add(top.id)
    const name = Array.from({ length: Math.min(31, Math.max(0, entries.u16(at + 64) / 2 - 1)) }, (_, unit) =>
      String.fromCharCode(entries.u16(at + 2 * unit)),
    ).join('')
    const [type, path] = [entries.u8(at + 66), top.id === 0 ? '' : top.prefix + name]
    if (type === 2) {
      const [start, size] = [entries.u32(at + 116), entries.u32(at + 120)]
      streams.push({ path, open: () => open(start, size) })
      bytes += size
    } else storages.push(`${path} class ${entries.hex(at + 80, at + 96)} times ${entries.hex(at + 100, at + 116)}`)
    stack.push({ id: entries.u32(at + 68), prefix: top.prefix }, { id: entries.u32(at + 72), prefix: top.prefix })
    stack.push({ id: entries.u32(at + 76), prefix: path === '' ? '' : `${path}/` })
  }
  return { streams, storages, bytes }
}

class SectorReader {
  readonly #file: CachedRanges
  readonly #bytes: number
  #fat = new Uint32Array(0)

  constructor(file: CachedRanges, sectorBytes: number) {
    this.#file = file
    this.#bytes = sectorBytes
  }

  /** Reads the table of sectors, whose own sectors the header and a chain of further tables name. */
  async readFat(header: Fields): Promise<void> {
    const perSector = this.#bytes / 4
    // A damaged header cannot ask for a larger table than the file has sectors, with some reserve.
    const most = 16 + 4 * Math.ceil(this.#file.size / this.#bytes / perSector)
    const places: number[] = []
    const take = (table: Fields, from: number, count: number) => {
      for (let slot = 0; slot < count; slot++) if (table.u32(from + 4 * slot) <= LAST_SECTOR) places.push(table.u32(from + 4 * slot))
      if (places.length > most) throw this.#file.malformed(44)
    }
    take(header, 76, HEADER_DIFAT)
    let next = header.u32(68)
    for (let steps = 0; next <= LAST_SECTOR; steps++) {
      if (steps > most) throw this.#file.malformed(68)
      const table = await this.#sector(next)
      take(table, 0, perSector - 1)
      next = table.u32(this.#bytes - 4)
    }
    this.#fat = new Uint32Array(places.length * perSector)
    for (const [index, place] of places.entries()) {
      const table = await this.#sector(place)
      for (let slot = 0; slot < perSector; slot++) this.#fat[index * perSector + slot] = table.u32(4 * slot)
    }
  }

  get end(): number {
    let last = Math.min(this.#fat.length, Math.ceil(this.#file.size / this.#bytes)) - 1
    while (last >= 0 && this.#fat[last] === FREE) last--
    return Math.min(this.#file.size, (last + 2) * this.#bytes)
  }

  /** Data of a chain. `size`: its bytes; default: all. */
  chain(start: number, size = Number.POSITIVE_INFINITY): RunRanges {
    return new RunRanges(this.#file, runsOf(this.#fat, start, this.#bytes, this.#bytes, this.#file), size)
  }

  async table(start: number): Promise<Uint32Array> {
    const data = this.chain(start)
    if (data.size > MAX_TABLE_BYTES) throw this.#file.malformed(60)
    const fields = Fields.little(await data.bytes(0, data.size))
    return Uint32Array.from({ length: data.size / 4 }, (_, index) => fields.u32(4 * index))
  }

  async #sector(index: number): Promise<Fields> {
    return Fields.little((await this.#file.bytes((index + 1) * this.#bytes, this.#bytes)).slice())
  }
}

/** Pieces of a chain. Sector 0 lies at `base`. */
function runsOf(table: Uint32Array, start: number, unit: number, base: number, file: CachedRanges): Run[] {
  const runs: { at: number; length: number }[] = []
  let steps = 0
  for (let sector = start; sector <= LAST_SECTOR; sector = table[sector]!) {
    if (sector >= table.length || steps++ > table.length) throw file.malformed(48)
    const at = base + sector * unit
    const last = runs.at(-1)
    if (last && last.at + last.length === at) last.length += unit
    else runs.push({ at, length: unit })
  }
  return runs
}
