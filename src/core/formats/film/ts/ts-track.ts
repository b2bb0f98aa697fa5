/** A stream of a program that becomes a track: collects its frames and their times. */
import { Continuity } from '../../../containers/mpeg-ts/continuity.ts'
import type { PacketHeader } from '../../../containers/mpeg-ts/packet.ts'
import { type Clock, pesHeader } from '../../../containers/mpeg-ts/pes.ts'
import type { ProgramStream } from '../../../containers/mpeg-ts/sections.ts'
import type { StreamCoding } from '../../../containers/mpeg-ts/stream-kinds.ts'
import { ContentCutter } from '../../../containers/mpeg-ts/stream-reader.ts'
import { CodecError, malformed } from '../../../model/error.ts'
import { TimeSteps } from '../mkv/to-mp4/jumps.ts'
import { codingOf, type TrackCoding } from './codings.ts'
import type { CutFrame } from './framer.ts'
import { PlayedTime } from './played-time.ts'
import { StreamBuffer } from './stream-buffer.ts'

/** Frame with its place and time. */
export interface TimedFrame extends Pick<CutFrame, 'stored' | 'size' | 'isKey' | 'samples'> {
  /** File offset of its first stored byte. */
  readonly offset: number
  /** Time in units of 90 kHz on the clock of the program. `undefined`: not told. */
  readonly time: number | undefined
  /** Its stored bytes, valid until the handler returns. */
  readonly bytes: Uint8Array
}

/** Units of time a second. */
export const TICKS = 90_000
/** Shorter times count as rounding. */
const LOST_TICKS = TICKS / 10

export class TsTrack {
  readonly stream: ProgramStream
  readonly coding: TrackCoding
  readonly continuity = new Continuity()
  /** Bytes of content, and those in front of the first PES packet. */
  contentBytes = 0
  leadingBytes = 0
  readonly #clock: Clock
  readonly #emit: (frame: TimedFrame) => void
  readonly #buffer = new StreamBuffer()
  readonly #cutter = new ContentCutter()
  /** Positions of PES packets with a time that no frame has used yet. */
  #marks: { readonly at: number; readonly time: number }[] = []
  readonly #steps = new TimeSteps(TICKS)
  #frames = 0
  /** Times of all PES packets, and of those in which a frame begins. */
  readonly #told = new PlayedTime()
  readonly #shown = new PlayedTime()
  #hasStarted = false
  /** Bytes of content that the PES packet still has. `undefined`: not told. */
  #left: number | undefined
  /** Time of the frame that comes next, by the durations of those before. */
  #next: number | undefined

  constructor(stream: ProgramStream, coding: StreamCoding, clock: Clock, emit: (frame: TimedFrame) => void) {
    this.stream = stream
    this.coding = codingOf(coding, stream.pid)
    this.#clock = clock
    this.#emit = emit
  }

  /** Adds a packet with payload. `offset`: file offset of `bytes[0]`. @throws CodecError */
  add(packet: PacketHeader, bytes: Uint8Array, offset: number): void {
    if (packet.isScrambled) throw new CodecError('encrypted')
    if (!this.continuity.isNew(bytes, packet)) return
    if (packet.isStart) this.#hasStarted = true
    if (!this.#hasStarted) {
      this.leadingBytes += packet.to - packet.from
      return
    }
    const wasWhole = !packet.isStart && this.#cutter.isWhole
    const from = this.#cutter.startOf(bytes, packet)
    if (!wasWhole && this.#cutter.isWhole) this.#beginPacket(offset + packet.from)
    const length = packet.to - from
    if (length === 0) return
    if (this.#left !== undefined && (this.#left -= length) < 0) throw malformed('ts', offset + from, 'ts_packet_damaged')
    this.contentBytes += length
    this.#buffer.add(bytes.subarray(from, packet.to), offset + from)
    this.coding.framer.cut(this.#buffer, false, (frame) => this.#timed(frame))
  }

  finish(): void {
    this.coding.framer.cut(this.#buffer, true, (frame) => this.#timed(frame))
  }

  /** True if no frame can be read, the last header has no end, or damaged pictures at the start or end make the film shorter. */
  get hasLostFrames(): boolean {
    if (this.#frames === 0 || !this.#cutter.isWhole) return this.#hasStarted
    const lost = this.#told.ticks - this.#shown.ticks
    return this.coding.hertz() === 0 && lost >= LOST_TICKS
  }

  #beginPacket(at: number): void {
    const header = pesHeader(this.#cutter.header.subarray(0, this.#cutter.filled))
    if (!header || header.bytes < 9) throw malformed('ts', at, 'ts_packet_damaged')
    if (header.isScrambled) throw new CodecError('encrypted')
    this.#left = header.content
    if (header.pts === undefined) return
    const time = this.#clock.continued(header.pts)
    this.#steps.add(time)
    this.#told.add(time)
    this.#marks.push({ at: this.#buffer.end, time })
  }

  #timed({ at, from, stored, size, isKey, samples }: CutFrame): void {
    this.#frames++
    let mark: number | undefined
    while (this.#marks.length > 0 && this.#marks[0]!.at <= at) mark = this.#marks.shift()!.time
    if (mark !== undefined) this.#shown.add(mark)
    const time = mark ?? this.#next
    const hertz = this.coding.hertz()
    this.#next = time !== undefined && samples > 0 && hertz > 0 ? time + (samples * TICKS) / hertz : undefined
    const rounded = time === undefined ? undefined : Math.round(time)
    this.#emit({
      offset: this.#buffer.offsetOf(from),
      stored,
      size,
      isKey,
      samples,
      time: rounded,
      bytes: this.#buffer.view(from, from + stored),
    })
  }
}
