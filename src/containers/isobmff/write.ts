/** Writes a movie again: index first, media data behind it in one box, every box that is not about storage as it was. */

import { discard } from '../../../wasm/memories/discard.ts'
import { type Column, columnOf, sumOf } from '../../bytes/column.ts'
import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Options, Sink, Source } from '../../codec/codec.ts'
import { unsupported } from '../../codec/error.ts'
import { Gathered } from '../../codec/sink.ts'
import { LARGE_WINDOW_BYTES, Window } from '../window.ts'
import { type Box, box, boxAround, boxes, fullBox, rebuild, text, words, words64, wordsOf } from './box.ts'
import type { Movie } from './movie.ts'
import type { Samples } from './tables.ts'
import type { Edit, Track } from './track.ts'
import { type FragmentTrack, leadOfPictures, MAX_FRAGMENT_BYTES, movieFragment } from './write-fragment.ts'

/** Bytes of a source. */
interface Extent {
  readonly from: Source
  readonly offset: number
  readonly size: number
}

/** Samples that lie in a row in the result. */
export interface Piece extends Extent {
  /** Decoding time in seconds, for interleaving. */
  readonly time: number
  readonly samples: number
}

/** A track's index, made anew. */
interface Tables {
  /** The one sample description, a whole box. */
  readonly description: Uint8Array
  readonly timescale: number
  readonly sizes: Uint32Array
  /** Durations in decoding order. */
  readonly durations: Float64Array
  /** Composition offsets, or undefined when all are zero. */
  readonly compositions: Int32Array | undefined
  /** Indexes of sync samples, or undefined when all are. */
  readonly sync: readonly number[] | undefined
  readonly edits: readonly Edit[] | undefined
}

/** A track whose samples are new. */
export interface NewTrack extends Tables {
  /** When the first sample is decoded, where that is not zero; only fragments can say so. */
  readonly start?: number
  readonly pieces: readonly Piece[]
}

export interface Plan {
  /** `ftyp`, `moov` and the header of `mdat`. */
  readonly head: Uint8Array
  /** Bytes of the whole result. */
  readonly total: number
  readonly media: Extents
  /** Boxes copied behind the media data. */
  readonly behind: readonly { readonly offset: number; readonly size: number }[]
}

/** Extents one after the other, as columns: many films take turns for every few packets. */
interface Extents {
  readonly sources: readonly Source[]
  readonly count: number
  /** Which of the sources. */
  readonly source: Uint16Array
  readonly offset: Column
  readonly size: Column
}

/** A track's pieces, in its own order. */
interface Pieces {
  readonly count: number
  time(index: number): number
  samples(index: number): number
  size(index: number): number
  offset(index: number): number
  from(index: number): Source
}

interface Lane extends Pieces {
  readonly track: Track
  readonly fresh: NewTrack | undefined
  /** Where each piece lies behind the head. */
  readonly places: Float64Array
}

/** Boxes at the top that describe storage, or fill space. */
const STORAGE = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'sidx', 'ssix', 'styp', 'moof', 'mfra', 'prft', 'pdin', 'mvex'])

/**
 * Lays a movie out.
 * @param fresh by track index, whose tables are freed; tracks without an entry are copied sample by sample
 * @param ftyp undefined for QuickTime files that had none
 */
export function layOut(source: Source, movie: Movie, fresh: ReadonlyMap<number, NewTrack>, ftyp: Uint8Array | undefined): Plan {
  const lanes = movie.tracks.map((track): Lane => {
    const own = fresh.get(track.index)
    const pieces = own ? newPieces(own.pieces) : copiedPieces(source, track)
    return { ...pieces, track, fresh: own, places: new Float64Array(pieces.count) }
  })
  const order = interleave(lanes, fresh.size === 0 ? 'offset' : 'time')
  let mediaBytes = 0
  for (const { lane, index } of inOrder(lanes, order)) {
    lane.places[index] = mediaBytes
    mediaBytes += lane.size(index)
  }
  const behind = movie.top.filter(({ type }) => !STORAGE.has(type))
  const wide = mediaBytes > 0xf0000000
  const front = ftyp ?? new Uint8Array()
  const mdatHeader = wide ? concat([words(1), text('mdat'), words64(mediaBytes + 16)]) : concat([words(mediaBytes + 8), text('mdat')])
  const index = staysFragmented(movie)
    ? fragmentedIndex(movie, lanes, mediaBytes, mdatHeader.length)
    : wholeIndex(movie, lanes, front.length + mdatHeader.length, wide)
  const head = concat([front, index, mdatHeader])
  discard(index)
  for (const { sizes, durations, compositions } of fresh.values()) {
    for (const table of [sizes, durations, compositions]) if (table) discard(table)
  }
  const total = head.length + mediaBytes + behind.reduce((sum, { size }) => sum + size, 0)
  return { head, total, media: extentsOf(lanes, order, total), behind }
}

