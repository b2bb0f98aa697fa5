/** Builds a movie index without samples (ISO/IEC 14496-12, clause 8), for films that come from another container. */

import { concat } from '../../bytes/concat.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { box, boxOf, fullBox, latin1Bytes, words } from '../../containers/isobmff/box.ts'
import { type Movie, readMovie } from '../../containers/isobmff/movie.ts'
import { memorySource } from '../../model/source.ts'

export interface EmptyTrack {
  readonly handler: 'vide' | 'soun'
  readonly timescale: number
  /** Duration of the track in `timescale`. */
  readonly duration: number
  /** Width of the pictures in pixels; 0 for sound. */
  readonly width: number
  readonly height: number
}

export const MOVIE_TIMESCALE = 1000
const MATRIX = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
/** Language code `und` (ISO 639-2/T), three letters of five bits each. */
const UNDETERMINED = 0x55c40000

/** Builds an empty movie. @param notes metadata such as the title, by the four-character code of the iTunes item */
export async function emptyMovie(tracks: readonly EmptyTrack[], quickTime: boolean, notes: readonly [string, string][]): Promise<Movie> {
  const ftyp = quickTime
    ? box('ftyp', latin1Bytes('qt  '), words(0x200), latin1Bytes('qt  '))
    : box('ftyp', latin1Bytes('isom'), words(0x200), latin1Bytes('isomiso2avc1mp41'))
  const milliseconds = ({ duration, timescale }: EmptyTrack) => Math.round((duration * MOVIE_TIMESCALE) / timescale)
  const longest = maxOf(tracks.map(milliseconds))
  // `mvhd`: rate 1.0, volume 1.0, identity matrix, next free track id.
  const mvhd = fullBox(
    'mvhd',
    0,
    words(0, 0, MOVIE_TIMESCALE, longest, 0x10000, 0x01000000, 0, 0),
    MATRIX,
    words(0, 0, 0, 0, 0, 0, tracks.length + 1),
  )
  const traks = tracks.map((track, i) => trak(track, i + 1, milliseconds(track)))
  return readMovie(memorySource(concat([ftyp, boxOf('moov', [mvhd, ...traks, ...(notes.length ? [userData(notes)] : [])])]), 'skeleton'))
}

function trak({ handler, timescale, duration, width, height }: EmptyTrack, id: number, milliseconds: number): Uint8Array {
  const sound = handler === 'soun'
  // `tkhd` flags: track enabled and in movie. Volume: 1.0 for sound, 0 for pictures.
  const tkhd = fullBox(
    'tkhd',
    3,
    words(0, 0, id, 0, milliseconds, 0, 0, 0, sound ? 0x01000000 : 0),
    MATRIX,
    words(width << 16, height << 16),
  )
  const empty = (type: string) => fullBox(type, 0, words(0))
  const stbl = box('stbl', empty('stsd'), empty('stts'), empty('stsc'), fullBox('stsz', 0, words(0, 0)), empty('stco'))
  const minf = box(
    'minf',
    sound ? fullBox('smhd', 0, words(0)) : fullBox('vmhd', 1, words(0, 0)),
    box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1))),
    stbl,
  )
  const mdhd = fullBox('mdhd', 0, words(0, 0, timescale, duration, UNDETERMINED))
  const hdlr = fullBox('hdlr', 0, words(0), latin1Bytes(handler), words(0, 0, 0), latin1Bytes(sound ? 'SoundHandler\0' : 'VideoHandler\0'))
  return box('trak', tkhd, box('mdia', mdhd, hdlr, minf))
}

/** `udta` box with iTunes items: UTF-8 text, type 1. */
function userData(notes: readonly [string, string][]): Uint8Array {
  const items = notes.map(([type, value]) => box(type, box('data', words(1, 0), new TextEncoder().encode(value))))
  const hdlr = fullBox('hdlr', 0, words(0), latin1Bytes('mdirappl'), words(0, 0), Uint8Array.of(0))
  return box('udta', fullBox('meta', 0, hdlr, boxOf('ilst', items)))
}
