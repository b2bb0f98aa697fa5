/**
 * Cuts an AVI file's pictures into parts. A frame's position is its display time, so every part must know the position of its first
 * picture.
 */
import type { Source } from '../../../model/codec.ts'
import type { Cut } from '../cut.ts'
import type { PictureTrack } from '../picture-track.ts'
import { MAX_PART_BYTES } from '../tuning.ts'

/** A key frame at which decoding can begin. */
interface Entry {
  readonly sample: number
  /** Position of the key frame in display order. */
  readonly place: number
}

/** Cuts at key frames about every `frames` frames. Cuts inside a group of pictures only if it is more than twice as long. */
export async function cutCounted(source: Source, track: PictureTrack, frames: number): Promise<Cut[]> {
  const { count, size, sync } = track.samples
  const cuts: { entry: Entry; start: number }[] = [{ entry: { sample: 0, place: 0 }, start: 0 }]
  let last: Entry = { sample: 0, place: 0 }
  let bytes = 0
  for (let i = 1; i < count; i++) {
    bytes += size[i - 1]!
    const passed = i - cuts.at(-1)!.start
    const key = sync[i] !== 0
    const isDue = passed >= frames * 0.75 || bytes >= MAX_PART_BYTES
    const isOverdue = passed >= frames * 2 || bytes >= 2 * MAX_PART_BYTES
    // A short rest at the end of the film joins the part before it.
    if (!(key ? isDue : isOverdue) || count - i < frames * 0.3) continue
    if (key) {
      const before = await shownBefore(source, track, i)
      if (before === undefined) continue
      last = { sample: i, place: i + before }
    } else last = (await lastEntry(source, track, i, last)) ?? last
    cuts.push({ entry: last, start: key ? last.place : i })
    bytes = 0
  }
  return cuts.map(({ entry, start }, part) => {
    const end = cuts[part + 1]?.start ?? count
    // A frame is decoded at most one chunk after its position. Frames of the next part are dropped.
    return { from: entry.sample, first: entry.place, to: Math.min(count, end + 1), start, end, frames: end - start }
  })
}

/** Returns the last key frame at or before `sample` and after `known`. */
async function lastEntry(source: Source, track: PictureTrack, sample: number, known: Entry): Promise<Entry | undefined> {
  for (let i = sample; i > known.sample; i--) {
    if (track.samples.sync[i] === 0) continue
    const before = await shownBefore(source, track, i)
    if (before !== undefined && i + before <= sample) return { sample: i, place: i + before }
  }
  return undefined
}

const MOST_SCANNED_CHUNKS = 9
const MOST_SCANNED_BYTES = 512 * 1024
/** Size limit of a placeholder chunk, in bytes. Packed streams use one after a chunk with two frames; FFmpeg writes up to 19 bytes. */
const PLACEHOLDER_BYTES = 19

/**
 * Counts the chunks after a key frame whose frames are shown before it.
 * @returns `undefined` if `key` is not an independent picture
 */
async function shownBefore(source: Source, { stream, samples }: PictureTrack, key: number): Promise<number | undefined> {
  const typesIn = stream.decoder === 'mpeg4' ? vopTypes : stream.decoder.startsWith('mpeg') ? pictureTypes : undefined
  if (!typesIn) return 0
  let before = 0
  let seen = false
  let read = 0
  for (let i = key; i < Math.min(samples.count, key + MOST_SCANNED_CHUNKS) && read < MOST_SCANNED_BYTES; i++) {
    const size = samples.size[i]!
    read += size
    if (seen && size <= PLACEHOLDER_BYTES) continue
    for (const type of typesIn(await source.read(samples.offset[i]!, size))) {
      if (!seen) {
        if (type !== 'I') return undefined
        seen = true
      } else if (type === 'B') before++
      else return before
    }
    if (!seen) return undefined
  }
  return seen ? before : undefined
}

/** Types of the VOPs in a chunk (ISO/IEC 14496-2, 6.3.5): vop_coding_type is two bits after vop_start_code. */
function vopTypes(bytes: Uint8Array): string[] {
  return startCodes(bytes, 0xb6).map((at) => 'IPBS'[bytes[at]! >> 6]!)
}

/**
 * Types of the pictures in a chunk (ISO/IEC 13818-2, 6.3.9): picture_coding_type is three bits, after picture_start_code and 10 bits of
 * temporal_reference.
 */
function pictureTypes(bytes: Uint8Array): string[] {
  return startCodes(bytes, 0).map((at) => '?IPBD'[(bytes[at + 1]! >> 3) & 7] ?? '?')
}

/** Offsets of the bytes that follow each start code 00 00 01 `code`. */
function startCodes(bytes: Uint8Array, code: number): number[] {
  const found: number[] = []
  for (let at = 0; at + 5 < bytes.length; at++) {
    if (bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1 && bytes[at + 3] === code) found.push(at + 4)
  }
  return found
}