/** Where some players of fragments count from the largest lead, and none does elsewhere, the sound would move for somebody. */
export const staysFragmented = ({ fragmented, tracks }: Movie): boolean =>
  fragmented && tracks.some((track) => leadOfPictures(track.samples()) > 0)

function wholeIndex(movie: Movie, lanes: readonly Lane[], otherBytes: number, wide: boolean): Uint8Array {
  const draft = buildMoov(movie, lanes, 0, wide)
  const headBytes = draft.length + otherBytes
  discard(draft)
  return buildMoov(movie, lanes, headBytes, wide)
}

/** `moov` without samples, and one fragment with all of them. */
function fragmentedIndex({ moov, moovBox }: Movie, lanes: readonly Lane[], mediaBytes: number, headerBytes: number): Uint8Array {
  if (mediaBytes > MAX_FRAGMENT_BYTES) throw unsupported(`${mediaBytes} bytes are too many for a fragment`)
  const within = (old: Box, path: readonly string[], change: (box: Box) => Uint8Array): Uint8Array =>
    boxAround(
      old.type,
      rebuild(moov, old, (child) => {
        if (child.type !== path[0]) return undefined
        return path.length === 1 ? change(child) : within(child, path.slice(1), change)
      }),
    )
  const traks = new Map(lanes.map((lane) => [lane.track.box.start, lane]))
  const index = boxAround(
    'moov',
    rebuild(moov, moovBox, (child) => {
      const lane = child.type === 'trak' ? traks.get(child.start) : undefined
      return lane && within(child, ['mdia', 'minf', 'stbl'], () => emptyStbl(moov, lane))
    }),
  )
  return concat([index, movieFragment(lanes.map(fragmentTrack), headerBytes)])
}

function emptyStbl(moov: Uint8Array, { track, fresh }: Lane): Uint8Array {
  const stsd = fresh ? fullBox('stsd', 0, words(1), fresh.description) : moov.subarray(track.stsd.start, track.stsd.end)
  const empty = ['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, words(0)))
  return boxAround('stbl', [stsd, ...empty, fullBox('stsz', 0, words(0, 0))])
}

function fragmentTrack(lane: Lane): FragmentTrack {
  const { track, fresh, places, count } = lane
  const runs = Array.from({ length: count }, (_, i) => ({ samples: lane.samples(i), place: places[i]! }))
  if (fresh) {
    const sync = fresh.sync && new Set(fresh.sync)
    return { ...fresh, start: fresh.start ?? 0, id: track.id, isSync: (sample) => !sync || sync.has(sample), runs }
  }
  const samples = track.samples()
  const last = samples.dts[samples.count]! - (samples.dts[samples.count - 1] ?? 0)
  return {
    id: track.id,
    start: samples.dts[0] ?? 0,
    sizes: samples.size,
    durations: durationsOf(samples, last),
    compositions: samples.composition.some((value) => value !== 0) ? samples.composition : undefined,
    isSync: (sample) => samples.sync[sample] !== 0,
    runs,
  }
}

const newPieces = (pieces: readonly Piece[]): Pieces => ({
  count: pieces.length,
  time: (index) => pieces[index]!.time,
  samples: (index) => pieces[index]!.samples,
  size: (index) => pieces[index]!.size,
  offset: (index) => pieces[index]!.offset,
  from: (index) => pieces[index]!.from,
})

const copiedPieces = (source: Source, { chunks, timescale }: Track): Pieces => ({
  count: chunks.count,
  time: (index) => chunks.time[index]! / timescale,
  samples: (index) => chunks.samples[index]!,
  size: (index) => chunks.size[index]!,
  offset: (index) => chunks.offset[index]!,
  from: () => source,
})

/** Whose turn it is, by time or by place in the old file; each track's own pieces stay in order. */
function interleave(lanes: readonly Lane[], key: 'time' | 'offset'): Uint8Array {
  const next = lanes.map(() => 0)
  const order = new Uint8Array(lanes.reduce((sum, { count }) => sum + count, 0))
  for (let place = 0; place < order.length; place++) {
    let best = -1
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < lanes.length; i++) {
      const lane = lanes[i]!
      const value = next[i]! < lane.count ? lane[key](next[i]!) : Number.NaN
      if (value >= least || Number.isNaN(value)) continue
      best = i
      least = value
    }
    order[place] = best
    next[best]!++
  }
  return order
}

