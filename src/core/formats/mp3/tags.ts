/**
 * Shrinks ID3v2 tags in front of an MP3: drops padding and recompresses cover art without loss. Everything else is copied byte for byte.
 */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { fromSynchsafe, id3Bytes, id3Picture, synchsafe } from '../../containers/id3/id3.ts'
import type { Options, Sink, Source } from '../../model/codec.ts'
import { MAX_FRONT_TAG_BYTES, MIN_PICTURE_BYTES } from './tuning.ts'

/** Returns the shrunk tags. `undefined`: too large for memory. */
export async function frontTags(source: Source, bytes: number, options: Options): Promise<Uint8Array | undefined> {
  if (bytes > MAX_FRONT_TAG_BYTES) return undefined
  const whole = (await source.read(0, bytes)).slice()
  const tags: Uint8Array[] = []
  for (let at = 0; at < whole.length; ) {
    const size = id3Bytes(whole, at)
    if (size === 0) break
    tags.push(await smallerTag(whole.subarray(at, at + size), options))
    at += size
  }
  return concat(tags)
}

async function smallerTag(tag: Uint8Array, options: Options): Promise<Uint8Array> {
  const version = tag[3]!
  // Header flags (section 3.1) for unsynchronisation, extended header or footer change the frame sizes, so such a tag is copied.
  if ((version !== 3 && version !== 4) || (tag[5]! & 0xd0) !== 0) return tag
  const end = 10 + fromSynchsafe(tag, 6)
  const reader = new ByteReader(tag, false)
  const frames: Uint8Array[] = []
  let at = 10
  while (at + 10 <= end && tag[at] !== 0) {
    const size = version === 4 ? fromSynchsafe(tag, at + 4) : reader.u32(at + 4)
    if (at + 10 + size > end || !/^[A-Z0-9]{4}$/.test(latin1Of(tag.subarray(at, at + 4)))) return tag
    frames.push(await smallerFrame(tag.subarray(at, at + 10 + size), version, options))
    at += 10 + size
  }
  // Only padding may follow the frames (section 3.3). Otherwise the tag is not understood and is copied.
  if (tag.subarray(at, end).some((byte) => byte !== 0)) return tag
  const body = concat(frames)
  const header = tag.slice(0, 10)
  header.set(synchsafe(body.length), 6)
  return concat([header, body])
}

async function smallerFrame(frame: Uint8Array, version: number, options: Options): Promise<Uint8Array> {
  const isPicture = frame[0] === 0x41 && frame[1] === 0x50 && frame[2] === 0x49 && frame[3] === 0x43
  if (!isPicture || frame[8] !== 0 || frame[9] !== 0) return frame
  const body = frame.subarray(10)
  const picture = id3Picture(body)
  if (!picture || picture.data.length < MIN_PICTURE_BYTES) return frame
  const name = /png/i.test(picture.mime) ? 'cover.png' : 'cover.jpg'
  const smaller = await options.inner.compress(picture.data.slice(), name, { lossless: true })
  if (smaller.kind === 'unchanged') return frame
  const size = picture.offset + smaller.bytes.length
  const header = frame.slice(0, 10)
  if (version === 4) header.set(synchsafe(size), 4)
  else new ByteWriter(header, false).at(4).u32(size)
  return concat([header, body.subarray(0, picture.offset), smaller.bytes])
}

/** Copies a byte range of the source to the sink. */
export async function copyRange(source: Source, { offset, size }: { offset: number; size: number }, sink: Sink): Promise<void> {
  for (let at = 0; at < size; at += 1 << 20) {
    await sink.write((await source.read(offset + at, Math.min(1 << 20, size - at))).slice())
  }
}
