/** Describes pictures in tags. Codecs recompress them without loss, so type and size stay the same, but not the bytes. */
import { digestText } from '../media/digests.ts'
import { be16, be32, le16, nameAt, textOf } from '../media/numbers.ts'

/** Returns type and size of a picture, for example `jpeg 600x600`, or a digest for other types. */
export function pictureText(bytes: Uint8Array): string {
  if (nameAt(bytes, 1, 3) === 'PNG') return `png ${be32(bytes, 16)}x${be32(bytes, 20)}`
  if (nameAt(bytes, 0, 3) === 'GIF') return `gif ${le16(bytes, 6)}x${le16(bytes, 8)}`
  const size = be16(bytes, 0) === 0xffd8 ? jpegSize(bytes) : undefined
  return size ? `jpeg ${size}` : digestText(bytes)
}

/** Size in the start-of-frame segment of a JPEG (ISO/IEC 10918-1, B.2.2). `undefined`: no such segment. */
function jpegSize(bytes: Uint8Array): string | undefined {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return `${be16(bytes, at + 7)}x${be16(bytes, at + 5)}`
    at += marker === 0xff ? 1 : 2 + Math.max(2, be16(bytes, at + 2))
  }
  return undefined
}

/** PICTURE: type, media type, description, size and depth, data; with lengths of four bytes (RFC 9639, section 8.8). */
export function coverText(block: Uint8Array): string {
  const descriptionAt = 8 + be32(block, 4)
  const sizeAt = descriptionAt + 4 + be32(block, descriptionAt)
  const description = textOf(block.subarray(descriptionAt + 4, sizeAt))
  return `type ${be32(block, 0)} ${description} = ${pictureText(block.subarray(sizeAt + 20))}`
}
