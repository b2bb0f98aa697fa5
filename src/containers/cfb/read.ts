/** Streams of a compound file ([MS-CFB] 3.0), read by ranges. Every table is bounded by the file's own size. */

import type { Source } from '../../codec/codec.ts'
import { malformed } from '../../codec/error.ts'

const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
const DIRECTORY_ENTRY = 128
const LAST_SECTOR = 0xfffffffa
const NO_STREAM = 0xffffffff
const MAX_DIRECTORY_ENTRIES = 10_000

export interface CfbStream {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface CompoundFile {
  /** Paths of all streams, storages joined by "/". */
  readonly paths: readonly string[]
  open(path: string): CfbStream | undefined
}

export function isCompoundFile(head: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => head[index] === byte)
}

/** Ranges of the file that hold a stream, in order. */
type Run = { readonly offset: number; readonly length: number }

/** @throws CodecError (malformed) when a table leaves the file, or a chain has a loop. */
export async function openCompoundFile(source: Source): Promise<CompoundFile> {
  const header = await source.read(0, 512)
  if (header.length < 512 || !isCompoundFile(header)) throw malformed('cfb', 0, 'no compound file header')
  const view = viewOf(header)
  const shift = view.getUint16(30, true)
  const miniShift = view.getUint16(32, true)
  if ((shift !== 9 && shift !== 12) || miniShift !== 6) throw malformed('cfb', 30, `sector shifts ${shift} and ${miniShift}`)
  const sectorBytes = 2 ** shift
  const sectorCount = Math.ceil(source.size / sectorBytes)
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes
  const sectorOf = async (sector: number): Promise<DataView> => {
    if (sector >= sectorCount) throw malformed('cfb', offsetOf(sector), 'a sector lies outside the file')
    const bytes = await source.read(offsetOf(sector), sectorBytes)
    if (bytes.length < sectorBytes) throw malformed('cfb', offsetOf(sector), 'the file ends inside a table')
    return viewOf(bytes)
  }

  // 2.5: the FAT's own sectors, 109 in the header, the rest in the DIFAT chain.
  const fatSectors: number[] = []
  const perSector = sectorBytes / 4
  // Files that shrank may keep a FAT for more than they have.
  const mostFatSectors = Math.max(16, 4 * Math.ceil(sectorCount / perSector))
  const addFatSectors = (table: DataView, at: number, count: number): void => {
    for (let index = 0; index < count; index++) {
      const sector = table.getUint32(at + 4 * index, true)
      if (sector <= LAST_SECTOR) fatSectors.push(sector)
    }
    if (fatSectors.length > mostFatSectors) throw malformed('cfb', 44, 'a larger FAT than the file needs')
  }
  addFatSectors(view, 76, 109)
  let difat = view.getUint32(68, true)
  for (let count = 0; difat <= LAST_SECTOR; count++) {
    if (count > mostFatSectors / (perSector - 1) + 1) throw malformed('cfb', 68, 'the DIFAT chain has a loop')
    const table = await sectorOf(difat)
    addFatSectors(table, 0, perSector - 1)
    difat = table.getUint32(sectorBytes - 4, true)
  }
  const fat = new Uint32Array(fatSectors.length * perSector)
  for (const [index, sector] of fatSectors.entries()) {
    const table = await sectorOf(sector)
    for (let slot = 0; slot < perSector; slot++) fat[index * perSector + slot] = table.getUint32(4 * slot, true)
  }

  const runsOf = (start: number, table: Uint32Array, unit: number, base: number): Run[] => {
    const runs: { offset: number; length: number }[] = []
    let steps = 0
    for (let sector = start; sector <= LAST_SECTOR; sector = table[sector] ?? NO_STREAM) {
      if (sector >= table.length || steps++ > table.length) throw malformed('cfb', offsetOf(sector), 'a chain leaves its table')
      const offset = base + sector * unit
      const last = runs.at(-1)
      if (last && last.offset + last.length === offset) last.length += unit
      else runs.push({ offset, length: unit })
    }
    return runs
  }
  const chain = (start: number, size: number) => streamOf(source, runsOf(start, fat, sectorBytes, sectorBytes), size)

  const directoryRuns = runsOf(view.getUint32(48, true), fat, sectorBytes, sectorBytes)
  const directoryBytes = directoryRuns.reduce((sum, run) => sum + run.length, 0)
  const entries = Math.min(directoryBytes / DIRECTORY_ENTRY, MAX_DIRECTORY_ENTRIES)
  const directory = viewOf(await streamOf(source, directoryRuns, directoryBytes).read(0, entries * DIRECTORY_ENTRY))
  if (directory.byteLength < DIRECTORY_ENTRY) throw malformed('cfb', 48, 'no directory')

  const miniFatRuns = runsOf(view.getUint32(60, true), fat, sectorBytes, sectorBytes)
  const miniFatBytes = miniFatRuns.reduce((sum, run) => sum + run.length, 0)
  const miniView = viewOf(await streamOf(source, miniFatRuns, miniFatBytes).read(0, miniFatBytes))
  const miniFat = Uint32Array.from({ length: miniView.byteLength / 4 }, (_, index) => miniView.getUint32(4 * index, true))
  const mini = chain(directory.getUint32(116, true), directory.getUint32(120, true))
  const cutoff = view.getUint32(56, true)

  const found = new Map<string, { start: number; size: number }>()
  const seen = new Set<number>()
  const walk = (id: number, prefix: string): void => {
    const stack: { id: number; prefix: string }[] = [{ id, prefix }]
    for (let top = stack.pop(); top; top = stack.pop()) {
      const at = top.id * DIRECTORY_ENTRY
      if (top.id === NO_STREAM || at + DIRECTORY_ENTRY > directory.byteLength || seen.has(top.id)) continue
      seen.add(top.id)
      const nameUnits = Math.max(0, Math.min(31, directory.getUint16(at + 64, true) / 2 - 1))
      let name = ''
      for (let unit = 0; unit < nameUnits; unit++) name += String.fromCharCode(directory.getUint16(at + 2 * unit, true))
      const path = top.prefix + name
      if (directory.getUint8(at + 66) === 2) {
        found.set(path, { start: directory.getUint32(at + 116, true), size: directory.getUint32(at + 120, true) })
      }
      stack.push(
        { id: directory.getUint32(at + 68, true), prefix: top.prefix },
        { id: directory.getUint32(at + 72, true), prefix: top.prefix },
      )
      stack.push({ id: directory.getUint32(at + 76, true), prefix: `${path}/` })
    }
  }
  walk(directory.getUint32(76, true), '')

  return {
    paths: [...found.keys()],
    open(path) {
      const stream = found.get(path)
      if (!stream) return undefined
      if (stream.size >= cutoff) return chain(stream.start, stream.size)
      // 2.4: small streams are chains of 64-byte pieces of the root entry's stream.
      return streamOf(mini, runsOf(stream.start, miniFat, 2 ** miniShift, 0), stream.size)
    },
  }
}

function streamOf(source: Pick<Source, 'read'>, runs: readonly Run[], size: number): CfbStream {
  const held = runs.reduce((sum, run) => sum + run.length, 0)
  if (size > held) throw malformed('cfb', 0, `a stream of ${size} bytes has sectors for ${held}`)
  return {
    size,
    async read(offset, length) {
      const end = Math.min(size, offset + length)
      const bytes = new Uint8Array(Math.max(0, end - offset))
      let start = 0
      for (const run of runs) {
        const from = Math.max(offset, start)
        const to = Math.min(end, start + run.length)
        if (from < to) {
          const part = await source.read(run.offset + from - start, to - from)
          if (part.length < to - from) throw malformed('cfb', run.offset, 'the file ends inside a stream')
          bytes.set(part, from - offset)
        }
        start += run.length
        if (start >= end) break
      }
      return bytes
    },
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
