/** Writes the sample tables of a track (`stbl`): new tables, or the old tables with new chunk offsets. */

import { ByteWriter } from '../../bytes/writer.ts'
import { type Box, boxFreeingParts, fullBox, rebuild, words, wordsOf } from './box.ts'
import type { NewTrackTables, TrackLayout } from './track-interleaving.ts'

/** Chunks of a track, and their offsets in the media data. */
type ChunkLayout = Pick<TrackLayout, 'count' | 'samples' | 'mediaOffsets'>

/** Copies the old tables and replaces the chunk offsets. */
export function copiedStbl(moov: Uint8Array, old: Box, layout: TrackLayout, base: number, wide: boolean): Uint8Array {
  return boxFreeingParts(
    'stbl',
    rebuild(moov, old, (child) => {
      if (child.type === 'stco' || child.type === 'co64') return chunkOffsets(layout, base, wide)
      return child.type === 'free' ? null : undefined
    }),
  )
}

function chunkOffsets({ mediaOffsets: places, count }: ChunkLayout, base: number, wide: boolean): Uint8Array {
  const out = new ByteWriter(new Uint8Array(count * (wide ? 8 : 4)), false)
  for (const place of places) {
    if (wide) out.u64(base + place)
    else out.u32(base + place)
  }
  return boxFreeingParts(wide ? 'co64' : 'stco', [words(0, count), out.finish()])
}

export function newStbl(track: NewTrackTables, layout: ChunkLayout, base: number, wide: boolean): Uint8Array {
  const parts = [fullBox('stsd', 0, words(1), track.description), fullBox('stts', 0, runLengths(track.durations))]
  if (track.compositions) {
    const negative = track.compositions.some((value) => value < 0)
    parts.push(fullBox('ctts', negative ? 0x1000000 : 0, runLengths(track.compositions)))
  }
  if (track.sync) parts.push(fullBox('stss', 0, words(track.sync.length), wordsOf(track.sync.map((index) => index + 1))))
  const perChunk: number[] = []
  for (let i = 0; i < layout.count; i++) {
    const samples = layout.samples(i)
    if (i === 0 || samples !== layout.samples(i - 1)) perChunk.push(i + 1, samples, 1)
  }
  const same = track.sizes.length > 0 && track.sizes.every((size) => size === track.sizes[0]) ? track.sizes[0]! : 0
  parts.push(
    fullBox('stsc', 0, words(perChunk.length / 3), wordsOf(perChunk)),
    boxFreeingParts('stsz', [words(0, same, track.sizes.length), same ? new Uint8Array() : wordsOf(track.sizes)]),
    chunkOffsets(layout, base, wide),
  )
  return boxFreeingParts('stbl', parts)
}

/** Number of rows, then runs of equal values as pairs (run length, value). */
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
