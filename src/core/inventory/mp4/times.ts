/** Times of a track: sample tables (ISO/IEC 14496-12, 8.6), fragments (8.8) and edit lists (8.6.6). */
import type { FileView } from '../file-view.ts'
import { be32, be64, beI32, beI64 } from '../media/numbers.ts'
import { type Box, bodyOf, boxesIn } from './boxes.ts'

/** Sums over the samples of a track, in the track's timescale. Values are `Infinity` and `-Infinity` while no sample is known. */
export interface Times {
  samples: number
  /** Decoding time at which the next sample begins. */
  next: number
  /** Display time of the first picture or sound, and the end of the last. */
  first: number
  last: number
}

const noTimes = (): Times => ({ samples: 0, next: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY })

/** Adds `count` samples of equal duration and composition offset. */
function addSamples(times: Times, count: number, duration: number, composition: number): void {
  if (count <= 0) return
  times.first = Math.min(times.first, times.next + composition)
  times.next += count * duration
  times.samples += count
  times.last = Math.max(times.last, times.next + composition)
}

/** Rows of a table that are read at once. */
const ROWS = 8192

/** Yields pairs of numbers from a table box (`stts`, `ctts`): a count and a value. */
async function* rowsOf(view: FileView, box: Box | undefined): AsyncGenerator<readonly [count: number, value: number]> {
  if (!box) return
  const stated = be32(await view.bytesUpTo(box.body, 8), 4)
  const rows = Math.min(stated, Math.floor((box.end - box.body - 8) / 8))
  for (let row = 0; row < rows; row += ROWS) {
    const table = (await view.bytes(box.body + 8 + row * 8, Math.min(ROWS, rows - row) * 8)).slice()
    for (let at = 0; at < table.length; at += 8) yield [be32(table, at), beI32(table, at + 4)]
  }
}

/** Number of samples in `stsz` or `stz2`. */
export async function sampleCount(view: FileView, stbl: ReadonlyMap<string, Box>): Promise<number> {
  const box = stbl.get('stsz') ?? stbl.get('stz2')
  return box ? be32(await bodyOf(view, box, 12), 8) : 0
}

/** Reads the times of all samples from `stts` and `ctts`. Samples that `stts` omits get its last duration. */
export async function timesOf(view: FileView, stbl: ReadonlyMap<string, Box>): Promise<Times> {
  const times = noTimes()
  let left = await sampleCount(view, stbl)
  const compositions = rowsOf(view, stbl.get('ctts'))
  let [offset, offsetRun] = [0, 0]
  const add = async (count: number, duration: number) => {
    for (let rest = Math.min(count, left); rest > 0; ) {
      while (offsetRun === 0) {
        const next = await compositions.next()
        ;[offsetRun, offset] = next.done ? [Number.POSITIVE_INFINITY, 0] : next.value
      }
      const run = Math.min(rest, offsetRun)
      addSamples(times, run, duration, offset)
      rest -= run
      offsetRun -= run
      left -= run
    }
  }
  let duration = 0
  for await (const [count, value] of rowsOf(view, stbl.get('stts'))) {
    // Some writers store a negative last duration.
    duration = value < 0 ? 1 : value
    await add(count, duration)
    if (left <= 0) break
  }
  await add(left, duration)
  return times
}

/** Defaults of the samples of a track in fragments: duration by track id (`trex`). */
export type FragmentDefaults = Map<number, number>

export async function fragmentDefaults(view: FileView, mvex: Box): Promise<FragmentDefaults> {
  const found: FragmentDefaults = new Map()
  for await (const box of boxesIn(view, mvex, 'exact')) {
    if (box.type !== 'trex') continue
    const body = await bodyOf(view, box, 24)
    found.set(be32(body, 4), be32(body, 12))
  }
  return found
}

