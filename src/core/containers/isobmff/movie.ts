/** Reads the index of a movie by byte ranges: the `moov` box, its tracks and the fragments after it. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { zlibDecompress } from '../../bytes/deflate.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { type Box, boxes, findBox, i32At, i64At, typeAt, u16At, u32At, u64At } from './box.ts'
import { readFragments } from './fragments.ts'
import { checkStructure, childrenOf, countTrackHeaders } from './structure.ts'
import { type ChunkTables, durationOf, readChunks, readSamples, readSizes, type SampleTables } from './tables.ts'
import { readTopLevelBoxes } from './top-level.ts'
import type { Edit, StoredTrack, TopBox, Track } from './track.ts'
import { MAX_MOOV_BYTES, MAX_TRACKS } from './tuning.ts'

/** Index of a movie. Disposing it frees the sample tables and `moov`, which take megabytes for long films. */
export interface Movie extends Disposable {
  readonly brand: string
  readonly ftyp: Uint8Array | undefined
  /** The whole `moov` box. The boxes of each `Track` are offsets into these bytes. */
  readonly moov: Uint8Array
  readonly moovBox: Box
  readonly timescale: number
  readonly tracks: readonly Track[]
  readonly top: readonly TopBox[]
  readonly fragmented: boolean
  /** File offset where the movie ends: after its last box and after its media data. Any bytes after it are trailing data. */
  readonly end: number
}

/**
 * Reads the index of a movie.
 * @throws CodecError (malformed) if the index is damaged
 * @throws CodecError (unsupported_feature) if the index is compressed by an unknown method or too large, or if media data is in other files
 */
export async function readMovie(source: Source): Promise<Movie> {
  const top = await readTopLevelBoxes(source)
  const at = top.find(({ type }) => type === 'moov')
  if (!at) throw malformed('mp4', 0, 'no_moov_box')
  if (at.size > MAX_MOOV_BYTES) throw unsupported(message('index_of_bytes', { size: at.size }))
  const index = await source.read(at.offset, at.size)
  if (index.length < at.size) throw malformed('mp4', at.offset, 'moov_cut_short')
  const moov = uncompressed(index, at.offset)
  const [moovBox] = boxes(moov, 0, moov.length)
  if (!moovBox) throw malformed('mp4', at.offset, 'moov_empty')
  checkStructure(moov, moovBox, moov === index ? at.offset : 0)
  const mvhd = findBox(moov, moovBox, 'mvhd')
  if (!mvhd) throw malformed('mp4', at.offset, 'no_mvhd_box')
  requireBodyBytes(moov, mvhd, 100, 112)
  const timescale = u32At(moov, mvhd.body + (moov[mvhd.body] === 1 ? 20 : 12)) || 1000
  const ftypBox = top.find(({ type }) => type === 'ftyp')
  const ftyp = ftypBox && ftypBox.size <= 4096 ? (await source.read(ftypBox.offset, ftypBox.size)).slice() : undefined
  const traks = childrenOf(moov, moovBox).filter(({ type }) => type === 'trak')
  const named = countTrackHeaders(moov)
  if (named !== traks.length) throw malformed('mp4', at.offset, message('tracks_out_of_reach', { named, found: traks.length }))
  if (traks.length > MAX_TRACKS) throw malformed('mp4', at.offset, message('tracks_found', { found: traks.length }))
  // Readers convert a track's edits with the movie's timescale, which `mvhd` gives. If `mvhd` comes after the tracks, readers would misread
  // rewritten edits and show nothing.
  if (traks.some(({ body }) => body < mvhd.body)) throw unsupported('tracks_in_front_of_mvhd')
  const fragmented = top.some(({ type }) => type === 'moof')
  let stored = traks.map((box, index) => readTrack(moov, box, index))
  if (fragmented) stored = await readFragments(source, moov, moovBox, stored, top)
  const tables = stored.map(withCache)
  const tracks = tables.map(({ track }) => track)
  let end = top.reduce((last, { offset, size }) => Math.max(last, offset + size), 0)
  for (const track of tracks) {
    end = Math.max(end, checkedEnd(track, source.size))
    track.freeTables()
  }
  const brand = ftyp && ftyp.length >= 12 ? typeAt(ftyp, 8) : 'qt  '
  const dispose = () => {
    for (const { free } of tables) free()
    discard(moov)
  }
  return { brand, ftyp, moov, moovBox, timescale, tracks, top, fragmented, end, [Symbol.dispose]: dispose }
}

