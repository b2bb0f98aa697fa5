/** Pictures in FLAC files and Vorbis comments (RFC 9639, section 8.8). */
import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Options } from '../../model/codec.ts'
import type { Cover } from '../sound-tags.ts'

/** Parts of a picture block. */
export interface XiphPicture {
  readonly mime: string
  /** Everything in front of the length of the data: type, media type, description, size in pixels. */
  readonly head: Uint8Array
  readonly data: Uint8Array
}

/** @returns `undefined` if a length in the block is wrong */
export function parsePicture(body: Uint8Array): XiphPicture | undefined {
  const reader = new ByteReader(body, false)
  if (body.length < 32) return undefined
  const mimeBytes = reader.u32(4)
  if (mimeBytes > body.length - 32) return undefined
  const descriptionBytes = reader.u32(8 + mimeBytes)
  if (descriptionBytes > body.length - 32 - mimeBytes) return undefined
  // Width, height, depth and number of colours have four bytes each.
  const lengthAt = 8 + mimeBytes + 4 + descriptionBytes + 16
  if (reader.u32(lengthAt) !== body.length - lengthAt - 4) return undefined
  return { mime: latin1Of(body.subarray(8, 8 + mimeBytes)), head: body.subarray(0, lengthAt), data: body.subarray(lengthAt + 4) }
}

/** Returns the parts of a picture block as tags of all formats have them. `undefined`: a length in the block is wrong. */
export function coverOf(body: Uint8Array): Cover | undefined {
  const picture = parsePicture(body)
  if (!picture) return undefined
  const descriptionAt = 12 + picture.mime.length
  const description = new TextDecoder().decode(picture.head.subarray(descriptionAt, picture.head.length - 16))
  return { type: new ByteReader(body, false).u32(0), mime: picture.mime, description, data: picture.data }
}

/** Returns the picture block of a cover, without its size in pixels. */
export function pictureBlock({ type, mime, description, data }: Cover): Uint8Array {
  const text = new TextEncoder().encode(description)
  const out = ByteWriter.growing(false).u32(type).u32(mime.length).ascii(mime).u32(text.length).bytes(text)
  return out.u32(0).u32(0).u32(0).u32(0).u32(data.length).bytes(data).finish()
}

/** Returns the block with its picture recompressed without loss. `undefined`: it does not become smaller. */
export async function smallerPicture(body: Uint8Array, { inner }: Options): Promise<Uint8Array | undefined> {
  const picture = parsePicture(body)
  // The media type `-->` marks an address instead of a picture.
  if (!picture || picture.mime === '-->') return undefined
  const name = /png/i.test(picture.mime) ? 'cover.png' : 'cover.jpg'
  const smaller = await inner.compress(picture.data.slice(), name, { lossless: true })
  if (smaller.kind === 'unchanged') return undefined
  return concat([picture.head, new ByteWriter(new Uint8Array(4), false).u32(smaller.bytes.length).finish(), smaller.bytes])
}

/** True for two blocks with equal facts and a smaller picture. The codec of the picture has compared its pixels. */
export function isSmallerPicture(before: Uint8Array, after: Uint8Array): boolean {
  const [one, other] = [parsePicture(before), parsePicture(after)]
  return one !== undefined && other !== undefined && other.data.length < one.data.length && equalBytes(one.head, other.head)
}
