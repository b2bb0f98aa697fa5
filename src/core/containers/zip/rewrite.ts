/**
 * Writes an archive again, one file at a time in the old order. Each file uses the smallest of its old stream, libdeflate's best stream and
 * no compression.
 * Names, times, attributes, extra fields and comments stay. Encrypted files are copied.
 */

import { discard } from '../../../../wasm/memories/discard.ts'
import { concat } from '../../bytes/concat.ts'
import { crc32 } from '../../bytes/crc32.ts'
import { deflateInPieces, deflateStream, deflateThorough, deflateWithin, releaseDeflate } from '../../bytes/deflate.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import { DEFAULT_EFFORT } from '../../catalog/effort.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Sink } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { alignedExtra } from './alignment.ts'
import { MAX_32 } from './end-record.ts'
import type { ZipEntry } from './entry.ts'
import { IN_MEMORY_BYTES } from './limits.ts'
import { decodeEntry, entryChunks, type LocalHeader, prefixChunks, rawChunks, readLocalHeader, type ZipArchive } from './read.ts'
import {
  centralHeader,
  DEFLATED,
  type EntryMetadata,
  endRecords,
  extraFields,
  FLAG_DESCRIPTOR,
  FLAG_ENCRYPTED,
  LOCAL_BYTES,
  localHeader,
  STORED,
} from './records.ts'
import {
  BEST_THOROUGH_BYTES,
  COMPRESSED_SHARE,
  ENTRY_COST_BYTES,
  FAST_LEVEL,
  LARGE_ENTRY_BYTES,
  MIN_TRIAL_BYTES,
  NEW_PICTURE_SHARE,
  OUTPUT_MARGIN_BYTES,
  STREAMED_LEVEL,
  THOROUGH_BYTES,
} from './tuning.ts'

/** Action for an entry of the archive. */
export type EntryAction =
  | { kind: 'keep' }
  /** Like `keep`, but without compression and extra fields. Required for the `mimetype` of an EPUB (OCF 3.3, 4.2.2). */
  | { kind: 'store' }
  /** Keeps a stored entry stored. Its data begin at a multiple of `alignment` bytes, for programs that map it into memory. */
  | { kind: 'keep-stored'; alignment: number }
  | { kind: 'drop' }
  /** The writer frees `bytes` after use. */
  | { kind: 'replace'; bytes: Uint8Array /** ASCII name. `undefined`: the old name. */; name?: string }

/** Decides the action for an entry. `load` returns its content, only for entries up to `IN_MEMORY_BYTES`. */
export type ChooseAction = (entry: ZipEntry, load: () => Promise<Uint8Array>) => Promise<EntryAction> | EntryAction

/** Number of entries for each action, for the receipt. */
export interface RewriteCounts {
  recompressed: number
  kept: number
  replaced: number
  dropped: number
  /** Bytes between members that no directory entry refers to: old versions of members, or remains of deleted ones. */
  betweenBytes: number
}

/** Id of Microsoft's "growth hint" extra field (0xA220): zeros so that a part can grow in place. The only extra field that is dropped. */
const GROWTH_HINT = 0xa220
const EMPTY = new Uint8Array()

export const KEEP: EntryAction = { kind: 'keep' }

