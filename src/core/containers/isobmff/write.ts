/** Writes a movie: index first, then one box of media data. Boxes that do not describe storage stay unchanged. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { sumOf } from '../../bytes/compact-array.ts'
import { concat } from '../../bytes/concat.ts'
import type { Options, Sink, Source } from '../../model/codec.ts'
import { WriteBuffer } from '../../model/sink.ts'
import { LARGE_WINDOW_BYTES, ReadWindow } from '../packet-window.ts'
import { type Box, boxes, latin1Bytes, words, words64 } from './box.ts'
import { fragmentedIndex } from './fragmented-index.ts'
import type { Movie } from './movie.ts'
import type { Track } from './track.ts'
import {
  copiedPieces,
  interleave,
  interleavedPieces,
  type NewTrack,
  newPieces,
  type SourceRange,
  type SourceRanges,
  sourceRanges,
  type TrackLayout,
} from './track-interleaving.ts'
import { COPY_BYTES } from './tuning.ts'
import { maxCompositionLead } from './write-fragment.ts'
import { indexWithTables } from './write-index.ts'

export interface MovieLayout {
  /** `ftyp`, `moov` and the header of `mdat`. */
  readonly head: Uint8Array
  /** Bytes of the whole result. */
  readonly total: number
  readonly media: SourceRanges
  /** Boxes that are copied after the media data. */
  readonly trailingBoxes: readonly { readonly offset: number; readonly size: number }[]
}

/** Top-level box types that describe storage or fill space. */
const STORAGE = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'sidx', 'ssix', 'styp', 'moof', 'mfra', 'prft', 'pdin', 'mvex'])

/**
 * Lays out a movie.
 * @param fresh new tracks by track index; their tables are freed. Tracks without an entry are copied sample by sample.
 * @param ftyp `undefined`: a QuickTime file without `ftyp`
 */
export function layOutMovie(source: Source, movie: Movie, fresh: ReadonlyMap<number, NewTrack>, ftyp: Uint8Array | undefined): MovieLayout {
  const layouts = movie.tracks.map((track): TrackLayout => {
    const own = fresh.get(track.index)
    const pieces = own ? newPieces(own.pieces) : copiedPieces(source, track)
    return { ...pieces, track, newTrack: own, mediaOffsets: new Float64Array(pieces.count) }
  })
  const order = interleave(layouts, fresh.size === 0 ? 'offset' : 'time')
  let mediaBytes = 0
  for (const { layout, index } of interleavedPieces(layouts, order)) {
    layout.mediaOffsets[index] = mediaBytes
    mediaBytes += layout.size(index)
  }
  const behind = movie.top.filter(({ type }) => !STORAGE.has(type))
  const wide = mediaBytes > 0xf0000000
  const front = ftyp ?? new Uint8Array()
  const mdatHeader = wide
    ? concat([words(1), latin1Bytes('mdat'), words64(mediaBytes + 16)])
    : concat([words(mediaBytes + 8), latin1Bytes('mdat')])
  const index = mustStayFragmented(movie)
    ? fragmentedIndex(movie, layouts, mediaBytes, mdatHeader.length)
    : indexWithTables(movie, layouts, front.length + mdatHeader.length, wide)
  const head = concat([front, index, mdatHeader])
  discard(index)
  for (const { sizes, durations, compositions } of fresh.values()) {
    for (const table of [sizes, durations, compositions]) if (table) discard(table)
  }
  const total = head.length + mediaBytes + behind.reduce((sum, { size }) => sum + size, 0)
  return { head, total, media: sourceRanges(layouts, order, total), trailingBoxes: behind }
}

/**
 * True if the result must stay fragmented. Players disagree about the start time of fragments with negative composition offsets, so a
 * change would shift the sound for some of them.
 */
export const mustStayFragmented = ({ fragmented, tracks }: Movie): boolean =>
  fragmented && tracks.some((track) => maxCompositionLead(track.samples()) > 0)

/** Writes a laid-out movie. Adjacent pieces are read together. */
export async function writeMovie(source: Source, plan: MovieLayout, sink: Sink, options: Options): Promise<void> {
  await sink.write(plan.head)
  const gathered = new WriteBuffer(sink)
  // Copied tracks, mostly sound, are small pieces spread over the whole file.
  using window = new ReadWindow(source, LARGE_WINDOW_BYTES)
  const copy = async ({ from, offset, size }: SourceRange) => {
    for (let at = 0; at < size; at += COPY_BYTES) {
      options.signal.throwIfAborted()
      const count = Math.min(COPY_BYTES, size - at)
      const bytes = from === source ? await window.read(offset + at, count) : await from.read(offset + at, count)
      await gathered.write(bytes)
      // Bytes of the window belong to the window. A source in memory may return its own buffer, so only partial reads are freed.
      if (from !== source && bytes.length < from.size) discard(bytes)
    }
  }
  const { sources, count, source: which, offset: places, size: sizes } = plan.media
  for (let i = 0; i < count; i++) await copy({ from: sources[which[i]!]!, offset: places[i]!, size: sizes[i]! })
  for (const table of [which, places, sizes]) discard(table)
  for (const box of plan.trailingBoxes) await copy({ from: source, ...box })
  await gathered.flush()
}

/** Bytes of all samples of a track. */
export const trackBytes = ({ chunks }: Track) => sumOf(chunks.size)

/** Child boxes of a visual sample entry (`colr`, `pasp`, `clap`, …). They follow 78 bytes of fields. */
export function visualExtensions(moov: Uint8Array, entry: Box): Box[] {
  return [...boxes(moov, entry.body + 78, entry.end)]
}
