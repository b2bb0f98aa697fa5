/**
 * Writes an archive anew: files one at a time, in their old order, each by the smallest of its old stream, libdeflate's
 * best, and plain storage. Names, times, attributes, extra fields and comments stay; what is under a password is copied.
 */

import { crc32, createDeflateRaw } from 'node:zlib'
import { discard } from '../../../../wasm/memories/discard.ts'
import { deflateInPieces, deflateThorough, deflateWithin, releaseDeflate } from '../../bytes/deflate.ts'
import { through } from '../../bytes/pipe-transform.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { Breath } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Sink } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { MAX_32 } from './end-record.ts'
import type { ZipEntry } from './entry.ts'
import { IN_MEMORY_BYTES } from './limits.ts'
import { decode, entryChunks, type LocalPart, localPart, prefixChunks, rawChunks, type ZipArchive } from './read.ts'
import {
  centralHeader,
  DEFLATED,
  type EntryFacts,
  endRecords,
  extraFields,
  FLAG_DESCRIPTOR,
  FLAG_ENCRYPTED,
  localHeader,
  STORED,
} from './records.ts'

/** What becomes of an entry. */
export type Fate =
  | { kind: 'keep' }
  /** As `keep`, but without compression and extra fields (an EPUB's `mimetype`: OCF 3.3, 4.2.2). */
  | { kind: 'store' }
  | { kind: 'drop' }
  /** `bytes` are freed when they were written. */
  | { kind: 'replace'; bytes: Uint8Array /** ASCII; the old name when absent. */; name?: string }

/** Decides an entry's fate. `load` gives its content (only for entries up to `IN_MEMORY_BYTES`). */
export type Recipe = (entry: ZipEntry, load: () => Promise<Uint8Array>) => Promise<Fate> | Fate

/** How many entries went which way, for the receipt. */
export interface Rewritten {
  recompressed: number
  kept: number
  replaced: number
  dropped: number
  /** Bytes between the members, which no entry of the directory names: older versions of members, or remains of deleted ones. */
  betweenBytes: number
}

/** Microsoft's "growth hint" (0xA220): zeros that leave a part room to grow in place. The only extra field left out. */
const GROWTH_HINT = 0xa220
const EMPTY = new Uint8Array()
const LARGE_BYTES = 256 * 1024
/** What an entry counts beside its bytes: its headers, and looking at it. */
const ENTRY_BYTES = 2048

export const KEEP: Fate = { kind: 'keep' }

export async function rewriteZip(
  archive: ZipArchive,
  sink: Sink,
  options: Pick<Options, 'signal' | 'progress'>,
  recipe: Recipe = () => KEEP,
): Promise<Rewritten> {
  const counts: Rewritten = { recompressed: 0, kept: 0, replaced: 0, dropped: 0, betweenBytes: 0 }
  const effort = effortFor(archive, options.signal)
  const breath = new Breath(LARGE_BYTES, options.signal)
  const written = new Map<ZipEntry, { facts: EntryFacts; offset: number }>()
  const totalBytes = archive.entries.reduce((sum, entry) => sum + entry.size + 1, 0)
  let doneBytes = 0
  for await (const chunk of prefixChunks(archive)) await sink.write(chunk.slice())
  for (const entry of archive.physical) {
    options.signal.throwIfAborted()
    // Large files are pictures, mostly, and their codecs want the memory.
    if (entry.size > LARGE_BYTES) releaseDeflate()
    const local = await localPart(archive, entry)
    counts.betweenBytes += await betweenBytes(archive, entry, local)
    let content: Uint8Array | undefined
    const load = async () => (content ??= decode(archive, entry, await stored(archive, entry, local)))
    const fate = entry.opaque || entry.isDirectory ? KEEP : await recipe(entry, load)
    if (fate.kind === 'drop') counts.dropped++
    else {
      const offset = sink.written - archive.base
      const facts = await writeEntry({ archive, sink, effort, counts }, { entry, local, content }, fate)
      written.set(entry, { facts, offset })
      if (fate.kind === 'replace' && entry.size > LARGE_BYTES) discard(fate.bytes)
    }
    if (content && entry.size > LARGE_BYTES) discard(content)
    doneBytes += entry.size + 1
    options.progress(doneBytes / totalBytes)
    // Lets the isolate answer others between two files, or many small ones.
    await breath.after(entry.size + ENTRY_BYTES)
  }

  const directoryOffset = sink.written
  let batch: Uint8Array[] = []
  let count = 0
  for (const entry of archive.entries) {
    const place = written.get(entry)
    if (!place) continue
    count++
    batch.push(centralHeader(place.facts, place.offset))
    if (batch.length === 256) {
      await sink.write(Buffer.concat(batch))
      batch = []
    }
  }
  if (batch.length > 0) await sink.write(Buffer.concat(batch))
  await sink.write(endRecords(count, directoryOffset - archive.base, sink.written - directoryOffset, archive.comment))
  if (archive.suffix.length > 0) await sink.write(archive.suffix.slice())
  return counts
}

