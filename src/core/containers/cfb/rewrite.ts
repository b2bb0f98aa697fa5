/**
 * Writes a compound file anew ([MS-CFB] 3.0) with the same directory: names, tree, classes and times stay as they are. Streams lie one
 * behind the other without free sectors. Memory: tables, and streams below the cutoff.
 */
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { message } from '../../i18n/message.ts'
import type { Sink } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { type CompoundFile, DIRECTORY_ENTRY, STREAM } from './read.ts'

const MINI_SECTOR = 64
/** Bytes. The only cutoff that [MS-CFB] 2.2 allows. */
const CUTOFF = 4096
const HEADER_DIFAT = 109
const DIFAT_SECTOR = 0xfffffffc
const FAT_SECTOR = 0xfffffffd
const END_OF_CHAIN = 0xfffffffe
const FREE = 0xffffffff
/** Largest file in bytes. Version 3 has no larger ones, and version 4 has a special sector behind this place. */
const MAX_FILE_BYTES = 0x7fff_ffff
const COPY_BYTES = 256 * 1024

/** Returns the indexes of all streams in the directory. @throws CodecError for a file that cannot be written anew */
export function streamEntries(file: CompoundFile, fileBytes: number): number[] {
  const header = new ByteReader(file.header, true)
  if (file.directoryBytes > file.directory.length || header.u32(56) !== CUTOFF || fileBytes > MAX_FILE_BYTES)
    throw unsupported('compound_file_not_rewritten')
  const directory = new ByteReader(file.directory, true)
  const found: number[] = []
  let bytes = 0
  for (let index = 0; (index + 1) * DIRECTORY_ENTRY <= directory.length; index++) {
    const at = index * DIRECTORY_ENTRY
    if (directory.u8(at + 66) !== STREAM) continue
    // Version 3 leaves the upper half of the size undefined ([MS-CFB] 2.6.1).
    if (header.u16(26) === 4 && directory.u32(at + 124) !== 0) throw unsupported('compound_file_not_rewritten')
    found.push(index)
    bytes += directory.u32(at + 120)
  }
  if (bytes > fileBytes) throw malformed('cfb', 48, message('streams_larger_than_file', { bytes, fileBytes }))
  return found
}

/** Yields a stream in pieces. */
export async function* streamChunks(file: CompoundFile, index: number): AsyncGenerator<Uint8Array> {
  const stream = file.openEntry(index)
  for (let at = 0; at < stream.size; at += COPY_BYTES) yield await stream.read(at, Math.min(COPY_BYTES, stream.size - at))
}

interface Chain {
  readonly first: number
  readonly sectors: number
}

export class CompoundRewriter {
  readonly #sink: Sink
  readonly #header: Uint8Array
  readonly #directory: Uint8Array
  readonly #sector: number
  readonly #chains: Chain[] = []
  readonly #small: { readonly index: number; readonly bytes: Uint8Array }[] = []
  /** Sectors written so far, without the header. */
  #sectors = 0

  constructor(file: CompoundFile, sink: Sink) {
    this.#sink = sink
    this.#header = file.header.slice()
    this.#directory = file.directory.slice()
    this.#sector = 2 ** new ByteReader(file.header, true).u16(30)
  }

  /** Reserves the header. Call it first. */
  async begin(): Promise<void> {
    await this.#sink.write(new Uint8Array(this.#sector))
  }

  /** Writes the stream of a directory entry. */
  async add(index: number, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const first = this.#sectors
    const held = new Uint8Array(CUTOFF)
    let size = 0
    for await (const chunk of chunks) {
      if (chunk.length === 0) continue
      const before = size
      size += chunk.length
      if (before < CUTOFF) held.set(chunk.subarray(0, CUTOFF - before), before)
      if (size < CUTOFF) continue
      if (before < CUTOFF) await this.#sink.write(held.slice())
      await this.#sink.write(chunk.slice(Math.max(0, Math.min(chunk.length, CUTOFF - before))))
    }
    if (size < CUTOFF) this.#small.push({ index, bytes: held.slice(0, size) })
    else {
      await this.#pad(size)
      this.#place(index, first, size)
      this.#chain(first)
    }
  }

