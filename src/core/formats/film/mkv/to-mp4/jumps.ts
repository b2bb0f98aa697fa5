/** Refuses timestamps that jump, as in damaged films and in files that were put one behind another. */
import { unsupported } from '../../../../model/error.ts'
import { type FrameTable, NO_TIME } from './frame-table.ts'
import type { FilmAsMp4 } from './mp4-film.ts'

/** Seconds by which a time may be behind the latest one of its track: frames are shown in another order than they are stored. */
const MAX_SECONDS_BACK = 10
/** Seconds by which a time may be ahead of the latest one of its track, or a track may begin later than the film. */
const MAX_SECONDS_AHEAD = 3600
/** Largest difference in seconds of how long the last picture is shown. */
const TOLERANCE_SECONDS = 0.1
/** Frames of the end that are sorted. Decoders hold 16 frames, so that no picture is shown later than 16 others. */
const TAIL_FRAMES = 64

/** Compares each time of a track with the ones before. */
export class TimeSteps {
  readonly #ticks: number
  #latest: number | undefined

  /** @param ticks units a second */
  constructor(ticks: number) {
    this.#ticks = ticks
  }

  /** @throws CodecError (unsupported_feature) if the time jumps */
  add(time: number): void {
    const latest = this.#latest ?? time
    const seconds = (time - latest) / this.#ticks
    if (seconds < -MAX_SECONDS_BACK || seconds > MAX_SECONDS_AHEAD) throw unsupported('ts_times_jump')
    this.#latest = Math.max(latest, time)
  }
}

/**
 * @param film whose times start at 0
 * @param ticks units a second
 * @throws CodecError (unsupported_feature) if a track begins too late, or MP4 would show the last picture for another time
 */
export function refuseJumps({ tracks, tables }: Pick<FilmAsMp4, 'tracks' | 'tables'>, ticks: number): void {
  for (const [i, table] of tables.entries()) {
    const { count, time } = table
    const startsLate = count > 0 && time[0] !== NO_TIME && time[0]! > MAX_SECONDS_AHEAD * ticks
    const isCut = tracks[i]!.video !== undefined && Math.abs(lastPictureExcess(table)) > TOLERANCE_SECONDS * ticks
    if (startsLate || isCut) throw unsupported('ts_times_jump')
  }
}

/**
 * Time between the last two pictures that are shown, minus the duration that MP4 gives the last one. MP4 counts durations in decoding
 * order, so the two differ if times near the end jump.
 */
function lastPictureExcess({ time, count }: FrameTable): number {
  const tail = time.slice(Math.max(0, count - TAIL_FRAMES))
  const sorted = tail.toSorted()
  const last = tail.lastIndexOf(sorted.at(-1) ?? 0)
  if (last < 0 || last === tail.length - 1) return 0
  return sorted.at(-1)! - sorted.at(-2)! - (sorted[last + 1]! - sorted[last]!)
}