function* inOrder(lanes: readonly Lane[], order: Uint8Array): Generator<{ lane: Lane; index: number }> {
  const next = lanes.map(() => 0)
  for (let place = 0; place < order.length; place++) {
    const turn = order[place]!
    yield { lane: lanes[turn]!, index: next[turn]!++ }
  }
}

/** What is to be copied; neighbours are one. */
function extentsOf(lanes: readonly Lane[], order: Uint8Array, total: number): Extents {
  const sources: Source[] = []
  const numbers = new Map<Source, number>()
  const source = new Uint16Array(order.length)
  const offset = new Float64Array(order.length)
  const size = columnOf(order.length, total)
  let count = 0
  for (const { lane, index } of inOrder(lanes, order)) {
    const from = lane.from(index)
    let number = numbers.get(from)
    if (number === undefined) {
      number = sources.push(from) - 1
      numbers.set(from, number)
    }
    const last = count - 1
    if (last >= 0 && source[last] === number && offset[last]! + size[last]! === lane.offset(index)) size[last]! += lane.size(index)
    else {
      source[count] = number
      offset[count] = lane.offset(index)
      size[count++] = lane.size(index)
    }
  }
  return { sources, count, source, offset, size }
}

function buildMoov(movie: Movie, lanes: readonly Lane[], base: number, wide: boolean): Uint8Array {
  const { moov, moovBox } = movie
  let longest = 0
  const traks = new Map(
    lanes.map((lane) => {
      const { bytes, duration } = buildTrak(movie, lane, base, wide)
      longest = Math.max(longest, duration)
      return [lane.track.box.start, bytes]
    }),
  )
  const children = rebuild(moov, moovBox, (child) => {
    if (child.type === 'trak') return traks.get(child.start) ?? null
    if (child.type === 'mvex' || child.type === 'free' || child.type === 'skip' || child.type === 'wide') return null
    if (child.type === 'mvhd' && movie.fragmented) return withDuration(moov, child, longest, 24, 16)
    return undefined
  })
  return boxAround('moov', children)
}

/** A header box with another duration: 64 bits at `wideAt` in version 1, 32 bits at `at` in version 0 (from the body). */
function withDuration(moov: Uint8Array, header: Box, duration: number, wideAt: number, at: number): Uint8Array {
  const copy = moov.slice(header.start, header.end)
  const body = header.body - header.start
  if (copy[body] === 1) copy.set(words64(duration), body + wideAt)
  else copy.set(words(Math.min(duration, 0xffffffff)), body + at)
  return copy
}