  /** Writes small streams, directory and tables, and fills the header. */
  async finish(): Promise<void> {
    const small = this.#small.toSorted((a, b) => a.index - b.index)
    const miniFat = await this.#writeMiniStream(small)
    const miniFatAt = await this.#table(miniFat)
    const directoryAt = this.#sectors
    await this.#write(this.#directory)
    this.#chain(directoryAt)
    const directorySectors = this.#sectors - directoryAt
    const { fat, fatAt, fats, difat } = this.#allocation()
    await this.#sink.write(bytesOf(fat))
    if (difat.length > 0) await this.#sink.write(bytesOf(difat))
    const out = new ByteWriter(this.#header, true)
    const isVersion4 = this.#sector !== 512
    out
      .at(40)
      .u32(isVersion4 ? directorySectors : 0)
      .u32(fats)
      .u32(directoryAt)
    const [miniSectors, difatSectors] = [(miniFat.length * 4) / this.#sector, (difat.length * 4) / this.#sector]
    out
      .at(60)
      .u32(miniSectors > 0 ? miniFatAt : END_OF_CHAIN)
      .u32(miniSectors)
    out.u32(difatSectors > 0 ? fatAt + fats : END_OF_CHAIN).u32(difatSectors)
    for (let index = 0; index < HEADER_DIFAT; index++) out.u32(index < fats ? fatAt + index : FREE)
    this.#sink.patch(0, this.#header)
  }

  async #writeMiniStream(small: readonly { readonly index: number; readonly bytes: Uint8Array }[]): Promise<Uint32Array> {
    const first = this.#sectors
    const perSector = this.#sector / 4
    const count = small.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / MINI_SECTOR), 0)
    const table = new Uint32Array(Math.ceil(count / perSector) * perSector).fill(FREE)
    let next = 0
    for (const { index, bytes } of small) {
      const sectors = Math.ceil(bytes.length / MINI_SECTOR)
      for (let step = 1; step <= sectors; step++) table[next + step - 1] = step < sectors ? next + step : END_OF_CHAIN
      this.#place(index, sectors > 0 ? next : END_OF_CHAIN, bytes.length)
      next += sectors
      const padded = new Uint8Array(sectors * MINI_SECTOR)
      padded.set(bytes)
      if (sectors > 0) await this.#sink.write(padded)
    }
    this.#place(0, count > 0 ? first : END_OF_CHAIN, count * MINI_SECTOR)
    await this.#pad(count * MINI_SECTOR)
    this.#chain(first)
    return table
  }

  async #table(table: Uint32Array): Promise<number> {
    const first = this.#sectors
    await this.#write(bytesOf(table))
    this.#chain(first)
    return first
  }

  /** Returns FAT and DIFAT. They lie behind everything that is written. */
  #allocation(): { fat: Uint32Array; fatAt: number; fats: number; difat: Uint32Array } {
    const perSector = this.#sector / 4
    let [fats, difats] = [0, 0]
    while (fats * perSector < this.#sectors + fats + difats) {
      fats = Math.ceil((this.#sectors + fats + difats) / perSector)
      difats = Math.max(0, Math.ceil((fats - HEADER_DIFAT) / (perSector - 1)))
    }
    const fatAt = this.#sectors
    const fat = new Uint32Array(fats * perSector).fill(FREE)
    for (const { first, sectors } of this.#chains)
      for (let step = 1; step <= sectors; step++) fat[first + step - 1] = step < sectors ? first + step : END_OF_CHAIN
    fat.fill(FAT_SECTOR, fatAt, fatAt + fats)
    fat.fill(DIFAT_SECTOR, fatAt + fats, fatAt + fats + difats)
    const difat = new Uint32Array(difats * perSector).fill(FREE)
    for (let index = HEADER_DIFAT; index < fats; index++) {
      const slot = index - HEADER_DIFAT
      difat[slot + Math.floor(slot / (perSector - 1))] = fatAt + index
    }
    for (let index = 1; index <= difats; index++) difat[index * perSector - 1] = index < difats ? fatAt + fats + index : END_OF_CHAIN
    return { fat, fatAt, fats, difat }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) await this.#sink.write(bytes.slice())
    await this.#pad(bytes.length)
  }

  /** Fills the last sector of `size` bytes and counts the sectors. */
  async #pad(size: number): Promise<void> {
    const sectors = Math.ceil(size / this.#sector)
    const missing = sectors * this.#sector - size
    if (missing > 0) await this.#sink.write(new Uint8Array(missing))
    this.#sectors += sectors
  }

  #chain(first: number): void {
    if (this.#sectors > first) this.#chains.push({ first, sectors: this.#sectors - first })
  }

  /** Notes the first sector and the size of a stream in its directory entry. */
  #place(index: number, start: number, size: number): void {
    new ByteWriter(this.#directory, true)
      .at(index * DIRECTORY_ENTRY + 116)
      .u32(start)
      .u32(size)
      .u32(0)
  }
}

function bytesOf(table: Uint32Array): Uint8Array {
  const out = new ByteWriter(new Uint8Array(4 * table.length), true)
  for (const value of table) out.u32(value)
  return out.finish()
}
