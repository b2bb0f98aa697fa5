/**
 * Repacks MP3 frames without loss: each frame gets the smallest size that holds its main data together with the bit reservoir. Sound bits
 * are unchanged.
 */

import { crc16 } from '../../bytes/crc16.ts'
import type { Options, Sink, Source } from '../../model/codec.ts'
import { logicalFrames, maxReservoir, setMainDataBegin } from './granules.ts'
import type { Packing } from './packing.ts'
import type { Mp3Stream } from './stream.ts'
import { buildTag } from './tag-frame.ts'

/** Second pass: writes the tag frame and all frames of sound. */
export async function writeRepacked(source: Source, stream: Mp3Stream, packing: Packing, sink: Sink, options: Options): Promise<void> {
  const { slots, choice } = packing
  const tagAt = sink.written
  await sink.write(buildTag(stream, packing, 0))
  const most = maxReservoir(stream.first)
  const writer = new ReservoirWriter()
  let reserve = 0
  let crc = 0
  let done = 0
  const emit = async (bytes: Uint8Array) => {
    crc = crc16(bytes, crc)
    await sink.write(bytes)
  }
  for await (const frame of logicalFrames(source, stream)) {
    const slot = slots[choice[done]!]!
    const side = frame.side.slice()
    setMainDataBegin(side, frame.header, reserve)
    const bytes = new Uint8Array(slot.bytes)
    bytes.set(frame.head)
    // Sets the protection bit (no CRC), bit rate and padding. Private bit, mode, copyright and emphasis are unchanged.
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

/** Fills main data into the regions of consecutive frames. A frame is ready when its region is full. */
class ReservoirWriter {
  #open: { bytes: Uint8Array; at: number }[] = []
  #ready: Uint8Array[] = []

  add(bytes: Uint8Array, regionAt: number, main: Uint8Array): void {
    this.#open.push({ bytes, at: regionAt })
    this.#fill(main.length, (count, from, frame) => frame.bytes.set(main.subarray(from, from + count), frame.at))
  }

  /** Fills `count` bytes of main data with zeros. */
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
    // MP3 frames without room for main data are ready at once, so that they do not block later ones.
    while (this.#open[0] && this.#open[0].at === this.#open[0].bytes.length) this.#ready.push(this.#open.shift()!.bytes)
  }
}
