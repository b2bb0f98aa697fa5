/** Cuts a film into parts. A part is a span of display time that begins at a sync sample, with the samples to decode for it. */
import { countNonEmptySamples, type SampleTables } from '../../containers/isobmff/tables.ts'
import { MAX_PART_BYTES, MOST_REORDERED_FRAMES } from './tuning.ts'

export interface Cut {
  /** Samples to decode, in decoding order: from `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** For films without timestamps: number of the first frame that decoding from `from` gives. */
  readonly first?: number
  /** Display times of the frames of this part: from `start` up to, but not including, `end`. */
  readonly start: number
  readonly end: number
  readonly frames: number
}

/** Cuts a film about every `seconds` seconds at sync samples. Cuts inside a group of pictures only if it is more than twice as long. */
export function cutByTime(samples: SampleTables, timescale: number, seconds: number): Cut[] {
  const pts = (i: number) => samples.dts[i]! + samples.composition[i]!
  const order = shownOrder(samples)
  if (order.length === 0) return []
  const starts = [0]
  let bytes = 0
  for (let k = 1; k < order.length; k++) {
    const sample = order[k]!
    bytes += samples.size[order[k - 1]!]!
    const passed = (pts(sample) - pts(order[starts.at(-1)!]!)) / timescale
    const sync = samples.sync[sample] !== 0
    const isDue = sync ? passed >= seconds * 0.75 || bytes >= MAX_PART_BYTES : passed >= seconds * 2 || bytes >= 2 * MAX_PART_BYTES
    const left = (pts(order.at(-1)!) - pts(sample)) / timescale
    // Two frames with the same time stay in one part. A short rest at the end joins the part before it.
    if (!isDue || left < seconds * 0.3 || pts(sample) === pts(order[k - 1]!)) continue
    starts.push(k)
    bytes = 0
  }
  const firstUsed = samples.size.findIndex((size) => size > 0)
  return starts.map((start, part) => {
    const stop = starts[part + 1] ?? order.length
    const first = order[start]!
    let from = part > 0 ? first : firstUsed
    while (from > firstUsed && !(samples.sync[from] && samples.size[from] && pts(from) <= pts(first))) from--
    let to = 0
    for (let k = start; k < stop; k++) to = Math.max(to, order[k]! + 1)
    const end = stop < order.length ? pts(order[stop]!) : Number.MAX_SAFE_INTEGER
    return { from, to, start: pts(first), end, frames: stop - start }
  })
}

/** Indexes of the non-empty samples in display order. Samples with the same time keep their decoding order. */
function shownOrder(samples: SampleTables): Uint32Array {
  const { count, size, dts, composition } = samples
  const order = new Uint32Array(countNonEmptySamples(samples))
  const pts = (i: number) => dts[i]! + composition[i]!
  const most = count * MOST_REORDERED_FRAMES
  let moved = 0
  for (let i = 0, filled = 0; i < count; i++) {
    if (size[i] === 0) continue
    // Insertion sort, because the order is nearly sorted. The built-in sort would copy the whole array.
    let at = filled++
    for (; moved <= most && at > 0 && pts(order[at - 1]!) > pts(i); at--, moved++) order[at] = order[at - 1]!
    order[at] = i
  }
  return moved <= most ? order : order.sort((a, b) => pts(a) - pts(b) || a - b)
}

/** Largest number of frames that are decoded before a frame that is shown earlier than they are, at most 16. */
export function reorderDepth(samples: Pick<SampleTables, 'count' | 'dts' | 'composition'>): number {
  let deepest = 0
  for (let i = 1; i < samples.count; i++) {
    const shown = samples.dts[i]! + samples.composition[i]!
    let before = 0
    for (let k = Math.max(0, i - 16); k < i; k++) if (samples.dts[k]! + samples.composition[k]! > shown) before++
    deepest = Math.max(deepest, before)
  }
  return Math.min(16, deepest)
}
