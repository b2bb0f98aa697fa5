/** Tags of Flash video (Video File Format Specification 10.1, annex E), and their enhanced form. */
import type { Source } from '../../model/codec.ts'
import { CodecError, malformed } from '../../model/error.ts'
import { ReadWindow } from '../packet-window.ts'

export const TAG = { sound: 8, pictures: 9, script: 18 } as const

export interface FlvTag {
  readonly type: number
  /** Time in milliseconds. */
  readonly time: number
  /** File offset of the content, and its size. */
  readonly at: number
  readonly size: number
  /** First bytes of the content. Valid until the next tag. */
  readonly head: Uint8Array
}

const KNOWN: readonly number[] = [TAG.sound, TAG.pictures, TAG.script]
const [FILTERED, TYPE] = [0x20, 0x1f]
const [TAG_BYTES, END_BYTES] = [11, 4]
/** Bytes of content that tell what a tag holds. */
const HEAD_BYTES = 32
/** Bytes that are read at once. */
const WINDOW_BYTES = 512 * 1024

/** Yields all whole tags. Returns the number of bytes behind the last one. @throws CodecError (malformed, encrypted) */
export async function* tagsOf(source: Source, signal: AbortSignal): AsyncGenerator<FlvTag, number> {
  using window = new ReadWindow(source, WINDOW_BYTES)
  const header = await window.read(0, Math.min(9, source.size))
  if (header.length < 9) throw malformed('flv', 0, 'flv_tag_damaged')
  const first = ((header[5]! << 24) | (header[6]! << 16) | (header[7]! << 8) | header[8]!) >>> 0
  if (first < 9) throw malformed('flv', 5, 'flv_tag_damaged')
  let at = first + END_BYTES
  while (at + TAG_BYTES <= source.size) {
    signal.throwIfAborted()
    const head = await window.read(at, Math.min(TAG_BYTES + HEAD_BYTES, source.size - at))
    const size = (head[1]! << 16) | (head[2]! << 8) | head[3]!
    if (head[0]! & FILTERED) throw new CodecError('encrypted')
    if (head[0]! & 0xc0 || !KNOWN.includes(head[0]! & TYPE)) throw malformed('flv', at, 'flv_tag_damaged')
    if (at + TAG_BYTES + size > source.size) break
    const time = (head[7]! << 24) | (head[4]! << 16) | (head[5]! << 8) | head[6]!
    yield { type: head[0]! & TYPE, time, at: at + TAG_BYTES, size, head: head.subarray(TAG_BYTES, TAG_BYTES + Math.min(size, HEAD_BYTES)) }
    at += TAG_BYTES + size + END_BYTES
  }
  return Math.max(0, source.size - at)
}

/** What a tag of pictures holds. `start`: configuration of the codec; `frame`: one frame; `none`: nothing to show. */
export interface PictureTag {
  readonly kind: 'start' | 'frame' | 'none'
  readonly codec: 'h264' | 'hevc' | string
  readonly isKey: boolean
  /** Display time minus time of the tag in milliseconds. */
  readonly composition: number
  /** Bytes in front of the content. */
  readonly skipped: number
}

const CODECS: { readonly [id: number]: string | undefined } = {
  2: 'Sorenson H.263',
  3: 'Screen video',
  4: 'VP6',
  5: 'VP6 with alpha',
  6: 'Screen video 2',
  7: 'h264',
  12: 'hevc',
}
const FOUR_LETTERS: { readonly [id: string]: string | undefined } = { avc1: 'h264', hvc1: 'hevc', av01: 'AV1', vp09: 'VP9' }
const [KEY, COMMAND] = [1, 5]

/** Reads the start of a tag of pictures. `undefined`: it is empty or cut off. */
export function pictureTag(b: Uint8Array): PictureTag | undefined {
  if (b.length === 0) return undefined
  if (b[0]! & 0x80) return enhancedTag(b)
  const codec = CODECS[b[0]! & 15] ?? `codec ${b[0]! & 15}`
  const frame = b[0]! >> 4
  const isSized = codec === 'h264' || codec === 'hevc'
  if (frame === COMMAND) return { kind: 'none', codec, isKey: false, composition: 0, skipped: 1 }
  if (!isSized) return { kind: 'frame', codec, isKey: frame === KEY, composition: 0, skipped: 1 }
  if (b.length < 5) return undefined
  return { kind: (['start', 'frame'] as const)[b[1]!] ?? 'none', codec, isKey: frame === KEY, composition: signed24(b, 2), skipped: 5 }
}

/** Tag with the four letters of its codec: types 0 start, 1 frame with composition, 2 end, 3 frame, 4 metadata. */
function enhancedTag(b: Uint8Array): PictureTag | undefined {
  if (b.length < 5) return undefined
  const letters = String.fromCharCode(b[1]!, b[2]!, b[3]!, b[4]!)
  const codec = FOUR_LETTERS[letters] ?? `codec ${letters.replace(/[^ -~]/g, '?')}`
  const [type, frame] = [b[0]! & 15, (b[0]! >> 4) & 7]
  const hasComposition = type === 1 && (codec === 'h264' || codec === 'hevc')
  if (hasComposition && b.length < 8) return undefined
  const kind = frame === COMMAND ? 'none' : type === 0 ? 'start' : type === 1 || type === 3 ? 'frame' : 'none'
  return { kind, codec, isKey: frame === KEY, composition: hasComposition ? signed24(b, 5) : 0, skipped: hasComposition ? 8 : 5 }
}

const signed24 = (b: Uint8Array, at: number) => ((b[at]! << 24) | (b[at + 1]! << 16) | (b[at + 2]! << 8)) >> 8

/** What a tag of sound holds. */
export interface SoundTag {
  readonly kind: 'start' | 'frame'
  readonly codec: 'aac' | 'mp3' | string
  readonly skipped: number
}

const SOUNDS: { readonly [id: number]: string | undefined } = {
  0: 'PCM',
  1: 'ADPCM',
  2: 'mp3',
  3: 'PCM',
  4: 'Nellymoser',
  5: 'Nellymoser',
  6: 'Nellymoser',
  7: 'A-law',
  8: 'µ-law',
  10: 'aac',
  11: 'Speex',
  14: 'mp3',
}

export function soundTag(b: Uint8Array): SoundTag | undefined {
  if (b.length === 0) return undefined
  const codec = SOUNDS[b[0]! >> 4] ?? `codec ${b[0]! >> 4}`
  if (codec !== 'aac') return { kind: 'frame', codec, skipped: 1 }
  return b.length < 2 ? undefined : { kind: b[1] === 0 ? 'start' : 'frame', codec, skipped: 2 }
}
