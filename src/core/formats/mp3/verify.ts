import { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { type Id3Picture, id3Bytes, id3Frames, id3Picture } from '../../containers/id3/id3.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import { BrokenReservoir, type LogicalFrame, logicalFrames } from './granules.ts'
import { decodePlayedSound } from './reencode.ts'
import { keptTail, type Mp3Stream, playedSamples, readStream } from './stream.ts'
import { MAX_DECODED_FRAMES, SNR_TOLERANCE_DB } from './tuning.ts'

/**
 * Verifies a rewritten MP3. Lossless: the sound bits of all frames are equal and decode to equal samples. Lossy: same length, and the
 * noise in
 * the receipt.
 */
export async function verifySound(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const differs = (difference: string): Verdict => ({ equal: false, difference })
  try {
    const a = await readStream(original, options)
    const b = await readStream(result, options)
    if (a.first.hertz !== b.first.hertz || a.first.channels !== b.first.channels)
      return differs('the sample rate or number of channels changed')
    const tags = await compareTags(original, result, a, b)
    if (tags) return differs(tags)
    const isExact = outcome.kind === 'compressed' && !outcome.loss
    const tail = isExact
      ? await trailingDataDifference(original, a.audioEnd, result, b.audioEnd)
      : await compareTail(original, result, a, b)
    if (tail) return differs(tail)
    if (playedSamples(a).count !== playedSamples(b).count)
      return differs(`the result plays ${playedSamples(b).count} samples instead of ${playedSamples(a).count}`)
    if (isExact) {
      const difference = await compareBits(original, result, a, b)
      if (difference) return differs(difference)
      // Damaged frames read past their own bits, so equal bits do not prove equal sound.
      if (a.frames > MAX_DECODED_FRAMES) return { equal: true }
      const decoded = await compareSound(original, result, a, b, options)
      return decoded.noise === 0 ? { equal: true } : differs(`decoded sound differs (${decoded.decibels} dB)`)
    }
    const claimed = outcome.kind === 'compressed' ? (outcome.loss?.sound?.snrDb ?? 0) : 0
    const { heardDecibels: decibels } = await compareSound(original, result, a, b, options)
    return decibels >= claimed - SNR_TOLERANCE_DB ? { equal: true } : differs(`${decibels} dB instead of ${claimed}`)
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature') || error instanceof BrokenReservoir) return differs(error.message)
    throw error
  }
}

/** Compares the tags in front of the sound one by one. */
async function compareTags(original: Source, result: Source, a: Mp3Stream, b: Mp3Stream): Promise<string | undefined> {
  const [before, after] = await Promise.all([tagsIn(original, a), tagsIn(result, b)])
  if (before.length !== after.length) return `${before.length} tags became ${after.length}`
  for (const [i, tag] of before.entries()) {
    const difference = same(tag, after[i]!) ? undefined : compareTag(tag, after[i]!)
    if (difference) return difference
  }
  return undefined
}

async function tagsIn(source: Source, { frontBytes }: Mp3Stream): Promise<Uint8Array[]> {
  const whole = await source.read(0, frontBytes)
  const tags: Uint8Array[] = []
  for (let at = 0, size = id3Bytes(whole, 0); size > 0; at += size, size = id3Bytes(whole, at)) tags.push(whole.subarray(at, at + size))
  return tags
}

/** Compares a tag that became smaller: same frames, pictures with equal type and description, and only zeros dropped at its end. */
function compareTag(before: Uint8Array, after: Uint8Array): string | undefined {
  const [left, right] = [id3Frames(before, true), id3Frames(after, true)]
  if (left.length !== right.length) return `${left.length} tag frames became ${right.length}`
  let end = 10
  for (const [i, p] of left.entries()) {
    const q = right[i]!
    const equal = same(p.body, q.body) || (p.id === 'APIC' && samePicture(id3Picture(p.body), id3Picture(q.body)))
    if (p.id !== q.id || !equal) return `tag frame ${p.id} changed`
    end += 10 + p.body.length
  }
  return before.subarray(end).every((byte) => byte === 0) ? undefined : 'bytes after the frames of a tag are missing'
}

const samePicture = (a?: Id3Picture, b?: Id3Picture): boolean =>
  a !== undefined && b !== undefined && a.type === b.type && a.mime === b.mime && a.description === b.description

/** Compares tags after the frames. Newly encoded sound keeps only tags there. */
async function compareTail(original: Source, result: Source, a: Mp3Stream, b: Mp3Stream): Promise<string | undefined> {
  const difference = await trailingDataDifference(original, keptTail(a).offset, result, keptTail(b).offset)
  return difference && 'the tags behind the frames'
}

const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i])

async function compareBits(original: Source, result: Source, a: Mp3Stream, b: Mp3Stream): Promise<string | undefined> {
  if (a.audioEnd - a.audioOffset === b.audioEnd - b.audioOffset && (await sameRange(original, result, a, b))) return undefined
  const left = logicalFrames(original, a)
  const right = logicalFrames(result, b)
  for (let frame = 0; ; frame++) {
    const [x, y] = [await left.next(), await right.next()]
    if (x.done || y.done) return x.done === y.done ? undefined : `the frames end at ${frame}`
    if (!sameSound(x.value, y.value)) return `frame ${frame}`
  }
}

async function sameRange(original: Source, result: Source, a: Mp3Stream, b: Mp3Stream): Promise<boolean> {
  const size = a.audioEnd - a.audioOffset
  for (let at = 0; at < size; at += 1 << 20) {
    const count = Math.min(1 << 20, size - at)
    const [x, y] = await Promise.all([original.read(a.audioOffset + at, count), result.read(b.audioOffset + at, count)])
    if (!same(x, y)) return false
  }
  return true
}

/**
 * Compares all that affects decoding: the header without bit rate, padding and protection; side information without main_data_begin; main
 * data.
 */
function sameSound(a: LogicalFrame, b: LogicalFrame): boolean {
  if ((a.head[1]! | 1) !== (b.head[1]! | 1) || (a.head[2]! & 0x0d) !== (b.head[2]! & 0x0d) || a.head[3] !== b.head[3]) return false
  const skipped = a.header.version === 1 ? 0x7f : 0
  if (a.side.length !== b.side.length || a.mainBits !== b.mainBits) return false
  if (a.header.version === 1 ? (a.side[1]! & skipped) !== (b.side[1]! & skipped) : a.side[1] !== b.side[1]) return false
  for (let i = 2; i < a.side.length; i++) if (a.side[i] !== b.side[i]) return false
  return same(a.main, b.main)
}

async function compareSound(original: Source, result: Source, a: Mp3Stream, b: Mp3Stream, options: Options): Promise<SnrMeter> {
  const meter = new SnrMeter()
  using engine = new Ffmpeg()
  const left = decodePlayedSound(engine, 0, original, a, options)
  const right = decodePlayedSound(engine, 1, result, b, options)
  let x = await left.next()
  let y = await right.next()
  let xAt = 0
  let yAt = 0
  while (!x.done && !y.done) {
    const count = Math.min(x.value[0]!.length - xAt, y.value[0]!.length - yAt)
    for (let channel = 0; channel < x.value.length; channel++) {
      meter.add(x.value[channel]!.subarray(xAt, xAt + count), y.value[channel]!.subarray(yAt, yAt + count))
    }
    xAt += count
    yAt += count
    if (xAt === x.value[0]!.length) {
      x.value.forEach(discard)
      x = await left.next()
      xAt = 0
    }
    if (yAt === y.value[0]!.length) {
      y.value.forEach(discard)
      y = await right.next()
      yAt = 0
    }
  }
  return meter
}
