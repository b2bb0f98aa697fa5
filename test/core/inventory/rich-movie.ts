/** A small QuickTime film that has something of every kind of content. */
import { concat } from '../../../src/core/bytes/concat.ts'
import { type Box, box, boxes, findBox, fullBox, latin1Bytes, rebuild, words } from '../../../src/core/containers/isobmff/box.ts'
import { rawMovie } from '../formats/media-fixtures.ts'

const text = (value: string) => new TextEncoder().encode(value)
const data = (type: number, value: Uint8Array) => box('data', words(type, 0), value)

/** One pixel PNG header: signature, IHDR of 3 × 2 pixels. */
const COVER = concat([
  Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
  words(13),
  text('IHDR'),
  words(3, 2),
  Uint8Array.of(8, 2, 0, 0, 0),
])

const ITEMS = box(
  'ilst',
  box('©cmt', data(1, text('A comment'))),
  box('covr', data(14, COVER)),
  box('----', fullBox('mean', 0, text('com.apple.iTunes')), fullBox('name', 0, text('MOOD')), data(1, text('calm'))),
  box('----', fullBox('mean', 0, text('com.apple.iTunes')), fullBox('name', 0, text('iTunSMPB')), data(1, text(' 00000000 00000840'))),
)
const META = fullBox('meta', 0, fullBox('hdlr', 0, words(0), latin1Bytes('mdirappl'), words(0, 0), Uint8Array.of(0)), ITEMS)
const CHAPTERS = fullBox(
  'chpl',
  0x1000000,
  words(0),
  Uint8Array.of(2),
  words(0, 0),
  Uint8Array.of(5),
  text('Start'),
  words(0, 5_000_000),
  Uint8Array.of(3),
  text('End'),
)
const USER_DATA = [META, CHAPTERS, box('AllF', Uint8Array.of(1))]

const COLOUR = box('colr', latin1Bytes('nclx'), Uint8Array.of(0, 9, 0, 16, 0, 9, 0x80))
const VISUAL = [COLOUR, box('pasp', words(16, 15)), box('mdcv', words(1, 2, 3, 4, 5, 6)), box('clli', Uint8Array.of(3, 232, 1, 144))]

/** Adds boxes at the end of the box at `path`, and changes boxes with `change`. */
function edited(moov: Uint8Array, within: Box, path: readonly string[], change: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  const [type, ...deeper] = path
  return box(
    within.type,
    ...rebuild(moov, within, (child) => {
      if (child.type !== type) return undefined
      return deeper.length === 0 ? change(moov.slice(child.start, child.end)) : edited(moov, child, deeper, change)
    }),
  )
}

const appended = (bytes: Uint8Array, ...more: Uint8Array[]) =>
  concat([words(bytes.length + more.reduce((sum, { length }) => sum + length, 0)), bytes.subarray(4), ...more])

const only = (bytes: Uint8Array) => [...boxes(bytes, 0, bytes.length)][0]!

/** Replaces four bytes. */
const withWord = (bytes: Uint8Array, at: number, value: number) => concat([bytes.subarray(0, at), words(value), bytes.subarray(at + 4)])

function videoTrack(trak: Uint8Array): Uint8Array {
  const description = (stsd: Uint8Array) => {
    const entry = stsd.subarray(16)
    return concat([
      words(16 + entry.length + VISUAL.reduce((sum, { length }) => sum + length, 0)),
      stsd.subarray(4, 16),
      appended(entry, ...VISUAL),
    ])
  }
  let changed = edited(trak, only(trak), ['mdia', 'minf', 'stbl', 'stsd'], description)
  // `mdhd`: creation time at byte 12, language (German) at byte 28. `tkhd`: matrix at byte 48.
  changed = edited(changed, only(changed), ['mdia', 'mdhd'], (mdhd) => withWord(withWord(mdhd, 12, 3_600_000_000), 28, 0x10b50000))
  changed = edited(changed, only(changed), ['tkhd'], (tkhd) => {
    const turned = concat([tkhd.subarray(0, 48), words(0, 0x10000, 0, 0xffff0000, 0), tkhd.subarray(68)])
    return withWord(turned, 12, 0)
  })
  const edits = fullBox('elst', 0, words(2, 200, 0xffffffff, 0x10000, 400, 0, 0x10000))
  return appended(changed, box('edts', edits), box('tref', box('tmcd', words(3))), box('udta', box('name', text('Main view'))))
}

/** Track with one sample of four bytes of the media data. */
function dataTrack(moov: Uint8Array, trak: Box, id: number, handler: string, entry: Uint8Array): Uint8Array {
  const bytes = moov.slice(trak.start, trak.end)
  const offset = moov.slice(findBox(moov, trak, 'mdia', 'minf', 'stbl', 'stco')!.body + 8)
  const stbl = box(
    'stbl',
    fullBox('stsd', 0, words(1), entry),
    fullBox('stts', 0, words(1, 1, 4000)),
    fullBox('stsc', 0, words(1, 1, 1, 1)),
    fullBox('stsz', 0, words(4, 1)),
    concat([fullBox('stco', 0, words(1)).subarray(0, 0), box('stco', words(0, 1), offset.subarray(0, 4))]),
  )
  let changed = edited(bytes, only(bytes), ['mdia', 'minf', 'stbl'], () => stbl)
  changed = edited(changed, only(changed), ['mdia', 'hdlr'], (hdlr) =>
    concat([hdlr.subarray(0, 16), latin1Bytes(handler), hdlr.subarray(20)]),
  )
  return edited(changed, only(changed), ['tkhd'], (tkhd) => withWord(tkhd, 20, id))
}

const TIMECODE = box('tmcd', words(0, 1, 0, 0, 2500, 100), Uint8Array.of(25, 0))
const SUBTITLES = box('tx3g', words(0, 1), new Uint8Array(30))

/** The film: pictures, sound, time code and subtitles. `udta` of the film and a `uuid` box behind it, then trailing bytes. */
export function richMovie(frames = 25): Uint8Array {
  const plain = rawMovie(frames)
  const outer = [...boxes(plain, 0, plain.length)].find(({ type }) => type === 'moov')!
  const [video, sound] = [...boxes(plain, outer.body, outer.end)].filter(({ type }) => type === 'trak')
  const added = [dataTrack(plain, sound!, 3, 'tmcd', TIMECODE), dataTrack(plain, sound!, 4, 'sbtl', SUBTITLES)]
  const children = rebuild(plain, outer, (child) => {
    if (child.start === video!.start) return videoTrack(plain.slice(child.start, child.end))
    if (child.start === sound!.start) return concat([plain.slice(child.start, child.end), ...added])
    return child.type === 'udta' ? appended(plain.slice(child.start, child.end), ...USER_DATA) : undefined
  })
  return concat([plain.subarray(0, outer.start), box('moov', ...children), box('uuid', new Uint8Array(16).fill(7)), text('trailing!')])
}