export async function rewriteZip(
  archive: ZipArchive,
  sink: Sink,
  options: Pick<Options, 'signal' | 'progress' | 'effort'>,
  chooseAction: ChooseAction = () => KEEP,
): Promise<RewriteCounts> {
  const counts: RewriteCounts = { recompressed: 0, kept: 0, replaced: 0, dropped: 0, betweenBytes: 0 }
  const effort = effortFor(archive, options)
  const yieldBudget = new YieldBudget(LARGE_ENTRY_BYTES, options.signal)
  const written = new Map<ZipEntry, { facts: EntryMetadata; offset: number }>()
  const totalBytes = archive.entries.reduce((sum, entry) => sum + entry.size + 1, 0)
  let doneBytes = 0
  for await (const chunk of prefixChunks(archive)) await sink.write(chunk.slice())
  for (const entry of archive.physical) {
    options.signal.throwIfAborted()
    // Large files are mostly pictures, and picture codecs need the memory.
    if (entry.size > LARGE_ENTRY_BYTES) releaseDeflate()
    const local = await readLocalHeader(archive, entry)
    counts.betweenBytes += await betweenBytes(archive, entry, local)
    let content: Uint8Array | undefined
    const load = async () => (content ??= decodeEntry(archive, entry, await stored(archive, entry, local)))
    const action = entry.opaque || entry.isDirectory ? KEEP : await chooseAction(entry, load)
    if (action.kind === 'drop') counts.dropped++
    else {
      const offset = sink.written - archive.base
      const facts = await writeEntry({ archive, sink, effort, counts }, { entry, local, content }, action)
      written.set(entry, { facts, offset })
      if (action.kind === 'replace' && entry.size > LARGE_ENTRY_BYTES) discard(action.bytes)
    }
    if (content && entry.size > LARGE_ENTRY_BYTES) discard(content)
    doneBytes += entry.size + 1
    options.progress(doneBytes / totalBytes)
    // Yields to other tasks of the isolate between two large files or after many small ones.
    await yieldBudget.after(entry.size + ENTRY_COST_BYTES)
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
      await sink.write(concat(batch))
      batch = []
    }
  }
  if (batch.length > 0) await sink.write(concat(batch))
  await sink.write(endRecords(count, directoryOffset - archive.base, sink.written - directoryOffset, archive.comment))
  if (archive.suffix.length > 0) await sink.write(archive.suffix.slice())
  return counts
}

/** Data descriptor (APPNOTE.TXT 4.3.9): CRC and two sizes, with or without a signature. */
const DESCRIPTOR_SIGNATURE = 0x08074b50
const [DESCRIPTOR_BYTES, WIDE_DESCRIPTOR_BYTES] = [12, 20]

/** Bytes after a member and its data descriptor, up to the next member. */
async function betweenBytes(archive: ZipArchive, { flags, compressedSize, size, limit }: ZipEntry, { dataOffset }: LocalHeader) {
  const end = dataOffset + compressedSize
  if (end === limit || !(flags & FLAG_DESCRIPTOR)) return limit - end
  const start = await archive.reader(end, 4)
  const isSigned = start.length === 4 && new ByteReader(start, true).u32(0) === DESCRIPTOR_SIGNATURE
  const descriptor = Math.max(size, compressedSize) > MAX_32 ? WIDE_DESCRIPTOR_BYTES : DESCRIPTOR_BYTES
  const behind = limit - end - descriptor - (isSigned ? 4 : 0)
  // Some writers use the 8-byte size form for small members too.
  return behind === WIDE_DESCRIPTOR_BYTES - DESCRIPTOR_BYTES ? 0 : Math.max(0, behind)
}

/** Compression effort for an archive. */
interface Effort {
  readonly level: number
  /** Bytes that may still be compressed by the slowest method, which takes about 1 s of CPU a megabyte. */
  thoroughBytes: number
  readonly signal: AbortSignal
}

/** libdeflate level 12 up to 32 MiB of content, 10 up to 128 MiB, 8 above, where level 12 would take minutes; `FAST_LEVEL` if fast. */
function effortFor(archive: ZipArchive, { signal, effort = DEFAULT_EFFORT }: Pick<Options, 'signal' | 'effort'>): Effort {
  const bytes = archive.entries.reduce((sum, entry) => sum + (entry.size <= IN_MEMORY_BYTES ? entry.size : 0), 0)
  const level = bytes <= 32 * 1024 * 1024 ? 12 : bytes <= 128 * 1024 * 1024 ? 10 : 8
  if (effort === 'fast') return { level: Math.min(level, FAST_LEVEL), thoroughBytes: 0, signal }
  return { level, thoroughBytes: effort === 'best' ? BEST_THOROUGH_BYTES : THOROUGH_BYTES, signal }
}

