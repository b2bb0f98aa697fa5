/** Crops a picture to the rectangle that a document shows. */
import { isEngineError } from '../../../wasm/engine-error.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../wasm/png/png.ts'
import { concat } from '../bytes/concat.ts'
import { chunksOfJpeg, chunksOfPng } from './crop-metadata.ts'
import type { PictureHeader } from './image-header.ts'
import { rowsOf } from './rows.ts'

/** Rectangle in whole pixels, from the top left corner. */
export interface Rect {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Yields the rows of a rectangle from top to bottom, several at a time. */
export const croppedRows = (bytes: Uint8Array, facts: PictureHeader, rect: Rect, channels: 3 | 4): AsyncGenerator<Uint8Array> =>
  cutRows(rowsOf(bytes, facts, channels), facts.width * channels, rect, channels)

/** Yields the part of `rect` from whole rows of `stride` bytes. */
async function* cutRows(whole: AsyncIterable<Uint8Array>, stride: number, rect: Rect, channels: 3 | 4): AsyncGenerator<Uint8Array> {
  const width = rect.width * channels
  let y = 0
  for await (const rows of whole) {
    const [from, to] = [Math.max(0, rect.top - y), Math.min(rows.length / stride, rect.top + rect.height - y)]
    y += rows.length / stride
    if (from >= to) continue
    const part = new Uint8Array((to - from) * width)
    for (let row = from; row < to; row++) {
      const at = row * stride + rect.left * channels
      part.set(rows.subarray(at, at + width), (row - from) * width)
    }
    yield part
    discard(part)
    if (y >= rect.top + rect.height) return
  }
}

/**
 * Returns the rectangle as a PNG, lossless for pictures of 8 bits a sample, with its metadata. `undefined`: the picture is damaged,
 * has metadata that a PNG cannot store, or the PNG exceeds `most` bytes.
 */
export async function cropToPng(bytes: Uint8Array, facts: PictureHeader, rect: Rect, most: number): Promise<Uint8Array | undefined> {
  return redrawn(bytes, facts, rect, most, (channels) => croppedRows(bytes, facts, rect, channels))
}

async function redrawn(
  bytes: Uint8Array,
  facts: PictureHeader,
  { width, height }: { width: number; height: number },
  most: number,
  draw: (channels: 3 | 4) => AsyncIterable<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const channels = facts.mayBeTransparent ? 4 : 3
  try {
    const chunks = facts.kind === 'png' ? await chunksOfPng(bytes) : chunksOfJpeg(bytes)
    if (!chunks) return undefined
    using encoder = new PngEncoder({ width, height, colourType: channels === 4 ? 6 : 2, bitDepth: 8 }, QUICK_EFFORT, { chunks })
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const rows of draw(channels)) {
      for (let at = 0; at < rows.length; at += width * channels) encoder.writeRow(rows.subarray(at, at + width * channels))
      for (const piece of encoder.take()) length += pieces[pieces.push(piece) - 1]!.length
      if (length > most) return undefined
    }
    for (const one of encoder.finish()) pieces.push(one)
    return concat(pieces)
  } catch (error) {
    if (isEngineError(error, 'jpeg', 'png') || error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Returns a PNG of `width` × `height` pixels that contains `part` at `rect` and white elsewhere. It has the size of the old picture but
 * compresses well. `undefined`: `part` is damaged, or the PNG exceeds `most` bytes.
 */
export async function padToPng(
  part: Uint8Array,
  facts: PictureHeader,
  rect: Rect,
  { width, height }: { width: number; height: number },
  most: number,
): Promise<Uint8Array | undefined> {
  return redrawn(part, facts, { width, height }, most, async function* (channels) {
    const rowBytes = rect.width * channels
    const blank = () => new Uint8Array(width * channels).fill(255)
    for (let y = 0; y < rect.top; y++) yield blank()
    for await (const rows of rowsOf(part, facts, channels)) {
      for (let at = 0; at < rows.length; at += rowBytes) {
        const row = blank()
        row.set(rows.subarray(at, at + rowBytes), rect.left * channels)
        yield row
      }
    }
    for (let y = rect.top + rect.height; y < height; y++) yield blank()
  })
}
