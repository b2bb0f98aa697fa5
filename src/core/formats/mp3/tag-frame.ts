/** Builds the tag frame that gives players a stream's length and seek positions (Xing header with LAME extension). */

import { crc16 } from '../../bytes/crc16.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { bitRates, frameBytes, frameHeader } from '../../containers/mpeg-audio/frame.ts'
import type { Mp3Stream } from './stream.ts'

/** Xing header: mark, flags, frames and bytes (4 bytes each), table of contents (100), quality (4). LAME extension: 36 bytes. */
const XING_BYTES = 120
const LAME_BYTES = 36

/** Frame sizes: the possible ones, and the choice for each frame. */
interface Sizes {
  readonly slots: readonly { readonly bytes: number }[]
  readonly choice: Uint8Array
  /** Bytes of all frames of sound. */
  readonly soundBytes: number
}

/** Bytes of the tag frame that `buildTag` returns. */
export function tagBytes(stream: Mp3Stream): number {
  const { index } = smallest(stream)
  return frameBytes(stream.first.version, bitRates(stream.first.version)[index]!, stream.first.hertz)
}

function smallest(stream: Mp3Stream): { index: number; lame: Uint8Array | undefined } {
  const { first, tag } = stream
  const lame = lameExtension(stream)
  const wanted = 4 + first.sideBytes + (tag && tag.facts.kind !== 'VBRI' ? XING_BYTES : XING_BYTES) + (lame ? LAME_BYTES : 0)
  let index = 1
  while (index < 14 && frameBytes(first.version, bitRates(first.version)[index]!, first.hertz) < wanted) index++
  return { index, lame }
}

/** LAME extension of the old tag, with the encoder's name. `undefined`: none. */
function lameExtension({ tag }: Mp3Stream): Uint8Array | undefined {
  if (tag?.facts.delay === undefined) return undefined
  const { offset } = tag.facts
  const flags = tag.bytes[offset + 7]!
  const at = offset + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  // Some writers' frames end inside the extension, after the delays.
  const extension = new Uint8Array(LAME_BYTES)
  extension.set(tag.bytes.subarray(at, at + LAME_BYTES))
  return extension
}

/** Builds the Xing tag frame. @param musicCrc CRC-16 of all frames of sound */
export function buildTag(stream: Mp3Stream, packing: Sizes, musicCrc: number): Uint8Array {
  const { first } = stream
  const { index, lame } = smallest(stream)
  const frame = new Uint8Array(tagBytes(stream))
  const writer = new ByteWriter(frame, false)
  const version = first.version === 1 ? 3 : first.version === 2 ? 2 : 0
  const rate = [44100, 48000, 32000].indexOf(first.hertz * (first.version === 1 ? 1 : first.version === 2 ? 2 : 4))
  const total = Math.min(frame.length + packing.soundBytes, 0xffffffff)
  writer.bytes([0xff, 0xe0 | (version << 3) | 3, (index << 4) | (rate << 2), first.modeByte])
  const xingAt = 4 + first.sideBytes
  writer.at(xingAt).ascii('Xing').u32(15).u32(stream.frames).u32(total)
  writer.bytes(contents(stream, packing, frame.length)).u32(quality(stream))
  if (lame) {
    const at = xingAt + XING_BYTES
    // Byte 9 of the LAME extension: tag revision, and VBR method 0 (unknown).
    const revision = (lame[9] ?? 0) & 0xf0
    writer
      .bytes(lame)
      .at(at + 9)
      .u8(revision)
    writer
      .at(at + 28)
      .u32(total)
      .u16(musicCrc)
    writer.u16(crc16(frame.subarray(0, at + 34)))
  }
  return frame
}

/** Xing quality indicator of the old tag, 0 to 100. */
function quality({ tag }: Mp3Stream): number {
  if (!tag || tag.facts.kind === 'VBRI') return 0
  const { offset } = tag.facts
  const flags = tag.bytes[offset + 7]!
  if (!(flags & 8)) return 0
  const at = offset + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0)
  return new ByteReader(tag.bytes, false).u32(at)
}

/** Seek table: for each per cent of the duration, the position in the file in 256ths. */
function contents(stream: Mp3Stream, packing: Sizes, tagLength: number): Uint8Array {
  const table = new Uint8Array(100)
  const total = tagLength + packing.soundBytes
  let position = tagLength
  let frame = 0
  for (let percent = 0; percent < 100; percent++) {
    const until = Math.floor((percent * stream.frames) / 100)
    for (; frame < until; frame++) position += packing.slots[packing.choice[frame]!]!.bytes
    table[percent] = Math.min(255, Math.floor((position * 256) / total))
  }
  return table
}

/** Bytes of the LAME extension with peak and both replay gains ("Mp3 Info Tag rev 1"). */
const LOUDNESS = { from: 11, to: 19 } as const

/** Returns LAME's tag frame of newly encoded sound with the loudness of the old tag, because the sound is the same. */
export function withLoudness(lames: Uint8Array, stream: Mp3Stream): Uint8Array {
  const old = lameExtension(stream)
  const loudness = old?.subarray(LOUDNESS.from, LOUDNESS.to)
  const header = frameHeader(lames, 0)
  if (!header || !loudness?.some((byte) => byte !== 0)) return lames
  const frame = lames.slice()
  // LAME writes all Xing fields, and a CRC of all bytes before it.
  const at = 4 + header.sideBytes + XING_BYTES
  if (at + LAME_BYTES > frame.length || frame[4 + header.sideBytes + 7] !== 15) return lames
  frame.set(loudness, at + LOUDNESS.from)
  new ByteWriter(frame, false).at(at + 34).u16(crc16(frame.subarray(0, at + 34)))
  return frame
}
