/** Reads ID3v2 tags (id3.org, "ID3 tag version 2.4.0"), and writes their text frames. */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Cover, Tag } from '../sound-tags.ts'

const FRAMES: { readonly [key: string]: string } = {
  title: 'TIT2',
  artist: 'TPE1',
  album_artist: 'TPE2',
  album: 'TALB',
  composer: 'TCOM',
  genre: 'TCON',
  track: 'TRCK',
  disc: 'TPOS',
  isrc: 'TSRC',
  date: 'TDRC',
  copyright: 'TCOP',
  language: 'TLAN',
  encoder: 'TSSE',
  encoded_by: 'TENC',
}

/** Frames that begin with a language and a description. */
const IN_LANGUAGE: { readonly [key: string]: string | undefined } = { comment: 'COMM', lyrics: 'USLT' }

/**
 * Writes an ID3v2.4 tag in UTF-8. Keys are FFmpeg's names; unknown keys become TXXX frames. Returns no bytes if there are no frames.
 * @param others frames of version 2.4 behind those of the tags and covers
 */
export function id3Tag(tags: readonly Tag[], covers: readonly Cover[] = [], others: readonly Uint8Array[] = []): Uint8Array {
  const frames = [...tags.map(([key, value]) => textFrame(key, value, 4)), ...covers.map(pictureFrame), ...others]
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

/** Writes the frame of a tag, in UTF-8 or in UTF-16 for version 2.3, which has no UTF-8. Unknown keys become TXXX frames. */
export function textFrame(key: string, value: string, version: 3 | 4): Uint8Array {
  const encode = version === 4 ? (text: string) => new TextEncoder().encode(text) : utf16
  const zero = new Uint8Array(version === 4 ? 1 : 2)
  const encoding = Uint8Array.of(version === 4 ? 3 : 1)
  const inLanguage = IN_LANGUAGE[key]
  if (inLanguage) {
    const language = Uint8Array.from('eng', (letter) => letter.charCodeAt(0))
    return frame(inLanguage, concat([encoding, language, version === 4 ? new Uint8Array() : BYTE_ORDER, zero, encode(value)]), version)
  }
  // Version 2.3 has the year where version 2.4 has the date (ID3v2.3, section 4.2.1).
  const id = version === 3 && key === 'date' && /^\d{4}$/.test(value) ? 'TYER' : FRAMES[key]
  if (id && !(version === 3 && id === 'TDRC')) return frame(id, concat([encoding, encode(value)]), version)
  return frame('TXXX', concat([encoding, encode(key), zero, encode(value)]), version)
}

/** Writes an APIC frame of version 2.4 (section 4.14). */
function pictureFrame({ type, mime, description, data }: Cover): Uint8Array {
  const encode = (text: string) => new TextEncoder().encode(text.replaceAll('\0', ' '))
  return frame('APIC', concat([Uint8Array.of(3), encode(mime), Uint8Array.of(0, type), encode(description), new Uint8Array(1), data]), 4)
}

/** Byte order mark of UTF-16, low byte first. */
const BYTE_ORDER = Uint8Array.of(0xff, 0xfe)

function utf16(text: string): Uint8Array {
  const out = new ByteWriter(new Uint8Array(text.length * 2), true)
  for (let i = 0; i < text.length; i++) out.u16(text.charCodeAt(i))
  return concat([BYTE_ORDER, out.finish()])
}

/** Writes a frame (ID3v2.4, section 4): id, size, two bytes of flags, body. Sizes of version 2.3 use all bits. */
export function frame(id: string, body: Uint8Array, version: 3 | 4): Uint8Array {
  const out = new Uint8Array(10 + body.length)
  out.set([...id].map((letter) => letter.charCodeAt(0)))
  if (version === 4) out.set(synchsafe(body.length), 4)
  else new ByteWriter(out, false).at(4).u32(body.length)
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

/** Text frames of a tag as pairs of key (FFmpeg's names) and value. A frame with several texts gives several pairs. */
export function id3Tags(tag: Uint8Array): (readonly [key: string, value: string])[] {
  const keys = new Map(Object.entries(FRAMES).map(([key, id]) => [id, key]))
  keys.set('TYER', 'date')
  return id3Frames(tag).flatMap(({ id, body }): (readonly [string, string])[] => {
    const texts = id3Texts(body)
    const [own = '', ...values] = texts
    if (id === 'TXXX') return own ? values.map((value) => [own, value]) : []
    if (!id.startsWith('T')) return []
    return texts.flatMap((text) => (text ? [[keys.get(id) ?? id, text] as const] : []))
  })
}

/**
 * Adds text frames behind the frames of a tag, and drops its padding. @returns `undefined` if the tag is unsynchronised, has an extended
 * header or a footer, or is of another version than 2.3 and 2.4
 */
export function withId3Tags(tag: Uint8Array, tags: readonly (readonly [key: string, value: string])[]): Uint8Array | undefined {
  const version = tag[3]
  if (id3Bytes(tag, 0) === 0 || (version !== 3 && version !== 4) || (tag[5]! & 0xd0) !== 0) return undefined
  const end = id3Frames(tag, true).reduce((at, { body }) => at + 10 + body.length, 10)
  const added = tags.map(([key, value]) => textFrame(key, value, version))
  const header = tag.slice(0, 10)
  header.set(synchsafe(end - 10 + added.reduce((sum, { length }) => sum + length, 0)), 6)
  return concat([header, tag.subarray(10, end), ...added])
}
