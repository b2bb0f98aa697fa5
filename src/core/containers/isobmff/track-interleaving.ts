/** Order and position of the media data in a new movie: which piece of which track comes next. */

import { type CompactArray, createCompactArray } from '../../bytes/compact-array.ts'
import type { Source } from '../../model/codec.ts'
import type { SampleTables } from './tables.ts'
import type { Edit, Track } from './track.ts'

/** Range of bytes of a source file. */
export interface SourceRange {
  readonly from: Source
  readonly offset: number
  readonly size: number
}

/** Consecutive samples of one track in the result. */
export interface TrackPiece extends SourceRange {
  /** Decoding time of the first sample in seconds. Pieces are interleaved by it. */
  readonly time: number
  readonly samples: number
}

/** New sample tables of a track. */
export interface NewTrackTables {
  /** The only sample description, as a whole box. */
  readonly description: Uint8Array
  readonly timescale: number
  readonly sizes: Uint32Array
  /** Sample durations in decoding order, in the track's timescale. */
  readonly durations: Float64Array
  /** Composition offset of each sample (display time minus decoding time). `undefined`: all are 0. */
  readonly compositions: Int32Array | undefined
  /** Indexes of sync samples. `undefined`: all samples are sync samples. */
  readonly sync: readonly number[] | undefined
  readonly edits: readonly Edit[] | undefined
}

/** A track whose samples were encoded again. */
export interface NewTrack extends NewTrackTables {
  /** Decoding time of the first sample. `undefined`: 0. Only fragments can store another value. */
  readonly start?: number
  readonly pieces: readonly TrackPiece[]
}

/** Byte ranges in file order, as columns: films may alternate between tracks after every few packets. */
export interface SourceRanges {
  readonly sources: readonly Source[]
  readonly count: number
  /** For each byte range, the index of its source in `sources`. */
  readonly source: Uint16Array
  readonly offset: CompactArray
  readonly size: CompactArray
}

/** Pieces of one track, in the track's order. */
interface Pieces {
  readonly count: number
  time(index: number): number
  samples(index: number): number
  size(index: number): number
  offset(index: number): number
  from(index: number): Source
}

export interface TrackLayout extends Pieces {
  readonly track: Track
  readonly newTrack: NewTrack | undefined
  /** Offset of each piece from the start of the media data. */
  readonly mediaOffsets: Float64Array
}

export const newPieces = (pieces: readonly TrackPiece[]): Pieces => ({
  count: pieces.length,
  time: (index) => pieces[index]!.time,
  samples: (index) => pieces[index]!.samples,
  size: (index) => pieces[index]!.size,
  offset: (index) => pieces[index]!.offset,
  from: (index) => pieces[index]!.from,
})

export const copiedPieces = (source: Source, { chunks, timescale }: Track): Pieces => ({
  count: chunks.count,
  time: (index) => chunks.time[index]! / timescale,
  samples: (index) => chunks.samples[index]!,
  size: (index) => chunks.size[index]!,
  offset: (index) => chunks.offset[index]!,
  from: () => source,
})

/**
 * Interleaves the pieces of all tracks by time or by offset in the old file. The pieces of one track keep their order. @returns a track
 * index for each piece
 */
export function interleave(layouts: readonly TrackLayout[], key: 'time' | 'offset'): Uint8Array {
  const next = layouts.map(() => 0)
  const order = new Uint8Array(layouts.reduce((sum, { count }) => sum + count, 0))
  for (let place = 0; place < order.length; place++) {
    let best = -1
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < layouts.length; i++) {
      const layout = layouts[i]!
      const value = next[i]! < layout.count ? layout[key](next[i]!) : Number.NaN
      if (value >= least || Number.isNaN(value)) continue
      best = i
      least = value
    }
    order[place] = best
    next[best]!++
  }
  return order
}

export function* interleavedPieces(layouts: readonly TrackLayout[], order: Uint8Array): Generator<{ layout: TrackLayout; index: number }> {
  const next = layouts.map(() => 0)
  for (let place = 0; place < order.length; place++) {
    const trackIndex = order[place]!
    yield { layout: layouts[trackIndex]!, index: next[trackIndex]!++ }
  }
}

/** Byte ranges to copy in file order. Adjacent ranges are merged. */
export function sourceRanges(layouts: readonly TrackLayout[], order: Uint8Array, total: number): SourceRanges {
  const sources: Source[] = []
  const numbers = new Map<Source, number>()
  const source = new Uint16Array(order.length)
  const offset = new Float64Array(order.length)
  const size = createCompactArray(order.length, total)
  let count = 0
  for (const { layout, index } of interleavedPieces(layouts, order)) {
    const from = layout.from(index)
    let number = numbers.get(from)
    if (number === undefined) {
      number = sources.push(from) - 1
      numbers.set(from, number)
    }
    const last = count - 1
    if (last >= 0 && source[last] === number && offset[last]! + size[last]! === layout.offset(index)) size[last]! += layout.size(index)
    else {
      source[count] = number
      offset[count] = layout.offset(index)
      size[count++] = layout.size(index)
    }
  }
  return { sources, count, source, offset, size }
}

export function durationsOf({ dts, count }: SampleTables, last: number): Float64Array {
  const durations = new Float64Array(count)
  for (let i = 0; i < count; i++) durations[i] = i + 1 < count ? dts[i + 1]! - dts[i]! : last
  return durations
}
