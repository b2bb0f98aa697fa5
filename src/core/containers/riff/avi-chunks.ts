/** Finds every chunk of every stream of an AVI file: from `idx1`, from OpenDML indexes or by walking the lists. */

import { type CompactArray, createCompactArray } from '../../bytes/compact-array.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { fourCC } from './riff.ts'
import { INDEX_PROBES, INDEX_WINDOW_BYTES, MAX_AVI_CHUNKS, SHORT_INDEX_ENTRIES } from './tuning.ts'

/** Range of bytes of the file. */
export interface ByteRange {
  readonly offset: number
  readonly size: number
}

/** All chunks in file order, as columns: a film of two hours has half a million chunks. */
export class AviChunks {
  count = 0
  stream = new Uint8Array(0)
  /** Last two of a chunk id's four characters (`dc`, `db`, `wb`, …), low byte first. */
  kind = new Uint16Array(0)
  /** File offset of the chunk's body. */
  offset = new Float64Array(0)
  size = new Uint32Array(0)
  key = new Uint8Array(0)

  add(stream: number, kind: number, offset: number, size: number, key: boolean): void {
    if (this.count === this.stream.length) this.#grow(Math.max(1024, this.count * 2))
    if (this.count >= MAX_AVI_CHUNKS) throw malformed('avi', offset, 'too_many_chunks')
    this.stream[this.count] = stream
    this.kind[this.count] = kind
    this.offset[this.count] = offset
    this.size[this.count] = size
    this.key[this.count] = key ? 1 : 0
    this.count++
  }

  /** Indexes of a stream's chunks, in file order. */
  indexesOfStream(stream: number): Uint32Array {
    const found = new Uint32Array(this.count)
    let count = 0
    for (let i = 0; i < this.count; i++) if (this.stream[i] === stream) found[count++] = i
    return found.subarray(0, count)
  }

  /** File offsets of the chunks at `indexes`. */
  offsetsOf(indexes: Uint32Array): CompactArray {
    const offsets = createCompactArray(
      indexes.length,
      indexes.reduce((largest, chunk) => Math.max(largest, this.offset[chunk]!), 0),
    )
    indexes.forEach((chunk, i) => void (offsets[i] = this.offset[chunk]!))
    return offsets
  }

  #grow(capacity: number): void {
    const grown = <Column extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(column: Column, fresh: Column): Column => {
      fresh.set(column)
      return fresh
    }
    this.stream = grown(this.stream, new Uint8Array(capacity))
    this.kind = grown(this.kind, new Uint16Array(capacity))
    this.offset = grown(this.offset, new Float64Array(capacity))
    this.size = grown(this.size, new Uint32Array(capacity))
    this.key = grown(this.key, new Uint8Array(capacity))
  }
}

const u16 = (bytes: Uint8Array, at: number) => bytes[at]! | (bytes[at + 1]! << 8)
const u32 = (bytes: Uint8Array, at: number) => new ByteReader(bytes, true).u32(at)
const u64 = (bytes: Uint8Array, at: number) => u32(bytes, at) + u32(bytes, at + 4) * 2 ** 32

/** Stream number in the first two characters of a chunk id. -1: the id has no number. */
function streamAt(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [bytes[at]! - 0x30, bytes[at + 1]! - 0x30]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}

/** Error for a chunk whose stream has no header: its data would be lost. */
const missingHeaderError = (at: number, stream: number) => malformed('avi', at, message('chunk_of_stream_has_no_header', { stream }))

/** True if index entries point to chunks of their streams. Players ignore an index that does not, and walk the lists. */
async function namesChunks(source: Source, chunks: AviChunks): Promise<boolean> {
  const step = chunks.count > SHORT_INDEX_ENTRIES ? Math.floor(chunks.count / INDEX_PROBES) : 1
  // Check index entries from the last one: one extra byte anywhere in the file shifts it.
  for (let i = chunks.count - 1; i >= 0; i -= step) {
    const header = await source.read(chunks.offset[i]! - 8, 4)
    if (header.length < 4 || streamAt(header, 0) !== chunks.stream[i]) return false
  }
  return true
}

