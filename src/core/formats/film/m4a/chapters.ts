/** Reads the chapters of an M4A file: a text track (QuickTime File Format, "Chapter Lists"), or Nero's list. */
import { type Box, boxes, findBox, u16At, u32At, u64At } from '../../../containers/isobmff/box.ts'
import type { Movie } from '../../../containers/isobmff/movie.ts'
import type { Track } from '../../../containers/isobmff/track.ts'
import { type Chapter, MAX_CHAPTERS } from '../../../containers/sound-tags.ts'
import type { Source } from '../../../model/codec.ts'
import { unsupported } from '../../../model/error.ts'

const TEXTS = ['text', 'tx3g']
/** Longest title with its length and the encoding. */
const MAX_SAMPLE_BYTES = 1024

/**
 * Track of chapter titles that the sound refers to. `undefined`: none.
 * @throws CodecError (unsupported_feature) for chapters with pictures, and for several kinds of chapters
 */
export function chapterTrack({ moov, tracks }: Movie, sound: Track): Track | undefined {
  const reference = findBox(moov, sound.box, 'tref', 'chap')
  if (!reference) return undefined
  const found = tracks.find(({ id }) => id === u32At(moov, reference.body))
  const isPlain = found !== undefined && reference.end - reference.body === 4 && TEXTS.includes(found.descriptions[0]?.type ?? '')
  if (!isPlain || found.sampleCount > MAX_CHAPTERS || !isPlayedWhole(found)) throw unsupported('chapters_would_be_lost')
  return found
}

const isPlayedWhole = ({ edits = [] }: Track) => edits.length === 0 || (edits.length === 1 && edits[0]!.mediaTime === 0)

/** @throws CodecError (unsupported_feature) for titles with links or styles */
export async function chaptersOfTrack(source: Source, track: Track): Promise<Chapter[]> {
  const { count, offset, size, dts } = track.samples()
  const chapters: Chapter[] = []
  for (let i = 0; i < count; i++) {
    if (size[i]! > MAX_SAMPLE_BYTES) throw unsupported('chapters_would_be_lost')
    const title = titleOf((await source.read(offset[i]!, size[i]!)).slice())
    if (title === undefined) throw unsupported('chapters_would_be_lost')
    chapters.push({ seconds: dts[i]! / track.timescale, title })
  }
  return chapters
}

/** Text of a sample: length of two bytes, UTF-8 or UTF-16, then boxes. `undefined`: damaged, or with more than the encoding behind it. */
function titleOf(sample: Uint8Array): string | undefined {
  if (sample.length < 2) return sample.length === 0 ? '' : undefined
  const end = 2 + u16At(sample, 0)
  if (end > sample.length || [...boxes(sample, end, sample.length)].some(({ type }) => type !== 'encd')) return undefined
  const text = sample.subarray(2, end)
  const isWide = text[0] === 0xfe && text[1] === 0xff
  return isWide ? new TextDecoder('utf-16be').decode(text) : utf8(text)
}

/** Nero's list (`chpl`): version, flags, a reserved byte, a count, then time in 100 ns and title of each. Empty: none. */
export function chaptersOfList(moov: Uint8Array, moovBox: Box): Chapter[] {
  const list = findBox(moov, moovBox, 'udta', 'chpl')
  if (!list) return []
  let at = list.body + (moov[list.body] === 1 ? 9 : 5)
  const chapters: Chapter[] = []
  for (let left = moov[at - 1] ?? 0; left > 0; left--) {
    const [from, end] = [at + 9, at + 9 + (moov[at + 8] ?? 0)]
    if (end > list.end) throw unsupported('chapters_would_be_lost')
    chapters.push({ seconds: u64At(moov, at) / 1e7, title: utf8(moov.subarray(from, end)) })
    at = end
  }
  return chapters.sort((a, b) => a.seconds - b.seconds)
}

const utf8 = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replace(/\0+$/, '')
