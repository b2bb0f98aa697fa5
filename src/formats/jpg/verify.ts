/** Decodes what was stored and compares it with the upload. */

import { JpegJob, JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import type { Outcome, Source, Verdict } from '../../codec/codec.ts'
import { readMultiPicture } from './mpf.ts'
import { type JpegHeader, readHeader } from './segments.ts'

const COMPARE_BYTES = 256 * 1024
/** At an eighth of the size quantisation noise is averaged away: what differs more is another picture. */
const THUMBNAIL_PSNR_DB = 27

const differs = (difference: string): Verdict => ({ equal: false, difference })

export async function verifyJpeg(original: Source, result: Source, outcome: Outcome): Promise<Verdict> {
  const before = await readHeader(original)
  const after = await readHeader(result)
  for (const fact of ['width', 'height', 'components'] as const) {
    if (before[fact] !== after[fact]) return differs(`${fact}: ${before[fact]} became ${after[fact]}`)
  }
  const segments = segmentsDiffer(before, after)
  if (segments) return differs(segments)
  const ends =
    outcome.kind === 'compressed' && outcome.fidelity === 'lossless'
      ? await sameCoefficients(original, result)
      : await alike(original, result)
  if (typeof ends === 'string') return differs(ends)
  return sameTail(original, ends[0], result, ends[1])
}

/** All segments, byte for byte and in order; of the multi-picture index only its numbers may change. */
function segmentsDiffer(before: JpegHeader, after: JpegHeader): string | undefined {
  if (before.segments.length !== after.segments.length) return `${before.segments.length} segments became ${after.segments.length}`
  const index = readMultiPicture(before.segments)
  for (const [i, segment] of before.segments.entries()) {
    const other = after.segments[i]
    if (segment.bytes.length !== other?.bytes.length) return `segment ${i} changed its length`
    const mayChange = index !== undefined && index !== 'unreadable' && index.segment === i
    if (!mayChange && !segment.bytes.every((byte, at) => byte === other.bytes[at])) return `segment ${i} changed`
  }
  return undefined
}

/** The ends of both pictures, or what differs. */
async function sameCoefficients(original: Source, result: Source): Promise<[number, number] | string> {
  const before = await JpegJob.read(original.stream(), { kind: 'hash' })
  const after = await JpegJob.read(result.stream(), { kind: 'hash' })
  return before.digest() === after.digest() ? [before.endOffset, after.endOffset] : 'coefficients differ'
}

/** Both decoded from the first to the last bit, at an eighth of the size, and compared row by row. */
async function alike(original: Source, result: Source): Promise<[number, number] | string> {
  const before = await JpegRows.open(original.stream(), { eighths: 1 })
  const after = await JpegRows.open(result.stream(), { eighths: 1 })
  if (before.channels !== after.channels) return `${before.channels} channels became ${after.channels}`
  let squares = 0
  for (;;) {
    const [a, b] = [await before.read(16), await after.read(16)]
    if (!a || !b) break
    squares += squaredError(a, b)
  }
  const psnrDb = 10 * Math.log10(65025 / (squares / (before.stride * before.height)))
  return psnrDb < THUMBNAIL_PSNR_DB
    ? `another picture: ${psnrDb.toFixed(1)} dB at an eighth of the size`
    : [before.endOffset, after.endOffset]
}

function squaredError(a: Uint8Array, b: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2
  return sum
}

/** What follows the picture. */
async function sameTail(original: Source, from: number, result: Source, at: number): Promise<Verdict> {
  const length = original.size - from
  if (result.size - at !== length) return differs(`${length} bytes after the picture became ${result.size - at}`)
  for (let done = 0; done < length; done += COMPARE_BYTES) {
    const [a, b] = await Promise.all([original.read(from + done, COMPARE_BYTES), result.read(at + done, COMPARE_BYTES)])
    if (a.length !== b.length || !a.every((byte, i) => byte === b[i]))
      return differs(`the bytes after the picture differ near ${from + done}`)
  }
  return { equal: true }
}