/**
 * Reads `idx1` (AVIOLDINDEX): id, flags, offset, size. Offsets count from the `movi` list or from the start of the file.
 * @returns `undefined` if the index has no entries, or if its entries do not point to chunks
 */
export async function readIdx1(source: Source, movi: ByteRange, idx1: ByteRange, streams: number): Promise<AviChunks | undefined> {
  if (idx1.size > MAX_AVI_CHUNKS * 16) throw malformed('avi', idx1.offset, message('index_of_bytes', { size: idx1.size }))
  const left = idx1.size % 16
  if ((await source.read(idx1.offset + idx1.size - left, left)).some((byte) => byte !== 0))
    throw malformed('avi', idx1.offset + idx1.size - left, message('bytes_left_over', { left, parent: 'idx1' }))
  const chunks = new AviChunks()
  const otherEntries = new OtherEntries(source, movi)
  let base: number | undefined
  for (let done = 0; done + 16 <= idx1.size; ) {
    const table = await source.read(idx1.offset + done, Math.min(INDEX_WINDOW_BYTES, idx1.size - done))
    if (table.length < 16) break
    for (let at = 0; at + 16 <= table.length; at += 16, done += 16) {
      const stream = streamAt(table, at)
      if (stream < 0) {
        await otherEntries.check(table.subarray(at, at + 16), idx1.offset + done)
        continue
      }
      if (stream >= streams) throw missingHeaderError(idx1.offset + done, stream)
      const offset = u32(table, at + 8)
      if (base === undefined) {
        const probe = await source.read(offset, 4)
        base = probe.length === 4 && fourCC(probe, 0) === fourCC(table, at) ? 0 : movi.offset - 4
      }
      const size = u32(table, at + 12)
      if (base + offset + 8 + size > source.size) throw malformed('avi', idx1.offset + done, 'index_entry_points_over_end')
      chunks.add(stream, u16(table, at + 2), base + offset + 8, size, (u32(table, at + 4) & 0x10) !== 0)
    }
  }
  return chunks.count > 0 && (await namesChunks(source, chunks)) ? chunks : undefined
}

/**
 * Index entries without a stream number, such as `rec ` for a group of chunks. They are not written again, so they must be entries: an
 * index with a wrong size also covers the chunks after it.
 */
class OtherEntries {
  readonly #source: Source
  readonly #movi: ByteRange
  readonly #known = new Set(['rec ', '\0\0\0\0'])

  constructor(source: Source, movi: ByteRange) {
    this.#source = source
    this.#movi = movi
  }

