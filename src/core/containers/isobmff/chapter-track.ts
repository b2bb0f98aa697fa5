/** Writes chapters as a text track (QuickTime File Format, "Chapter Lists"), which Apple's players show. They ignore Nero's list. */
import { concat } from '../../bytes/concat.ts'
import type { Chapter } from '../sound-tags.ts'
import { box, fullBox, halfWords, latin1Bytes, words } from './box.ts'
import { languageCode, matrixOf } from './index-fields.ts'
import { newStbl } from './write-tables.ts'

export const CHAPTER_TRACK_ID = 2
/** Units of time a second. */
const TICKS = 1000
const MATRIX = matrixOf(0, 0, 0)

/** True if a text track can tell the times: its first title begins with the sound. */
export const hasChapterTrack = (chapters: readonly Chapter[]): boolean => chapters[0]?.seconds === 0

/** Titles as samples: length, UTF-8, and a box that names the encoding ("Text Sample Data"). */
export function chapterSamples(chapters: readonly Chapter[]): Uint8Array[] {
  return chapters.map(({ title }) => {
    const text = new TextEncoder().encode(title)
    return concat([halfWords(text.length), text, box('encd', words(0x100))])
  })
}

/** Box of the sound track that names the track of titles. */
export const chapterReference = (): Uint8Array => box('tref', box('chap', words(CHAPTER_TRACK_ID)))

/**
 * Returns the `trak` box.
 * @param movie duration in units of `hertz`
 * @param samplesAt file offset of the first title; all titles follow one another
 */
export function chapterTrack(
  chapters: readonly Chapter[],
  { frames, hertz }: { readonly frames: number; readonly hertz: number },
  samplesAt: number,
): Uint8Array {
  const starts = chapters.map(({ seconds }) => Math.round(seconds * TICKS))
  const end = Math.max(Math.round((frames * TICKS) / hertz), starts.at(-1)! + 1)
  const durations = Float64Array.from(starts, (start, i) => (starts[i + 1] ?? end) - start)
  // Flags: none, because the track is not played. Times, track, duration, layer and group, volume 0, matrix, size in pixels.
  const header = fullBox('tkhd', 0, words(0, 0, CHAPTER_TRACK_ID, 0, frames, 0, 0, 0, 0), MATRIX, words(0, 0))
  const mediaHeader = fullBox('mdhd', 0, words(0, 0, TICKS, end), halfWords(languageCode(), 0))
  const handler = fullBox('hdlr', 0, words(0), latin1Bytes('text'), words(0, 0, 0), latin1Bytes('ChapterHandler\0'))
  // Graphics mode "dither copy", grey, no balance.
  const graphics = fullBox('gmin', 0, halfWords(0x40, 0x8000, 0x8000, 0x8000, 0, 0))
  const data = box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1)))
  const sizes = Uint32Array.from(chapterSamples(chapters), ({ length }) => length)
  const tables = newStbl(
    { description: textEntry(), timescale: TICKS, sizes, durations, compositions: undefined, sync: undefined, edits: undefined },
    { count: 1, samples: () => sizes.length, mediaOffsets: Float64Array.of(0) },
    samplesAt,
    false,
  )
  return box('trak', header, box('mdia', mediaHeader, handler, box('minf', box('gmhd', graphics, box('text', MATRIX)), data, tables)))
}

/** Sample entry ("Text Sample Description"): plain text without a place on a picture. */
function textEntry(): Uint8Array {
  // Six reserved bytes and the data reference; flags, justification; background, box, reserved, font, face; reserved; colour; font name.
  return box('text', halfWords(0, 0, 0, 1), words(0, 0), new Uint8Array(6 + 8 + 8 + 2 + 2), new Uint8Array(3 + 6 + 1))
}
