/** Reads a transport stream as a film whose frames lie in its packets. */
import { GrowingCompactArray } from '../../../bytes/compact-array.ts'
import { languageOf } from '../../../containers/mpeg-ts/stream-kinds.ts'
import { message } from '../../../i18n/message.ts'
import type { Source } from '../../../model/codec.ts'
import { overBudget, unsupported } from '../../../model/error.ts'
import { type FrameTable, NO_TIME, startAtZero } from '../mkv/to-mp4/frame-table.ts'
import { refuseJumps } from '../mkv/to-mp4/jumps.ts'
import type { FilmAsMp4 } from '../mkv/to-mp4/mp4-film.ts'
import type { MkvTrack } from '../mkv/to-mp4/track.ts'
import { MAX_FRAMES } from '../mkv/tuning.ts'
import { frameSource } from './frame-source.ts'
import { openTs, passOver } from './pass.ts'
import { TICKS, type TimedFrame, type TsTrack } from './ts-track.ts'
import { MAX_JITTER_TICKS } from './tuning.ts'

/** Nanoseconds of a unit of 90 kHz. */
export const TS_SCALE = 1e9 / TICKS
/** Units that are added to times, because streams may begin before the first time that comes: 20 minutes. */
const SLACK = 20 * 60 * TICKS

/** Frames of a stream as columns. */
class Columns {
  readonly offset = new GrowingCompactArray()
  readonly stored = new GrowingCompactArray()
  readonly size = new GrowingCompactArray()
  readonly time = new GrowingCompactArray()
  readonly key = new GrowingCompactArray()
  readonly samples = new GrowingCompactArray()
}

export interface TsFilm extends FilmAsMp4 {
  readonly brokenBytes: number
  readonly gaps: number
  /** Parameter sets of each track, which its samples do not repeat. */
  readonly configs: readonly (readonly Uint8Array[])[]
}

/** Collects frames of all tracks. */
class Tables {
  readonly #columns = new Map<TsTrack, Columns>()
  #frames = 0
  #origin: number | undefined

  add(track: TsTrack, { offset, stored, size, time, isKey, samples }: TimedFrame): void {
    if (++this.#frames > MAX_FRAMES) throw overBudget(message('ts_too_many_frames', { most: MAX_FRAMES }))
    const columns = this.#columns.get(track) ?? new Columns()
    this.#columns.set(track, columns)
    if (time !== undefined) this.#origin ??= time - SLACK
    const relative = time === undefined ? NO_TIME : time - this.#origin!
    if (!(relative >= 0 && (relative < NO_TIME || time === undefined))) throw unsupported('ts_times_jump')
    columns.offset.push(offset)
    columns.stored.push(stored)
    columns.size.push(size)
    columns.time.push(relative)
    columns.key.push(isKey ? 1 : 0)
    columns.samples.push(samples)
  }

  finish(tracks: readonly TsTrack[]) {
    return tracks.map((track) => {
      const columns = this.#columns.get(track) ?? new Columns()
      const time = columns.time.finish()
      const table: FrameTable = {
        count: time.length,
        offset: columns.offset.finish(),
        size: columns.size.finish(),
        time,
        key: columns.key.finish(),
        samples: track.coding.hertz() > 0 ? columns.samples.finish() : undefined,
        lastDuration: undefined,
        discarded: 0,
        jitter: MAX_JITTER_TICKS,
      }
      return { table, stored: columns.stored.finish() }
    })
  }
}

/** @throws CodecError for content that MP4 cannot hold, and damaged files */
export async function readTsFilm(source: Source, signal: AbortSignal): Promise<TsFilm> {
  const file = await openTs(source, signal)
  const found = new Tables()
  const { tracks, brokenBytes, gaps, hasLostFrames } = await passOver(file, signal, (track, frame) => found.add(track, frame))
  if (hasLostFrames) throw unsupported('ts_lost_frames')
  const finished = found.finish(tracks)
  const film = { tracks: tracks.map(mkvTrackOf), tables: finished.map(({ table }) => table) }
  startAtZero(film.tables)
  refuseJumps(film, TICKS)
  return {
    ...film,
    scale: TS_SCALE,
    packets: finished.map(({ table, stored }, i) => frameSource(file, tracks[i]!, table, stored)),
    notes: [],
    extras: {},
    brokenBytes,
    gaps,
    configs: tracks.map(({ coding }) => coding.parameterSets()),
  }
}

export function mkvTrackOf({ stream, coding }: TsTrack): MkvTrack {
  return {
    ...coding.describe(),
    number: stream.pid,
    isDefault: true,
    name: '',
    language: languageOf(stream) || 'und',
    longLanguage: '',
    frameNanoseconds: undefined,
    delayNanoseconds: 0,
    prefix: new Uint8Array(),
    extensions: [],
  }
}
