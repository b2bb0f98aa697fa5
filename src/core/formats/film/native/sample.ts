/** Selects frames from the middle of a part as a sample for the rate factor search. */
import type { SampleTables } from '../../../containers/isobmff/tables.ts'
import type { Cut } from '../cut.ts'
import { LEAST_SAMPLE_FRAMES, SAMPLE_SHARE } from '../tuning.ts'

/** Returns frames from the middle of a part as a cut of their own, or `undefined` if the part is shorter than two samples. */
export function middleSampleOf(samples: SampleTables, cut: Cut): Cut | undefined {
  const frames = Math.max(LEAST_SAMPLE_FRAMES, Math.round(cut.frames * SAMPLE_SHARE))
  if (frames > cut.frames / 2) return undefined
  const times = displayTimesOf(samples, cut)
  const first = Math.floor((times.length - frames) / 2)
  const [start, end] = [times[first]!, times[first + frames]!]
  const time = (i: number) => samples.dts[i]! + samples.composition[i]!
  let [from, to] = [cut.to, cut.from]
  for (let i = cut.from; i < cut.to; i++) {
    if (samples.size[i] === 0 || time(i) < start || time(i) >= end) continue
    from = Math.min(from, i)
    to = i + 1
  }
  while (from > cut.from && !(samples.sync[from] && samples.size[from] && time(from) <= start)) from--
  return { from, to, start, end, frames: times.filter((at) => at >= start && at < end).length }
}

/** Display times of a cut's frames, in order. */
export function displayTimesOf(samples: SampleTables, cut: Cut): Float64Array {
  const times: number[] = []
  for (let i = cut.from; i < cut.to; i++) {
    const time = samples.dts[i]! + samples.composition[i]!
    if (samples.size[i]! > 0 && time >= cut.start && time < cut.end) times.push(time)
  }
  return Float64Array.from(times).sort()
}
