/** Reads all of a Matroska file that becomes part of an MP4 film. */
import { ATTACHMENTS, CHAPTERS, INFO, TAGS, TRACKS } from '../../../../containers/ebml/matroska.ts'
import { DATE, TIMESTAMP_SCALE, TITLE } from '../../../../containers/ebml/track-elements.ts'
import type { Source } from '../../../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../../../model/error.ts'
import type { MovieExtras, Notes } from '../../sample-table.ts'
import { type Child, type Content, rootOf } from '../content.ts'
import { type Element, type MatroskaFile, scan } from '../scan.ts'
import { chaptersIn } from './chapters.ts'
import { coversIn } from './covers.ts'
import { childFields, signedIn, textIn, wholeIn } from './fields.ts'
import { type FrameTable, frameTables } from './frame-table.ts'
import { notesOf } from './notes.ts'
import { packetLengthOf } from './sound-entry.ts'
import { type MkvTrack, readTracks } from './track.ts'

export interface MkvFilm {
  /** Nanoseconds of a unit of time (TimestampScale). */
  readonly scale: number
  readonly tracks: readonly MkvTrack[]
  readonly tables: readonly FrameTable[]
  readonly elements: readonly Element[]
  readonly notes: Notes
  readonly extras: MovieExtras
}

/** What describes the film, without its frames. */
export type Description = Omit<MkvFilm, 'tables' | 'elements'>

/** @throws CodecError (unsupported_feature) for content that MP4 cannot hold */
export async function readMkvFilm(source: Source, signal: AbortSignal): Promise<MkvFilm> {
  const file = await scan(source, signal)
  const description = describe(file)
  const tables = await frameTables(file.reader, file.elements, description.tracks, description.tracks.map(packetLengthOf))
  return { ...description, tables, elements: file.elements }
}

/** @throws CodecError (unsupported_feature) for content that MP4 cannot hold */
export function describe({ elements }: MatroskaFile): Description {
  const contents = (id: number): Content[] =>
    elements.flatMap((element) => {
      if (element.id !== id) return []
      if (!element.content) throw overBudget('mkv_description_too_long')
      return [element.content]
    })
  const [info, ...otherInfos] = contents(INFO)
  const [tracks, ...otherTracks] = contents(TRACKS)
  if (!tracks) throw malformed('matroska', 0, 'mkv_no_tracks')
  if (otherInfos.length > 0 || otherTracks.length > 0) throw unsupported('mkv_several_descriptions')
  const fields = info && childFields(info, rootOf(info))
  const title = info && textIn(info, fields?.get(TITLE))
  return {
    scale: (info && wholeIn(info, fields?.get(TIMESTAMP_SCALE))) || DEFAULT_SCALE,
    tracks: readTracks(tracks),
    notes: notesOf(contents(TAGS), title),
    extras: {
      chapters: chaptersIn(contents(CHAPTERS)),
      covers: coversIn(contents(ATTACHMENTS)),
      created: info ? createdIn(info, fields?.get(DATE)) : 0,
    },
  }
}

const DEFAULT_SCALE = 1_000_000
/** Seconds from 1904, where MP4 begins to count, to 2001, where Matroska does. */
const EPOCHS = 3_061_152_000

/** Seconds since 1904 at which the file was made; 0: not told, or not representable. */
function createdIn(content: Content, date: Child | undefined): number {
  if (!date || date.end !== date.bodyAt + 8) return 0
  const seconds = Math.floor(signedIn(content, date) / 1e9) + EPOCHS
  return seconds > 0 && seconds < 2 ** 32 ? seconds : 0
}
