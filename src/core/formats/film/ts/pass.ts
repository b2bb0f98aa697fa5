/** One pass over a transport stream, which cuts each stream into frames. */
import { gridOf, NULL_PID, type PacketGrid, type PacketHeader } from '../../../containers/mpeg-ts/packet.ts'
import { Clock } from '../../../containers/mpeg-ts/pes.ts'
import type { ProgramMap } from '../../../containers/mpeg-ts/sections.ts'
import { kindOfStream } from '../../../containers/mpeg-ts/stream-kinds.ts'
import { walkPackets } from '../../../containers/mpeg-ts/walk.ts'
import { message } from '../../../i18n/message.ts'
import type { Source } from '../../../model/codec.ts'
import { malformed, unsupported } from '../../../model/error.ts'
import { MapReader, programMaps } from './maps.ts'
import { type TimedFrame, TsTrack } from './ts-track.ts'
import { MAX_BROKEN_BYTES, MAX_BROKEN_SHARE } from './tuning.ts'

export interface TsFile {
  readonly source: Source
  readonly grid: PacketGrid
  readonly maps: readonly ProgramMap[]
}

/** What a pass has found besides frames. */
export interface PassResult {
  /** Streams with content, in the order of their programs. */
  readonly tracks: readonly TsTrack[]
  /** Bytes of frames that are not whole: at the ends of the file and where packets are missing. */
  readonly brokenBytes: number
  /** Places where packets are missing. */
  readonly gaps: number
  /** True if a stream lost so much that its track would be gone or shorter. */
  readonly hasLostFrames: boolean
}

const HEAD_BYTES = 4096

/** @throws CodecError (malformed) if the file is no transport stream with a program */
export async function openTs(source: Source, signal: AbortSignal): Promise<TsFile> {
  const grid = gridOf(await source.read(0, HEAD_BYTES))
  if (!grid) throw malformed('ts', 0, 'ts_sync_lost')
  return { source, grid, maps: await programMaps(source, grid, signal) }
}

/** Stream identifiers of pictures and sound (ISO/IEC 13818-1, table 2-22). */
const isMediaId = (id: number) => id >= 0xc0 && id <= 0xef

/** @throws CodecError for streams that MP4 cannot hold, several programs, encrypted or damaged files */
export async function passOver(
  { source, grid, maps }: TsFile,
  signal: AbortSignal,
  onFrame: (track: TsTrack, frame: TimedFrame) => void,
  afterWindow?: (share: number) => void | Promise<void>,
): Promise<PassResult> {
  const streams = new PidTable(maps, onFrame)
  const trailing = await walkPackets(
    source,
    grid,
    signal,
    (packet, bytes, offset) => {
      if (packet.pid !== NULL_PID && !packet.isDamaged && packet.from < packet.to) streams.add(packet, bytes, offset)
      return false
    },
    afterWindow,
  )
  const { tracks, hasLostFrames } = streams.finish()
  const brokenBytes = tracks.reduce((sum, { leadingBytes, coding }) => sum + leadingBytes + coding.framer.broken, trailing)
  const contentBytes = tracks.reduce((sum, track) => sum + track.contentBytes, 0)
  if (brokenBytes > MAX_BROKEN_BYTES && brokenBytes > MAX_BROKEN_SHARE * contentBytes) throw malformed('ts', 0, 'ts_too_damaged')
  return {
    tracks,
    brokenBytes,
    gaps: tracks.reduce((sum, { continuity }) => sum + continuity.gaps, 0),
    hasLostFrames,
  }
}

/** Streams by PID. */
class PidTable {
  readonly #tracks = new Map<number, TsTrack>()
  readonly #refused = new Map<number, string>()
  /** PIDs of data, tables and clocks. */
  readonly #others = new Set<number>()
  readonly #maps: readonly ProgramMap[]
  readonly #reader = new MapReader()

  constructor(maps: readonly ProgramMap[], onFrame: (track: TsTrack, frame: TimedFrame) => void) {
    this.#maps = maps
    for (const map of maps) {
      const clock = new Clock()
      for (const stream of map.streams) {
        const kind = kindOfStream(stream, map)
        if (kind.kind === 'refused') this.#refused.set(stream.pid, kind.name)
        else if (kind.kind === 'data') this.#others.add(stream.pid)
        else if (!this.#tracks.has(stream.pid)) {
          const track: TsTrack = new TsTrack(stream, kind.coding, clock, (frame) => onFrame(track, frame))
          this.#tracks.set(stream.pid, track)
        }
      }
    }
  }

  add(packet: PacketHeader, bytes: Uint8Array, offset: number): void {
    const { pid, from, isStart } = packet
    const track = this.#tracks.get(pid)
    if (track) track.add(packet, bytes, offset)
    if (track || this.#reader.add(packet, bytes)) return
    const name = this.#refused.get(pid)
    if (name !== undefined) throw unsupported(message('ts_stream_not_in_mp4', { pid, name }))
    const isMedia = isStart && bytes[from] === 0 && bytes[from + 1] === 0 && bytes[from + 2] === 1 && isMediaId(bytes[from + 3] ?? 0)
    if (isMedia) throw unsupported(message(this.#others.has(pid) ? 'ts_stream_unknown' : 'ts_stream_without_map', { pid }))
  }

  finish(): Pick<PassResult, 'tracks' | 'hasLostFrames'> {
    const tracks = [...this.#tracks.values()]
    for (const track of tracks) track.finish()
    const found = tracks.filter(({ contentBytes }) => contentBytes > 0)
    const programs = this.#maps.filter(({ streams }) => streams.some(({ pid }) => found.some(({ stream }) => stream.pid === pid)))
    if (programs.length > 1) throw unsupported('ts_several_programs')
    if (found.length === 0) throw malformed('ts', 0, 'ts_no_streams')
    return { tracks: found, hasLostFrames: tracks.some((track) => track.hasLostFrames) }
  }
}
