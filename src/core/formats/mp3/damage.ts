/** Finds damaged frames whose Huffman codes read past their own bits, into the next frame's data. Repacking would change their sound. */

import { type DecodedSound, Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { bitRates, frameBytes } from '../../containers/mpeg-audio/frame.ts'
import type { Options, Source } from '../../model/codec.ts'
import { type LogicalFrame, logicalFrames, setMainDataBegin } from './granules.ts'
import { openMp3 } from './reencode.ts'
import { type Mp3Stream, soundFrames } from './stream.ts'

/** Index of the first frame that sounds different with only its own main data and zeros after it. `undefined`: none. */
export async function damagedFrame(source: Source, stream: Mp3Stream, options: Options): Promise<number | undefined> {
  using engine = new Ffmpeg()
  openMp3(engine, 0, stream)
  openMp3(engine, 1, stream)
  const own = logicalFrames(source, stream)
  let index = 0
  for await (const { bytes } of soundFrames(source, stream)) {
    const logical = await own.next()
    if (logical.done) return undefined
    const frame = isolated(logical.value)
    if (!frame) return undefined
    const [a, b] = [decoded(engine, 0, bytes), decoded(engine, 1, frame)]
    if (a.length !== b.length || a.some((sound, i) => !same(sound, b[i]!))) return index
    if ((++index & 255) === 0) options.signal.throwIfAborted()
  }
  return undefined
}

function decoded(engine: Ffmpeg, which: 0 | 1, bytes: Uint8Array): DecodedSound[] {
  engine.sendAudio(bytes, which)
  const sounds: DecodedSound[] = []
  for (let sound = engine.nextSound(which); sound; sound = engine.nextSound(which)) sounds.push(sound)
  return sounds
}

/** Returns the frame alone: highest bit rate, no CRC, no bit reservoir. `undefined`: the frame's data does not fit. */
function isolated({ header, head, side, main }: LogicalFrame): Uint8Array | undefined {
  const kbps = bitRates(header.version)[14]!
  const frame = new Uint8Array(frameBytes(header.version, kbps, header.hertz))
  const dataAt = 4 + header.sideBytes
  if (dataAt + main.length > frame.length) return undefined
  const ownSide = side.slice()
  setMainDataBegin(ownSide, header, 0)
  // Protection bit 1: no CRC. Bit rate index 14, no padding.
  frame.set([head[0]!, head[1]! | 1, (head[2]! & 0x0d) | 0xe0, head[3]!])
  frame.set(ownSide, 4)
  frame.set(main, dataAt)
  return frame
}

const same = (a: DecodedSound, b: DecodedSound) =>
  a.channels.length === b.channels.length &&
  a.channels.every((channel, i) => channel.length === b.channels[i]!.length && channel.every((value, k) => value === b.channels[i]![k]))
