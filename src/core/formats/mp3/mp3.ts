/** MP3: the bit reservoir, padding and dead tags repacked without loss; LAME again for `low` and `medium` where it pays. */

import { MP3 } from '../../catalog/formats/mp3.ts'
import { MP3_SHARE } from '../../catalog/levels.ts'
import { type Message, message } from '../../i18n/message.ts'
import { type Codec, type Options, type Outcome, PATCHABLE_BYTES, type Sink, type Source, type Verdict } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { copyTail } from '../../model/trailing-data.ts'
import { damagedFrame } from './damage.ts'
import { BrokenReservoir } from './granules.ts'
import { type Packing, plan } from './packing.ts'
import { reencode, vbrFor } from './reencode.ts'
import { write } from './repack.ts'
import { delayOf, isWhole, readStream, type Stream } from './stream.ts'
import { tagBytes } from './tag-frame.ts'
import { copyRange, frontTags } from './tags.ts'
import { verifySound } from './verify.ts'

/** Players must still recognise the file by its frames. */
const FEWEST_FRAMES = 8
/** Tags in front may take all that can be patched but this, of which the encoder's own tag is written last. */
const TAG_ROOM_BYTES = 8192
/** Two hours; the sound of longer files is compared bit by bit only. */
const MAX_CHECKED_FRAMES = 300_000

export const mp3: Codec = {
  format: MP3,

  async compress(source, sink, options): Promise<Outcome> {
    const stream = await readStream(source, options)
    const front = await frontTags(source, stream.frontBytes, options)
    const gap = { offset: stream.frontBytes, size: stream.audioOffset - stream.frontBytes }
    // A stream cut out of another one has half a frame in front: players judge it by that, so nothing may be put there; and behind
    // foreign bytes only some find the tag frame. Of a file that was cut off or put together, players count on what stands where.
    const movable = gap.size === 0 && !stream.cutOff && isWhole(stream) && stream.frames >= FEWEST_FRAMES
    const packing = movable ? await tryPlan(source, stream, options) : undefined
    const kept = stream.audioEnd - stream.audioOffset
    const repacked = packing ? Math.min(kept, packing.soundBytes + tagBytes(stream)) : kept
    const vbr =
      options.lossless || tellsIdleDelay(stream) || (front?.length ?? Number.POSITIVE_INFINITY) > PATCHABLE_BYTES - TAG_ROOM_BYTES
        ? undefined
        : vbrFor(stream, options.quality)
    if (vbr !== undefined) {
      if (front?.length) await sink.write(front.slice())
      const snrDb = await reencode(source, stream, sink, { vbrQuality: vbr, limit: repacked * MP3_SHARE }, options)
      if (snrDb !== undefined) {
        if (stream.tailKnown) await copyRange(source, stream.tail, sink)
        return {
          kind: 'compressed',
          loss: { sound: { snrDb } },
          steps: [message('lame_quality', { quality: vbr }), ...notKept(source, stream, gap.size)],
        }
      }
      await sink.abort()
    }
    if (!front) await copyRange(source, { offset: 0, size: stream.frontBytes }, sink)
    else if (front.length) await sink.write(front)
    await copyRange(source, gap, sink)
    const steps: Message[] = []
    if (packing && repacked < kept) {
      await write(source, stream, packing, sink, options)
      steps.push(message('frames_repacked'))
    } else await copySound(source, stream, sink, options)
    await copyTail(source, stream.audioEnd, sink)
    return { kind: 'compressed', steps: [...steps, message('padding_of_tags_dropped')] }
  },

  async verify(original, result, outcome, options): Promise<Verdict> {
    return verifySound(original, result, outcome, options)
  },
}

/**
 * True if LAME's tag tells a delay that players do not apply, because of foreign bytes in front. Sound that is coded anew has no place for
 * such a figure: with it, players would cut what they played before.
 */
const tellsIdleDelay = (stream: Stream): boolean => stream.tag?.facts.delay !== undefined && delayOf(stream) === undefined

/** Bytes around the frames that are no tags: sound that is coded anew has no place for them. */
function notKept(source: Source, { audioEnd, tail, tailKnown }: Stream, inFront: number): Message[] {
  const behind = (tailKnown ? tail.offset : source.size) - audioEnd
  return [
    ...(inFront > 0 ? [message('bytes_in_front_of_frames_not_kept', { bytes: inFront })] : []),
    ...(behind > 0 ? [message('bytes_behind_frames_not_kept', { bytes: behind })] : []),
  ]
}

async function tryPlan(source: Source, stream: Stream, options: Options): Promise<Packing | undefined> {
  try {
    const packing = await plan(source, stream, options)
    const damaged = packing && stream.frames <= MAX_CHECKED_FRAMES ? await damagedFrame(source, stream, options) : undefined
    if (damaged !== undefined) throw malformed('mp3', stream.audioOffset, message('frame_reads_beyond_own_bits', { damaged }))
    return packing
  } catch (error) {
    // Cut out of a longer stream, most likely: it plays, but its frames cannot be moved.
    if (error instanceof BrokenReservoir) return undefined
    throw error
  }
}

async function copySound(source: Source, stream: Stream, sink: Sink, options: Options): Promise<void> {
  for (let at = stream.audioOffset; at < stream.audioEnd; at += 1 << 20) {
    options.signal.throwIfAborted()
    await sink.write((await source.read(at, Math.min(1 << 20, stream.audioEnd - at))).slice())
  }
}
