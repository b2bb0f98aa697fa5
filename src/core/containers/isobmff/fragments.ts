/** Converts movie fragments (ISO/IEC 14496-12, 8.8) into ordinary sample tables. */

import { GrowingCompactArray, toCompactArray } from '../../bytes/compact-array.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { type Box, boxes, findBox, i32At, u32At, u64At } from './box.ts'
import { checkStructure, childrenOf } from './structure.ts'
import { type ChunkTables, MAX_SAMPLES, type SampleTables } from './tables.ts'
import type { StoredTrack, TopBox } from './track.ts'
import { MAX_MOOF_BYTES } from './tuning.ts'

/** Sample tables of one track, which grow with each fragment. */
class FragmentTables {
  readonly offset = new GrowingCompactArray()
  readonly size = new GrowingCompactArray()
  readonly dts = new GrowingCompactArray()
  readonly composition = new GrowingCompactArray()
  readonly sync = new GrowingCompactArray()
  /** Index of the first sample of each run. */
  readonly runs: number[] = []
  end = 0
}

/** Default values of samples, from `trex` and then from each `tfhd`. */
interface Defaults {
  duration: number
  size: number
  flags: number
}

/** Returns the tracks with the samples of all fragments. Samples that `moov` lists come first. */
export async function readFragments(
  source: Source,
  moov: Uint8Array,
  moovBox: Box,
  tracks: StoredTrack[],
  top: readonly TopBox[],
): Promise<StoredTrack[]> {
  const defaults = new Map<number, Defaults>()
  const mvex = findBox(moov, moovBox, 'mvex')
  for (const trex of mvex ? boxes(moov, mvex.body, mvex.end) : []) {
    if (trex.type !== 'trex' || trex.end - trex.body < 24) continue
    // Fields of `trex` (ISO/IEC 14496-12, 8.8.3): track, description index, duration, size, flags.
    const at = trex.body
    defaults.set(u32At(moov, at + 4), { duration: u32At(moov, at + 12), size: u32At(moov, at + 16), flags: u32At(moov, at + 20) })
  }
  const gathered = new Map(tracks.map((track) => [track.id, initialTables(track)]))
  let total = 0
  for (const { type, offset, size } of top) {
    if (type !== 'moof') continue
    if (size > MAX_MOOF_BYTES) throw malformed('mp4', offset, message('fragment_index_of_bytes', { size }))
    const moof = await source.read(offset, size)
    const [outer] = boxes(moof, 0, moof.length)
    if (!outer || outer.end < size) throw malformed('mp4', offset, 'fragment_index_cut_short')
    checkStructure(moof, outer, offset)
    for (const traf of childrenOf(moof, outer)) {
      if (traf.type === 'traf') total += readTraf(moof, traf, offset, gathered, defaults)
      if (total > MAX_SAMPLES) throw malformed('mp4', offset, 'too_many_samples')
    }
  }
  return tracks.map((track) => withSamples(track, gathered.get(track.id)!))
}

function initialTables(track: StoredTrack): FragmentTables {
  const all = new FragmentTables()
  if (track.sampleCount === 0) return all
  const chunks = track.readChunks()
  const samples = track.readSamples(chunks)
  for (let i = 0; i < samples.count; i++) {
    all.offset.push(samples.offset[i]!)
    all.size.push(samples.size[i]!)
    all.dts.push(samples.dts[i]!)
    all.composition.push(samples.composition[i]!)
    all.sync.push(samples.sync[i]!)
  }
  let first = 0
  for (const count of chunks.samples) {
    all.runs.push(first)
    first += count
  }
  all.end = samples.dts[samples.count]!
  return all
}

/** Reads one track fragment (`traf`) and returns how many samples it added. */
function readTraf(
  moof: Uint8Array,
  traf: Box,
  moofOffset: number,
  gathered: Map<number, FragmentTables>,
  tracks: Map<number, Defaults>,
): number {
  const tfhd = findBox(moof, traf, 'tfhd')
  if (!tfhd) throw malformed('mp4', moofOffset, 'fragment_without_tfhd')
  // ISO/IEC 14496-12, 8.8.7: the optional fields of `tfhd` have the order of their flag bits.
  const flags = u32At(moof, tfhd.body) & 0xffffff
  const id = u32At(moof, tfhd.body + 4)
  const into = gathered.get(id)
  // A rewritten file would drop samples of a track that has no header.
  if (!into) throw malformed('mp4', moofOffset, message('fragment_of_track_has_no_header', { id }))
  let at = tfhd.body + 8
  let base = moofOffset
  if (flags & 1) {
    base = u64At(moof, at)
    at += 8
  }
  if (flags & 2) at += 4 // skips the field sample_description_index
  const defaults = { ...(tracks.get(id) ?? { duration: 0, size: 0, flags: 0 }) }
  if (flags & 8) defaults.duration = u32At(moof, (at += 4) - 4)
  if (flags & 0x10) defaults.size = u32At(moof, (at += 4) - 4)
  if (flags & 0x20) defaults.flags = u32At(moof, (at += 4) - 4)
  const tfdt = findBox(moof, traf, 'tfdt')
  const time = tfdt ? (moof[tfdt.body] === 1 ? u64At(moof, tfdt.body + 4) : u32At(moof, tfdt.body + 4)) : into.end
  let added = 0
  const place: ReadPosition = { base, data: base, time }
  for (const trun of boxes(moof, traf.body, traf.end)) {
    if (trun.type !== 'trun') continue
    added += readRun(moof, trun, place, defaults, into)
  }
  into.end = Math.max(into.end, place.time)
  return added
}

