/** Reads the structure of an MP3 file: tags in front, tag frame, frames of sound, tags at the end. Frames are read through a window. */

import { minOf } from '../../bytes/min-max.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import { id3Bytes } from '../../containers/id3/id3.ts'
import { type FrameHeader, frameHeader, type TagFrame, tagFrame } from '../../containers/mpeg-audio/frame.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { HEADERS_PER_YIELD, MAX_GAP_BYTES, MAX_UNKNOWN_TAIL_SHARE, SOUND_FRAMES_PER_YIELD, WINDOW_BYTES } from './tuning.ts'

export interface Mp3Frame {
  readonly header: FrameHeader
  /** All bytes of the frame: a view, valid until the next frame is read. */
  readonly bytes: Uint8Array
  readonly offset: number
}

export interface Mp3Stream {
  /** Bytes of the ID3v2 tags at the start of the file. */
  readonly frontBytes: number
  /** Offset of the first frame (tag frame or sound). */
  readonly audioOffset: number
  /** Offset after the last MP3 frame. */
  readonly audioEnd: number
  readonly first: FrameHeader
  /** The first frame if it holds a Xing, Info or VBRI tag instead of sound. */
  readonly tag: { readonly bytes: Uint8Array; readonly facts: TagFrame } | undefined
  /** Number of MP3 frames of sound. */
  readonly frames: number
  /** Bytes of all MP3 frames of sound. */
  readonly soundBytes: number
  /** Bytes after the frames that are copied: ID3v1, APE or Lyrics3 tags, or a large unknown block. */
  readonly tail: { readonly offset: number; readonly size: number }
  /** Tags at the end of the file that are recognised by their end. They are part of `tail`. */
  readonly endTags: { readonly offset: number; readonly size: number }
  /** True if the bytes after the frames are known tags. */
  readonly tailKnown: boolean
  /** True if the file ends inside a frame. Players still play that frame from the bit reservoir. */
  readonly cutOff: boolean
}

const MAX_FRAME_BYTES = 2048
const ID3V1_BYTES = 128

/**
 * Reads the structure of an MP3 file. @throws CodecError (malformed) if no frames follow the tags, or other data interrupts them;
 * CodecError
 * (unsupported_feature) for mixed streams
 */
export async function readStream(source: Source, options: Options): Promise<Mp3Stream> {
  let front = 0
  for (let tags = 0; tags < 16; tags++) {
    const bytes = id3Bytes(await source.read(front, 10), 0)
    if (bytes === 0) break
    front += bytes
    if (front > source.size) throw malformed('mp3', 6, message('id3_tag_of_bytes_in_file', { bytes, fileSize: source.size }))
  }
  const start = await findFirst(source, front)
  const soundEnd = await beforeTags(source, start)
  let end = start
  let frames = 0
  let soundBytes = 0
  let first: FrameHeader | undefined
  let tag: Mp3Stream['tag']
  for await (const frame of framesFrom(source, start, soundEnd)) {
    if ((frames & 1023) === 0) options.signal.throwIfAborted()
    if (!first) {
      first = frame.header
      const facts = tagFrame(frame.bytes, frame.header)
      end = frame.offset + frame.bytes.length
      if (facts) {
        tag = { bytes: frame.bytes.slice(), facts }
        continue
      }
    }
    if (frame.header.hertz !== first.hertz || frame.header.channels !== first.channels || frame.header.version !== first.version) {
      throw unsupported('sample_rate_or_number_of_channels_changes')
    }
    frames++
    soundBytes += frame.bytes.length
    end = frame.offset + frame.bytes.length
  }
  if (!first || frames === 0) throw malformed('mp3', start, 'no_frames')
  const tail = await readTail(source, end, soundEnd)
  const endTags = { offset: soundEnd, size: source.size - soundEnd }
  return { frontBytes: front, audioOffset: start, audioEnd: end, first, tag, frames, soundBytes, endTags, ...tail }
}

/** Offset of the first frame after the tags. The next frame must match it, or the file must end. */
async function findFirst(source: Source, from: number): Promise<number> {
  const window = await source.read(from, MAX_GAP_BYTES + 3 * MAX_FRAME_BYTES)
  for (let at = 0; at < Math.min(MAX_GAP_BYTES, window.length); at++) {
    const header = frameHeader(window, at)
    if (!header) continue
    const next = frameHeader(window, at + header.bytes)
    const end = from + at + header.bytes
    if (end === source.size) return from + at
    if (next && next.hertz === header.hertz && next.version === header.version) return from + at
  }
  if (isOtherLayer(window)) throw unsupported('mpeg_audio_of_layer_i_or_ii')
  throw malformed('mp3', from, 'no_frames_behind_tags')
}

/** Offset at which the tags at the end begin. A truncated last frame would otherwise run into them. */
async function beforeTags(source: Source, start: number): Promise<number> {
  let end = source.size
  for (let tags = 0; tags < 4; tags++) {
    const tail = await source.read(Math.max(start, end - ID3V1_BYTES), Math.min(ID3V1_BYTES, end - start))
    const size = tagAtEnd(tail)
    if (size === 0 || end - size <= start) return end
    end -= size
  }
  return end
}

/** Bytes of the tag that ends with `tail`, or 0. */
function tagAtEnd(tail: Uint8Array): number {
  const text = new TextDecoder('latin1').decode(tail)
  if (tail.length === ID3V1_BYTES && text.startsWith('TAG')) return ID3V1_BYTES
  // Lyrics3 2.00: the size excludes itself and the mark, 15 characters.
  const lyrics = /(\d{6})LYRICS200$/.exec(text)
  if (lyrics) return Number(lyrics[1]) + 15
  // APEv2 footer, 32 bytes: name, version, size including the footer, items, flags (bit 31: a 32-byte header precedes the items).
  const at = tail.length - 32
  if (at < 0 || !text.startsWith('APETAGEX', at)) return 0
  const footer = new ByteReader(tail.subarray(at, at + 32), true)
  return footer.u32(12) + (footer.u32(20) >= 0x80000000 ? 32 : 0)
}

