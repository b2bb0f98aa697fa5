/** Writes one movie fragment (ISO/IEC 14496-12, 8.8) that lists all samples of a film. */

import { ByteWriter } from '../../bytes/writer.ts'
import { boxOf, fullBox, words, words64 } from './box.ts'
import type { SampleTables } from './tables.ts'

/** Consecutive samples in decoding order. */
export interface SampleRun {
  readonly samples: number
  /** Offset of the first sample from the end of the `mdat` header. */
  readonly mediaOffset: number
}

export interface FragmentTrack {
  readonly id: number
  /** Decoding time of the first sample, in the track's timescale. */
  readonly start: number
  readonly sizes: Uint32Array
  readonly durations: Float64Array
  /** Composition offset of each sample (display time minus decoding time). `undefined`: all are 0. */
  readonly compositions: Int32Array | undefined
  /** True if decoding may start at this sample. */
  isSync(sample: number): boolean
  readonly runs: readonly SampleRun[]
}

/** Bytes. Data offsets in a fragment are signed 32-bit numbers. */
export const MAX_FRAGMENT_BYTES = 2 ** 31 - 1

/**
 * Largest time by which a track's pictures are displayed before their decoding time, in its timescale. Some players of fragments count
 * times from there.
 */
export const maxCompositionLead = ({ composition }: SampleTables): number =>
  composition.reduce((most, offset) => Math.max(most, -offset), 0)

/** Writes `moof`. Data offsets assume that `mdat` follows directly and that its header has `headerBytes` bytes. */
export function movieFragment(tracks: readonly FragmentTrack[], headerBytes: number): Uint8Array {
  const written = tracks.filter(({ sizes }) => sizes.length > 0)
  const moof = (base: number) => boxOf('moof', [fullBox('mfhd', 0, words(1)), ...written.map((track) => traf(track, base))])
  return moof(moof(0).length + headerBytes)
}

const BASE_IS_MOOF = 0x20000
const HAS = { dataOffset: 1, duration: 0x100, size: 0x200, flags: 0x400, composition: 0x800 } as const
/** Sample flags (ISO/IEC 14496-12, 8.8.3.1). SYNC: depends on no other sample. NO_SYNC: depends on others and is not a sync sample. */
const SYNC = 0x2000000
const NO_SYNC = 0x1010000

function traf(track: FragmentTrack, base: number): Uint8Array {
  const { id, start, compositions } = track
  const flags = HAS.dataOffset | HAS.duration | HAS.size | HAS.flags | (compositions ? HAS.composition : 0)
  let first = 0
  const runs = track.runs.map(({ samples, mediaOffset: place }) => {
    const rows = rowsOf(track, first, (first += samples))
    return fullBox('trun', (1 << 24) | flags, words(samples, base + place), rows)
  })
  return boxOf('traf', [fullBox('tfhd', BASE_IS_MOOF, words(id)), fullBox('tfdt', 1 << 24, words64(start)), ...runs])
}

/** Duration, size, flags and composition offset of each sample in `trun`. */
function rowsOf({ sizes, durations, compositions, isSync }: FragmentTrack, from: number, to: number): Uint8Array {
  const out = new ByteWriter(new Uint8Array((to - from) * (compositions ? 16 : 12)), false)
  for (let i = from; i < to; i++) {
    out.u32(durations[i]!)
    out.u32(sizes[i]!)
    out.u32(isSync(i) ? SYNC : NO_SYNC)
    if (compositions) out.u32(compositions[i]! >>> 0)
  }
  return out.finish()
}
