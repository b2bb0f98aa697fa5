/** Writes the index of a movie with one fragment: `moov` without samples, and `moof`. */

import { concat } from '../../bytes/concat.ts'
import { message } from '../../i18n/message.ts'
import { unsupported } from '../../model/error.ts'
import { type Box, boxFreeingParts, fullBox, rebuild, words } from './box.ts'
import type { Movie } from './movie.ts'
import { durationsOf, type TrackLayout } from './track-interleaving.ts'
import { type FragmentTrack, MAX_FRAGMENT_BYTES, movieFragment, type SampleRun } from './write-fragment.ts'

/** Returns a `moov` without samples, followed by one `moof` that lists all samples. */
export function fragmentedIndex(
  { moov, moovBox }: Movie,
  layouts: readonly TrackLayout[],
  mediaBytes: number,
  headerBytes: number,
): Uint8Array {
  if (mediaBytes > MAX_FRAGMENT_BYTES) throw unsupported(message('bytes_too_many_for_fragment', { bytes: mediaBytes }))
  const within = (old: Box, path: readonly string[], change: (box: Box) => Uint8Array): Uint8Array =>
    boxFreeingParts(
      old.type,
      rebuild(moov, old, (child) => {
        if (child.type !== path[0]) return undefined
        return path.length === 1 ? change(child) : within(child, path.slice(1), change)
      }),
    )
  const traks = new Map(layouts.map((layout) => [layout.track.box.start, layout]))
  const index = boxFreeingParts(
    'moov',
    rebuild(moov, moovBox, (child) => {
      const layout = child.type === 'trak' ? traks.get(child.start) : undefined
      return layout && within(child, ['mdia', 'minf', 'stbl'], () => emptyStbl(moov, layout))
    }),
  )
  return concat([index, movieFragment(layouts.map(fragmentTrack), headerBytes)])
}

function emptyStbl(moov: Uint8Array, { track, newTrack: fresh }: TrackLayout): Uint8Array {
  const stsd = fresh ? fullBox('stsd', 0, words(1), fresh.description) : moov.subarray(track.stsd.start, track.stsd.end)
  const empty = ['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, words(0)))
  return boxFreeingParts('stbl', [stsd, ...empty, fullBox('stsz', 0, words(0, 0))])
}

function fragmentTrack(layout: TrackLayout): FragmentTrack {
  const { track, newTrack, mediaOffsets: places, count } = layout
  const runs = Array.from({ length: count }, (_, i): SampleRun => ({ samples: layout.samples(i), mediaOffset: places[i]! }))
  if (newTrack) {
    const sync = newTrack.sync && new Set(newTrack.sync)
    return { ...newTrack, start: newTrack.start ?? 0, id: track.id, isSync: (sample) => !sync || sync.has(sample), runs }
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
