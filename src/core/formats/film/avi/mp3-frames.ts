/** Finds the MP3 frames of an AVI sound stream, across chunk boundaries, and builds a movie track from them. */

import { discard } from '../../../../../wasm/memories/discard.ts'
import { createCompactArray, sumOf } from '../../../bytes/compact-array.ts'
import { ByteReader } from '../../../bytes/reader.ts'
import { lastStartUpTo } from '../../../bytes/search.ts'
import { mp3Entry } from '../../../containers/isobmff/sound-entry.ts'
import type { NewTrack, TrackPiece } from '../../../containers/isobmff/track-interleaving.ts'
import { type FrameHeader, frameHeader } from '../../../containers/mpeg-audio/frame.ts'
import type { AviStream } from '../../../containers/riff/avi.ts'
import { message } from '../../../i18n/message.ts'
import type { Source } from '../../../model/codec.ts'
import { malformed, unsupported } from '../../../model/error.ts'
import { rangeStream } from '../../../model/source.ts'
import type { EmptyTrack } from '../sample-table.ts'
import type { SoundRuns } from '../sound.ts'
import { CHUNK_SECONDS } from '../tuning.ts'

/** A run of MP3 frames without other bytes between them. */
interface Row {
  readonly offset: number
  readonly size: number
  readonly frames: number
}

export interface Mp3Sound {
  readonly first: FrameHeader
  /** Size of each MP3 frame in bytes. */
  readonly sizes: readonly number[]
  /** Runs of consecutive MP3 frames, as offsets in `chunks`. */
  readonly rows: readonly Row[]
  /** The bodies of the stream's chunks as one continuous source. */
  readonly chunks: Source
}

/** Largest frame in bytes: 320 kbit/s at 32 kHz, with one padding byte. */
const MAX_FRAME_BYTES = 1441
const BLOCK_BYTES = 256 * 1024
/** Share of the stream that must be MP3 frames. The rest may be bytes that recorders leave between frames. */
const MOSTLY = 0.9

/** Duration in seconds that the stream's headers give: by its blocks (dwSampleSize), or by one unit per chunk. */
function claimedSeconds({ strh, rate, scale }: AviStream, runs: SoundRuns): number {
  const sampleSize = new ByteReader(strh, true).u32(44)
  const units = sampleSize ? sumOf(runs.size) / sampleSize : runs.count
  return (units * scale) / rate
}

/** Presents byte ranges of a source as one continuous source. */
function joined(source: Source, { count, offset, size }: SoundRuns): Source {
  const starts = createCompactArray(count + 1, sumOf(size))
  for (let run = 0; run < count; run++) starts[run + 1] = starts[run]! + size[run]!
  const total = starts[count]!
  async function read(from: number, wanted: number): Promise<Uint8Array> {
    const out = new Uint8Array(Math.max(0, Math.min(wanted, total - from)))
    for (let done = 0, run = lastStartUpTo(starts, count, from); done < out.length; run++) {
      const skip = from + done - starts[run]!
      const length = Math.min(size[run]! - skip, out.length - done)
      const bytes = await source.read(offset[run]! + skip, length)
      if (bytes.length < length) throw malformed('avi', offset[run]!, 'file_ends_inside_chunk')
      out.set(bytes, done)
      done += length
    }
    return out
  }
  return { name: source.name, size: total, read, stream: () => rangeStream(total, read) }
}

/**
 * Finds all frames of an MP3 stream and skips other bytes between them.
 * @throws CodecError (unsupported_feature) if headers and frames give different durations, because players then disagree about the timing
 */
export async function mp3Frames(source: Source, stream: AviStream, runs: SoundRuns): Promise<Mp3Sound> {
  const chunks = joined(source, runs)
  const sizes: number[] = []
  const rows: { offset: number; size: number; frames: number }[] = []
  let first: FrameHeader | undefined
  let kept = 0
  for (let from = 0, end = false; !end; ) {
    const block = await chunks.read(from, BLOCK_BYTES)
    end = from + block.length >= chunks.size
    let at = 0
    for (const last = block.length - (end ? 4 : MAX_FRAME_BYTES); at <= last; ) {
      const header = frameHeader(block, at)
      const fits =
        header && at + header.bytes <= block.length && (!first || (header.hertz === first.hertz && header.version === first.version))
      if (!fits || !header) {
        at++
        continue
      }
      first ??= header
      const row = rows.at(-1)
      if (row && row.offset + row.size === from + at) {
        row.size += header.bytes
        row.frames++
      } else rows.push({ offset: from + at, size: header.bytes, frames: 1 })
      sizes.push(header.bytes)
      kept += header.bytes
      at += header.bytes
    }
    from += at
    discard(block)
    if (from - kept > chunks.size * (1 - MOSTLY)) break
  }
  if (!first || kept < chunks.size * MOSTLY) throw malformed('avi', runs.offset[0] ?? 0, 'no_mp3_frames_in_mp3_stream')
  const [seconds, declared] = [(sizes.length * first.samples) / first.hertz, claimedSeconds(stream, runs)]
  if (Math.abs(seconds - declared) > 0.3 + 0.03 * seconds)
    throw unsupported(message('mp3_sound_longer_than_stream', { seconds: seconds.toFixed(1), declared: declared.toFixed(1) }))
  return { first, sizes, rows, chunks }
}

export const mp3EmptyTrack = ({ first, sizes }: Mp3Sound): EmptyTrack => ({
  handler: 'soun',
  timescale: first.hertz,
  duration: sizes.length * first.samples,
  width: 0,
  height: 0,
})

export function mp3Track({ first, sizes, rows, chunks }: Mp3Sound, quickTime: boolean): NewTrack {
  const perPiece = Math.max(1, Math.round((CHUNK_SECONDS * first.hertz) / first.samples))
  const pieces: TrackPiece[] = []
  let frame = 0
  for (const row of rows) {
    for (let { offset, frames } = row; frames > 0; ) {
      const samples = Math.min(frames, perPiece)
      let size = 0
      for (let i = 0; i < samples; i++) size += sizes[frame + i]!
      pieces.push({ time: (frame * first.samples) / first.hertz, size, samples, from: chunks, offset })
      frame += samples
      frames -= samples
      offset += size
    }
  }
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  const seconds = (sizes.length * first.samples) / first.hertz
  return {
    description: mp3Entry(first, Math.round((bytes * 8) / seconds), quickTime),
    timescale: first.hertz,
    sizes: Uint32Array.from(sizes),
    durations: new Float64Array(sizes.length).fill(first.samples),
    compositions: undefined,
    sync: undefined,
    edits: undefined,
    pieces,
  }
}