function buildTrak(movie: Movie, lane: Lane, base: number, wide: boolean): { bytes: Uint8Array; duration: number } {
  const { moov } = movie
  const { track, fresh } = lane
  // Fragmented files keep their times in the fragments, so every table and duration is made anew.
  const rebuilt = fresh ?? (movie.fragmented ? fromSamples(movie, track) : undefined)
  const mediaDuration = rebuilt ? sumOf(rebuilt.durations) : 0
  const timescale = rebuilt?.timescale ?? track.timescale
  const shown = Math.round((mediaDuration * movie.timescale) / timescale)
  const edits = rebuilt?.edits
  const duration = edits?.length ? edits.reduce((sum, edit) => sum + edit.duration, 0) : shown
  const stbl = (old: Box) => (rebuilt ? newStbl(rebuilt, lane, base, wide) : copiedStbl(moov, old, lane, base, wide))
  const minf = (old: Box) =>
    boxAround(
      'minf',
      rebuild(moov, old, (child) => (child.type === 'stbl' ? stbl(child) : undefined)),
    )
  const mdia = (old: Box) =>
    boxAround(
      'mdia',
      rebuild(moov, old, (child) => {
        if (child.type === 'minf') return minf(child)
        return child.type === 'mdhd' && rebuilt ? newMdhd(moov, child, mediaDuration, timescale) : undefined
      }),
    )
  const children = rebuild(moov, track.box, (child) => {
    if (child.type === 'mdia') return mdia(child)
    if (child.type === 'edts' && rebuilt) return null
    if (child.type === 'tkhd') {
      const header = movie.fragmented ? withDuration(moov, child, duration, 28, 20) : moov.subarray(child.start, child.end)
      return rebuilt && edits?.length ? concat([header, editBox(edits)]) : header
    }
    return undefined
  })
  return { bytes: boxAround('trak', children), duration }
}

function newMdhd(moov: Uint8Array, old: Box, duration: number, timescale: number): Uint8Array {
  const copy = withDuration(moov, old, duration, 24, 16)
  const body = old.body - old.start
  copy.set(words(timescale), body + (copy[body] === 1 ? 20 : 12))
  return copy
}

function editBox(edits: readonly Edit[]): Uint8Array {
  const rows = edits.map(({ duration, mediaTime, rate }) => concat([words64(duration, mediaTime), words(rate)]))
  return box('edts', fullBox('elst', 0x1000000, words(edits.length), concat(rows)))
}

/** The old tables, but for where the chunks lie. */
function copiedStbl(moov: Uint8Array, old: Box, lane: Lane, base: number, wide: boolean): Uint8Array {
  return boxAround(
    'stbl',
    rebuild(moov, old, (child) => {
      if (child.type === 'stco' || child.type === 'co64') return chunkOffsets(lane, base, wide)
      return child.type === 'free' ? null : undefined
    }),
  )
}

function chunkOffsets({ places, count }: Lane, base: number, wide: boolean): Uint8Array {
  const out = new ByteWriter(new Uint8Array(count * (wide ? 8 : 4)), false)
  for (const place of places) {
    if (wide) out.u64(base + place)
    else out.u32(base + place)
  }
  return boxAround(wide ? 'co64' : 'stco', [words(0, count), out.finish()])
}

function newStbl(track: Tables, lane: Lane, base: number, wide: boolean): Uint8Array {
  const parts = [fullBox('stsd', 0, words(1), track.description), fullBox('stts', 0, runLengths(track.durations))]
  if (track.compositions) {
    const negative = track.compositions.some((value) => value < 0)
    parts.push(fullBox('ctts', negative ? 0x1000000 : 0, runLengths(track.compositions)))
  }
  if (track.sync) parts.push(fullBox('stss', 0, words(track.sync.length), wordsOf(track.sync.map((index) => index + 1))))
  const perChunk: number[] = []
  for (let i = 0; i < lane.count; i++) {
    const samples = lane.samples(i)
    if (i === 0 || samples !== lane.samples(i - 1)) perChunk.push(i + 1, samples, 1)
  }
  const same = track.sizes.length > 0 && track.sizes.every((size) => size === track.sizes[0]) ? track.sizes[0]! : 0
  parts.push(
    fullBox('stsc', 0, words(perChunk.length / 3), wordsOf(perChunk)),
    boxAround('stsz', [words(0, same, track.sizes.length), same ? new Uint8Array() : wordsOf(track.sizes)]),
    chunkOffsets(lane, base, wide),
  )
  return boxAround('stbl', parts)
}

