/** Writes the index of an M4A file: one AAC track, the part of it that is played, tags with covers, and chapters as a list and as a track. */
import type { Chapter, Cover, Tag } from '../sound-tags.ts'
import { box, boxOf, fullBox, halfWords, latin1Bytes, words } from './box.ts'
import { CHAPTER_TRACK_ID, chapterReference, chapterTrack, hasChapterTrack } from './chapter-track.ts'
import { languageCode, matrixOf } from './index-fields.ts'
import { itemList } from './item-list.ts'
import { aacEntry } from './sound-entry.ts'
import { newStbl } from './write-tables.ts'

export interface SoundMovie {
  readonly hertz: number
  readonly channels: number
  readonly bitsPerSecond: number
  /** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). */
  readonly config: Uint8Array
  /** Bytes of each packet of 1,024 samples. */
  readonly sizes: readonly number[]
  /** Samples at the start that are not played. */
  readonly delay: number
  /** Samples of each channel that are played. */
  readonly frames: number
  readonly tags: readonly Tag[]
  readonly covers: readonly Cover[]
  readonly chapters: readonly Chapter[]
}

export const SOUND_FILE_TYPE: Uint8Array = box('ftyp', latin1Bytes('M4A '), words(0x200), latin1Bytes('M4A isomiso2mp42'))

const PACKET_FRAMES = 1024
const MATRIX = matrixOf(0, 0, 0)

/** Returns the `moov` box. `mediaAt`: file offset of the first packet. The titles of `chapterSamples` follow the last packet. */
export function soundMovieIndex(movie: SoundMovie, mediaAt: number): Uint8Array {
  const { hertz, frames, delay, sizes, tags, covers, chapters } = movie
  const hasTitles = hasChapterTrack(chapters)
  // Version, times, timescale, duration, rate 1, volume 1, reserved, matrix, predefined, next track.
  const header = fullBox(
    'mvhd',
    0,
    words(0, 0, hertz, frames, 0x10000, 0x1000000, 0, 0),
    MATRIX,
    words(0, 0, 0, 0, 0, 0, hasTitles ? CHAPTER_TRACK_ID + 1 : 2),
  )
  // Flags: enabled, in movie, in preview. Times, track 1, duration, layer and group, volume 1, matrix, size in pixels.
  const trackHeader = fullBox('tkhd', 7, words(0, 0, 1, 0, frames, 0, 0, 1, 0x1000000), MATRIX, words(0, 0))
  const edits = box('edts', fullBox('elst', 0, words(1, frames, delay, 0x10000)))
  const mediaHeader = fullBox('mdhd', 0, words(0, 0, hertz, sizes.length * PACKET_FRAMES), halfWords(languageCode(), 0))
  const handler = fullBox('hdlr', 0, words(0), latin1Bytes('soun'), words(0, 0, 0), latin1Bytes('SoundHandler\0'))
  const data = box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1)))
  const information = box('minf', fullBox('smhd', 0, words(0)), data, tables(movie, mediaAt))
  const references = hasTitles ? [chapterReference()] : []
  const track = boxOf('trak', [trackHeader, edits, ...references, box('mdia', mediaHeader, handler, information)])
  const titles = hasTitles ? [chapterTrack(chapters, movie, mediaAt + sum(sizes))] : []
  return boxOf('moov', [header, track, ...titles, ...itemList(tags, covers, chapters)])
}

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)

function tables({ hertz, channels, bitsPerSecond, config, sizes }: SoundMovie, mediaAt: number): Uint8Array {
  // Chunks of about a second.
  const perChunk = Math.max(1, Math.round(hertz / PACKET_FRAMES))
  const count = Math.ceil(sizes.length / perChunk)
  const mediaOffsets = new Float64Array(count)
  let bytes = 0
  for (const [i, size] of sizes.entries()) {
    if (i % perChunk === 0) mediaOffsets[i / perChunk] = bytes
    bytes += size
  }
  const samples = (chunk: number) => Math.min(perChunk, sizes.length - chunk * perChunk)
  return newStbl(
    {
      description: aacEntry(config, channels, hertz, bitsPerSecond, false),
      timescale: hertz,
      sizes: Uint32Array.from(sizes),
      durations: new Float64Array(sizes.length).fill(PACKET_FRAMES),
      compositions: undefined,
      sync: undefined,
      edits: undefined,
    },
    { count, samples, mediaOffsets },
    mediaAt,
    false,
  )
}
