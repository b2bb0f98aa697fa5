/** Walks the marker segments of a JPEG picture to its end (ITU-T T.81, Annex B). */
import type { FileView } from './file-view.ts'

/** Segment, or the end of the picture. */
export type JpegSegment =
  | {
      readonly kind: 'segment'
      readonly marker: number
      /** Offset of the content, after the length field. */
      readonly at: number
      /** Content, valid until the next segment. */
      readonly content: Uint8Array
    }
  | { readonly kind: 'end'; readonly at: number }

const SOS = 0xda
const EOI = 0xd9
/** Most segments of a picture; the rest is not read. The codec accepts 20,000. */
const MOST_SEGMENTS = 65_536
/** Bytes that are searched for markers at once. */
const PIECE_BYTES = 64 * 1024

/** True for markers without a length: fill bytes, TEM and restart markers. */
const isBare = (marker: number) => marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Yields the segments of the picture that starts at `start`, then its end: the offset behind EOI, or the end of the file. */
export async function* jpegSegments(view: FileView, start: number): AsyncGenerator<JpegSegment> {
  let at = start + 2
  for (let count = 0; count < MOST_SEGMENTS; ) {
    const marker = await nextMarker(view, at)
    if (!marker) break
    at = marker.at + 2
    if (isBare(marker.code)) continue
    if (marker.code === EOI) {
      yield { kind: 'end', at }
      return
    }
    count++
    const [high, low] = await view.bytesUpTo(at, 2)
    if (low === undefined) break
    const length = (high! << 8) | low
    if (length < 2) continue
    const content = await view.bytesUpTo(at + 2, length - 2)
    if (marker.code !== SOS) yield { kind: 'segment', marker: marker.code, at: at + 2, content }
    at += length
  }
  yield { kind: 'end', at: view.size }
}

/** Returns the next marker from `from` on. Other bytes, such as coded pixels, are skipped. `undefined`: there is none. */
async function nextMarker(view: FileView, from: number): Promise<{ at: number; code: number } | undefined> {
  for (let at = from; at + 2 <= view.size; ) {
    const piece = await view.bytesUpTo(at, PIECE_BYTES)
    for (let i = piece.indexOf(0xff); i >= 0 && i + 1 < piece.length; i = piece.indexOf(0xff, i + 1)) {
      const code = piece[i + 1]!
      if (code !== 0 && code !== 0xff && !(code >= 0xd0 && code <= 0xd7)) return { at: at + i, code }
    }
    at += Math.max(1, piece.length - 1)
  }
  return undefined
}