/** Count of rows, then runs of equal values as (run, value). */
function runLengths(values: Float64Array | Int32Array): Uint8Array {
  const rows = [0]
  for (let i = 0; i < values.length; ) {
    let end = i + 1
    while (end < values.length && values[end] === values[i]) end++
    rows.push(end - i, values[i]!)
    i = end
  }
  rows[0] = (rows.length - 1) / 2
  return wordsOf(rows)
}

/** A fragmented track's samples as tables, unchanged. */
function fromSamples(movie: Movie, track: Track): Tables {
  const samples = track.samples()
  const description = track.descriptions[0]!
  const last = samples.dts[samples.count]! - (samples.dts[samples.count - 1] ?? 0)
  const sync: number[] = []
  samples.sync.forEach((kind, i) => {
    if (kind) sync.push(i)
  })
  // Tables count from zero: what the fragments' own clock (tfdt) was ahead by becomes an empty edit, or shortens the skip.
  const ahead = samples.dts[0] ?? 0
  // The last picture is shown later than it is decoded.
  const lastShown = samples.composition.reduce((latest, offset, i) => Math.max(latest, samples.dts[i]! + offset), ahead)
  const duration = lastShown + last - ahead
  const toMovie = (time: number) => Math.round((time * movie.timescale) / track.timescale)
  const shownFrom = track.edits?.findIndex(({ mediaTime }) => mediaTime >= 0) ?? -1
  const skip = track.edits?.[shownFrom]?.mediaTime ?? 0
  const late = track.edits?.slice(0, Math.max(0, shownFrom)).reduce((sum, edit) => sum + edit.duration, 0) ?? 0
  const media: Edit = { duration: toMovie(duration - Math.max(0, skip - ahead)), mediaTime: Math.max(0, skip - ahead), rate: 0x10000 }
  const empty: Edit = { duration: late + toMovie(Math.max(0, ahead - skip)), mediaTime: -1, rate: 0x10000 }
  return {
    description: movie.moov.subarray(description.start, description.end),
    timescale: track.timescale,
    sizes: samples.size,
    durations: durationsOf(samples, last),
    compositions: samples.composition.some((value) => value !== 0) ? samples.composition : undefined,
    sync: sync.length === samples.count ? undefined : sync,
    edits: empty.duration > 0 ? [empty, media] : ahead > 0 || skip > 0 ? [media] : undefined,
  }
}

function durationsOf({ dts, count }: Samples, last: number): Float64Array {
  const durations = new Float64Array(count)
  for (let i = 0; i < count; i++) durations[i] = i + 1 < count ? dts[i + 1]! - dts[i]! : last
  return durations
}

const COPY_BYTES = 512 * 1024

/** Writes a laid-out movie; pieces that lie in a row are read together. */
export async function writeMovie(source: Source, plan: Plan, sink: Sink, options: Options): Promise<void> {
  await sink.write(plan.head)
  const gathered = new Gathered(sink)
  // What is kept of a film, sound above all, lies in small pieces all over it.
  using window = new Window(source, LARGE_WINDOW_BYTES)
  const copy = async ({ from, offset, size }: Extent) => {
    for (let at = 0; at < size; at += COPY_BYTES) {
      options.signal.throwIfAborted()
      const count = Math.min(COPY_BYTES, size - at)
      const bytes = from === source ? await window.read(offset + at, count) : await from.read(offset + at, count)
      await gathered.write(bytes)
      // The window's are its own, and a source that is all in memory may hand out itself.
      if (from !== source && bytes.length < from.size) discard(bytes)
    }
  }
  const { sources, count, source: which, offset: places, size: sizes } = plan.media
  for (let i = 0; i < count; i++) await copy({ from: sources[which[i]!]!, offset: places[i]!, size: sizes[i]! })
  for (const table of [which, places, sizes]) discard(table)
  for (const box of plan.behind) await copy({ from: source, ...box })
  await gathered.flush()
}

/** Bytes of each track's samples. */
export const trackBytes = ({ chunks }: Track) => sumOf(chunks.size)

/** The `colr`, `pasp`, `clap` and similar boxes of a visual sample entry (78 bytes of fields come first). */
export function visualExtensions(moov: Uint8Array, entry: Box): Box[] {
  return [...boxes(moov, entry.body + 78, entry.end)]
}
