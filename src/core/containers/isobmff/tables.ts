/** Sample tables (ISO/IEC 14496-12, 8.6 and 8.7): file offset, size, decoding time and display time of each sample. */

import { type CompactArray, createCompactArray, toCompactArray } from '../../bytes/compact-array.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { type Box, findBox, i32At, u16At, u32At, u64At } from './box.ts'
import { MAX_CHUNKS } from './tuning.ts'

/** Samples of a track as columns, one entry a sample, in decoding order. */
export interface SampleTables {
  readonly count: number
  readonly offset: CompactArray
  readonly size: Uint32Array
  /** Decoding times in the track's timescale. `count + 1` entries: the last is the end of the track. */
  readonly dts: CompactArray
  readonly composition: Int32Array
  /** Kind of each sample: 1 sync sample, 2 partial sync sample (QuickTime, open GOP), 0 neither. */
  readonly sync: Uint8Array
}

/** Chunks of a track as columns. The samples of a chunk are adjacent in the file. */
export interface ChunkTables {
  readonly count: number
  readonly offset: CompactArray
  readonly size: CompactArray
  /** Decoding time of the chunk's first sample, in the track's timescale. */
  readonly time: CompactArray
  readonly samples: Uint32Array
}

/** Number of samples with at least one byte. */
export function countNonEmptySamples({ count, size }: Pick<SampleTables, 'count' | 'size'>): number {
  let used = 0
  for (let i = 0; i < count; i++) if (size[i]! > 0) used++
  return used
}

/** Copies the entries of samples `from` (inclusive) to `to` (exclusive). */
export function samplesBetween({ offset, size, dts, composition, sync }: SampleTables, from: number, to: number): SampleTables {
  return {
    count: to - from,
    offset: offset.slice(from, to),
    size: size.slice(from, to),
    dts: dts.slice(from, to + 1),
    composition: composition.slice(from, to),
    sync: sync.slice(from, to),
  }
}

export const MAX_SAMPLES = 6_000_000

/** Offset of the first row and number of rows of a table box. Its body has version and flags, count, rows. */
function rows(moov: Uint8Array, stbl: Box, type: string, rowBytes: number): { at: number; count: number } | undefined {
  const table = findBox(moov, stbl, type)
  if (!table || table.end - table.body < 8) return undefined
  const count = u32At(moov, table.body + 4)
  if (count * rowBytes > table.end - table.body - 8) throw malformed('mp4', table.start, message('table_says_entries', { type, count }))
  return { at: table.body + 8, count }
}

/** Sample sizes. `same`: bytes of every sample, or 0 if each sample has its own size. */
export interface SampleSizes {
  readonly count: number
  readonly same: number
  of(index: number): number
}

export function readSizes(moov: Uint8Array, stbl: Box): SampleSizes {
  const stsz = findBox(moov, stbl, 'stsz')
  if (stsz && stsz.end - stsz.body >= 12) {
    const same = u32At(moov, stsz.body + 4)
    const count = u32At(moov, stsz.body + 8)
    if (!same && count * 4 > stsz.end - stsz.body - 12) throw malformed('mp4', stsz.start, message('stsz_says_samples', { count }))
    const at = stsz.body + 12
    return { count, same, of: (index) => same || u32At(moov, at + index * 4) }
  }
  const stz2 = findBox(moov, stbl, 'stz2')
  if (!stz2) throw malformed('mp4', stbl.start, 'no_sample_sizes')
  const bits = moov[stz2.body + 7]!
  const count = u32At(moov, stz2.body + 8)
  const at = stz2.body + 12
  if (![4, 8, 16].includes(bits) || Math.ceil((count * bits) / 8) > stz2.end - at) throw malformed('mp4', stz2.start, 'stz2_damaged')
  const of = (index: number) =>
    bits === 16 ? u16At(moov, at + index * 2) : bits === 8 ? moov[at + index]! : (moov[at + (index >> 1)]! >> (index & 1 ? 0 : 4)) & 15
  return { count, same: 0, of }
}

/**
 * Reads the chunk table.
 * @param bytesOf converts a number of equal-sized samples to bytes, for codecs that count samples differently. `undefined`: samples × size
 */
export function readChunks(moov: Uint8Array, stbl: Box, sizes: SampleSizes, bytesOf?: (samples: number) => number): ChunkTables {
  const co64 = findBox(moov, stbl, 'co64')
  const offsets = co64 ? rows(moov, stbl, 'co64', 8) : rows(moov, stbl, 'stco', 4)
  const runs = rows(moov, stbl, 'stsc', 12)
  if (!offsets || !runs) throw malformed('mp4', stbl.start, 'no_chunk_table')
  const { count } = offsets
  if (count > MAX_CHUNKS) throw malformed('mp4', stbl.start, message('count_chunks', { count }))
  checkChunkRuns(moov, runs)
  const offset = new Float64Array(count)
  const size = new Float64Array(count)
  const samples = new Uint32Array(count)
  let sample = 0
  let run = 0
  for (let chunk = 0; chunk < count; chunk++) {
    while (run + 1 < runs.count && u32At(moov, runs.at + (run + 1) * 12) <= chunk + 1) run++
    const wanted = runs.count ? u32At(moov, runs.at + run * 12 + 4) : 0
    const got = Math.min(wanted, sizes.count - sample)
    offset[chunk] = co64 ? u64At(moov, offsets.at + chunk * 8) : u32At(moov, offsets.at + chunk * 4)
    samples[chunk] = got
    if (sizes.same) size[chunk] = bytesOf ? bytesOf(got) : got * sizes.same
    else {
      let bytes = 0
      for (let i = 0; i < got; i++) bytes += sizes.of(sample + i)
      size[chunk] = bytes
    }
    sample += got
  }
  return {
    count,
    offset: toCompactArray(offset),
    size: toCompactArray(size),
    time: toCompactArray(chunkTimes(moov, stbl, samples)),
    samples,
  }
}

