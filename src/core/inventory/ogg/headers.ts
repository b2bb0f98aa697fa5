/** Header packets of streams in Ogg files: what they tell besides sound. */
import { bytesOfBase64 } from '../../bytes/base64.ts'
import type { InventoryBuilder } from '../inventory.ts'
import { digestText } from '../media/digests.ts'
import { be24, be64, le16, le32, nameAt, textOf } from '../media/numbers.ts'
import { addTag, type ChunkTarget } from '../riff/content.ts'
import { commentName } from '../tags/names.ts'
import { coverText } from '../tags/pictures.ts'

/** Facts of a stream from its first packet. */
export interface StreamFacts {
  readonly name: string
  readonly kind: 'audio_tracks' | 'video_tracks' | 'subtitle_tracks' | 'other_tracks'
  /** Header packets, the first one included. `undefined`: FLAC, whose last block is marked. */
  readonly headers: number | undefined
  /** Offset of the comments in the second packet. `undefined`: it has none. */
  readonly commentsAt?: number
  /** Units of positions a second, and samples at the start that are not played. `undefined`: the reader does not know positions. */
  readonly hertz?: number
  readonly skipped?: number
}

const MAX_COMMENTS = 100_000
/** Comment with a picture block in base64. */
const PICTURE_KEY = 'metadata_block_picture'
const CHAPTER = /^chapter\d+/

/** Reads a first packet and adds what it tells. */
export function describeFirst(packet: Uint8Array, items: InventoryBuilder): StreamFacts {
  const facts = soundFacts(packet, items) ?? otherFacts(packet)
  items.add(facts.kind, facts.name)
  return facts
}

/** Vorbis I, section 4.2.2; RFC 7845, section 5.1; RFC 9639, section 10.1; Speex manual, section 7.3. */
function soundFacts(packet: Uint8Array, items: InventoryBuilder): StreamFacts | undefined {
  const start = nameAt(packet, 0, 8)
  const sound = (codec: string, hertz: number, channels: number) => {
    items.add('sound_format', `channels = ${channels}`)
    return { name: `${codec}, ${hertz} Hz`, kind: 'audio_tracks' as const, hertz }
  }
  if (start.startsWith('\x01vorbis')) return { ...sound('vorbis', le32(packet, 12), packet[11] ?? 0), headers: 3, commentsAt: 7 }
  if (start === 'Speex   ') return { ...sound('speex', le32(packet, 36), le32(packet, 48)), headers: 2 + le32(packet, 68), commentsAt: 0 }
  if (start.startsWith('\x7fFLAC'))
    return { ...sound('flac', Math.floor(be64(packet, 27) / 2 ** 44), ((packet[29]! >> 1) & 7) + 1), headers: undefined }
  if (start !== 'OpusHead') return undefined
  const skipped = le16(packet, 10)
  items.add('gapless_data', `skipped samples = ${skipped}`)
  if (le16(packet, 16) !== 0) items.add('sound_format', `gain = ${(le16(packet, 16) << 16) >> 16}`)
  if (packet[18] !== 0) items.add('sound_format', `channel mapping = ${digestText(packet.subarray(18))}`)
  return { ...sound('opus', le32(packet, 12), packet[9] ?? 0), hertz: 48_000, skipped, headers: 2, commentsAt: 8 }
}

function otherFacts(packet: Uint8Array): StreamFacts {
  const start = nameAt(packet, 0, 8)
  const description = digestText(packet)
  if (start.startsWith('\x80theora')) return { name: `theora = ${description}`, kind: 'video_tracks', headers: 3, commentsAt: 7 }
  if (start.startsWith('\x80kate')) return { name: `kate = ${description}`, kind: 'subtitle_tracks', headers: 2, commentsAt: 9 }
  return { name: `${start.replace(/[^ -~]+/g, ' ').trim()} = ${description}`, kind: 'other_tracks', headers: 1 }
}

/** Reads a header packet behind the first one. Returns true if it is the last one. */
export function describeHeader(packet: Uint8Array, index: number, facts: StreamFacts, target: ChunkTarget): boolean {
  if (facts.headers === undefined) {
    describeBlock(packet, target)
    return (packet[0]! & 0x80) !== 0
  }
  if (index === 1 && facts.commentsAt !== undefined) describeComments(packet, facts.commentsAt, target)
  return index + 1 >= facts.headers
}

/** Metadata block of FLAC with its header of four bytes (RFC 9639, section 8). */
function describeBlock(block: Uint8Array, target: ChunkTarget): void {
  const body = block.subarray(4, 4 + be24(block, 1))
  const type = block[0]! & 127
  if (type === 4) describeComments(block, 4, target)
  else if (type === 6) target.items.add('covers', coverText(body))
  else if (type === 5) target.items.add('cue_points', `cue sheet = ${digestText(body)}`)
  else if (type !== 1) target.items.add('chunks', `block ${type} = ${digestText(body)}`)
}

/** Vendor, count, then `NAME=value` each, with lengths of four bytes (Vorbis I, section 5). */
function describeComments(packet: Uint8Array, start: number, target: ChunkTarget): void {
  let at = start + 4 + le32(packet, start)
  const count = Math.min(MAX_COMMENTS, le32(packet, at))
  at += 4
  for (let i = 0; i < count && at + 4 <= packet.length; i++) {
    const length = le32(packet, at)
    const entry = packet.subarray(at + 4, at + 4 + length)
    describeComment(textOf(entry), target)
    at += 4 + length
  }
  // Opus: the lowest bit of the first byte says that the rest is no padding (RFC 7845, section 5.2).
  const rest = packet.subarray(Math.min(at, packet.length))
  if (nameAt(packet, 0, 8) === 'OpusTags' && ((rest[0] ?? 0) & 1) === 1) target.items.add('chunks', `behind the tags = ${digestText(rest)}`)
}

function describeComment(text: string, target: ChunkTarget): void {
  const end = text.indexOf('=')
  const [key, value] = [text.slice(0, Math.max(0, end)).toLowerCase(), text.slice(end + 1)]
  if (key === PICTURE_KEY) target.items.add('covers', coverText(bytesOfBase64(value)))
  else if (key === 'itunsmpb') target.items.add('gapless_data', `iTunSMPB = ${value}`)
  else if (CHAPTER.test(key)) target.items.add('chapters', `${key} = ${value}`)
  else addTag(target, commentName(key), value)
}
