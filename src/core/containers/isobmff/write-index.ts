/** Writes the index (`moov`) with sample tables. Boxes that do not describe storage stay unchanged. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { sumOf } from '../../bytes/compact-array.ts'
import { concat } from '../../bytes/concat.ts'
import { type Box, box, boxFreeingParts, fullBox, rebuild, words, words64 } from './box.ts'
import type { Movie } from './movie.ts'
import type { Edit, Track } from './track.ts'
import { durationsOf, type NewTrackTables, type TrackLayout } from './track-interleaving.ts'
import { copiedStbl, newStbl } from './write-tables.ts'

export function indexWithTables(movie: Movie, layouts: readonly TrackLayout[], otherBytes: number, wide: boolean): Uint8Array {
  const draft = buildMoov(movie, layouts, 0, wide)
  const headBytes = draft.length + otherBytes
  discard(draft)
  return buildMoov(movie, layouts, headBytes, wide)
}

function buildMoov(movie: Movie, layouts: readonly TrackLayout[], base: number, wide: boolean): Uint8Array {
  const { moov, moovBox } = movie
  let longest = 0
  const traks = new Map(
    layouts.map((layout) => {
      const { bytes, duration } = buildTrak(movie, layout, base, wide)
      longest = Math.max(longest, duration)
      return [layout.track.box.start, bytes]
    }),
  )
  const children = rebuild(moov, moovBox, (child) => {
    if (child.type === 'trak') return traks.get(child.start) ?? null
    if (child.type === 'mvex' || child.type === 'free' || child.type === 'skip' || child.type === 'wide') return null
    if (child.type === 'mvhd' && movie.fragmented) return withDuration(moov, child, longest, 24, 16)
    return undefined
  })
  return boxFreeingParts('moov', children)
}

/** Copies a header box with another duration. Offsets from the body: `wideAt` for 64 bits (version 1), `at` for 32 bits (version 0). */
function withDuration(moov: Uint8Array, header: Box, duration: number, wideAt: number, at: number): Uint8Array {
  const copy = moov.slice(header.start, header.end)
  const body = header.body - header.start
  if (copy[body] === 1) copy.set(words64(duration), body + wideAt)
  else copy.set(words(Math.min(duration, 0xffffffff)), body + at)
  return copy
}

function buildTrak(movie: Movie, layout: TrackLayout, base: number, wide: boolean): { bytes: Uint8Array; duration: number } {
  const { moov } = movie
  const { track, newTrack: fresh } = layout
  // Fragmented files store times in their fragments, so every table and duration is written anew.
  const rebuilt = fresh ?? (movie.fragmented ? fromSamples(movie, track) : undefined)
  const mediaDuration = rebuilt ? sumOf(rebuilt.durations) : 0
  const timescale = rebuilt?.timescale ?? track.timescale
  const shown = Math.round((mediaDuration * movie.timescale) / timescale)
  const edits = rebuilt?.edits
  const duration = edits?.length ? edits.reduce((sum, edit) => sum + edit.duration, 0) : shown
  const stbl = (old: Box) => (rebuilt ? newStbl(rebuilt, layout, base, wide) : copiedStbl(moov, old, layout, base, wide))
  const minf = (old: Box) =>
    boxFreeingParts(
      'minf',
      rebuild(moov, old, (child) => (child.type === 'stbl' ? stbl(child) : undefined)),
    )
  const mdia = (old: Box) =>
    boxFreeingParts(
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
  return { bytes: boxFreeingParts('trak', children), duration }
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

/** Converts the samples of a fragmented track to tables. Times stay the same. */
function fromSamples(movie: Movie, track: Track): NewTrackTables {
  const samples = track.samples()
  const description = track.descriptions[0]!
  const last = samples.dts[samples.count]! - (samples.dts[samples.count - 1] ?? 0)
  const sync: number[] = []
  samples.sync.forEach((kind, i) => {
    if (kind) sync.push(i)
  })
  // Sample tables start at time 0. If `tfdt` of the first fragment is later, an empty edit or a shorter skip makes up for it.
  const ahead = samples.dts[0] ?? 0
  // The last displayed picture may be later than the last decoded one.
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
