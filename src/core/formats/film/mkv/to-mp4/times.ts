/**
 * Times of MP4 from the times of Matroska. Matroska stores rounded display times, usually in milliseconds; MP4 stores exact durations.
 * If all stored times are those of a steady rate, rounded, the times of the rate are written. Otherwise the stored ones are.
 */
import type { CompactArray } from '../../../../bytes/compact-array.ts'
import { unsupported } from '../../../../model/error.ts'
import { type FrameTable, NO_TIME } from './frame-table.ts'
import { notInMp4, type TrackName } from './refusals.ts'
import type { SoundEntry } from './sound-entry.ts'

/** Times of a track in MP4. */
export interface Times {
  readonly timescale: number
  readonly durations: Float64Array
  /** Display time minus decoding time; never negative. `undefined`: all are 0. */
  readonly compositions: Int32Array | undefined
  /** Display time of the first frame, in units of TimestampScale. */
  readonly start: number
  /** Time in the track that is shown first, in `timescale`. */
  readonly skipped: number
  /** Time that is shown, in `timescale`. */
  readonly shown: number
}

/** Times of pictures. */
export interface PictureTimes extends Times {
  /** Duration of every frame in `timescale`. 0: the stored times are used, because the rate is not steady. */
  readonly frame: number
}

/** Largest difference of a rounded time, in units of TimestampScale: programs round down, up, or to the nearest. */
const ROUNDING = 1

/** Frame rates of films as durations `den / num` seconds. Files store the duration in nanoseconds. */
const RATES: readonly (readonly [num: number, den: number])[] = [
  ...[1001, 1000].flatMap((den) => [24_000, 30_000, 48_000, 60_000, 96_000, 120_000].map((num) => [num, den] as const)),
  ...[5, 10, 12, 12.5, 15, 16, 20, 25, 50, 75, 90, 100, 144].map((rate) => [rate * 1000, 1000] as const),
]

/** Units of TimestampScale a second. */
export const ticksOf = (scale: number): number => 1e9 / scale

/** Times of sound. */
export function soundTimes(
  table: FrameTable,
  sound: Pick<SoundEntry, 'hertz' | 'packet' | 'skipped' | 'total'>,
  scale: number,
  of: TrackName,
): Times {
  const { count, samples } = table
  const { hertz, packet, skipped, total = 0 } = sound
  const dropped = Math.round((table.discarded * hertz) / 1e9)
  const start = table.time[0]!
  if (packet !== undefined || samples) {
    const durations = new Float64Array(count)
    for (let i = 0; i < count; i++) durations[i] = samples ? samples[i]! : packet!
    const beyond = packet === undefined ? 0 : count * packet - total
    if (total > 0 && beyond > 0 && beyond < packet!) durations[count - 1]! -= beyond
    if (fits(table, durations, ticksOf(scale) / hertz)) {
      const shown = durations.reduce((sum, value) => sum + value, 0) - skipped - dropped
      if (shown <= 0) throw notInMp4(of, 'mkv_why_padding')
      return { timescale: hertz, durations, compositions: undefined, start, skipped, shown }
    }
  }
  if (dropped !== 0) throw notInMp4(of, 'mkv_why_padding')
  const timescale = timescaleOf(scale)
  const last = packet === undefined ? table.lastDuration : Math.round((packet * timescale) / hertz)
  const durations = storedDurations(table.time, last, of)
  const ticks = Math.round((skipped * timescale) / hertz)
  const shown = durations.reduce((sum, value) => sum + value, 0) - ticks
  if (shown <= 0) throw notInMp4(of, 'mkv_why_times')
  return { timescale, durations, compositions: undefined, start, skipped: ticks, shown }
}

/** True if all times are sums of durations, rounded. */
function fits({ time, jitter = ROUNDING }: FrameTable, durations: Float64Array, ticks: number): boolean {
  const start = time[0]!
  let at = 0
  for (let i = 0; i < time.length; i++) {
    if (time[i] !== NO_TIME && !(Math.abs(start + at * ticks - time[i]!) <= jitter)) return false
    at += durations[i]!
  }
  return true
}

