/**
 * Decodes files of Whittle's encoder with dav1d, in less than half the time of libavif and to the same pixels. Only the search uses it:
 * results are verified with libavif.
 */
import { decodeAv1 } from '../../../../wasm/dav1d/dav1d.ts'
import { colourViewOf } from '../heif/planes.ts'
import { boxesOf, itemLocations } from './container.ts'

/** Decoded picture as RGBA with 8 bits a channel. */
interface DecodedPicture {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly width: number
  readonly height: number
}

/** Most pixels of a frame: no encoder of a key frame or tile makes more. */
const MOST_PIXELS = 1 << 26

/** Decodes a file that `singleFile` wrote. The caller frees the pixels with `discardPixels`. @throws EngineError */
export function decodedByDav1d(file: Uint8Array): DecodedPicture {
  const [colours, alpha] = framesOf(file)
  if (!colours) throw new Error('AVIF encoder output: expected an item')
  const { planes, width, height, channels } = planesOf(colours)
  const pixels = new Uint8ClampedArray(width * height * 4)
  if (channels === 3) {
    for (let from = 0, to = 0; to < pixels.length; from += 3, to += 4) {
      pixels[to] = planes[from] ?? 0
      pixels[to + 1] = planes[from + 1] ?? 0
      pixels[to + 2] = planes[from + 2] ?? 0
      pixels[to + 3] = 255
    }
  } else {
    for (let from = 0, to = 0; to < pixels.length; from++, to += 4) {
      pixels.fill(planes[from] ?? 0, to, to + 3)
      pixels[to + 3] = 255
    }
  }
  if (alpha)
    for (let from = 0, to = 3, { planes: grey } = planesOf(alpha); to < pixels.length; from++, to += 4) pixels[to] = grey[from] ?? 0
  return { pixels, width, height }
}

/** AV1 frames of the items: colours, and alpha if there is any. */
function framesOf(file: Uint8Array): Uint8Array[] {
  const meta = boxesOf(file).find(({ type }) => type === 'meta')
  const places = boxesOf(meta?.body.subarray(4) ?? new Uint8Array()).find(({ type }) => type === 'iloc')
  return itemLocations(places?.body ?? new Uint8Array()).map(({ offset, length }) => file.subarray(offset, offset + length))
}

function planesOf(frame: Uint8Array): { planes: Uint8Array; width: number; height: number; channels: 1 | 3 } {
  using picture = decodeAv1(frame, { mostPixels: MOST_PIXELS, operatingPoint: 0 })
  const { width, height, hasChroma } = picture.info
  const channels = hasChroma ? 3 : 1
  const view = { x: 0, y: 0, width, height, orientation: 1, ...colourViewOf(picture.info), grey: !hasChroma, wide: false }
  const planes = new Uint8Array(width * height * channels)
  let at = 0
  for (const strip of picture.strips(view)) {
    planes.set(strip, at)
    at += strip.length
  }
  return { planes, width, height, channels }
}