/** A data descriptor (APPNOTE 4.3.9): CRC and two sizes, with a signature or without. */
const DESCRIPTOR_SIGNATURE = 0x08074b50
const [DESCRIPTOR_BYTES, WIDE_DESCRIPTOR_BYTES] = [12, 20]

/** Bytes behind a member and its data descriptor, in front of the next one. */
async function betweenBytes(archive: ZipArchive, { flags, compressedSize, size, limit }: ZipEntry, { dataOffset }: LocalPart) {
  const end = dataOffset + compressedSize
  if (end === limit || !(flags & FLAG_DESCRIPTOR)) return limit - end
  const start = await archive.reader(end, 4)
  const isSigned = start.length === 4 && new ByteReader(start, true).u32(0) === DESCRIPTOR_SIGNATURE
  const descriptor = Math.max(size, compressedSize) > MAX_32 ? WIDE_DESCRIPTOR_BYTES : DESCRIPTOR_BYTES
  const behind = limit - end - descriptor - (isSigned ? 4 : 0)
  // Some writers use the wide form for small members, too.
  return behind === WIDE_DESCRIPTOR_BYTES - DESCRIPTOR_BYTES ? 0 : Math.max(0, behind)
}

/** How hard it is tried. */
interface Effort {
  readonly level: number
  /** Bytes that may still be compressed in the slowest way, about one second of CPU a megabyte. */
  thoroughBytes: number
  readonly signal: AbortSignal
}

const THOROUGH_BYTES = 16 * 1024 * 1024

/** Level 12 for ordinary documents; less for what would take minutes. */
function effortFor(archive: ZipArchive, signal: AbortSignal): Effort {
  const bytes = archive.entries.reduce((sum, entry) => sum + (entry.size <= IN_MEMORY_BYTES ? entry.size : 0), 0)
  const level = bytes <= 32 * 1024 * 1024 ? 12 : bytes <= 128 * 1024 * 1024 ? 10 : 8
  return { level, thoroughBytes: THOROUGH_BYTES, signal }
}