  /** @throws CodecError (malformed) if the first entry with its id points neither to a chunk with this id nor to one of a stream */
  async check(entry: Uint8Array, at: number): Promise<void> {
    const id = fourCC(entry, 0)
    if (this.#known.has(id)) return
    for (const base of [0, this.#movi.offset - 4]) {
      const found = await this.#source.read(base + u32(entry, 8), 4)
      if (found.length === 4 && (fourCC(found, 0) === id || streamAt(found, 0) >= 0)) {
        this.#known.add(id)
        return
      }
    }
    throw malformed('avi', at, message('bytes_left_over', { left: entry.length, parent: 'idx1' }))
  }
}

/** The `indx` chunk of a stream. */
export interface SuperIndex {
  readonly stream: number
  readonly body: Uint8Array
}

/**
 * Reads OpenDML indexes (OpenDML 1.02, "AVI Index Locations in RIFF File"): each stream header has an index of indexes.
 * @returns `undefined` if a stream has no index or an index does not fit the file; the lists must then be walked
 */
export async function readOpenDmlIndexes(source: Source, supers: readonly SuperIndex[], streams: number): Promise<AviChunks | undefined> {
  if (supers.length !== streams) return undefined
  const indexes: AviChunks[] = []
  for (const { stream, body } of supers) {
    const index = await readSuperIndex(source, stream, body)
    if (!index) return undefined
    indexes.push(index)
  }
  return merge(indexes)
}

async function readSuperIndex(source: Source, stream: number, body: Uint8Array): Promise<AviChunks | undefined> {
  // Fields: wLongsPerEntry 4, bIndexSubType 0, bIndexType 0 (AVI_INDEX_OF_INDEXES), nEntriesInUse at 4, dwChunkId at 8, 12 reserved bytes.
  if (body.length < 24 || u16(body, 0) !== 4 || body[2] !== 0 || body[3] !== 0) return undefined
  const entries = u32(body, 4)
  if (24 + entries * 16 > body.length) return undefined
  const chunks = new AviChunks()
  for (let entry = 0; entry < entries; entry++) {
    const offset = u64(body, 24 + entry * 16)
    const size = u32(body, 32 + entry * 16)
    if (size < 32 || offset + size > source.size) return undefined
    const head = (await source.read(offset, 32)).slice()
    // Fields after the chunk header: wLongsPerEntry 2, bIndexSubType 0, bIndexType 1 (AVI_INDEX_OF_CHUNKS), entries, id, base, reserved.
    if (head.length < 32 || u16(head, 8) !== 2 || head[10] !== 0 || head[11] !== 1 || streamAt(head, 16) !== stream) return undefined
    const rows = u32(head, 12)
    if (32 + rows * 8 > size) return undefined
    const [kind, base] = [u16(head, 18), u64(head, 20)]
    for (let row = 0; row < rows; ) {
      const table = await source.read(offset + 32 + row * 8, Math.min(INDEX_WINDOW_BYTES, (rows - row) * 8))
      if (table.length < 8) return undefined
      for (let at = 0; at + 8 <= table.length; at += 8, row++) {
        // OpenDML offsets point to the chunk's body. Bit 31 of the size means "not a key frame".
        const [place, length] = [base + u32(table, at), u32(table, at + 4)]
        if (place + (length & 0x7fffffff) > source.size) return undefined
        chunks.add(stream, kind, place, length & 0x7fffffff, length < 0x80000000)
      }
    }
  }
  return chunks.count ? chunks : undefined
}

/** Merges the chunks of all streams by file offset. Chunks of one stream keep their order. */
function merge(indexes: readonly AviChunks[]): AviChunks {
  const all = new AviChunks()
  const next = indexes.map(() => 0)
  for (;;) {
    let best = -1
    for (let i = 0; i < indexes.length; i++) {
      if (next[i]! >= indexes[i]!.count) continue
      if (best < 0 || indexes[i]!.offset[next[i]!]! < indexes[best]!.offset[next[best]!]!) best = i
    }
    if (best < 0) return all
    const [index, at] = [indexes[best]!, next[best]!++]
    all.add(index.stream[at]!, index.kind[at]!, index.offset[at]!, index.size[at]!, index.key[at] === 1)
  }
}

/** Lists all chunks without an index, by walking the lists. Only a stream's first chunk and sound chunks count as key frames. */
export async function walkLists(source: Source, lists: readonly ByteRange[], streams: number): Promise<AviChunks> {
  const chunks = new AviChunks()
  const seen = new Set<number>()
  let window: Uint8Array = new Uint8Array()
  let windowAt = 0
  for (const list of lists) {
    let at = list.offset
    const end = list.offset + list.size
    while (at + 8 <= end) {
      if (at < windowAt || at + 12 > windowAt + window.length) {
        window = await source.read(at, INDEX_WINDOW_BYTES)
        windowAt = at
        if (window.length < 8) break
      }
      const id = fourCC(window, at - windowAt)
      const size = u32(window, at - windowAt + 4)
      if (id === 'LIST') {
        at += 12 // `rec ` lists only group chunks, so enter them.
        continue
      }
      if (at + 8 + size > source.size) throw malformed('avi', at, message('chunk_of_bytes_runs_over_end', { id, size }))
      const stream = streamAt(window, at - windowAt)
      // Ids of OpenDML index chunks (`ix##`) do not begin with a number.
      if (stream >= streams) throw missingHeaderError(at, stream)
      if (stream >= 0) {
        // Decoding of sound can start at any chunk (0x77 is the "w" of `wb`).
        chunks.add(stream, u16(window, at - windowAt + 2), at + 8, size, !seen.has(stream) || window[at - windowAt + 2] === 0x77)
        seen.add(stream)
      }
      at += 8 + size + (size & 1)
    }
  }
  return chunks
}
