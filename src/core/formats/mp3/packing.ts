/** Chooses the smallest frame sizes that hold the sound, with the help of the bit reservoir. */

import { bitRates, type FrameHeader, frameBytes } from '../../containers/mpeg-audio/frame.ts'
import type { Options, Source } from '../../model/codec.ts'
import { logicalFrames, maxReservoir } from './granules.ts'
import type { Mp3Stream } from './stream.ts'

/** A frame size that the MP3 format allows. */
interface Slot {
  readonly index: number
  readonly padding: 0 | 1
  readonly bytes: number
  /** Bytes of the frame that can hold main data. */
  readonly region: number
}

export interface Packing {
  readonly slots: readonly Slot[]
  /** For each frame, the index of its size in `slots`. */
  readonly choice: Uint8Array
  /** Bytes of all repacked frames of sound. */
  readonly soundBytes: number
}

/** Lists all MP3 frame sizes, by bit rate and padding, ascending. */
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

/** First pass: measures each frame's main data and chooses the smallest sizes that hold it. `undefined`: no sizes do. */
export async function planPacking(source: Source, stream: Mp3Stream, options: Options): Promise<Packing | undefined> {
  const lengths = new Uint16Array(stream.frames)
  let count = 0
  for await (const frame of logicalFrames(source, stream)) {
    if ((count & 1023) === 0) options.signal.throwIfAborted()
    lengths[count++] = frame.main.length
  }
  const slots = slotsOf(stream.first)
  const most = maxReservoir(stream.first)
  const largest = slots.at(-1)!.region
  // Computes from the end how many reservoir bytes each frame needs before it, so that it and all later frames fit.
  const neededReserve = new Uint16Array(count + 1)
  for (let i = count - 1; i >= 0; i--) {
    const wanted = Math.max(0, lengths[i]! + neededReserve[i + 1]! - largest)
    if (wanted > most) return undefined
    neededReserve[i] = wanted
  }
  if (neededReserve[0]! > 0) return undefined
  const choice = new Uint8Array(count)
  let reserve = 0
  let soundBytes = 0
  for (let i = 0; i < count; i++) {
    let slot = 0
    while (reserve + slots[slot]!.region - lengths[i]! < neededReserve[i + 1]!) slot++
    choice[i] = slot
    soundBytes += slots[slot]!.bytes
    reserve = Math.min(most, reserve + slots[slot]!.region - lengths[i]!)
  }
  return { slots, choice, soundBytes }
}
