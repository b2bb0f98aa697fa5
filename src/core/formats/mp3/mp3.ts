/**
 * Codec for MP3. Repacks the bit reservoir and drops padding and empty tag space without loss. At `low` and `medium`, encodes again with
 * LAME if that is smaller.
 */

import { MP3 } from '../../catalog/formats/mp3.ts'
import { MAX_LOSSY_SIZE_RATIO } from '../../catalog/levels.ts'
import { type Message, message } from '../../i18n/message.ts'
import { type MetadataCodec, type Options, type Outcome, PATCHABLE_BYTES, type Sink, type Source, type Verdict } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { copyTrailingData } from '../../model/trailing-data.ts'
import { damagedFrame } from './damage.ts'
import { BrokenReservoir } from './granules.ts'
import { type Packing, planPacking } from './packing.ts'
import { reencode, vbrQualityFor } from './reencode.ts'
import { writeRepacked } from './repack.ts'
import { hasExpectedFrames, keptTail, lameDelayOf, type Mp3Stream, readStream } from './stream.ts'
import { tagBytes } from './tag-frame.ts'
import { copyRange, frontTags } from './tags.ts'
import { ENCODER_TAG_BYTES, MAX_DECODED_FRAMES, MIN_FRAMES } from './tuning.ts'
import { verifySound } from './verify.ts'
import { withoutMp3Metadata } from './without-metadata.ts'

export const mp3: MetadataCodec = {
  withoutMetadata: withoutMp3Metadata,
  format: MP3,

  async compress(source, sink, options): Promise<Outcome> {
    const stream = await readStream(source, options)
    const front = await frontTags(source, stream.frontBytes, options)
    const gap = { offset: stream.frontBytes, size: stream.audioOffset - stream.frontBytes }
    // Frames are not moved if the file is incomplete. A cut stream starts with part of a frame, by which players judge it. After unknown
    // bytes only some players find the tag frame. In truncated or joined files, players rely on positions.
    const movable = gap.size === 0 && !stream.cutOff && hasExpectedFrames(stream) && stream.frames >= MIN_FRAMES
    const packing = movable ? await tryPlan(source, stream, options) : undefined
    const kept = stream.audioEnd - stream.audioOffset
    const repacked = packing ? Math.min(kept, packing.soundBytes + tagBytes(stream)) : kept
    const vbr =
      options.lossless || tellsIdleDelay(stream) || (front?.length ?? Number.POSITIVE_INFINITY) > PATCHABLE_BYTES - ENCODER_TAG_BYTES
        ? undefined
        : vbrQualityFor(stream, options.quality)
    if (vbr !== undefined) {
      if (front?.length) await sink.write(front.slice())
      const snrDb = await reencode(source, stream, sink, { vbrQuality: vbr, limit: repacked * MAX_LOSSY_SIZE_RATIO }, options)
      if (snrDb !== undefined) {
        await copyRange(source, keptTail(stream), sink)
        return {
          kind: 'compressed',
          loss: { sound: { snrDb } },
          steps: [message('lame_quality', { quality: vbr }), ...notKept(stream, gap.size)],
        }
      }
      await sink.abort()
    }
    if (!front) await copyRange(source, { offset: 0, size: stream.frontBytes }, sink)
    else if (front.length) await sink.write(front)
    await copyRange(source, gap, sink)
    const steps: Message[] = []
    if (packing && repacked < kept) {
      await writeRepacked(source, stream, packing, sink, options)
      steps.push(message('frames_repacked'))
    } else await copySound(source, stream, sink, options)
    await copyTrailingData(source, stream.audioEnd, sink)
    return { kind: 'compressed', steps: [...steps, message('padding_of_tags_dropped')] }
  },

  async verify(original, result, outcome, options): Promise<Verdict> {
    return verifySound(original, result, outcome, options)
  },
}

/**
 * True if LAME's tag gives a delay that players ignore, because unknown bytes precede it. New sound cannot keep such a tag: players would
 * then skip samples that they played before.
 */
const tellsIdleDelay = (stream: Mp3Stream): boolean => stream.tag?.facts.delay !== undefined && lameDelayOf(stream) === undefined

/** Steps for bytes around the frames that are not tags; newly encoded sound drops them. */
function notKept(stream: Mp3Stream, inFront: number): Message[] {
  const behind = keptTail(stream).offset - stream.audioEnd
  return [
    ...(inFront > 0 ? [message('bytes_in_front_of_frames_not_kept', { bytes: inFront })] : []),
    ...(behind > 0 ? [message('bytes_behind_frames_not_kept', { bytes: behind })] : []),
  ]
}

async function tryPlan(source: Source, stream: Mp3Stream, options: Options): Promise<Packing | undefined> {
  try {
    const packing = await planPacking(source, stream, options)
    const damaged = packing && stream.frames <= MAX_DECODED_FRAMES ? await damagedFrame(source, stream, options) : undefined
    if (damaged !== undefined) throw malformed('mp3', stream.audioOffset, message('frame_reads_beyond_own_bits', { damaged }))
    return packing
  } catch (error) {
    // The file was probably cut out of a longer stream. It plays, but its frames cannot be repacked.
    if (error instanceof BrokenReservoir) return undefined
    throw error
  }
}

async function copySound(source: Source, stream: Mp3Stream, sink: Sink, options: Options): Promise<void> {
  for (let at = stream.audioOffset; at < stream.audioEnd; at += 1 << 20) {
    options.signal.throwIfAborted()
    await sink.write((await source.read(at, Math.min(1 << 20, stream.audioEnd - at))).slice())
  }
}
