/** How close a picture in a document is to the one it replaces, at the size of the old one. */

import { JpegError, JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { PngError, pngRows } from '../../../wasm/png/png.ts'
import { concat } from '../../bytes/concat.ts'
import { type Likeness, LikenessMeter } from '../../quality/metrics.ts'
import { type PictureFacts, pictureFacts } from './facts.ts'
import { grown } from './grow.ts'

const BATCH_ROWS = 32

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Rows of a JPEG or PNG, top to bottom, some at a time. */
async function* rowsOf(bytes: Uint8Array, facts: PictureFacts, channels: 3 | 4): AsyncGenerator<Uint8Array> {
  if (facts.kind === 'png') {
    for await (const { rows } of pngRows(once(bytes), channels === 4 ? 'rgba8' : 'rgb8')) yield rows
    return
  }
  yield* batches(await JpegRows.open(bytes, { colour: channels === 4 ? 'rgba' : 'rgb' }))
}

/**
 * SSIM and PSNR of `after` against `before`, scaled up to its size first where it is smaller. Undefined when one of them is
 * of a kind whose rows cannot be had (CMYK, animations) or is damaged.
 */
export async function likeness(before: Uint8Array, after: Uint8Array): Promise<Likeness | undefined> {
  const [old, fresh] = [pictureFacts(before), pictureFacts(after)]
  if (!isComparable(old) || !isComparable(fresh)) return undefined
  const channels = old.mayBeTransparent || fresh.mayBeTransparent ? 4 : 3
  const meter = new LikenessMeter(old.width, old.height, channels)
  const same = old.width === fresh.width && old.height === fresh.height
  try {
    const candidate = rowsOf(after, fresh, channels)
    const pairs = paired(rowsOf(before, old, channels), same ? candidate : grown(candidate, channels, fresh, old), old.width * channels)
    for await (const [reference, shown] of pairs) meter.push(reference, shown)
    return meter.finish()
  } catch (error) {
    if (error instanceof JpegError || error instanceof PngError || error instanceof RangeError) return undefined
    throw error
  }
}

const isComparable = (facts: PictureFacts | undefined): facts is PictureFacts =>
  facts?.comparable === true && (facts.kind === 'jpg' || facts.kind === 'png') && facts.width * facts.height <= 200_000_000

/** Two streams of rows cut to the same pieces. */
async function* paired(
  first: AsyncGenerator<Uint8Array>,
  second: AsyncGenerator<Uint8Array>,
  rowBytes: number,
): AsyncGenerator<[Uint8Array, Uint8Array]> {
  let rest: Uint8Array = new Uint8Array()
  try {
    for await (const reference of first) {
      const parts = [rest]
      let length = rest.length
      while (length < reference.length) {
        const next = await second.next()
        if (next.done) throw new RangeError('one picture ends early')
        parts.push(next.value)
        length += next.value.length
      }
      const candidate = concat(parts)
      for (let at = 0; at < reference.length; at += BATCH_ROWS * rowBytes) {
        const end = Math.min(reference.length, at + BATCH_ROWS * rowBytes)
        yield [reference.subarray(at, end), candidate.subarray(at, end)]
      }
      rest = candidate.subarray(reference.length)
    }
  } finally {
    await second.return(undefined)
  }
}

/** Where the band of rows begins that stands for a whole JPEG, and how much of it is looked at. */
const BAND_START = 0.35
const BAND_SHARE = 0.15

/**
 * How much of a JPEG is left when it is downsampled to `scale`, before any coding: by a band of its rows, in a tenth of the
 * time that trying takes. Undefined where that cannot be told.
 */
export async function scaledLikeness(bytes: Uint8Array, facts: PictureFacts, scale: number): Promise<Likeness | undefined> {
  const eighths = Math.max(1, Math.round(scale * 8))
  if (!isComparable(facts) || facts.kind !== 'jpg' || !isEighths(eighths)) return undefined
  const from = Math.floor(facts.height * BAND_START)
  const count = Math.min(facts.height - from, Math.max(64, Math.ceil(facts.height * BAND_SHARE)))
  const meter = new LikenessMeter(facts.width, count, 3)
  const rowBytes = facts.width * 3
  try {
    const small = await JpegRows.open(bytes, { colour: 'rgb', eighths })
    const candidate = grown(batches(small), 3, small, facts, from)
    const reference = band(rowsOf(bytes, facts, 3), from * rowBytes, count * rowBytes)
    for await (const [old, shown] of paired(reference, candidate, rowBytes)) meter.push(old, shown)
    return meter.finish()
  } catch (error) {
    if (error instanceof JpegError || error instanceof RangeError) return undefined
    throw error
  }
}

const isEighths = (eighths: number): eighths is 1 | 2 | 3 | 4 | 5 | 6 | 7 => eighths >= 1 && eighths <= 7

async function* batches(rows: JpegRows): AsyncGenerator<Uint8Array> {
  for (let strip = await rows.read(BATCH_ROWS); strip; strip = await rows.read(BATCH_ROWS)) yield strip
}

/** Bytes `from … from + length` of a stream, which is left when they have come. */
async function* band(chunks: AsyncIterable<Uint8Array>, from: number, length: number): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, from + length - at))
    at += chunk.length
    if (part.length > 0) yield part
    if (at >= from + length) return
  }
}

/** Whether a picture decodes to its last row. Kinds that are not read here count as sound. */
export async function decodes(bytes: Uint8Array): Promise<boolean> {
  const facts = pictureFacts(bytes)
  if (!facts) return false
  if (!isComparable(facts)) return true
  try {
    let rowBytes = 0
    for await (const rows of rowsOf(bytes, facts, 3)) rowBytes += rows.length
    return rowBytes === facts.width * facts.height * 3
  } catch (error) {
    if (error instanceof JpegError || error instanceof PngError) return false
    throw error
  }
}

/** Whether every pixel of a PNG is opaque. */
export async function isOpaque(bytes: Uint8Array, facts: PictureFacts): Promise<boolean> {
  if (!facts.mayBeTransparent) return true
  for await (const rows of rowsOf(bytes, facts, 4)) {
    for (let at = 3; at < rows.length; at += 4) if (rows[at] !== 255) return false
  }
  return true
}
