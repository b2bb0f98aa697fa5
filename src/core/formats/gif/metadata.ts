/** Metadata of a GIF for other formats: comments, the XMP packet and the ICC profile (GIF89a, 24 and 26). */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { distinct, type Message, message } from '../../i18n/message.ts'
import type { TextComment } from '../../images/convert/descriptive-metadata.ts'
import type { PictureMetadata } from '../../images/raster/raster.ts'
import type { Source } from '../../model/codec.ts'

export const COMMENT = 0xfe
export const APPLICATION = 0xff
const NAME_BYTES = 11
/** Size of the trailer that lets readers skip an XMP packet as sub-blocks (XMP part 3, 1.1.2), with the block terminator. */
const XMP_TRAILER_BYTES = 258
/** Most bytes of an extension, and of a comment in a JPEG: what a JPEG comment segment can store. */
const [MOST_EXTENSION_BYTES, MOST_COMMENT_BYTES] = [4 * 1024 * 1024, 65_000]
const LOOPS: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])

/** Extension of a file. `end`: offset behind its block terminator. */
export interface GifExtension {
  readonly label: number
  /** Offset of the first sub-block. */
  readonly at: number
  readonly end: number
}

export interface GifMetadata {
  readonly carried: PictureMetadata
  /** Names of what the output does not keep, for the receipt. */
  readonly omitted: readonly Message[]
}

/** Reads the comments and application extensions of a file for an output. */
export async function readGifMetadata(source: Source, extensions: readonly GifExtension[], output: string): Promise<GifMetadata> {
  const hasComments = output === 'png' || output === 'jpg'
  let carried: PictureMetadata = {}
  const comments: TextComment[] = []
  const others: Message[] = []
  for (const extension of extensions) {
    const bytes = await source.read(extension.at, Math.min(MOST_EXTENSION_BYTES, extension.end - extension.at))
    const content = joined(bytes)
    const name = latin1Of(content.subarray(0, NAME_BYTES))
    if (extension.label === COMMENT) {
      const text = textOf(content).replace(/\0+$/, '')
      const fits = output === 'png' || new TextEncoder().encode(text).length <= MOST_COMMENT_BYTES
      if (hasComments && fits) comments.push({ keyword: 'Comment', text })
      else others.push(message('comment'))
    }
    if (extension.label !== APPLICATION) continue
    if (name === 'XMP DataXMP' && !carried.xmp && bytes.length > NAME_BYTES + 1 + XMP_TRAILER_BYTES)
      carried = { ...carried, xmp: bytes.slice(NAME_BYTES + 1, bytes.length - XMP_TRAILER_BYTES) }
    else if (name === 'ICCRGBG1012' && !carried.icc) carried = { ...carried, icc: content.slice(NAME_BYTES) }
    else if (!LOOPS.has(name)) others.push(message('extension_named', { name: JSON.stringify(name) }))
  }
  return { carried: { ...carried, comments }, omitted: distinct(others) }
}

/** Joins sub-blocks, each of which starts with its length. */
function joined(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length && bytes[at]; at += 1 + bytes[at]!) parts.push(bytes.subarray(at + 1, at + 1 + bytes[at]!))
  return concat(parts)
}

/** Decodes a comment: 7-bit ASCII by the standard, in practice UTF-8 or Latin-1. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return latin1Of(bytes)
  }
}
