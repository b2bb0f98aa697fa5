/** Decodes MP3 sound and encodes it again with LAME, at `low` and `medium`, if the bit rate is high enough. */

import { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { crc16 } from '../../bytes/crc16.ts'
import { LEVELS } from '../../catalog/levels.ts'
import { bitRates } from '../../containers/mpeg-audio/frame.ts'
import { delayFrames, FrameSplitter, mp3LeadSamples } from '../../containers/mpeg-audio/frame-cutter.ts'
import { MeasuredMp3Encoder } from '../../containers/mpeg-audio/measured-encoder.ts'
import type { Options, Quality, Sink, Source } from '../../model/codec.ts'
import { lameDelayOf, type Mp3Stream, playedSamples, soundFrames } from './stream.ts'
import { buildTag, tagBytes, withLoudness } from './tag-frame.ts'
import { MAX_REENCODED_SECONDS, MIN_REENCODED_SECONDS } from './tuning.ts'

/** LAME `-V` quality of the level for this file. `undefined`: do not encode again. */
export function vbrQualityFor(stream: Mp3Stream, quality: Quality): number | undefined {
  const seconds = (stream.frames * stream.first.samples) / stream.first.hertz
  if (seconds > MAX_REENCODED_SECONDS || seconds < MIN_REENCODED_SECONDS) return undefined
  const kbps = averageKbps(stream) / stream.first.channels
  return LEVELS.mp3[quality].find(({ fromKbpsPerChannel }) => kbps >= fromKbpsPerChannel)?.vbr
}

const averageKbps = ({ soundBytes, frames, first }: Mp3Stream) => (soundBytes * 8 * first.hertz) / (frames * first.samples) / 1000

/**
 * Writes the sound encoded again, after its tag frame. Stops once the result would reach `limit` bytes.
 * @returns the signal-to-noise ratio in dB. `undefined`: stopped
 */
export async function reencode(
  source: Source,
  stream: Mp3Stream,
  sink: Sink,
  { vbrQuality, limit }: { readonly vbrQuality: number; readonly limit: number },
  options: Options,
): Promise<number | undefined> {
  const { channels, hertz, version } = stream.first
  const maxKbps = bitRates(version).find((kbps) => kbps >= averageKbps(stream)) ?? 0
  const hasDelay = lameDelayOf(stream) !== undefined
  using engine = new Ffmpeg()
  using encoder = new MeasuredMp3Encoder(engine, {
    channels,
    hertz,
    vbrQuality,
    maxKbps,
    independentFrames: !hasDelay,
    dropsDelayFrames: !hasDelay,
  })
  const start = sink.written
  const frames = hasDelay ? new LamePackets(stream) : new DelayRemover(stream)
  const keep = async (chunks: readonly Uint8Array[]) => {
    for (const chunk of chunks) {
      if (sink.written - start + chunk.length >= limit) return false
      await sink.write(chunk)
    }
    return true
  }
  if (!(await keep(frames.head))) return undefined
  const lead = Array.from({ length: channels }, () => new Float32Array(hasDelay ? 0 : mp3LeadSamples(hertz)))
  for (const packet of encoder.encode(lead)) if (!(await keep(frames.take(packet)))) return undefined
  for await (const planar of decodePlayedSound(engine, 0, source, stream, options)) {
    for (const packet of encoder.encode(planar)) if (!(await keep(frames.take(packet)))) return undefined
  }
  const { last, tag } = encoder.finish()
  if (!(await keep(frames.take(last)))) return undefined
  sink.patch(start, frames.tag(tag))
  return encoder.snrDb
}

/** Passes LAME's packets on unchanged, with LAME's tag, which gives the encoder delay. */
class LamePackets {
  readonly head: readonly Uint8Array[] = []
  readonly take = (packet: Uint8Array): Uint8Array[] => [packet]
  readonly #stream: Mp3Stream

  constructor(stream: Mp3Stream) {
    this.#stream = stream
  }

  tag(lames: Uint8Array): Uint8Array {
    return withLoudness(lames, this.#stream)
  }
}

/**
 * Drops the frames that hold the encoder delay, for files whose tag gives no delay. All players play such a file from its first sample.
 * Some would skip a delay in LAME's tag and some would not, so the tag gives none.
 */
class DelayRemover {
  readonly head: readonly Uint8Array[]
  readonly #stream: Mp3Stream
  readonly #cutter = new FrameSplitter()
  readonly #sizes: number[] = []
  /** Frames to drop. LAME's first frame is the placeholder for its tag. */
  #drop: number
  #crc = 0

  constructor(stream: Mp3Stream) {
    this.#stream = { ...stream, tag: undefined }
    this.head = [new Uint8Array(tagBytes(this.#stream))]
    this.#drop = 1 + delayFrames(stream.first.hertz)
  }

  take(packet: Uint8Array): Uint8Array[] {
    const frames = this.#cutter.push(packet).filter(() => this.#drop-- <= 0)
    const kept = frames.slice(0, this.#stream.frames - this.#sizes.length)
    for (const frame of kept) {
      this.#sizes.push(frame.length)
      this.#crc = crc16(frame, this.#crc)
    }
    return kept
  }

  /** Builds a Xing tag with length and seek table. */
  tag(): Uint8Array {
    const sizes = [...new Set(this.#sizes)]
    const packing = {
      slots: sizes.map((bytes) => ({ bytes })),
      choice: Uint8Array.from(this.#sizes, (size) => sizes.indexOf(size)),
      soundBytes: this.#sizes.reduce((sum, size) => sum + size, 0),
    }
    return buildTag(this.#stream, packing, this.#crc)
  }
}

/** Opens one of FFmpeg's two audio decoders for an MP3 stream. */
export function openMp3(engine: Ffmpeg, which: 0 | 1, { first: { hertz, channels } }: Mp3Stream): void {
  const nothing = { extradata: new Uint8Array(), bitsPerSample: 16, blockAlign: 0, tag: 0 }
  engine.openAudio({ decoder: 'mp3float', hertz, channels, ...nothing }, which)
}

/** Yields the sound as players play it: planar samples, encoder delay and padding removed. */
export async function* decodePlayedSound(
  engine: Ffmpeg,
  which: 0 | 1,
  source: Source,
  stream: Mp3Stream,
  options: Options,
): AsyncGenerator<Float32Array[]> {
  const { channels } = stream.first
  openMp3(engine, which, stream)
  let { skip, count } = playedSamples(stream)
  let frames = 0
  const cut = (planar: Float32Array[]) => {
    const length = planar[0]!.length
    const from = Math.min(skip, length)
    skip -= from
    const to = Math.min(length, from + count)
    count -= to - from
    return planar.map((channel) => channel.subarray(from, to))
  }
  for await (const { bytes } of soundFrames(source, stream)) {
    engine.sendAudio(bytes, which)
    for (let sound = engine.nextSound(which); sound; sound = engine.nextSound(which)) {
      const planar = cut(sound.channels)
      if (planar[0]!.length) yield planar
    }
    if ((++frames & 255) === 0) {
      options.signal.throwIfAborted()
      options.progress(0.1 + (0.7 * frames) / stream.frames)
    }
  }
  engine.endAudio(which)
  for (let sound = engine.nextSound(which); sound; sound = engine.nextSound(which)) {
    const planar = cut(sound.channels)
    if (planar[0]!.length) yield planar
  }
  // The decoder's delay removes the end of a stream whose tag promises every sample; players fill it with silence.
  if (count > 0 && count <= 1105) yield Array.from({ length: channels }, () => new Float32Array(count))
}