/** Wraps a stored track so that each table is read on first use and cached. `free` frees the cached tables. */
function withCache(stored: StoredTrack): { track: Track; free: () => void } {
  const { readChunks, readSamples, fromFragments: fixed, ...facts } = stored
  let chunks: ChunkTables | undefined
  let samples: SampleTables | undefined
  const free = () => {
    for (const table of [chunks, samples]) if (table) freeColumns(table)
    chunks = samples = undefined
  }
  const samplesNow = () => {
    const known = chunks ?? readChunks()
    const read = readSamples(known)
    if (!chunks && !fixed) freeColumns(known)
    return read
  }
  const track: Track = {
    ...facts,
    get chunks() {
      return (chunks ??= readChunks())
    },
    samples: () => (samples ??= samplesNow()),
    freeTables: fixed ? () => undefined : free,
  }
  return { track, free }
}

function freeColumns(table: ChunkTables | SampleTables): void {
  for (const column of Object.values(table)) if (ArrayBuffer.isView(column)) discard(column)
}

/**
 * Inflates a compressed index (QuickTime File Format, "Compressed Movie Resources"). `cmov` has the method, the size and a compressed
 * `moov`.
 */
function uncompressed(moov: Uint8Array, offset: number): Uint8Array {
  const [outer] = boxes(moov, 0, moov.length)
  const cmov = outer && findBox(moov, outer, 'cmov')
  if (!cmov) return moov
  checkStructure(moov, outer, offset)
  const [method, data] = [findBox(moov, cmov, 'dcom'), findBox(moov, cmov, 'cmvd')]
  if (!method || !data || data.end - data.body < 4) throw malformed('mp4', offset, 'cmov_not_whole')
  const size = u32At(moov, data.body)
  if (typeAt(moov, method.body) !== 'zlib' || size > MAX_MOOV_BYTES) throw unsupported('compressed_movie_index_of_another_kind')
  const inflated = zlibDecompress(moov.subarray(data.body + 4, data.end), size)
  if (typeAt(inflated, 4) !== 'moov') throw malformed('mp4', offset, 'cmov_holds_no_moov')
  return inflated
}

/**
 * @param bytes minimum bytes of the body in version 0
 * @param wideBytes minimum bytes of the body in version 1, whose times have 64 bits
 * @throws CodecError (malformed) if the body is shorter
 */
function requireBodyBytes(moov: Uint8Array, { type, start, body, end }: Box, bytes: number, wideBytes: number): void {
  const wanted = moov[body] === 1 ? wideBytes : bytes
  if (end - body < wanted) throw malformed('mp4', start, message('box_of_bytes_not_of', { type, size: end - body, wanted }))
}

function readTrack(moov: Uint8Array, box: Box, index: number): StoredTrack {
  const requireBox = (...path: string[]) => {
    const found = findBox(moov, box, ...path)
    if (!found) throw malformed('mp4', box.start, message('track_without_box', { index, path: path.join('/') }))
    return found
  }
  const tkhd = requireBox('tkhd')
  const mdhd = requireBox('mdia', 'mdhd')
  requireBodyBytes(moov, tkhd, 84, 96)
  requireBodyBytes(moov, mdhd, 24, 36)
  const stbl = requireBox('mdia', 'minf', 'stbl')
  const stsd = requireBox('mdia', 'minf', 'stbl', 'stsd')
  const dref = findBox(moov, box, 'mdia', 'minf', 'dinf', 'dref')
  if (dref) {
    for (const entry of boxes(moov, dref.body + 8, dref.end)) {
      if ((moov[entry.body + 3]! & 1) === 0) throw unsupported('media_data_in_another_file')
    }
  }
  const handler = typeAt(moov, requireBox('mdia', 'hdlr').body + 8)
  const timescale = u32At(moov, mdhd.body + (moov[mdhd.body] === 1 ? 20 : 12))
  if (timescale === 0) throw malformed('mp4', mdhd.start, 'timescale_of_zero')
  const descriptions = [...boxes(moov, stsd.body + 8, stsd.end)]
  const sizes = readSizes(moov, stbl)
  const bytesOf = handler === 'soun' ? soundBytes(moov, descriptions[0], sizes.same) : undefined
  return {
    index,
    box,
    id: u32At(moov, tkhd.body + (moov[tkhd.body] === 1 ? 20 : 12)),
    handler,
    timescale,
    edits: readEdits(moov, box),
    stsd,
    descriptions,
    stbl,
    fromFragments: false,
    sampleCount: sizes.count,
    duration: durationOf(moov, stbl, sizes.count),
    readChunks: () => readChunks(moov, stbl, sizes, bytesOf),
    readSamples: (chunks) => readSamples(moov, stbl, sizes, chunks),
  }
}