/** Adds the samples of one fragment (`moof`) to the times of its tracks. */
export async function addFragment(view: FileView, moof: Box, times: ReadonlyMap<number, Times>, defaults: FragmentDefaults): Promise<void> {
  for await (const traf of boxesIn(view, moof, 'exact')) {
    if (traf.type !== 'traf') continue
    let [into, duration] = [noTimes(), 0]
    for await (const box of boxesIn(view, traf, 'exact')) {
      if (box.type === 'tfhd') {
        const body = await bodyOf(view, box, 40)
        const [flags, id] = [be32(body, 0), be32(body, 4)]
        into = times.get(id) ?? into
        const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0)
        duration = flags & 8 ? be32(body, at) : (defaults.get(id) ?? 0)
      } else if (box.type === 'tfdt') {
        const body = await bodyOf(view, box, 12)
        into.next = body[0] === 1 ? be64(body, 4) : be32(body, 4)
      } else if (box.type === 'trun') await addRun(view, box, into, duration)
    }
  }
}

/** Adds the samples of a `trun` box (ISO/IEC 14496-12, 8.8.8). */
async function addRun(view: FileView, box: Box, into: Times, usual: number): Promise<void> {
  const head = await bodyOf(view, box, 16)
  const flags = be32(head, 0)
  const count = be32(head, 4)
  const hasDuration = (flags & 0x100) !== 0
  const hasComposition = (flags & 0x800) !== 0
  const rowBytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
  if (!hasDuration && !hasComposition) return addSamples(into, count, usual, 0)
  const from = box.body + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
  const rows = Math.min(count, Math.floor((box.end - from) / rowBytes))
  for (let row = 0; row < rows; row += ROWS) {
    const table = (await view.bytes(from + row * rowBytes, Math.min(ROWS, rows - row) * rowBytes)).slice()
    for (let at = 0; at < table.length; at += rowBytes)
      addSamples(into, 1, hasDuration ? be32(table, at) : usual, hasComposition ? beI32(table, at + rowBytes - 4) : 0)
  }
}

export interface Edit {
  /** Duration in the movie's timescale. */
  readonly duration: number
  /** Start in the track's timescale. −1: nothing is shown. */
  readonly start: number
}

/** Reads an edit list of at most `MAX_EDITS` entries. */
export async function editsOf(view: FileView, elst: Box | undefined): Promise<Edit[]> {
  if (!elst) return []
  const body = await bodyOf(view, elst, 8 + MAX_EDITS * 20)
  const wide = body[0] === 1
  const rowBytes = wide ? 20 : 12
  const count = Math.min(be32(body, 4), Math.floor((body.length - 8) / rowBytes))
  return Array.from({ length: count }, (_, row) => {
    const at = 8 + row * rowBytes
    return wide ? { duration: be64(body, at), start: beI64(body, at + 8) } : { duration: be32(body, at), start: beI32(body, at + 4) }
  })
}

const MAX_EDITS = 4096

/** Times of a track and of its movie. */
export interface Shown {
  readonly times: Times
  readonly timescale: number
  readonly edits: readonly Edit[]
  readonly movieTimescale: number
}

/** Returns the edits with their duration in seconds. An edit of duration 0 in a fragmented film lasts to the end of the track. */
export function editSeconds({ times, timescale, edits, movieTimescale }: Shown): { readonly isEmpty: boolean; readonly seconds: number }[] {
  return edits.map(({ duration, start }, i) => {
    const toEnd = duration === 0 && start >= 0 && i === edits.length - 1
    const rest = Math.max(0, times.last - Math.max(times.first, start)) / timescale
    return { isEmpty: start < 0, seconds: toEnd && Number.isFinite(rest) ? rest : duration / movieTimescale }
  })
}

/**
 * Returns how long a track plays, in seconds: from its first picture or sound to its end, without empty edits. A time before the first
 * picture does not count, because rewriting the index may move it into the edit list. `undefined`: the track has no samples.
 */
export function playedSeconds(shown: Shown): number | undefined {
  const { times, timescale, edits } = shown
  if (times.samples === 0) return undefined
  const played = editSeconds(shown).flatMap(({ isEmpty, seconds }, i) =>
    // Players show no more than the samples that follow the start of an edit.
    isEmpty ? [] : [Math.min(seconds, Math.max(0, times.last - edits[i]!.start) / timescale)],
  )
  if (played.length === 0) return (times.last - times.first) / timescale
  const start = edits.find((edit) => edit.start >= 0)?.start ?? 0
  const lead = Math.max(0, times.first - start) / timescale
  return Math.max(0, played.reduce((sum, length) => sum + length, 0) - lead)
}
