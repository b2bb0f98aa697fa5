/** Builds a movie index without samples (ISO/IEC 14496-12, clause 8), for films that come from another container. */

import { concat } from '../../bytes/concat.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { box, boxOf, fullBox, latin1Bytes, words } from '../../containers/isobmff/box.ts'
import { chapterList, languageCode, matrixOf } from '../../containers/isobmff/index-fields.ts'
import { type Movie, readMovie } from '../../containers/isobmff/movie.ts'
import type { Chapter } from '../../containers/sound-tags.ts'
import { memorySource } from '../../model/source.ts'

export interface EmptyTrack {
  readonly handler: 'vide' | 'soun'
  readonly timescale: number
  /** Duration of the track in `timescale`. */
  readonly duration: number
  /** Width of the pictures in pixels; 0 for sound. */
  readonly width: number
  readonly height: number
  /** Width and height of a pixel. `undefined`: square. */
  readonly pixelShape?: readonly [number, number] | undefined
  /** Name of the track for people. `undefined`: none. */
  readonly title?: string | undefined
  /** Three letters (ISO 639-2). `undefined` or anything else: undetermined. */
  readonly language?: string
  /** Language with country (BCP 47). `undefined` or empty: none. */
  readonly longLanguage?: string
  /** False: players choose other tracks first. Default: true. */
  readonly isEnabled?: boolean
  /** Clockwise rotation for display in degrees: 0 (default), 90, 180 or 270. */
  readonly turned?: number
  /** Group of tracks of which players choose one. Default: 0, none. */
  readonly alternates?: number
}

/** Metadata of a film: four-character code of an iTunes item and its text. Other names become items with their own name (`----`). */
export type Notes = readonly (readonly [name: string, text: string])[]

/** Content of a film besides tracks and notes. */
export interface MovieExtras {
  /** Units a second of the movie's times. Default: 1000. */
  readonly timescale?: number
  /** Seconds since 1904 at which the film was made. Default: 0, not told. */
  readonly created?: number
  readonly chapters?: readonly Chapter[]
  readonly covers?: readonly Cover[]
}

export interface Cover {
  readonly kind: 'jpg' | 'png'
  readonly bytes: Uint8Array
}

const MOVIE_TIMESCALE = 1000

/** Builds an empty movie. */
export async function emptyMovie(
  tracks: readonly EmptyTrack[],
  quickTime: boolean,
  notes: Notes,
  { timescale = MOVIE_TIMESCALE, created = 0, chapters = [], covers = [] }: MovieExtras = {},
): Promise<Movie> {
  const ftyp = quickTime
    ? box('ftyp', latin1Bytes('qt  '), words(0x200), latin1Bytes('qt  '))
    : box('ftyp', latin1Bytes('isom'), words(0x200), latin1Bytes('isomiso2avc1mp41'))
  const lengthOf = (track: EmptyTrack) => Math.round((track.duration * timescale) / track.timescale)
  const longest = maxOf(tracks.map(lengthOf))
  // `mvhd`: rate 1.0, volume 1.0, identity matrix, next free track id.
  const mvhd = fullBox(
    'mvhd',
    0,
    words(created, created, timescale, longest, 0x10000, 0x01000000, 0, 0),
    matrixOf(0, 0, 0),
    words(0, 0, 0, 0, 0, 0, tracks.length + 1),
  )
  const traks = tracks.map((track, i) => trak(track, i + 1, lengthOf(track)))
  const lists = [...(notes.length || covers.length ? [itemList(notes, covers)] : []), ...(chapters.length ? [chapterList(chapters)] : [])]
  const udta = lists.length ? [boxOf('udta', lists)] : []
  return readMovie(memorySource(concat([ftyp, boxOf('moov', [mvhd, ...traks, ...udta])]), 'skeleton'))
}

function trak(track: EmptyTrack, id: number, length: number): Uint8Array {
  const { handler, timescale, duration, width, height, pixelShape, title, isEnabled = true, turned = 0, alternates = 0 } = track
  const sound = handler === 'soun'
  // `tkhd` flags: track enabled and in movie. Volume: 1.0 for sound, 0 for pictures.
  const tkhd = fullBox(
    'tkhd',
    isEnabled ? 3 : 2,
    words(0, 0, id, 0, length, 0, 0, alternates, sound ? 0x01000000 : 0),
    matrixOf(turned, width, height),
    words(width << 16, height << 16),
  )
  const empty = (type: string) => fullBox(type, 0, words(0))
  const stsd = pixelShape ? shapedEntry(pixelShape) : empty('stsd')
  const stbl = box('stbl', stsd, empty('stts'), empty('stsc'), fullBox('stsz', 0, words(0, 0)), empty('stco'))
  const minf = box(
    'minf',
    sound ? fullBox('smhd', 0, words(0)) : fullBox('vmhd', 1, words(0, 0)),
    box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1))),
    stbl,
  )
  const mdhd = fullBox('mdhd', 0, words(0, 0, timescale, duration, languageCode(track.language) * 65_536))
  const elng = track.longLanguage ? [fullBox('elng', 0, new TextEncoder().encode(`${track.longLanguage}\0`))] : []
  const hdlr = fullBox('hdlr', 0, words(0), latin1Bytes(handler), words(0, 0, 0), latin1Bytes(sound ? 'SoundHandler\0' : 'VideoHandler\0'))
  const name = title ? [box('udta', box('name', new TextEncoder().encode(title)))] : []
  return box('trak', tkhd, box('mdia', mdhd, ...elng, hdlr, minf), ...name)
}

/** `stsd` box whose only entry tells the pixel shape, which the entry of the new pictures takes over. */
function shapedEntry(pixelShape: readonly [number, number]): Uint8Array {
  const fields = new Uint8Array(78)
  fields[7] = 1 // data_reference_index
  return fullBox('stsd', 0, words(1), box('avc1', fields, box('pasp', words(...pixelShape))))
}

/** `meta` box with iTunes items: UTF-8 text, type 1. An item with its own name has boxes for namespace and name. */
function itemList(notes: Notes, covers: readonly Cover[]): Uint8Array {
  const utf8 = new TextEncoder()
  const items = notes.map(([name, text]) => {
    const data = box('data', words(1, 0), utf8.encode(text))
    if (/^(?:©\w{3}|cprt)$/.test(name)) return box(name, data)
    return box('----', fullBox('mean', 0, latin1Bytes('com.apple.iTunes')), fullBox('name', 0, utf8.encode(name)), data)
  })
  if (covers.length > 0)
    items.push(
      boxOf(
        'covr',
        covers.map(({ kind, bytes }) => box('data', words(COVER_TYPES[kind], 0), bytes)),
      ),
    )
  const hdlr = fullBox('hdlr', 0, words(0), latin1Bytes('mdirappl'), words(0, 0), Uint8Array.of(0))
  return fullBox('meta', 0, hdlr, boxOf('ilst', items))
}

/** Types of values of the item `covr` (QuickTime File Format, "Well-known types"). */
const COVER_TYPES = { jpg: 13, png: 14 } as const