/** @throws CodecError (unsupported_feature) if a second has no whole number of units */
function timescaleOf(scale: number): number {
  const ticks = ticksOf(scale)
  if (!Number.isInteger(ticks) || ticks > 1_000_000) throw unsupported('mkv_time_unit')
  return ticks
}

/** Differences of stored times. @throws CodecError (unsupported_feature) if a frame has no time, or times go back */
function storedDurations(time: CompactArray, last: number | undefined, of: TrackName): Float64Array {
  const durations = new Float64Array(time.length)
  for (let i = 0; i < time.length; i++) {
    const next = i + 1 < time.length ? time[i + 1]! : time[i]! + (last ?? durations[i - 1] ?? 1)
    if (time[i] === NO_TIME || next === NO_TIME || next < time[i]!) throw notInMp4(of, 'mkv_why_times')
    durations[i] = next - time[i]!
  }
  return durations
}

/** Times of pictures, which may be stored in another order than they are shown. */
export function pictureTimes(table: FrameTable, frameNanoseconds: number | undefined, scale: number, of: TrackName): PictureTimes {
  const { count, time } = table
  const order = shownOrder(time, of)
  const start = time[order[0]!]!
  const steady = steadyRate(time, order, frameNanoseconds, scale)
  const timescale = steady?.timescale ?? timescaleOf(scale)
  const frameTicks = frameNanoseconds && Math.round(frameNanoseconds / scale)
  const durations = new Float64Array(count)
  for (let k = 0; k + 1 < count; k++) durations[k] = steady?.frame ?? time[order[k + 1]!]! - time[order[k]!]!
  const last = order[count - 1]!
  const told = last === count - 1 ? table.lastDuration : undefined
  durations[count - 1] = steady?.frame ?? Math.max(1, told ?? frameTicks ?? durations[count - 2] ?? 1)
  return { timescale, durations, start, frame: steady?.frame ?? 0, ...compositionsOf(order, durations) }
}

/** Decoding times are the display times in ascending order, so that both differ only by the order of the frames. */
function compositionsOf(order: Uint32Array, durations: Float64Array): Pick<Times, 'compositions' | 'skipped' | 'shown'> {
  const count = order.length
  const starts = new Float64Array(count + 1)
  for (let k = 0; k < count; k++) starts[k + 1] = starts[k]! + durations[k]!
  const compositions = new Int32Array(count)
  let delay = 0
  for (let k = 0; k < count; k++) {
    const frame = order[k]!
    compositions[frame] = starts[k]! - starts[frame]!
    delay = Math.max(delay, -compositions[frame]!)
  }
  const isInOrder = compositions.every((value) => value === 0)
  for (let i = 0; i < count; i++) compositions[i]! += delay
  return { compositions: isInOrder ? undefined : compositions, skipped: delay, shown: starts[count]! }
}

/** Frames in the order of their display times. Frames with the same time keep their order. */
function shownOrder(time: CompactArray, of: TrackName): Uint32Array {
  const order = Uint32Array.from(time, (_, i) => i)
  let moved = 0
  for (let i = 0; i < order.length; i++) {
    if (time[i] === NO_TIME) throw notInMp4(of, 'mkv_why_times')
    let at = i
    // Insertion sort, because the order is nearly sorted. The built-in sort would copy the whole array.
    for (; moved <= 32 * order.length && at > 0 && time[order[at - 1]!]! > time[i]!; at--, moved++) order[at] = order[at - 1]!
    order[at] = i
  }
  return moved <= 32 * order.length ? order : order.sort((a, b) => time[a]! - time[b]! || a - b)
}

/** Timescale and duration of a frame if the file tells a rate and all times fit. */
function steadyRate(time: CompactArray, order: Uint32Array, frameNanoseconds: number | undefined, scale: number) {
  const rate = frameNanoseconds && RATES.find(([num, den]) => Math.abs((1e9 * den) / num - frameNanoseconds) <= 1)
  if (!rate) return undefined
  const [num, den] = rate
  const ticks = (ticksOf(scale) * den) / num
  const start = time[order[0]!]!
  for (let k = 0; k < order.length; k++) if (!(Math.abs(start + k * ticks - time[order[k]!]!) <= ROUNDING)) return undefined
  return { timescale: num, frame: den }
}