/**
 * Checks the `stsc` table (ISO/IEC 14496-12, 8.7.4): first chunks ascend, and each chunk has samples and a description. Players disagree
 * about other tables.
 * @throws CodecError (malformed)
 */
function checkChunkRuns(moov: Uint8Array, runs: { readonly at: number; readonly count: number }): void {
  for (let run = 0, last = 0; run < runs.count; run++) {
    const at = runs.at + run * 12
    const [first, samples, description] = [u32At(moov, at), u32At(moov, at + 4), u32At(moov, at + 8)]
    const isInvalid = first <= last || samples < 1 || samples > 0x7fffffff || description < 1
    if (isInvalid) throw malformed('mp4', at, message('chunk_run_out_of_order', { first, samples, description, last }))
    last = first
  }
}

/** Decoding times of each chunk's first sample. Computed without a table of all samples. */
function chunkTimes(moov: Uint8Array, stbl: Box, samples: Uint32Array): Float64Array {
  const time = new Float64Array(samples.length)
  const stts = rows(moov, stbl, 'stts', 8)
  if (!stts) return time
  let sample = 0
  let at = 0
  let row = 0
  for (let chunk = 0, first = 0; chunk < samples.length; first += samples[chunk++]!) {
    while (row < stts.count && first >= sample + u32At(moov, stts.at + row * 8)) {
      sample += u32At(moov, stts.at + row * 8)
      at += u32At(moov, stts.at + row * 8) * u32At(moov, stts.at + row * 8 + 4)
      row++
    }
    const delta = row < stts.count ? u32At(moov, stts.at + row * 8 + 4) : 0
    time[chunk] = at + (first - sample) * delta
  }
  return time
}

/** Reads the tables of all samples of a track. */
export function readSamples(moov: Uint8Array, stbl: Box, sizes: SampleSizes, chunks: ChunkTables): SampleTables {
  const { count } = sizes
  if (count > MAX_SAMPLES) throw malformed('mp4', stbl.start, message('count_samples', { count }))
  let ends = 0
  for (let chunk = 0; chunk < chunks.count; chunk++) ends = Math.max(ends, chunks.offset[chunk]! + chunks.size[chunk]!)
  const samples: SampleTables = {
    count,
    offset: createCompactArray(count, ends),
    size: new Uint32Array(count),
    dts: createCompactArray(count + 1, durationOf(moov, stbl, count)),
    composition: new Int32Array(count),
    sync: new Uint8Array(count),
  }
  for (let chunk = 0, i = 0; chunk < chunks.count; chunk++) {
    let at = chunks.offset[chunk]!
    for (const end = i + chunks.samples[chunk]!; i < end; i++) {
      samples.offset[i] = at
      samples.size[i] = sizes.of(i)
      at += samples.size[i]!
    }
  }
  fillTimes(moov, stbl, samples)
  fillComposition(moov, stbl, samples)
  fillSync(moov, stbl, samples)
  return samples
}

/** Yields runs of samples with equal duration, `count` samples in total. Samples that the `stts` table omits get its last duration. */
function* durations(moov: Uint8Array, stbl: Box, count: number): Generator<{ run: number; delta: number }> {
  const table = rows(moov, stbl, 'stts', 8)
  let left = count
  let delta = 0
  for (let row = 0; row < (table?.count ?? 0) && left > 0; row++) {
    const run = Math.min(left, u32At(moov, table!.at + row * 8))
    delta = u32At(moov, table!.at + row * 8 + 4)
    // Some writers store a negative last duration.
    if (delta > 0x7fffffff) delta = 1
    yield { run, delta }
    left -= run
  }
  if (left > 0) yield { run: left, delta }
}

/** Duration of all samples, in the track's timescale. */
export function durationOf(moov: Uint8Array, stbl: Box, count: number): number {
  let duration = 0
  for (const { run, delta } of durations(moov, stbl, count)) duration += run * delta
  return duration
}

function fillTimes(moov: Uint8Array, stbl: Box, { dts, count }: SampleTables): void {
  let sample = 0
  let time = 0
  for (const { run, delta } of durations(moov, stbl, count)) {
    for (const end = sample + run; sample < end; sample++) {
      dts[sample] = time
      time += delta
    }
  }
  dts[count] = time
}

function fillComposition(moov: Uint8Array, stbl: Box, { composition, count }: SampleTables): void {
  const table = rows(moov, stbl, 'ctts', 8)
  let sample = 0
  for (let row = 0; row < (table?.count ?? 0); row++) {
    const run = u32At(moov, table!.at + row * 8)
    const value = i32At(moov, table!.at + row * 8 + 4)
    const end = Math.min(count, sample + run)
    composition.fill(value, sample, end)
    sample = end
  }
}

function fillSync(moov: Uint8Array, stbl: Box, { sync, count }: SampleTables): void {
  const stss = rows(moov, stbl, 'stss', 4)
  if (!stss) sync.fill(1)
  for (let row = 0; row < (stss?.count ?? 0); row++) {
    const sample = u32At(moov, stss!.at + row * 4) - 1
    if (sample < count) sync[sample] = 1
  }
  const stps = rows(moov, stbl, 'stps', 4)
  for (let row = 0; row < (stps?.count ?? 0); row++) {
    const sample = u32At(moov, stps!.at + row * 4) - 1
    if (sample < count) sync[sample] = 2
  }
}
