/** Writes decoded sound as AAC in MP4, and reads such files again. */
import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { LEVELS } from '../catalog/levels.ts'
import { box, findBox, latin1Bytes, words } from '../containers/isobmff/box.ts'
import { chapterSamples, hasChapterTrack } from '../containers/isobmff/chapter-track.ts'
import { readMovie } from '../containers/isobmff/movie.ts'
import { decoderConfig } from '../containers/isobmff/sound-entry.ts'
import { SOUND_FILE_TYPE, type SoundMovie, soundMovieIndex } from '../containers/isobmff/sound-movie.ts'
import { ReadWindow } from '../containers/packet-window.ts'
import { message } from '../i18n/message.ts'
import { type Options, PATCHABLE_BYTES, type Sink, type Source } from '../model/codec.ts'
import { malformed, unsupported } from '../model/error.ts'
import { WriteBuffer } from '../model/sink.ts'
import type { DecodedSound } from './decoded-sound.ts'
import { AAC_PACKET_FRAMES, MeasuredAacEncoder } from './measured-aac.ts'
import { aacRate } from './rates.ts'
import type { SoundOutput } from './sound-output.ts'
import { Trim } from './trim.ts'

/** Numbers of channels whose usual speakers AAC and WAVE order alike: mono, stereo, 5.0, 5.1, 7.1. */
const CHANNELS = [1, 2, 5, 6, 8]

export const M4A_OUTPUT: SoundOutput = {
  rate: aacRate,
  write: writeM4a,
  samples: samplesOfM4a,
  check({ channels }, { lossless }) {
    if (lossless) throw unsupported('aac_cannot_be_exact')
    if (!CHANNELS.includes(channels)) throw unsupported(message('aac_has_no_channels', { channels }))
  },
}

const HEADER_BYTES = 8
/** Packets that the encoder may add to those of the sound. */
const SPARE_PACKETS = 4

async function writeM4a(sound: DecodedSound, sink: Sink, options: Options) {
  const { hertz, channels, frames, tags, covers, chapters } = sound
  const bitsPerSecond = LEVELS.filmSound[options.quality].aacPerChannel * channels
  using engine = new Ffmpeg()
  const encoder = new MeasuredAacEncoder(engine, { hertz, channels, bitsPerSecond })
  const facts = { hertz, channels, bitsPerSecond, config: encoder.config, delay: encoder.delay, frames, tags, covers, chapters }
  const file = new M4aFile(sink, facts)
  await file.begin()
  for await (const planar of sound.samples(options)) for (const packet of encoder.encode(planar)) await file.add(packet)
  for (const packet of encoder.finish()) await file.add(packet)
  await file.end()
  const kilobits = Math.round(bitsPerSecond / 1000)
  return { snrDb: encoder.snrDb, steps: [message('encoded_as_aac', { kilobits })] }
}

/** An M4A file while it is written. Its index is in front of the media data, if it fits into the part of the sink that can be patched. */
class M4aFile {
  readonly #sink: Sink
  readonly #packets: WriteBuffer
  readonly #facts: Omit<SoundMovie, 'sizes'>
  readonly #sizes: number[] = []
  /** Bytes that are reserved for the index. 0: it is the last box. */
  #reserved = 0
  #mediaBytes = 0

  constructor(sink: Sink, facts: Omit<SoundMovie, 'sizes'>) {
    this.#sink = sink
    this.#packets = new WriteBuffer(sink)
    this.#facts = facts
  }

  async begin(): Promise<void> {
    const most = Math.ceil((this.#facts.frames + this.#facts.delay) / AAC_PACKET_FRAMES) + SPARE_PACKETS
    // Different sizes, because equal ones take no table.
    const sizes = Array.from({ length: most }, (_, i) => i & 1)
    const bytes = soundMovieIndex({ ...this.#facts, sizes }, 0).length + HEADER_BYTES
    this.#reserved = SOUND_FILE_TYPE.length + bytes + HEADER_BYTES <= PATCHABLE_BYTES ? bytes : 0
    await this.#sink.write(SOUND_FILE_TYPE.slice())
    if (this.#reserved > 0) await this.#sink.write(new Uint8Array(this.#reserved))
    await this.#sink.write(new Uint8Array(HEADER_BYTES))
  }

  async add(packet: Uint8Array): Promise<void> {
    this.#sizes.push(packet.length)
    this.#mediaBytes += packet.length
    await this.#packets.write(packet)
  }

  async end(): Promise<void> {
    const { chapters } = this.#facts
    for (const title of hasChapterTrack(chapters) ? chapterSamples(chapters) : []) {
      this.#mediaBytes += title.length
      await this.#packets.write(title)
    }
    await this.#packets.flush()
    const at = SOUND_FILE_TYPE.length
    const mediaAt = at + this.#reserved + HEADER_BYTES
    const index = soundMovieIndex({ ...this.#facts, sizes: this.#sizes }, mediaAt)
    const left = this.#reserved - index.length
    if (this.#reserved === 0) await this.#sink.write(index)
    else {
      if (left < HEADER_BYTES) throw new RangeError(`an index of ${index.length} bytes does not fit into ${this.#reserved}`)
      this.#sink.patch(at, index)
      this.#sink.patch(at + index.length, box('free', new Uint8Array(left - HEADER_BYTES)))
    }
    this.#sink.patch(mediaAt - HEADER_BYTES, words(this.#mediaBytes + HEADER_BYTES))
    this.#sink.patch(mediaAt - HEADER_BYTES + 4, latin1Bytes('mdat'))
  }
}

/** Yields the samples that the edit list plays. @throws CodecError (malformed) if they are not `frames` */
async function* samplesOfM4a(result: Source, frames: number, { signal }: Options): AsyncGenerator<Float32Array[]> {
  using movie = await readMovie(result)
  const [track] = movie.tracks
  const entry = track?.descriptions[0]
  const esds = entry && findBox(movie.moov, { body: entry.body + 28, end: entry.end }, 'esds')
  const config = esds && decoderConfig(movie.moov, esds)
  const [edit, ...others] = track?.edits ?? []
  if (!track || !entry || !config || !edit || others.length > 0 || edit.duration !== frames) throw malformed('m4a', 0, 'no_samples')
  const [hertz, channels] = [track.timescale, (config.specific[1]! >> 3) & 15]
  using engine = new Ffmpeg()
  // Configuration 7 has eight channels (ISO/IEC 14496-3, table 1.19).
  const stream = { hertz, channels: channels === 7 ? 8 : channels, extradata: config.specific }
  engine.openAudio({ decoder: 'aac', ...stream, bitsPerSample: 16, blockAlign: 0, tag: 0 })
  using window = new ReadWindow(result)
  const trim = new Trim(edit.mediaTime, frames)
  const { count, offset, size } = track.samples()
  for (let i = 0; i < count; i++) {
    signal.throwIfAborted()
    if (!engine.sendAudio(await window.read(offset[i]!, size[i]!))) throw malformed('m4a', offset[i]!, 'cannot_be_decoded')
    for (let sound = engine.nextSound(); sound; sound = engine.nextSound()) yield* trim.cut(sound.channels)
  }
  engine.endAudio()
  for (let sound = engine.nextSound(); sound; sound = engine.nextSound()) yield* trim.cut(sound.channels)
}
