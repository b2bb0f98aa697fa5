import type { Movie } from '../../../../containers/isobmff/movie.ts'
import { type FrameTable, NO_TIME } from './frame-table.ts'
import { shownAt } from './shown-at.ts'

export interface Clock {
  /** Units of the table a second. */
  readonly ticks: number
  /** Largest difference of two times in seconds. */
  readonly tolerance: number
}

/** Compares sizes, times and key frames of a table with a track of MP4. Returns a description of the first difference. */
export function tableDifference(table: FrameTable, movie: Movie, index: number, { ticks, tolerance }: Clock): string | undefined {
  const { count, size, time, key } = table
  const track = movie.tracks[index]!
  const samples = track.samples()
  if (samples.count !== count) return `track ${index}: ${count} frames became ${samples.count} samples`
  const secondsOf = shownAt(movie, track, samples)
  const isVideo = track.handler === 'vide'
  for (let i = 0; i < count; i++) {
    if (samples.size[i] !== size[i]) return `track ${index}: frame ${i} has another size`
    const isAtTime = time[i] === NO_TIME || Math.abs(secondsOf(i) - time[i]! / ticks) <= tolerance
    if (!isAtTime) return `track ${index}: frame ${i} is shown at another time`
    if (isVideo && (samples.sync[i] !== 0) !== (key[i] !== 0)) return `track ${index}: frame ${i} is a key frame in one file only`
  }
  return undefined
}
