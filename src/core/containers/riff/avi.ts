/** Reads AVI 1.0 files (RIFF with `idx1`) and OpenDML 1.02 files: the headers, and the position of every chunk of every stream. */

import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { isCodecError, malformed, unsupported } from '../../model/error.ts'
import { type AviChunks, type ByteRange, readIdx1, readOpenDmlIndexes, type SuperIndex, walkLists } from './avi-chunks.ts'
import { isPadding, type ListChunk, readListChunks } from './inner-chunks.ts'
import { fourCC } from './riff.ts'
import { ALLOWED_REPEATS, MAX_HEADER_BYTES, MAX_UNCOVERED_BYTES, PADDING_READ_BYTES } from './tuning.ts'

export interface AviStream {
  readonly index: number
  /** Stream type: `vids`, `auds`, `txts`, … */
  readonly kind: string
  /** Bodies of the stream header chunk (`strh`) and the stream format chunk (`strf`). */
  readonly strh: Uint8Array
  readonly strf: Uint8Array
  /** Frames, bytes or blocks a second are `rate / scale`. */
  readonly rate: number
  readonly scale: number
  /** All chunks of the `strl` list, in file order. */
  readonly parts: readonly ListChunk[]
}

export interface TopLevelChunk {
  readonly id: string
  /** File offset of the chunk header. */
  readonly offset: number
  /** Bytes of the chunk, with header and padding. */
  readonly size: number
  /** True if the chunk is before the media data. Most players search for tags only there. */
  readonly isBeforeMedia: boolean
}

export interface Avi {
  readonly avih: Uint8Array
  /** Chunks of `hdrl` that are neither `avih` nor a stream. */
  readonly headers: readonly ListChunk[]
  readonly streams: readonly AviStream[]
  readonly chunks: AviChunks
  /** Other chunks at the top level, for example `LIST INFO`. */
  readonly others: readonly TopLevelChunk[]
  /** File offset where the film ends: after its last RIFF form and after its media data. Any bytes after it are trailing data. */
  readonly end: number
}

/** Stream types (fccType in vfw.h and in FFmpeg's reader): video, sound, text, MIDI, interleaved DV, camera data. */
const STREAM_KINDS = ['vids', 'auds', 'txts', 'mids', 'iavs', 'dats']

const u32 = (bytes: Uint8Array, at: number) => new ByteReader(bytes, true).u32(at)

/** Reads headers and chunk positions. @throws CodecError (malformed) */
export async function readAvi(source: Source): Promise<Avi> {
  const lists: { offset: number; size: number }[] = []
  const others: TopLevelChunk[] = []
  let hdrl: Uint8Array | undefined
  let idx1: { offset: number; size: number } | undefined
  let cutShort = false
  let at = 0
  // OpenDML files continue with more RIFF forms of type AVIX (chapter 4.0, "AVI RIFF file format extensions").
  for (let form = 0; form < 4096 && at + 12 <= source.size; form++) {
    const head = await source.read(at, 12)
    if (form > 0 && fourCC(head, 0) === 'RIFF' && fourCC(head, 8) === 'AVI ') throw unsupported('second_film')
    if (fourCC(head, 0) !== 'RIFF' || !['AVI ', 'AVIX'].includes(fourCC(head, 8))) {
      if (form === 0) throw malformed('avi', 0, 'no_avi_header')
      break
    }
    const end = Math.min(source.size, at + 8 + u32(head, 4))
    let inner = at + 12
    while (inner + 8 <= end) {
      const header = await source.read(inner, 12)
      const id = fourCC(header, 0)
      const size = u32(header, 4)
      const list = id === 'LIST' && header.length === 12 ? fourCC(header, 8) : ''
      if (list === 'movi') {
        if (!hdrl) throw malformed('avi', inner, 'media_in_front_of_headers')
        lists.push({ offset: inner + 12, size: Math.min(size - 4, source.size - inner - 12) })
        cutShort ||= inner + 8 + size > source.size
      } else if (inner + 8 + size > source.size) throw malformed('avi', inner, message('chunk_of_bytes_runs_over_end', { id, size }))
      else if (form === 0 && ((list === 'hdrl' && hdrl) || (id === 'idx1' && idx1)))
        throw unsupported(message('second_list_added', { id: list || id }))
      else if (list === 'hdrl' && form === 0) {
        if (size > MAX_HEADER_BYTES) throw malformed('avi', inner, message('header_of_bytes', { size }))
        hdrl = (await source.read(inner + 12, size - 4)).slice()
      } else if (id === 'idx1') idx1 = { offset: inner + 8, size }
      else if (id !== 'JUNK' || !(await isPaddingAt(source, inner + 8, size)))
        others.push({ id, offset: inner, size: 8 + size + (size & 1), isBeforeMedia: lists.length === 0 })
      if (others.length > 1000) throw malformed('avi', inner, 'too_many_chunks')
      inner += 8 + size + (size & 1)
    }
    const left = Math.max(0, end - inner)
    if ((await source.read(inner, left)).some((byte) => byte !== 0))
      throw malformed('avi', inner, message('bytes_left_over', { left, parent: 'RIFF' }))
    at = end + (end & 1)
  }
  if (!hdrl || !lists[0]) throw malformed('avi', 12, 'no_hdrl_or_no_movi_list')
  const { avih, streams, headers } = readHeaders(hdrl)
  if (cutShort && !idx1) throw malformed('avi', lists[0].offset, 'movi_list_runs_over_end')
  const chunks = await findChunks(source, lists, idx1, streams)
  checkRepeats(chunks, source.size)
  return { avih, headers, streams, chunks, others, end: Math.min(source.size, Math.max(at, endOf(chunks))) }
}