/**
 * Read position in a track fragment. `base`: origin of its data offsets; `data`: file offset and `time`: decoding time of the next sample.
 */
interface ReadPosition {
  readonly base: number
  data: number
  time: number
}

/** Reads the samples of one `trun` box and advances `place`. @returns the number of samples */
function readRun(moof: Uint8Array, trun: Box, place: ReadPosition, defaults: Defaults, into: FragmentTables): number {
  // Fields of `trun` (ISO/IEC 14496-12, 8.8.8): count, data offset, first sample's flags. Then, for each sample, those present of duration,
  // size, flags, composition offset.
  const flags = u32At(moof, trun.body) & 0xffffff
  const count = u32At(moof, trun.body + 4)
  let at = trun.body + 8
  if (flags & 1) place.data = place.base + i32At(moof, (at += 4) - 4)
  const firstFlags = flags & 4 ? u32At(moof, (at += 4) - 4) : undefined
  const perSample = [0x100, 0x200, 0x400, 0x800].filter((bit) => flags & bit).length * 4
  if (count * perSample > trun.end - at || count > MAX_SAMPLES) throw malformed('mp4', trun.start, message('trun_says_samples', { count }))
  if (count > 0) into.runs.push(into.offset.length)
  for (let i = 0; i < count; i++) {
    const duration = flags & 0x100 ? u32At(moof, (at += 4) - 4) : defaults.duration
    const size = flags & 0x200 ? u32At(moof, (at += 4) - 4) : defaults.size
    const own = flags & 0x400 ? u32At(moof, (at += 4) - 4) : i === 0 && firstFlags !== undefined ? firstFlags : defaults.flags
    const composition = flags & 0x800 ? i32At(moof, (at += 4) - 4) : 0
    into.offset.push(place.data)
    into.size.push(size)
    into.dts.push(place.time)
    into.composition.push(composition)
    // ISO/IEC 14496-12, 8.8.3.1: bit 16 of the sample flags is sample_is_non_sync_sample.
    into.sync.push(own & 0x10000 ? 0 : 1)
    place.data += size
    place.time += duration
  }
  return count
}

function withSamples(track: StoredTrack, all: FragmentTables): StoredTrack {
  const count = all.offset.length
  all.dts.push(all.end)
  const samples: SampleTables = {
    count,
    offset: all.offset.finish(),
    size: new Uint32Array(all.size.finish()),
    dts: all.dts.finish(),
    composition: new Int32Array(all.composition.finish().buffer),
    sync: new Uint8Array(all.sync.finish()),
  }
  const chunks = chunksOf(samples, all.runs)
  return { ...track, fromFragments: true, sampleCount: count, duration: all.end, readChunks: () => chunks, readSamples: () => samples }
}

/** Converts runs of samples into chunks. Splits a run where its samples are not adjacent in the file. */
function chunksOf(samples: SampleTables, runs: number[]): ChunkTables {
  const starts: number[] = []
  const isStart = new Set(runs)
  for (let i = 0; i < samples.count; i++) {
    if (i === 0 || isStart.has(i) || samples.offset[i] !== samples.offset[i - 1]! + samples.size[i - 1]!) starts.push(i)
  }
  const counts = starts.map((start, i) => (starts[i + 1] ?? samples.count) - start)
  const count = starts.length
  const [offset, size, time] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  for (let chunk = 0; chunk < count; chunk++) {
    const start = starts[chunk]!
    offset[chunk] = samples.offset[start]!
    time[chunk] = samples.dts[start]!
    for (let i = 0; i < counts[chunk]!; i++) size[chunk]! += samples.size[start + i]!
  }
  return {
    count,
    offset: toCompactArray(offset),
    size: toCompactArray(size),
    time: toCompactArray(time),
    samples: Uint32Array.from(counts),
  }
}
