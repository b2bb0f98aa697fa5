/** Tables of the frames of each track. */
import { type CompactArray, GrowingCompactArray } from '../../../../bytes/compact-array.ts'
import { CLUSTER } from '../../../../containers/ebml/matroska.ts'
import type { EbmlReader } from '../../../../containers/ebml/reader.ts'
import { message } from '../../../../i18n/message.ts'
import { malformed, overBudget } from '../../../../model/error.ts'
import type { Element } from '../scan.ts'
import { MAX_FRAMES } from '../tuning.ts'
import { blocksOf } from './frames.ts'
import { notInMp4 } from './refusals.ts'
import type { PacketLength } from './sound-entry.ts'
import type { MkvTrack } from './track.ts'

/** Frames of a track as columns, in decoding order. */
export interface FrameTable {
  readonly count: number
  /** File offset and stored size of each frame, without the prefix of its track. */
  readonly offset: CompactArray
  readonly size: CompactArray
  /** Time in units of TimestampScale. `NO_TIME`: a later frame of a block, which has no time of its own. */
  readonly time: CompactArray
  /** 1: decoding may begin here. */
  readonly key: CompactArray
  /** Duration of each frame in samples. `undefined`: frames have the same duration, or an unknown one. */
  readonly samples: CompactArray | undefined
  /** Duration of the last block in units of TimestampScale. `undefined`: not told. */
  readonly lastDuration: number | undefined
  /** Largest difference of a sound frame's time from the durations before it, in units of the table. Default: 1, rounding. */
  readonly jitter?: number
  /** Nanoseconds at the end of the last block that are not played. */
  readonly discarded: number
}

export const NO_TIME = 0xffffffff

/** Subtracts the first time of the film from all times. */
export function startAtZero(tables: readonly FrameTable[]): void {
  let first = NO_TIME
  for (const { time } of tables) for (let i = 0; i < time.length; i++) first = Math.min(first, time[i]!)
  for (const { time } of tables) for (let i = 0; i < time.length; i++) if (time[i] !== NO_TIME) time[i]! -= first
}

class GrowingTable {
  readonly offset = new GrowingCompactArray()
  readonly size = new GrowingCompactArray()
  readonly time = new GrowingCompactArray()
  readonly key = new GrowingCompactArray()
  readonly samples = new GrowingCompactArray()
  lastDuration: number | undefined
  discarded = 0
}

/** @param lengths for each track, what tells the duration of a frame from its first bytes. `undefined`: nothing does */
export async function frameTables(
  reader: EbmlReader,
  elements: readonly Element[],
  tracks: readonly MkvTrack[],
  lengths: readonly (PacketLength | undefined)[],
): Promise<FrameTable[]> {
  const tables = new Map(tracks.map((track, i) => [track.number, { track, length: lengths[i], table: new GrowingTable() }]))
  let total = 0
  for (const cluster of elements) {
    if (cluster.id !== CLUSTER) continue
    for await (const block of blocksOf(reader, cluster)) {
      const found = tables.get(block.track)
      if (!found) throw malformed('matroska', cluster.at, 'mkv_block_of_unknown_track')
      const { track, length, table } = found
      if (table.discarded !== 0) throw notInMp4(track, 'mkv_why_padding')
      total += block.frames.length
      if (total > MAX_FRAMES) throw overBudget(message('mkv_too_many_elements', { most: MAX_FRAMES }))
      for (const [i, [offset, size]] of block.frames.entries()) {
        table.offset.push(offset)
        table.size.push(size)
        table.time.push(i === 0 ? block.time : NO_TIME)
        table.key.push(block.isKey ? 1 : 0)
        if (length) table.samples.push(length(await reader.bytes(offset, Math.min(size, 2))))
      }
      table.lastDuration = block.duration
      table.discarded = block.discarded
    }
  }
  return [...tables.values()].map(({ length, table }) => finished(table, length !== undefined))
}

function finished({ offset, size, time, key, samples, lastDuration, discarded }: GrowingTable, hasSamples: boolean): FrameTable {
  return {
    count: offset.length,
    offset: offset.finish(),
    size: size.finish(),
    time: time.finish(),
    key: key.finish(),
    samples: hasSamples ? samples.finish() : undefined,
    lastDuration,
    discarded,
  }
}
