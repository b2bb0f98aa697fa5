/** Reads and writes ID3v2.4 tags (id3.org, "ID3 tag version 2.4.0"). Only text frames are written. */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'

const FRAMES: { readonly [key: string]: string } = {
  title: 'TIT2',
  artist: 'TPE1',
  album: 'TALB',
  genre: 'TCON',
  track: 'TRCK',
  date: 'TDRC',
  copyright: 'TCOP',
  language: 'TLAN',
  encoder: 'TSSE',
  encoded_by: 'TENC',
}

/** Writes an ID3v2.4 tag in UTF-8. Keys are FFmpeg's names; unknown keys become TXXX frames. Returns no bytes if `tags` is empty. */
export function id3Tag(tags: readonly (readonly [key: string, value: string])[]): Uint8Array {
  const text = new TextEncoder()
  const frames = tags.map(([key, value]) => {
    if (key === 'comment') return frame('COMM', text.encode(`\u0003eng\0${value}`))
    const id = FRAMES[key]
    return id ? frame(id, text.encode(`\u0003${value}`)) : frame('TXXX', text.encode(`\u0003${key}\0${value}`))
  })
  const bytes = frames.reduce((sum, one) => sum + one.length, 0)
  if (bytes === 0) return new Uint8Array()
  const tag = new Uint8Array(10 + bytes)
  // ID3v2.4, section 3.1: "ID3", version 4.0, no flags, size.
  tag.set([0x49, 0x44, 0x33, 4, 0, 0, ...synchsafe(bytes)])
  let at = 10
  for (const one of frames) {
    tag.set(one, at)
    at += one.length
  }
  return tag
}

/** Writes a frame (ID3v2.4, section 4): id, synchsafe size, two bytes of flags, body. */
function frame(id: string, body: Uint8Array): Uint8Array {
  const out = new Uint8Array(10 + body.length)
  out.set([...id].map((letter) => letter.charCodeAt(0)))
  out.set(synchsafe(body.length), 4)
  out.set(body, 10)
  return out
}

/** Writes 28 bits as four bytes whose highest bit is 0 (ID3v2.4, section 6.2). */
export const synchsafe = (value: number) => [(value >> 21) & 127, (value >> 14) & 127, (value >> 7) & 127, value & 127]

export const fromSynchsafe = (bytes: Uint8Array, at: number) =>
  bytes.subarray(at, at + 4).reduce((value, byte) => (value << 7) | (byte & 127), 0)

/** Bytes of the ID3v2 tag at `at`, header and footer included. 0 if there is no tag. */
export function id3Bytes(bytes: Uint8Array, at: number): number {
  if (at + 10 > bytes.length || bytes[at] !== 0x49 || bytes[at + 1] !== 0x44 || bytes[at + 2] !== 0x33) return 0
  const [version = 0, , flags = 0, ...size] = bytes.subarray(at + 3, at + 10)
  if (version >= 0xff || size.some((byte) => byte & 0x80)) return 0
  return 10 + fromSynchsafe(bytes, at + 6) + (flags & 0x10 ? 10 : 0)
}

export interface Id3Frame {
  /** Frame id of four characters. Three-character ids (version 2.2) are not read. */
  readonly id: string
  readonly body: Uint8Array
}

/**
 * Frames of an ID3v2.3 or 2.4 tag. Empty if the tag is unsynchronised, compressed or of another version.
 * @param coded true to include frames whose body is compressed, encrypted or otherwise transformed
 */
export function id3Frames(tag: Uint8Array, coded = false): Id3Frame[] {
  const [, , , version = 0, , flags = 0] = tag
  if (id3Bytes(tag, 0) === 0 || (version !== 3 && version !== 4) || flags & 0x80) return []
  const end = Math.min(tag.length, 10 + fromSynchsafe(tag, 6))
  const reader = new ByteReader(tag, false)
  let at = 10
  if (flags & 0x40 && at + 4 <= end) at += version === 4 ? fromSynchsafe(tag, at) : 4 + reader.u32(at)
  const frames: Id3Frame[] = []
  while (at + 10 <= end && tag[at] !== 0 && frames.length < 1000) {
    const size = version === 4 ? fromSynchsafe(tag, at + 4) : reader.u32(at + 4)
    if (at + 10 + size > end) break
    // Format flags (second flag byte of an ID3v2 frame): any flag except "grouping identity" changes the meaning of the body.
    if (coded || (reader.u8(at + 9) & (version === 4 ? 0x4f : 0xe0)) === 0) {
      frames.push({ id: latin1Of(tag.subarray(at, at + 4)), body: tag.subarray(at + 10, at + 10 + size) })
    }
    at += 10 + size
  }
  return frames
}

/** Texts of an ID3v2 text frame, split at null terminators. The first byte is the encoding (ID3v2.4, section 4.2). */
export function id3Texts(body: Uint8Array): string[] {
  const decoder = new TextDecoder(['latin1', 'utf-16', 'utf-16be', 'utf-8'][body[0] ?? 0] ?? 'latin1')
  const texts = decoder.decode(body.subarray(1)).split('\0')
  return texts.map((text) => text.replace(/^\ufeff/, '')).filter((text, index) => index === 0 || text !== '')
}

export interface Id3Picture {
  readonly type: number
  readonly mime: string
  readonly description: string
  readonly data: Uint8Array
  /** Offset of the picture's bytes in the frame body. */
  readonly offset: number
}

/** Parts of an APIC (attached picture) frame (ID3v2.4, section 4.14). `undefined`: the frame is damaged. */
export function id3Picture(body: Uint8Array): Id3Picture | undefined {
  const wide = body[0] === 1 || body[0] === 2
  const mimeEnd = body.indexOf(0, 1)
  if (mimeEnd < 0 || mimeEnd > 64) return undefined
  let end = mimeEnd + 2
  while (end < body.length && !(body[end] === 0 && (!wide || body[end + 1] === 0))) end += wide ? 2 : 1
  const offset = end + (wide ? 2 : 1)
  if (offset >= body.length) return undefined
  const mime = latin1Of(body.subarray(1, mimeEnd))
  const description = id3Texts(concat([body.subarray(0, 1), body.subarray(mimeEnd + 2, end)]))[0] ?? ''
  return { type: body[mimeEnd + 1] ?? 0, mime, description, data: body.subarray(offset), offset }
}

/** Text frames of a tag as pairs of key (FFmpeg's names) and value. */
export function id3Tags(tag: Uint8Array): (readonly [key: string, value: string])[] {
  const keys = new Map(Object.entries(FRAMES).map(([key, id]) => [id, key]))
  keys.set('TYER', 'date')
  return id3Frames(tag).flatMap(({ id, body }): (readonly [string, string])[] => {
    const texts = id3Texts(body)
    if (id === 'TXXX') return texts[0] && texts[1] !== undefined ? [[texts[0], texts[1]]] : []
    if (id === 'COMM') return []
    return id.startsWith('T') && texts[0] ? [[keys.get(id) ?? id, texts[0]]] : []
  })
}
