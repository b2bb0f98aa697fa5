/** Writes an AVI 1.0 file with `idx1`. Headers change only for new streams, and chunks keep their order. */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Options, Sink, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { WriteBuffer } from '../../model/sink.ts'
import { ReadWindow } from '../packet-window.ts'
import type { Avi, AviStream, TopLevelChunk } from './avi.ts'
import { isPadding } from './inner-chunks.ts'
import { chunkHeader } from './riff.ts'
import { BATCH_BYTES, MAX_WINDOWS } from './tuning.ts'

/** New chunks that are adjacent in a source. */
export interface ChunkRun {
  readonly from: Source
  readonly offset: number
  readonly sizes: Uint32Array
  /** For each chunk, 1 if it is a key frame. `undefined`: all chunks are key frames. */
  readonly keys?: Uint8Array
}

/** A stream whose chunks were encoded again. */
export interface NewStream {
  readonly runs: readonly ChunkRun[]
  /** Last two characters of the chunk ids: `dc` video, `wb` sound. */
  readonly kind: 'dc' | 'wb'
  /** Returns new bodies of `strh` and `strf`. The writer fills in the size of the largest chunk. */
  headers(strh: Uint8Array, strf: Uint8Array): { strh: Uint8Array; strf: Uint8Array }
  /**
   * Number of new chunks to write up to the position of the next old chunk. Called once for each old chunk in order, with its size in
   * bytes.
   */
  dueChunks(oldBytes: number): number
}

/** Bytes of the largest file with only `idx1`. Larger files need OpenDML indexes. */
const MAX_BYTES = 2 ** 31 - 2 ** 20
const KEY_FRAME = 0x10

export interface AviPlan {
  readonly total: number
  write(sink: Sink, options: Options): Promise<void>
}

/**
 * Plans the new file.
 * @param fresh new streams by stream number; other streams are copied
 * @throws CodecError (unsupported_feature) if the result would need OpenDML
 */
export function planAvi(source: Source, avi: Avi, fresh: ReadonlyMap<number, NewStream>): AviPlan {
  const entries = entriesOf(source, avi, fresh)
  let moviBytes = 4
  for (let i = 0; i < entries.count; i++) moviBytes += 8 + entries.size[i]! + (entries.size[i]! & 1)
  const header = list('hdrl', [
    chunk('avih', newAvih(avi)),
    ...avi.streams.map((stream) => streamList(stream, fresh.get(stream.index))),
    ...avi.headers.filter(({ body }) => !isOpenDml(body)).map(({ id, body }) => chunk(id, body)),
  ])
  const othersBytes = avi.others.reduce((sum, { size }) => sum + size, 0)
  const total = 12 + header.length + 8 + moviBytes + 8 + entries.count * 16 + othersBytes
  if (total > MAX_BYTES) throw unsupported('avi_file_of_more_than_2_gib')
  return {
    total,
    async write(sink, options) {
      const riff = chunkHeader('RIFF', total - 8)
      const others = async (inFront: boolean) => {
        for (const other of avi.others) if (other.isBeforeMedia === inFront) await copy(source, other, sink, options)
      }
      await sink.write(concat([riff, ascii('AVI '), header]))
      await others(true)
      await sink.write(concat([chunkHeader('LIST', moviBytes), ascii('movi')]))
      await writeEntries(entries, sink, options)
      await writeIndex(entries, sink)
      await others(false)
    },
  }
}

async function copy(source: Source, { offset, size }: TopLevelChunk, sink: Sink, options: Options): Promise<void> {
  for (let at = 0; at < size; at += BATCH_BYTES) {
    options.signal.throwIfAborted()
    await sink.write((await source.read(offset + at, Math.min(BATCH_BYTES, size - at))).slice())
  }
}

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const chunk = (id: string, body: Uint8Array) => concat([chunkHeader(id, body.length), body, new Uint8Array(body.length & 1)])
const list = (type: string, parts: Uint8Array[]) => chunk('LIST', concat([ascii(type), ...parts]))
/** True for OpenDML's extended header, which an AVI 1.0 file does not need. */
export const isOpenDml = (body: Uint8Array) => latin1Of(body.subarray(0, 4)) === 'odml'

/** One chunk of the new AVI file. */
interface Entry {
  readonly stream: number
  /** Last two characters of the chunk id as a number, low byte first. */
  readonly kind: number
  readonly key: number
  readonly size: number
  readonly offset: number
  /** Index of the chunk's source in `Entries.sources`. */
  readonly from: number
}

/** Chunks of the new AVI file, as columns. */
class Entries {
  count = 0
  readonly stream: Uint8Array
  readonly kind: Uint16Array
  readonly key: Uint8Array
  readonly size: Uint32Array
  readonly offset: Float64Array
  /** Index of each chunk's source in `sources`. */
  readonly from: Uint16Array
  readonly sources: Source[] = []

  constructor(capacity: number) {
    this.stream = new Uint8Array(capacity)
    this.kind = new Uint16Array(capacity)
    this.key = new Uint8Array(capacity)
    this.size = new Uint32Array(capacity)
    this.offset = new Float64Array(capacity)
    this.from = new Uint16Array(capacity)
  }

  add({ stream, kind, key, size, offset, from }: Entry): void {
    const i = this.count++
    this.stream[i] = stream
    this.kind[i] = kind
    this.key[i] = key
    this.size[i] = size
    this.offset[i] = offset
    this.from[i] = from
  }