/** True for a sync word with layer I or II (ISO/IEC 11172-3, 2.4.1.3). */
const isOtherLayer = (bytes: Uint8Array) => bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0 && [4, 6].includes(bytes[1]! & 6)

/** Bytes behind the frames that newly encoded sound keeps: the known tags. */
export const keptTail = ({ tail, tailKnown, endTags }: Pick<Mp3Stream, 'tail' | 'tailKnown' | 'endTags'>): Mp3Stream['endTags'] =>
  tailKnown ? tail : endTags

/** Yields consecutive frames from `start` on, until other data follows. */
async function* framesFrom(source: Source, start: number, end: number, framesABreath = HEADERS_PER_YIELD): AsyncGenerator<Mp3Frame> {
  const breath = new YieldBudget(framesABreath)
  let window: Uint8Array = new Uint8Array()
  let windowAt = start
  let at = start
  while (at + 4 <= end) {
    if (at + MAX_FRAME_BYTES > windowAt + window.length && windowAt + window.length < end) {
      window = await source.read(at, Math.min(WINDOW_BYTES, end - at))
      windowAt = at
    }
    const header = frameHeader(window, at - windowAt)
    if (!header || at + header.bytes > end) return
    yield { header, bytes: window.subarray(at - windowAt, at - windowAt + header.bytes), offset: at }
    at += header.bytes
    await breath.after(1)
  }
}

/** Yields the frames of sound, without the tag frame. */
export function soundFrames(source: Source, stream: Mp3Stream): AsyncGenerator<Mp3Frame> {
  return framesFrom(source, stream.audioOffset + (stream.tag?.bytes.length ?? 0), stream.audioEnd, SOUND_FRAMES_PER_YIELD)
}

/**
 * Finds known tags after the frames. Unknown bytes are dropped, unless more frames follow them. @param tagsAt offset of the tags that are
 * recognised by their end
 */
async function readTail(source: Source, end: number, tagsAt: number): Promise<Pick<Mp3Stream, 'tail' | 'tailKnown' | 'cutOff'>> {
  const size = source.size - end
  if (size === 0) return { tail: { offset: end, size: 0 }, tailKnown: true, cutOff: false }
  const bytes = await source.read(end, Math.min(size, WINDOW_BYTES))
  for (let at = 0; at + 4 < bytes.length; at++) {
    const header = frameHeader(bytes, at)
    if (
      header &&
      frameHeader(bytes, at + header.bytes) &&
      frameHeader(bytes, at + header.bytes + frameHeader(bytes, at + header.bytes)!.bytes)
    ) {
      throw malformed('mp3', end, 'frames_interrupted')
    }
  }
  const cutOff = frameHeader(bytes, 0) !== undefined
  if (size > WINDOW_BYTES) return { tail: { offset: end, size }, tailKnown: false, cutOff }
  const text = new TextDecoder('latin1').decode(bytes)
  const starts = ['APETAGEX', 'LYRICSBEGIN', 'ID3', '3DI', 'TAG'].map((mark) => (mark === 'TAG' ? lastTag(text) : text.indexOf(mark)))
  // The items of an APE tag without header precede the first mark.
  if (tagsAt < source.size) starts.push(tagsAt - end)
  const known = starts.filter((start) => start >= 0)
  const from = known.length ? minOf(known) : size
  // A truncated last frame is still played. A large unknown tail changes the length that players compute, so it is copied too.
  if (from > source.size * MAX_UNKNOWN_TAIL_SHARE || (from > 0 && cutOff)) return { tail: { offset: end, size }, tailKnown: false, cutOff }
  return { tail: { offset: end + from, size: size - from }, tailKnown: true, cutOff }
}

/** Offset of an ID3v1 tag: the last 128 bytes, or the start if other tags follow it. −1: none. */
const lastTag = (text: string) => {
  if (text.startsWith('TAG')) return 0
  return text.length >= 128 && text.startsWith('TAG', text.length - 128) ? text.length - 128 : -1
}

/** True if the tag gives no frame count or the correct one. Some writers count the tag frame too. */
export const hasExpectedFrames = ({ tag, frames }: Pick<Mp3Stream, 'tag' | 'frames'>): boolean =>
  tag?.facts.frames === undefined || Math.abs(tag.facts.frames - frames) <= 1

/**
 * Samples that the encoder added in front and at the end, if LAME's tag gives them. Players look for the tag in the file's first frame
 * only; after unknown bytes they play the delay, as FFmpeg does.
 */
export function lameDelayOf({ tag, frontBytes, audioOffset }: Mp3Stream): { delay: number; padding: number } | undefined {
  const { delay, padding } = tag?.facts ?? {}
  return delay === undefined || padding === undefined || frontBytes !== audioOffset ? undefined : { delay, padding }
}

/** Samples per channel that players play: without encoder delay and padding if LAME's tag gives them. */
export function playedSamples(stream: Mp3Stream): { skip: number; count: number } {
  const total = stream.frames * stream.first.samples
  const lameDelay = lameDelayOf(stream)
  if (!lameDelay) return { skip: 0, count: total }
  const { delay, padding } = lameDelay
  // Padding of a truncated or joined file is not removed, because it describes another end.
  return { skip: delay + 529, count: Math.max(0, total - delay - (hasExpectedFrames(stream) ? padding : 0)) }
}
