/** Writes decoded sound as MP3 with LAME, and reads such files again. */
import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { LEVELS } from '../catalog/levels.ts'
import { chapterFrames } from '../containers/id3/chapters.ts'
import { id3Bytes, id3Tag } from '../containers/id3/id3.ts'
import { DECODER_DELAY, frameHeader, tagFrame } from '../containers/mpeg-audio/frame.ts'
import { MeasuredMp3Encoder } from '../containers/mpeg-audio/measured-encoder.ts'
import { groupedTags } from '../containers/sound-tags.ts'
import { message } from '../i18n/message.ts'
import type { Options, Sink, Source } from '../model/codec.ts'
import { malformed, unsupported } from '../model/error.ts'
import type { DecodedSound } from './decoded-sound.ts'
import { mp3Rate } from './rates.ts'
import type { SoundOutput } from './sound-output.ts'
import { Trim } from './trim.ts'

export const MP3_OUTPUT: SoundOutput = {
  rate: mp3Rate,
  write: writeMp3,
  samples: samplesOfMp3,
  check({ channels, tags }, { lossless }) {
    if (lossless) throw unsupported('mp3_cannot_be_exact')
    if (channels > 2) throw unsupported(message('mp3_has_no_channels', { channels }))
    // Zeros separate the texts of a frame.
    const zeros = tags.find(([, value]) => value.includes('\0'))
    if (zeros) throw unsupported(message('mp3_has_no_zeros', { tag: zeros[0] }))
  },
}

async function writeMp3(sound: DecodedSound, sink: Sink, options: Options) {
  const { hertz, tags, covers, chapters } = sound
  const vbrQuality = LEVELS.wavAsMp3[options.quality]
  using engine = new Ffmpeg()
  using encoder = new MeasuredMp3Encoder(engine, { channels: sound.channels === 1 ? 1 : 2, hertz, vbrQuality, maxKbps: 0 })
  // One frame has all values of a name, with zeros between them (ID3v2.4, section 4.2). Comments and lyrics have a frame for each value.
  const frames = groupedTags(tags).flatMap(([name, values]) =>
    name === 'comment' || name === 'lyrics' ? values.map((value) => [name, value] as const) : [[name, values.join('\0')] as const],
  )
  const tag = id3Tag(frames, covers, chapterFrames(chapters, sound.frames / hertz))
  if (tag.length > 0) await sink.write(tag)
  const encoderTagAt = sink.written
  for await (const planar of sound.samples(options)) for (const packet of encoder.encode(planar)) await sink.write(packet)
  const { last, tag: encoderTag } = encoder.finish()
  if (last.length > 0) await sink.write(last)
  sink.patch(encoderTagAt, encoderTag)
  return { snrDb: encoder.snrDb, steps: [message('lame_quality', { quality: vbrQuality })] }
}

const WINDOW_BYTES = 512 * 1024
/** Longest frame of Layer III, and the bytes of the next header. */
const MAX_FRAME_BYTES = 2048

/**
 * Yields the samples that players play, without the delay and padding that LAME's tag tells.
 * @throws CodecError (malformed) if the file does not tell `frames` samples
 */
async function* samplesOfMp3(result: Source, frames: number, { signal }: Options): AsyncGenerator<Float32Array[]> {
  using engine = new Ffmpeg()
  const tagsEnd = id3Bytes(await result.read(0, 10), 0)
  const head = await result.read(tagsEnd, MAX_FRAME_BYTES)
  const first = frameHeader(head, 0)
  const tag = first && tagFrame(head.subarray(0, first.bytes), first)
  if (!first || tag?.delay === undefined || tag.padding === undefined) throw malformed('mp3', tagsEnd, 'no_frames')
  const { hertz, channels } = first
  engine.openAudio({ decoder: 'mp3float', hertz, channels, extradata: new Uint8Array(), bitsPerSample: 16, blockAlign: 0, tag: 0 })
  const trim = new Trim(tag.delay + DECODER_DELAY, frames)
  let promised = -tag.delay - tag.padding
  let window: Uint8Array = new Uint8Array(0)
  let start = 0
  for (let at = tagsEnd + first.bytes; at < result.size; ) {
    signal.throwIfAborted()
    if (at + MAX_FRAME_BYTES > start + window.length) {
      window = await result.read(at, WINDOW_BYTES)
      start = at
    }
    const header = frameHeader(window, at - start)
    if (!header || at + header.bytes > result.size || header.hertz !== hertz || header.channels !== channels)
      throw malformed('mp3', at, 'frames_interrupted')
    engine.sendAudio(window.subarray(at - start, at - start + header.bytes))
    promised += header.samples
    at += header.bytes
    for (let sound = engine.nextSound(); sound; sound = engine.nextSound()) yield* trim.cut(sound.channels)
  }
  engine.endAudio()
  for (let sound = engine.nextSound(); sound; sound = engine.nextSound()) yield* trim.cut(sound.channels)
  if (promised !== frames) throw malformed('mp3', tagsEnd, 'no_frames')
  // The decoder keeps its delay back; players fill it with silence.
  if (trim.left <= DECODER_DELAY) yield* trim.silence(channels)
}