/** Compressed form of an entry, ready to be written. */
interface Stream {
  readonly method: number
  readonly size: number
  readonly compressedSize: number
  readonly crc32: number
  chunks(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** State of an archive that is being rewritten. */
interface Rewriting {
  readonly archive: ZipArchive
  readonly sink: Sink
  readonly effort: Effort
  readonly counts: RewriteCounts
}

/** An entry of the old archive. `content`: its decompressed bytes if the recipe loaded them, otherwise `undefined`. */
interface OldEntry {
  readonly entry: ZipEntry
  readonly local: LocalHeader
  readonly content: Uint8Array | undefined
}

async function writeEntry(
  { archive, sink, effort, counts }: Rewriting,
  { entry, local, content }: OldEntry,
  action: Exclude<EntryAction, { kind: 'drop' }>,
): Promise<EntryMetadata> {
  if (entry.opaque && entry.flags & FLAG_DESCRIPTOR) return copyWhole(archive, entry, local, sink, counts)
  const old: Stream = { ...entry, chunks: () => copies(rawChunks(archive, entry, local.dataOffset)) }
  let stream: Stream
  if (entry.opaque || isEmptyDirectory(entry) || action.kind === 'keep-stored') stream = old
  else if (action.kind === 'replace') stream = await smallest(action.bytes, undefined, effort)
  else if (entry.size > IN_MEMORY_BYTES) stream = await largeStream(archive, entry, old, action.kind === 'store')
  else {
    const bytes = content ?? decodeEntry(archive, entry, await stored(archive, entry, local))
    stream = action.kind === 'store' ? storedStream(bytes) : await smallest(bytes, old, effort)
  }
  if (action.kind === 'replace') counts.replaced++
  else if (stream === old) counts.kept++
  else counts.recompressed++

  // Sizes are known now, so no data descriptor follows. Bits 1 and 2 describe the old Deflate stream (APPNOTE.TXT 4.4.4).
  const flags = stream === old ? entry.flags & ~FLAG_DESCRIPTOR : entry.flags & ~(FLAG_DESCRIPTOR | 6)
  const facts: EntryMetadata = {
    ...entry,
    flags,
    method: stream.method,
    versionNeeded: stream.method === DEFLATED ? Math.max(20, entry.versionNeeded) : entry.versionNeeded,
    crc32: stream.crc32,
    size: stream.size,
    compressedSize: stream.compressedSize,
    rawName: action.kind === 'replace' && action.name !== undefined ? new TextEncoder().encode(action.name) : entry.rawName,
    extra: action.kind === 'store' ? EMPTY : withoutGrowthHint(entry.extra),
  }
  await sink.write(localHeader(facts, localExtra(action, local.extra, sink.written + LOCAL_BYTES + facts.rawName.length)))
  for await (const chunk of stream.chunks()) await sink.write(chunk)
  return facts
}

/** Extra fields of a local header. `offset`: place of these fields in the file. */
function localExtra(action: Exclude<EntryAction, { kind: 'drop' }>, extra: Uint8Array, offset: number): Uint8Array {
  if (action.kind === 'store') return EMPTY
  return action.kind === 'keep-stored' ? alignedExtra(extra, offset, action.alignment) : withoutGrowthHint(extra)
}

/** Directory entries with content are decompressed and checked like files. */
const isEmptyDirectory = (entry: ZipEntry) => entry.isDirectory && entry.size === 0 && entry.crc32 === 0

/** Returns the smallest form of `bytes`. Keeps the old stream if no other is smaller. */
async function smallest(bytes: Uint8Array, old: Stream | undefined, effort: Effort): Promise<Stream> {
  const oldSize = old && (old.method === DEFLATED || old.method === STORED) ? old.compressedSize : Number.POSITIVE_INFINITY
  const budget = Math.min(oldSize, bytes.length) - 1
  const deflated = budget > 0 ? await deflateSmallest({ bytes, isFresh: old === undefined }, budget, effort) : undefined
  if (deflated) return { ...uncompressedFields(bytes, DEFLATED), compressedSize: deflated.length, chunks: () => [deflated] }
  return old && oldSize <= bytes.length ? old : storedStream(bytes)
}

async function deflateSmallest(
  { bytes, isFresh }: { readonly bytes: Uint8Array; readonly isFresh: boolean },
  budget: number,
  effort: Effort,
): Promise<Uint8Array | undefined> {
  const isLong = bytes.length > MIN_TRIAL_BYTES
  const compressible = Math.floor(bytes.length * COMPRESSED_SHARE)
  let isCompressedPicture = false
  if (isLong) {
    const trial = deflateWithin('raw', bytes, compressible, 1)
    if (!trial) return undefined
    isCompressedPicture = isFresh && trial.length > bytes.length * NEW_PICTURE_SHARE
    discard(trial)
  }
  const mayBeThorough = bytes.length <= effort.thoroughBytes && !isCompressedPicture
  const thorough = () => deflateThorough(bytes, budget + OUTPUT_MARGIN_BYTES, effort.signal)
  // For long files, level 12 first would add a third to the work, and its result is never smaller.
  if (mayBeThorough && isLong) {
    effort.thoroughBytes -= bytes.length
    return ifWithin(await thorough(), budget)
  }
  const plain = await deflateInPieces(bytes, mayBeThorough ? compressible : budget, effort.level, effort.signal)
  if (!mayBeThorough || !plain) return plain
  effort.thoroughBytes -= bytes.length
  const best = ifWithin(await thorough(), Math.min(budget, plain.length - 1))
  return best ?? ifWithin(plain, budget)
}

function ifWithin(bytes: Uint8Array | undefined, budget: number): Uint8Array | undefined {
  return bytes && bytes.length <= budget ? bytes : undefined
}

/** The sink owns the bytes it gets, and `bytes` may be a view of a read window, so they are copied. */
const storedStream = (bytes: Uint8Array): Stream => ({ ...uncompressedFields(bytes, STORED), chunks: () => [bytes.slice()] })
const uncompressedFields = (bytes: Uint8Array, method: number) => ({
  method,
  size: bytes.length,
  compressedSize: bytes.length,
  crc32: crc32(bytes),
})

/** Handles files that do not fit in memory. The first pass measures whether Deflate beats the old stream, the second one writes. */
async function largeStream(archive: ZipArchive, entry: ZipEntry, old: Stream, store: boolean): Promise<Stream> {
  const plain: Stream = {
    method: STORED,
    size: entry.size,
    compressedSize: entry.size,
    crc32: entry.crc32,
    chunks: () => copies(entryChunks(archive, entry)),
  }
  if (store) return plain
  const deflated = () => deflateStream(entryChunks(archive, entry), STREAMED_LEVEL)
  let compressedSize = 0
  for await (const chunk of deflated()) compressedSize += chunk.length
  const best = Math.min(compressedSize, old.compressedSize, plain.size)
  if (best === old.compressedSize) return old
  return best === plain.size ? plain : { ...plain, method: DEFLATED, compressedSize, chunks: deflated }
}

/** Copies encrypted data with its data descriptor, because the password check may depend on the descriptor (APPNOTE.TXT 6.1.6). */
async function copyWhole(
  archive: ZipArchive,
  entry: ZipEntry,
  local: LocalHeader,
  sink: Sink,
  counts: RewriteCounts,
): Promise<EntryMetadata> {
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

async function stored(archive: ZipArchive, entry: ZipEntry, local: LocalHeader): Promise<Uint8Array> {
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
  return kept.length > 0 ? concat(kept.map((field) => field.whole)) : EMPTY
}
