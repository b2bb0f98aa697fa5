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
  /** Width and height of a pixel. `undefined`: square. */
  readonly pixelShape?: readonly [number, number] | undefined
  /** Name of the track for people. `undefined`: none. */
  readonly title?: string | undefined
}

/** Metadata of a film: four-character code of an iTunes item and its text. Other names become items with their own name (`----`). */
export type Notes = readonly (readonly [name: string, text: string])[]

const MOVIE_TIMESCALE = 1000
const MATRIX = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
/** Language code `und` (ISO 639-2/T), three letters of five bits each. */
const UNDETERMINED = 0x55c40000

/** Builds an empty movie. */
export async function emptyMovie(tracks: readonly EmptyTrack[], quickTime: boolean, notes: Notes): Promise<Movie> {
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

function trak(
  { handler, timescale, duration, width, height, pixelShape, title }: EmptyTrack,
  id: number,
  milliseconds: number,
): Uint8Array {
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
  const stsd = pixelShape ? shapedEntry(pixelShape) : empty('stsd')
  const stbl = box('stbl', stsd, empty('stts'), empty('stsc'), fullBox('stsz', 0, words(0, 0)), empty('stco'))
  const minf = box(
    'minf',
    sound ? fullBox('smhd', 0, words(0)) : fullBox('vmhd', 1, words(0, 0)),
    box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1))),
    stbl,
  )
  const mdhd = fullBox('mdhd', 0, words(0, 0, timescale, duration, UNDETERMINED))
  const hdlr = fullBox('hdlr', 0, words(0), latin1Bytes(handler), words(0, 0, 0), latin1Bytes(sound ? 'SoundHandler\0' : 'VideoHandler\0'))
  const name = title ? [box('udta', box('name', new TextEncoder().encode(title)))] : []
  return box('trak', tkhd, box('mdia', mdhd, hdlr, minf), ...name)
}

/** `stsd` box whose only entry tells the pixel shape, which the entry of the new pictures takes over. */
function shapedEntry(pixelShape: readonly [number, number]): Uint8Array {
  const fields = new Uint8Array(78)
  fields[7] = 1 // data_reference_index
  return fullBox('stsd', 0, words(1), box('avc1', fields, box('pasp', words(...pixelShape))))
}

/** `udta` box with iTunes items: UTF-8 text, type 1. An item with its own name has boxes for namespace and name. */
function userData(notes: Notes): Uint8Array {
  const utf8 = new TextEncoder()
  const items = notes.map(([name, text]) => {
    const data = box('data', words(1, 0), utf8.encode(text))
    if (/^(?:©\w{3}|cprt)$/.test(name)) return box(name, data)
    return box('----', fullBox('mean', 0, latin1Bytes('com.apple.iTunes')), fullBox('name', 0, utf8.encode(name)), data)
  })
  const hdlr = fullBox('hdlr', 0, words(0), latin1Bytes('mdirappl'), words(0, 0), Uint8Array.of(0))
  return box('udta', fullBox('meta', 0, hdlr, boxOf('ilst', items)))
}