/**
 * Returns a function that converts a number of PCM samples to bytes. QuickTime stores such samples with "size 1".
 * The bytes are in the sample description (QuickTime File Format, "Sound Sample Description"): version 1 gives bytes a frame, version 2
 * bytes a packet, version 0 bits a sample.
 */
function soundBytes(moov: Uint8Array, entry: Box | undefined, same: number): ((samples: number) => number) | undefined {
  if (!entry || same === 0 || entry.end - entry.body < 28) return undefined
  const version = u16At(moov, entry.body + 8)
  if (version === 1 && entry.end - entry.body >= 44) {
    const samplesPerPacket = u32At(moov, entry.body + 28)
    const bytesPerFrame = u32At(moov, entry.body + 36)
    if (samplesPerPacket && bytesPerFrame) return (samples) => Math.floor(samples / samplesPerPacket) * bytesPerFrame
  }
  if (version === 2 && entry.end - entry.body >= 64) {
    const bytesPerPacket = u32At(moov, entry.body + 56)
    const framesPerPacket = u32At(moov, entry.body + 60)
    if (bytesPerPacket && framesPerPacket) return (samples) => Math.floor(samples / framesPerPacket) * bytesPerPacket
  }
  if (same > 1) return undefined
  const channels = u16At(moov, entry.body + 16)
  const bits = u16At(moov, entry.body + 18)
  const packet = PACKETS[entry.type]
  if (packet) return (samples) => Math.floor(samples / packet.samples) * packet.bytes * channels
  // For compressed sound, the bits of the description are those of the decoded samples.
  const stored = BITS[entry.type] ?? (entry.type === 'raw ' && bits !== 16 ? 8 : bits)
  const bytes = Math.max(1, (channels * stored) >> 3)
  return (samples) => samples * bytes
}

/** Bits of one sample in the file for codecs whose sample description gives other bits. */
const BITS: { readonly [type: string]: number | undefined } = { ulaw: 8, alaw: 8, in24: 24, in32: 32, fl32: 32, fl64: 64 }
/** Samples and bytes of one channel's packet (QuickTime File Format, "Sound Sample Description (Version 0)" and its list of formats). */
const PACKETS: { readonly [type: string]: { readonly samples: number; readonly bytes: number } | undefined } = {
  ima4: { samples: 64, bytes: 34 },
  MAC3: { samples: 6, bytes: 2 },
  MAC6: { samples: 6, bytes: 1 },
  agsm: { samples: 160, bytes: 33 },
}

function readEdits(moov: Uint8Array, track: Box): Edit[] | undefined {
  const elst = findBox(moov, track, 'edts', 'elst')
  if (!elst) return undefined
  const wide = moov[elst.body] === 1
  const count = u32At(moov, elst.body + 4)
  const rowBytes = wide ? 20 : 12
  if (count * rowBytes > elst.end - elst.body - 8) throw malformed('mp4', elst.start, message('elst_says_entries', { count }))
  return Array.from({ length: count }, (_, row) => {
    const at = elst.body + 8 + row * rowBytes
    return wide
      ? { duration: u64At(moov, at), mediaTime: i64At(moov, at + 8), rate: u32At(moov, at + 16) }
      : { duration: u32At(moov, at), mediaTime: i32At(moov, at + 4), rate: u32At(moov, at + 8) }
  })
}

/**
 * File offset where the last chunk ends.
 * @throws CodecError (malformed) if a chunk leaves the file
 * @throws CodecError (unsupported_feature) if chunks repeat the file's bytes more than twice: each repeat costs 4 bytes of the table and
 * one decoded frame
 */
function checkedEnd({ chunks, index }: Track, fileSize: number): number {
  let bytes = 0
  let end = 0
  for (let i = 0; i < chunks.count; i++) {
    if (chunks.offset[i]! + chunks.size[i]! > fileSize) {
      throw malformed('mp4', chunks.offset[i]!, message('chunk_of_track_runs_over_end', { index }))
    }
    end = Math.max(end, chunks.offset[i]! + chunks.size[i]!)
    bytes += chunks.size[i]!
  }
  if (bytes > 2 * fileSize) throw unsupported(message('chunks_larger_than_file', { index, bytes, fileSize }))
  return end
}