/** A compressed form that is ready to be written. */
interface Stream {
  readonly method: number
  readonly size: number
  readonly compressedSize: number
  readonly crc32: number
  chunks(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** An archive on its way from the old form to the new. */
interface Rewriting {
  readonly archive: ZipArchive
  readonly sink: Sink
  readonly effort: Effort
  readonly counts: Rewritten
}

/** An entry as it was found. `content`: what is in it, where somebody asked for that before. */
interface OldEntry {
  readonly entry: ZipEntry
  readonly local: LocalPart
  readonly content: Uint8Array | undefined
}

async function writeEntry(
  { archive, sink, effort, counts }: Rewriting,
  { entry, local, content }: OldEntry,
  fate: Exclude<Fate, { kind: 'drop' }>,
): Promise<EntryFacts> {
  if (entry.opaque && entry.flags & FLAG_DESCRIPTOR) return copyWhole(archive, entry, local, sink, counts)
  const old: Stream = { ...entry, chunks: () => copies(rawChunks(archive, entry, local.dataOffset)) }
  let stream: Stream
  if (entry.opaque || isEmptyDirectory(entry)) stream = old
  else if (fate.kind === 'replace') stream = await smallest(fate.bytes, undefined, effort)
  else if (entry.size > IN_MEMORY_BYTES) stream = await largeStream(archive, entry, old, fate.kind === 'store')
  else {
    const bytes = content ?? decode(archive, entry, await stored(archive, entry, local))
    stream = fate.kind === 'store' ? storedStream(bytes) : await smallest(bytes, old, effort)
  }
  if (fate.kind === 'replace') counts.replaced++
  else if (stream === old) counts.kept++
  else counts.recompressed++

  // Sizes are known now, so no data descriptor follows; bits 1 and 2 told about the old stream (4.4.4).
  const flags = stream === old ? entry.flags & ~FLAG_DESCRIPTOR : entry.flags & ~(FLAG_DESCRIPTOR | 6)
  const facts: EntryFacts = {
    ...entry,
    flags,
    method: stream.method,
    versionNeeded: stream.method === DEFLATED ? Math.max(20, entry.versionNeeded) : entry.versionNeeded,
    crc32: stream.crc32,
    size: stream.size,
    compressedSize: stream.compressedSize,
    rawName: fate.kind === 'replace' && fate.name !== undefined ? new TextEncoder().encode(fate.name) : entry.rawName,
    extra: fate.kind === 'store' ? EMPTY : withoutGrowthHint(entry.extra),
  }
  await sink.write(localHeader(facts, fate.kind === 'store' ? EMPTY : withoutGrowthHint(local.extra)))
  for await (const chunk of stream.chunks()) await sink.write(chunk)
  return facts
}

/** One that holds something is read and checked like any file. */
const isEmptyDirectory = (entry: ZipEntry) => entry.isDirectory && entry.size === 0 && entry.crc32 === 0

/** The smallest form of `bytes`: their old stream where nothing beats it. */
async function smallest(bytes: Uint8Array, old: Stream | undefined, effort: Effort): Promise<Stream> {
  const oldSize = old && (old.method === DEFLATED || old.method === STORED) ? old.compressedSize : Number.POSITIVE_INFINITY
  const budget = Math.min(oldSize, bytes.length) - 1
  const deflated = budget > 0 ? await shrunk({ bytes, isFresh: old === undefined }, budget, effort) : undefined
  if (deflated) return { ...measured(bytes, DEFLATED), compressedSize: deflated.length, chunks: () => [deflated] }
  return old && oldSize <= bytes.length ? old : storedStream(bytes)
}

/** Below this, looking takes as long as doing. */
const LOOK_BYTES = 64 * 1024
/** What a quick look leaves more of is a picture or a film, and stays as it is. */
const COMPRESSED_SHARE = 0.998

/** And what was made just now and leaves more of itself is another picture: the slowest way takes a fifth of its time for 0.3 % of its bytes. */
const CODED_SHARE = 0.98

/** libdeflate wants a few bytes more than it writes. */
const MARGIN_BYTES = 16

async function shrunk(
  { bytes, isFresh }: { readonly bytes: Uint8Array; readonly isFresh: boolean },
  budget: number,
  effort: Effort,
): Promise<Uint8Array | undefined> {
  const isLong = bytes.length > LOOK_BYTES
  const compressible = Math.floor(bytes.length * COMPRESSED_SHARE)
  let isCoded = false
  if (isLong) {
    const look = deflateWithin('raw', bytes, compressible, 1)
    if (!look) return undefined
    isCoded = isFresh && look.length > bytes.length * CODED_SHARE
    discard(look)
  }
  const mayBeThorough = bytes.length <= effort.thoroughBytes && !isCoded
  const thorough = () => deflateThorough(bytes, budget + MARGIN_BYTES, effort.signal)
  // Of what is long, level 12 makes a third of the work and never less bytes.
  if (mayBeThorough && isLong) {
    effort.thoroughBytes -= bytes.length
    return within(await thorough(), budget)
  }
  const plain = await deflateInPieces(bytes, mayBeThorough ? compressible : budget, effort.level, effort.signal)
  if (!mayBeThorough || !plain) return plain
  effort.thoroughBytes -= bytes.length
  const best = within(await thorough(), Math.min(budget, plain.length - 1))
  return best ?? within(plain, budget)
}

function within(bytes: Uint8Array | undefined, budget: number): Uint8Array | undefined {
  return bytes && bytes.length <= budget ? bytes : undefined
}

/** The bytes are copied: the sink owns what it is given, and ours may be a view of a window. */
const storedStream = (bytes: Uint8Array): Stream => ({ ...measured(bytes, STORED), chunks: () => [bytes.slice()] })
const measured = (bytes: Uint8Array, method: number) => ({ method, size: bytes.length, compressedSize: bytes.length, crc32: crc32(bytes) })

/** Files that do not fit in memory: a first pass tells whether zlib beats the old stream, a second one writes. */
async function largeStream(archive: ZipArchive, entry: ZipEntry, old: Stream, store: boolean): Promise<Stream> {
  const plain: Stream = {
    method: STORED,
    size: entry.size,
    compressedSize: entry.size,
    crc32: entry.crc32,
    chunks: () => copies(entryChunks(archive, entry)),
  }
  if (store) return plain
  const deflated = () => through(createDeflateRaw({ level: 9, memLevel: 9 }), entryChunks(archive, entry))
  let compressedSize = 0
  for await (const chunk of deflated()) compressedSize += chunk.length
  const best = Math.min(compressedSize, old.compressedSize, plain.size)
  if (best === old.compressedSize) return old
  return best === plain.size ? plain : { ...plain, method: DEFLATED, compressedSize, chunks: deflated }
}

/** Encrypted data with a descriptor: the descriptor stays, since the password check may depend on it (APPNOTE 6.1.6). */
async function copyWhole(archive: ZipArchive, entry: ZipEntry, local: LocalPart, sink: Sink, counts: Rewritten): Promise<EntryFacts> {
  const dataEnd = local.dataOffset + entry.compressedSize
  const tail = entry.limit - dataEnd
  if (tail > 24 || !(entry.flags & FLAG_ENCRYPTED))
    throw malformed(archive.format, dataEnd, message('bytes_instead_of_data_descriptor', { tail }))
  await sink.write(local.header.slice())
  for await (const chunk of rawChunks(archive, entry, local.dataOffset)) await sink.write(chunk.slice())
  await sink.write((await archive.reader(dataEnd, tail)).slice())
  counts.kept++
  return entry
}

async function stored(archive: ZipArchive, entry: ZipEntry, local: LocalPart): Promise<Uint8Array> {
  const raw = await archive.reader(local.dataOffset, entry.compressedSize)
  if (raw.length < entry.compressedSize) throw malformed(archive.format, local.dataOffset, 'file_ends_inside_entry')
  return raw
}

async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunk.slice()
}

function withoutGrowthHint(extra: Uint8Array): Uint8Array {
  if (extra.length === 0) return extra
  const kept = [...extraFields(extra)].filter((field) => field.id !== GROWTH_HINT)
  return kept.length > 0 ? Buffer.concat(kept.map((field) => field.whole)) : EMPTY
}
