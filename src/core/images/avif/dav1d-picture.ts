/**
 * Decodes files of Whittle's encoder with dav1d, in less than half the time of libavif and to the same pixels. Only the search uses it:
 * results are verified with libavif.
 */
import { decodeAv1 } from '../../../../wasm/dav1d/dav1d.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import type { YuvPicture } from '../../../../wasm/yuv/yuv-picture.ts'
import { colourViewOf } from '../heif/planes.ts'
import { boxesOf, itemLocations } from './container.ts'

/** Decoded picture as RGBA with 8 bits a channel. */
interface DecodedPicture {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly width: number
  readonly height: number
}

/** Limit of a frame in pixels: no encoder of a key frame or tile makes more. */
const LIMITS = { mostPixels: 1 << 26, operatingPoint: 0 }

/** Decodes a file that `singleFile` wrote. The caller frees the pixels with `discardPixels`. @throws EngineError */
export function decodedByDav1d(file: Uint8Array): DecodedPicture {
  const [colours, alpha] = framesOf(file)
  if (!colours) throw new Error('AVIF encoder output: expected an item')
  using picture = decodeAv1(colours, LIMITS)
  const { width, height } = picture.info
  const pixels = new Uint8ClampedArray(width * height * 4)
  let to = 0
  for (const strip of picture.strips(viewOf(picture))) {
    expand(strip, picture.info.hasChroma ? 3 : 1, pixels, to)
    to += (strip.length / (picture.info.hasChroma ? 3 : 1)) * 4
  }
  if (alpha) putAlpha(pixels, greyOf(alpha))
  return { pixels, width, height }
}

/**
 * Decodes a file that `singleFile` wrote to strips of RGB or RGBA, each valid until the next one. No decoded picture is complete in memory,
 * only its planes. @throws EngineError
 */
export function* stripsByDav1d(file: Uint8Array, channels: 3 | 4): Generator<Uint8Array> {
  const [colours, alpha] = framesOf(file)
  if (!colours) throw new Error('AVIF encoder output: expected an item')
  const grey = alpha && greyOf(alpha)
  using picture = decodeAv1(colours, LIMITS)
  const from = picture.info.hasChroma ? 3 : 1
  let at = 0
  for (const strip of picture.strips(viewOf(picture))) {
    const count = strip.length / from
    if (from === channels) {
      yield strip
    } else {
      const wide = new Uint8Array(count * channels)
      if (channels === 4) expand(strip, from, wide, 0)
      else for (let i = 0; i < count; i++) wide.fill(strip[i] ?? 0, i * 3, i * 3 + 3)
      if (channels === 4 && grey) putAlpha(wide, grey.subarray(at, at + count))
      yield wide
      discard(wide)
    }
    at += count
  }
}

/** Writes grey or RGB samples as opaque RGBA. */
function expand(strip: Uint8Array, channels: 1 | 3, pixels: Uint8Array | Uint8ClampedArray, start: number): void {
  const [green, blue] = channels === 3 ? [1, 2] : [0, 0]
  for (let from = 0, to = start; from < strip.length; from += channels, to += 4) {
    pixels[to] = strip[from] ?? 0
    pixels[to + 1] = strip[from + green] ?? 0
    pixels[to + 2] = strip[from + blue] ?? 0
    pixels[to + 3] = 255
  }
}

function putAlpha(pixels: Uint8Array | Uint8ClampedArray, grey: Uint8Array): void {
  for (let from = 0, to = 3; to < pixels.length; from++, to += 4) pixels[to] = grey[from] ?? 0
}

/** AV1 frames of the items: colours, and alpha if there is any. */
function framesOf(file: Uint8Array): Uint8Array[] {
  const meta = boxesOf(file).find(({ type }) => type === 'meta')
  const places = boxesOf(meta?.body.subarray(4) ?? new Uint8Array()).find(({ type }) => type === 'iloc')
  return itemLocations(places?.body ?? new Uint8Array()).map(({ offset, length }) => file.subarray(offset, offset + length))
}

const viewOf = ({ info }: YuvPicture) => {
  const { width, height, hasChroma } = info
  return { x: 0, y: 0, width, height, orientation: 1, ...colourViewOf(info), grey: !hasChroma, wide: false }
}

/** Luma of a frame. */
function greyOf(frame: Uint8Array): Uint8Array {
  using picture = decodeAv1(frame, LIMITS)
  const grey = new Uint8Array(picture.info.width * picture.info.height)
  let at = 0
  for (const strip of picture.strips(viewOf(picture))) {
    grey.set(strip, at)
    at += strip.length
  }
  return grey
}
