/** Writes chapters as ID3v2.4 frames (id3.org, "ID3v2 Chapter Frame Addendum"). */
import { concat } from '../../bytes/concat.ts'
import { latin1Bytes } from '../../bytes/latin1.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Chapter } from '../sound-tags.ts'
import { frame, textFrame } from './id3.ts'

/** Flags of a table of contents: it is the outer one, and its entries are in order. */
const TOP_LEVEL_ORDERED = 3
/** Position in bytes that is not told. */
const NO_POSITION = 0xffffffff

const text = (value: string) => latin1Bytes(`${value}\0`)

/**
 * Returns a table of contents and a frame for each chapter, `MAX_CHAPTERS` at most. Empty: there are no chapters.
 * @param seconds duration of the sound, where the last chapter ends
 */
export function chapterFrames(chapters: readonly Chapter[], seconds: number): Uint8Array[] {
  if (chapters.length === 0) return []
  const ids = chapters.map((_, i) => text(`chp${i}`))
  const frames = chapters.map((chapter, i) => {
    const end = Math.max(chapter.seconds, chapters[i + 1]?.seconds ?? seconds)
    const times = ByteWriter.growing(false).u32(milliseconds(chapter.seconds)).u32(milliseconds(end)).u32(NO_POSITION).u32(NO_POSITION)
    const title = chapter.title ? [textFrame('title', chapter.title, 4)] : []
    return frame('CHAP', concat([ids[i]!, times.finish(), ...title]), 4)
  })
  return [frame('CTOC', concat([text('toc'), Uint8Array.of(TOP_LEVEL_ORDERED, ids.length), ...ids]), 4), ...frames]
}

const milliseconds = (seconds: number) => Math.round(seconds * 1000)
