/** RIFF (Multimedia Programming Interface 1.0, 1991) and its 64-bit forms RF64/BW64 (EBU Tech 3306, ITU-R BS.2088). */

import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { MAX_RIFF_CHUNKS, SEARCHED_BYTES } from './tuning.ts'

export interface RiffChunk {
  /** Chunk id: four characters, unchanged. */
  readonly id: string
  /** File offset of the chunk's body. */
  readonly offset: number
  /** Bytes of the chunk's body, without the padding byte. */
  readonly size: number
}

export interface Riff {
  /** `RIFF`, `RIFX` (big-endian), `RF64` or `BW64`. */
  readonly container: string
  /** Form type: `WAVE`, `AVI `, … */
  readonly form: string
  readonly chunks: readonly RiffChunk[]
  /** File offset where the RIFF form ends. Any bytes after it are trailing data. */
  readonly end: number
}

/** Size that streaming writers store when they cannot seek back. */
const UNKNOWN_SIZE = 0xffffffff

export const fourCC = (bytes: Uint8Array, at: number) =>
  String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0)

const u32 = (bytes: Uint8Array, at: number) => new ByteReader(bytes, true).u32(at)
const u64 = (bytes: Uint8Array, at: number) => u32(bytes, at) + u32(bytes, at + 4) * 2 ** 32

/**
 * Lists the chunks of the first form of a file.
 * A last `data` chunk of unknown size (all ones, or zeros) or with missing bytes extends to the end of the file. Interrupted programs leave
 * such files, and all players accept them.
 * @throws CodecError (malformed) if another chunk leaves the file, or if there are more than `MAX_RIFF_CHUNKS` chunks
 */
export async function readRiff(source: Source, format: string): Promise<Riff> {
  const head = await source.read(0, 12)
  if (head.length < 12) throw malformed(format, 0, 'no_riff_header')
  const container = fourCC(head, 0)
  const form = fourCC(head, 8)
  if (container === 'RIFX') return { container, form, chunks: [], end: source.size }
  const wide = container === 'RF64' || container === 'BW64'
  let riffBytes = u32(head, 4)
  let dataBytes: number | undefined
  const tables = new Map<string, number>()
  const chunks: RiffChunk[] = []
  let at = 12
  let end = riffBytes === UNKNOWN_SIZE || riffBytes === 0 ? source.size : Math.min(source.size, 8 + riffBytes)
  while (at + 8 <= end) {
    const header = await source.read(at, 8)
    if (header.every((byte) => byte === 0)) break
    const id = fourCC(header, 0)
    // An id that is not ASCII: the size of an earlier chunk is wrong, or these bytes are not part of the form.
    if (!/^[ -~]{4}$/.test(id)) throw malformed(format, at, 'no_chunk_where_one_before_ends')
    let size = u32(header, 4)
    // EBU Tech 3306, section 3: `ds64` is the first chunk and has the 64-bit sizes.
    if (wide && id === 'ds64' && chunks.length === 0) {
      const body = await source.read(at + 8, Math.min(size, 28 + 12 * 64))
      if (body.length < 24) throw malformed(format, at, 'ds64_cut_short')
      riffBytes = u64(body, 0)
      dataBytes = u64(body, 8)
      end = Math.min(source.size, 8 + riffBytes)
      for (let row = 28; row + 12 <= body.length; row += 12) tables.set(fourCC(body, row), u64(body, row + 4))
    } else if (wide && size === UNKNOWN_SIZE) {
      size = (id === 'data' ? dataBytes : tables.get(id)) ?? size
    }
    if (id === 'data' && form === 'WAVE') {
      if (size > source.size - at - 8) await checkNoHiddenChunks(source, at + 8, format)
      // Writers that cannot seek back also store 0 as the sizes of `data` and of the form.
      const isUnknown = size === 0 && 8 + riffBytes <= at + 8
      size = isUnknown ? source.size - at - 8 : Math.min(size, source.size - at - 8)
    }
    if (at + 8 + size > source.size) throw malformed(format, at, message('chunk_of_bytes_runs_over_end', { id, size }))
    chunks.push({ id, offset: at + 8, size })
    if (chunks.length > MAX_RIFF_CHUNKS) throw malformed(format, at, 'too_many_chunks')
    at += 8 + size + (size & 1)
  }
  // Remaining bytes are trailing data, except fewer than 8 zeros, which only pad the form.
  const left = at < end ? await source.read(at, Math.min(8, end - at)) : new Uint8Array()
  return {
    container,
    form,
    chunks,
    end: Math.min(source.size, left.length === 8 || left.some((byte) => byte !== 0) ? at : Math.max(at, end)),
  }
}

/** Chunk ids that may follow the sound. */
const TRAILING_IDS = ['LIST', 'id3 ', 'ID3 ', 'cue ', 'smpl', 'bext', 'iXML', 'inst', '_PMX', 'axml', 'PEAK', 'acid', 'plst']

/**
 * Checks sound whose size is larger than the file for chunks at its end. @throws CodecError (malformed) if the last bytes contain chunks
 * that fit the end of the file exactly
 */
async function checkNoHiddenChunks(source: Source, from: number, format: string): Promise<void> {
  const start = Math.max(from, source.size - SEARCHED_BYTES)
  const bytes = (await source.read(start, source.size - start)).slice()
  for (let i = 0; i + 8 <= bytes.length; i++) {
    if (!TRAILING_IDS.includes(fourCC(bytes, i))) continue
    const size = u32(bytes, i + 4)
    const next = i + 8 + size + (size & 1)
    const isLast = next === bytes.length || i + 8 + size === bytes.length
    if (isLast || (next + 8 <= bytes.length && TRAILING_IDS.includes(fourCC(bytes, next))))
      throw malformed(format, start + i, message('chunk_inside_long_sound', { id: fourCC(bytes, i) }))
  }
}

/** The eight header bytes of a chunk. */
export function chunkHeader(id: string, size: number): Uint8Array {
  return new ByteWriter(new Uint8Array(8), true).ascii(id).u32(size).finish()
}
