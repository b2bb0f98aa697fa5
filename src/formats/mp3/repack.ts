/**
 * Lossless repacking: every frame gets the smallest size that holds its main data together with what the bit reservoir
 * has left, instead of the encoder's constant (or merely generous) one. Sound bits stay as they are.
 */
import type { Options, Sink, Source } from '../../codec/codec.ts'
import { bitRates, type FrameHeader, frameBytes } from '../../containers/mpeg-audio/frame.ts'
import { logicalFrames, maxReservoir, setMainDataBegin } from './granules.ts'
import type { Stream } from './stream.ts'
import { buildTag } from './tag-frame.ts'

/** A size a frame may have. */
interface Slot {
  readonly index: number
  readonly padding: 0 | 1
  readonly bytes: number
  /** Bytes for main data. */
  readonly region: number
}

export interface Packing {
  readonly slots: readonly Slot[]
  /** For each frame, which slot. */
  readonly choice: Uint8Array
  /** Bytes of all frames of sound. */
  readonly soundBytes: number
}

/** Sizes by bit rate and padding slot, ascending. */
function slotsOf(header: FrameHeader): Slot[] {
  const slots: Slot[] = []
  for (let index = 1; index <= 14; index++) {
    for (const padding of [0, 1] as const) {
      const bytes = frameBytes(header.version, bitRates(header.version)[index]!, header.hertz) + padding
      const region = bytes - 4 - header.sideBytes
      if (region >= 0) slots.push({ index, padding, bytes, region })
    }
  }
  return slots.sort((a, b) => a.bytes - b.bytes)
}

/** First pass: how long each frame's main data is, and the smallest sizes that hold them. Undefined when nothing fits. */
export async function plan(source: Source, stream: Stream, options: Options): Promise<Packing | undefined> {
  const lengths = new Uint16Array(stream.frames)
  let count = 0
  for await (const frame of logicalFrames(source, stream)) {
    if ((count & 1023) === 0) options.signal.throwIfAborted()
    lengths[count++] = frame.main.length
  }
  const slots = slotsOf(stream.first)
  const most = maxReservoir(stream.first)
  const largest = slots.at(-1)!.region
  // Backwards: what must be in reserve before a frame so that it and all that follow fit.
  const need = new Uint16Array(count + 1)
  for (let i = count - 1; i >= 0; i--) {
    const wanted = Math.max(0, lengths[i]! + need[i + 1]! - largest)
    if (wanted > most) return undefined
    need[i] = wanted
  }
  if (need[0]! > 0) return undefined
  const choice = new Uint8Array(count)
  let reserve = 0
  let soundBytes = 0
  for (let i = 0; i < count; i++) {
    let slot = 0
    while (reserve + slots[slot]!.region - lengths[i]! < need[i + 1]!) slot++
    choice[i] = slot
    soundBytes += slots[slot]!.bytes
    reserve = Math.min(most, reserve + slots[slot]!.region - lengths[i]!)
  }
  return { slots, choice, soundBytes }
}

/** Second pass: writes the tag frame and all frames of sound. */
export async function write(source: Source, stream: Stream, packing: Packing, sink: Sink, options: Options): Promise<void> {
  const { slots, choice } = packing
  const tagAt = sink.written
  await sink.write(buildTag(stream, packing, 0))
  const most = maxReservoir(stream.first)
  const writer = new ReservoirWriter()
  let reserve = 0
  let crc = 0
  let done = 0
  const emit = async (bytes: Uint8Array) => {
    for (const byte of bytes) crc = (crc >> 8) ^ CRC16[(crc ^ byte) & 255]!
    await sink.write(bytes)
  }
  for await (const frame of logicalFrames(source, stream)) {
    const slot = slots[choice[done]!]!
    const side = frame.side.slice()
    setMainDataBegin(side, frame.header, reserve)
    const bytes = new Uint8Array(slot.bytes)
    bytes.set(frame.head)
    // Protection off (no CRC follows), bit rate and padding as chosen; private bit, mode, copyright, emphasis as they were.
    bytes[1] = frame.head[1]! | 1
    bytes[2] = (slot.index << 4) | (frame.head[2]! & 0x0d) | (slot.padding << 1)
    bytes.set(side, 4)
    writer.add(bytes, 4 + side.length, frame.main)
    const left = reserve + slot.region - frame.main.length
    reserve = Math.min(most, left)
    writer.stuff(left - reserve)
    for (const ready of writer.take()) await emit(ready)
    done++
    if ((done & 1023) === 0) {
      options.signal.throwIfAborted()
      options.progress(0.3 + (0.5 * done) / stream.frames)
    }
  }
  for (const ready of writer.rest()) await emit(ready)
  const tag = buildTag(stream, packing, crc)
  if (tagAt + tag.length <= 5 * 1024 * 1024) sink.patch(tagAt, tag)
}

/** Fills main data into the regions of frames in a row; a frame leaves when its region is full. */
class ReservoirWriter {
  #open: { bytes: Uint8Array; at: number }[] = []
  #ready: Uint8Array[] = []

  add(bytes: Uint8Array, regionAt: number, main: Uint8Array): void {
    this.#open.push({ bytes, at: regionAt })
    this.#fill(main.length, (count, from, frame) => frame.bytes.set(main.subarray(from, from + count), frame.at))
  }

  /** Leaves so many bytes zero. */
  stuff(count: number): void {
    this.#fill(count, () => undefined)
  }

  take(): Uint8Array[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  rest(): Uint8Array[] {
    const rest = this.#open.map(({ bytes }) => bytes)
    this.#open = []
    return [...this.take(), ...rest]
  }

  #fill(total: number, put: (count: number, from: number, frame: { bytes: Uint8Array; at: number }) => void): void {
    let from = 0
    while (from < total) {
      const frame = this.#open[0]!
      const count = Math.min(total - from, frame.bytes.length - frame.at)
      put(count, from, frame)
      frame.at += count
      from += count
      if (frame.at === frame.bytes.length) this.#ready.push(this.#open.shift()!.bytes)
    }
    // A region without room must not hold up what comes behind it.
    while (this.#open[0] && this.#open[0].at === this.#open[0].bytes.length) this.#ready.push(this.#open.shift()!.bytes)
  }
}

/** CRC-16 with polynomial 0x8005, reflected, as LAME's tag has it. */
export const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  return crc
})