/**
 * @throws CodecError (unsupported_feature) if too many chunks of a stream overlap, or if the chunks are more than twice as large as the
 * file
 */
function checkRepeats(chunks: AviChunks, fileSize: number): void {
  const ends = new Map<number, number>()
  let repeats = 0
  let bytes = 0
  for (let i = 0; i < chunks.count; i++) {
    const [stream, offset, size] = [chunks.stream[i]!, chunks.offset[i]!, chunks.size[i]!]
    if (size === 0) continue
    bytes += size
    if (offset < (ends.get(stream) ?? 0)) repeats++
    else ends.set(stream, offset + size)
  }
  if (bytes > 2 * fileSize || repeats > Math.max(ALLOWED_REPEATS, chunks.count / 4))
    throw unsupported(message('index_names_too_much', { bytes, fileSize, repeats }))
}

/** True if all bytes of a JUNK chunk are equal. Cameras store notes in JUNK chunks (`PENT`, `OLYM`, `QVMI`, `ucmt`, …). */
async function isPaddingAt(source: Source, offset: number, size: number): Promise<boolean> {
  const [first] = await source.read(offset, 1)
  for (let at = 0; at < size; at += PADDING_READ_BYTES) {
    const bytes = await source.read(offset + at, Math.min(PADDING_READ_BYTES, size - at))
    if (bytes.some((byte) => byte !== first)) return false
  }
  return true
}

/** Finds all chunks. An `idx1` chunk covers at most one list; OpenDML indexes cover all lists. */
async function findChunks(
  source: Source,
  lists: readonly ByteRange[],
  idx1: ByteRange | undefined,
  streams: readonly AviStream[],
): Promise<AviChunks> {
  const old = lists.length === 1 && idx1 ? await readIdx1(source, lists[0]!, idx1, streams.length) : undefined
  if (old && chunkBytes(old) + MAX_UNCOVERED_BYTES >= lists[0]!.size) return old
  // Some cameras write OpenDML indexes and an `idx1` of the first chunks only. Players play the other chunks too.
  try {
    const all = await openDmlIndexesOrWalk(source, lists, streams)
    return old && old.count >= all.count ? old : all
  } catch (error) {
    if (old && isCodecError(error, 'malformed')) return old
    throw error
  }
}

/** Bytes of all chunks in their list, with headers and padding. */
function chunkBytes(chunks: AviChunks): number {
  let bytes = 0
  for (let i = 0; i < chunks.count; i++) bytes += 8 + chunks.size[i]! + (chunks.size[i]! & 1)
  return bytes
}

function endOf(chunks: AviChunks): number {
  let end = 0
  for (let i = 0; i < chunks.count; i++) end = Math.max(end, chunks.offset[i]! + chunks.size[i]!)
  return end
}

async function openDmlIndexesOrWalk(source: Source, lists: readonly ByteRange[], streams: readonly AviStream[]): Promise<AviChunks> {
  const supers = streams.flatMap(({ index, parts }): SuperIndex[] => {
    const body = parts.find(({ id }) => id === 'indx')?.body
    return body ? [{ stream: index, body }] : []
  })
  return (await readOpenDmlIndexes(source, supers, streams.length)) ?? walkLists(source, lists, streams.length)
}

function readHeaders(hdrl: Uint8Array): Pick<Avi, 'avih' | 'streams' | 'headers'> {
  let avih: Uint8Array | undefined
  const streams: AviStream[] = []
  const headers: ListChunk[] = []
  for (const chunk of readListChunks('avi', hdrl, 'hdrl')) {
    const { id, body } = chunk
    if (id === 'avih') avih = body
    else if (id === 'LIST' && fourCC(body, 0) === 'strl') {
      const parts = readListChunks('avi', body.subarray(4), 'strl')
      const strh = parts.find((part) => part.id === 'strh')?.body
      const strf = parts.find((part) => part.id === 'strf')?.body
      const oneEach = ['strh', 'strf'].every((wanted) => parts.filter((part) => part.id === wanted).length === 1)
      if (!oneEach || !strh || strh.length < 48 || !strf) throw malformed('avi', 12, 'stream_without_two_headers')
      if (!STREAM_KINDS.includes(fourCC(strh, 0))) throw malformed('avi', 12, 'stream_of_no_known_kind')
      // Fields of AVISTREAMHEADER: type, handler, flags, priority, language, initial frames, scale at 20, rate at 24.
      const [scale, rate] = [u32(strh, 20) || 1, u32(strh, 24) || 25]
      streams.push({ index: streams.length, kind: fourCC(strh, 0), strh, strf, rate, scale, parts })
    } else if (!isPadding(chunk)) headers.push(chunk)
    if (streams.length > 32) throw malformed('avi', 12, 'too_many_streams')
  }
  const named = countStreamHeaders(hdrl)
  if (named !== streams.length) throw malformed('avi', 12, message('streams_out_of_reach', { named, found: streams.length }))
  if (!avih || avih.length < 40 || streams.length === 0) throw malformed('avi', 12, 'no_avih_chunk')
  return { avih, streams, headers }
}

/** Counts stream headers anywhere in the bytes of `hdrl`. It does not follow sizes, so a wrong size cannot hide a stream. */
export function countStreamHeaders(hdrl: Uint8Array): number {
  let count = 0
  for (let i = hdrl.indexOf(0x73); i >= 0 && i + 12 <= hdrl.length; i = hdrl.indexOf(0x73, i + 1)) {
    if (fourCC(hdrl, i) === 'strh' && STREAM_KINDS.includes(fourCC(hdrl, i + 8))) count++
  }
  return count
}