  id(i: number): Uint8Array {
    const [number, kind] = [this.stream[i]!, this.kind[i]!]
    return Uint8Array.of(0x30 + Math.floor(number / 10), 0x30 + (number % 10), kind & 255, kind >> 8)
  }
}

/** Iterates over the new chunks of a stream. */
class Cursor {
  readonly #fresh: NewStream
  readonly #stream: number
  #run = 0
  #at = 0
  #offset: number
  #added = 0

  constructor(stream: number, fresh: NewStream) {
    this.#stream = stream
    this.#fresh = fresh
    this.#offset = fresh.runs[0]?.offset ?? 0
  }

  /** Adds chunks to `into` until this cursor has added `wanted` chunks in total. */
  addUpTo(wanted: number, into: Entries): void {
    const { runs, kind } = this.#fresh
    const letters = kind.charCodeAt(0) | (kind.charCodeAt(1) << 8)
    while (this.#added < wanted && this.#run < runs.length) {
      const { from, sizes, keys } = runs[this.#run]!
      if (this.#at === sizes.length) {
        this.#at = 0
        this.#offset = runs[++this.#run]?.offset ?? 0
        continue
      }
      const size = sizes[this.#at]!
      if (into.sources.at(-1) !== from && !into.sources.includes(from)) into.sources.push(from)
      const place = { size, offset: this.#offset, from: into.sources.indexOf(from) }
      into.add({ stream: this.#stream, kind: letters, key: keys ? keys[this.#at]! : 1, ...place })
      this.#offset += size
      this.#at++
      this.#added++
    }
  }
}

function entriesOf(source: Source, { chunks }: Avi, fresh: ReadonlyMap<number, NewStream>): Entries {
  let capacity = chunks.count
  for (const { runs } of fresh.values()) capacity += runs.reduce((sum, { sizes }) => sum + sizes.length, 0)
  const entries = new Entries(capacity)
  entries.sources.push(source)
  const cursors = new Map([...fresh].map(([stream, newStream]) => [stream, new Cursor(stream, newStream)]))
  for (let i = 0; i < chunks.count; i++) {
    const [stream, size] = [chunks.stream[i]!, chunks.size[i]!]
    const cursor = cursors.get(stream)
    // An empty video chunk repeats the previous frame, so it is copied.
    if (!cursor || (size === 0 && fresh.get(stream)!.kind === 'dc')) {
      entries.add({ stream, kind: chunks.kind[i]!, key: chunks.key[i]!, size, offset: chunks.offset[i]!, from: 0 })
    } else cursor.addUpTo(fresh.get(stream)!.dueChunks(size), entries)
  }
  for (const cursor of cursors.values()) cursor.addUpTo(Number.POSITIVE_INFINITY, entries)
  return entries
}

/** `avih` with new dwFlags (at 12): sets "has an index" and clears "must use the index order". */
function newAvih({ avih }: Avi): Uint8Array {
  const flags = new ByteReader(avih, true).u32(12)
  return new ByteWriter(avih.slice(), true)
    .at(12)
    .u32((flags | 0x10) & ~0x20)
    .finish()
}

function streamList(stream: AviStream, fresh: NewStream | undefined): Uint8Array {
  const newHeaders = fresh?.headers(stream.strh.slice(), stream.strf)
  if (newHeaders && fresh) {
    let largest = 0
    for (const { sizes } of fresh.runs) for (const size of sizes) largest = Math.max(largest, size)
    new ByteWriter(newHeaders.strh, true).at(36).u32(largest) // field dwSuggestedBufferSize of the stream header
  }
  const parts = stream.parts
    .filter((part) => part.id !== 'indx' && !isPadding(part))
    .map(({ id, body }) => chunk(id, (id === 'strh' && newHeaders?.strh) || (id === 'strf' && newHeaders?.strf) || body))
  return list('strl', parts)
}

async function writeIndex(entries: Entries, sink: Sink): Promise<void> {
  await sink.write(chunkHeader('idx1', entries.count * 16))
  const rows = BATCH_BYTES / 16
  let place = 4
  for (let first = 0; first < entries.count; first += rows) {
    const last = Math.min(entries.count, first + rows)
    const table = new ByteWriter(new Uint8Array((last - first) * 16), true)
    for (let i = first; i < last; i++) {
      const size = entries.size[i]!
      table
        .bytes(entries.id(i))
        .u32(entries.key[i] ? KEY_FRAME : 0)
        .u32(place)
        .u32(size)
      place += 8 + size + (size & 1)
    }
    await sink.write(table.finish())
  }
}

async function writeEntries(entries: Entries, sink: Sink, options: Options): Promise<void> {
  const gathered = new WriteBuffer(sink)
  const windows = new Map<number, ReadWindow>()
  const windowOn = (from: number) => {
    const window = windows.get(from) ?? new ReadWindow(entries.sources[from]!, BATCH_BYTES)
    windows.delete(from)
    windows.set(from, window)
    for (const [oldest, old] of windows) {
      if (windows.size <= MAX_WINDOWS) break
      windows.delete(oldest)
      old[Symbol.dispose]()
    }
    return window
  }
  for (let i = 0; i < entries.count; i++) {
    if (i % 256 === 0) options.signal.throwIfAborted()
    const size = entries.size[i]!
    await gathered.write(new ByteWriter(new Uint8Array(8), true).bytes(entries.id(i)).u32(size).finish())
    if (size) await gathered.write(await windowOn(entries.from[i]!).read(entries.offset[i]!, size))
    if (size & 1) await gathered.write(new Uint8Array(1))
  }
  await gathered.flush()
  for (const window of windows.values()) window[Symbol.dispose]()
}
