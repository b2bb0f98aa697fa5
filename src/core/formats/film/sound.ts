/** Encodes sound as AAC. Decodes the result in the same pass to measure the noise. */

import { type AudioStream, Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import type { CompactArray } from '../../bytes/compact-array.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { ReadWindow } from '../../containers/packet-window.ts'
import { message } from '../../i18n/message.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import type { PartWriter, SoundHead } from './part-file.ts'
import { SOUND_SAMPLES_PER_YIELD } from './tuning.ts'

const BLOCK = 1024
const BYTES_PER_READ = 32 * 1024

export interface EncodedSound {
  readonly head: SoundHead
  readonly memoryBytes: number
}

/** Byte ranges that hold sound, in playing order. */
export interface SoundRuns {
  readonly count: number
  readonly offset: CompactArray
  readonly size: CompactArray
}

/** Encoded sound inside a file, and how to decode it. */
export interface StoredSound {
  readonly source: Source
  readonly stream: AudioStream
  readonly runs: SoundRuns
  readonly options: Options
}

/** Byte ranges of a track's sound. Blocks are read from chunks; packets are read one by one from samples. */
export function runsOf(track: Track, { blockAlign }: AudioStream): SoundRuns {
  if (blockAlign) return track.chunks
  return track.samples()
}

/**
 * True for AAC whose decoder found HE-AAC, which the track need not tell: spectral band replication doubles the rate, parametric stereo the
 * channels.
 */
const isHighEfficiency = ({ decoder, hertz, channels }: AudioStream, found: { hertz: number; channels: readonly unknown[] }) =>
  decoder === 'aac' && (found.hertz === 2 * hertz || (found.hertz === hertz && channels === 1 && found.channels.length === 2))

/**
 * Decodes the sound of `runs` with the engine's first decoder and yields planar samples. Blocks are read in steps, packets one at a time.
 * @param skipBytes bytes to skip at the start of the runs, a multiple of the block size
 */
export async function* decodedSound(
  decoder: Ffmpeg,
  { source, stream, runs, options }: StoredSound,
  skipBytes = 0,
): AsyncGenerator<readonly Float32Array[]> {
  const { blockAlign, hertz, channels } = stream
  decoder.openAudio(stream)
  using window = new ReadWindow(source)
  const step = blockAlign ? Math.max(blockAlign, BYTES_PER_READ - (BYTES_PER_READ % blockAlign)) : Number.MAX_SAFE_INTEGER
  const breath = new YieldBudget(SOUND_SAMPLES_PER_YIELD, options.signal)
  let skip = skipBytes
  let silent = 0
  for (let run = 0; run < runs.count; run++) {
    const size = blockAlign ? runs.size[run]! - (runs.size[run]! % blockAlign) : runs.size[run]!
    const from = Math.min(skip, size)
    skip -= from
    for (let at = from; at < size; at += step) {
      const bytes = await window.read(runs.offset[run]! + at, Math.min(step, size - at))
      if (!decoder.sendAudio(bytes)) {
        if (!blockAlign) throw unsupported('packet_of_sound_cannot_be_decoded')
        throw malformed('sound', runs.offset[run]! + at, 'cannot_be_decoded')
      }
      silent += blockAlign ? 0 : 1
      for (let sound = decoder.nextSound(); sound; sound = decoder.nextSound()) {
        if (sound.hertz !== hertz || sound.channels.length !== channels)
          throw unsupported(isHighEfficiency(stream, sound) ? 'he_aac_not_converted' : 'sound_of_another_kind_than_track_says')
        if (stream.decoder.startsWith('pcm_f')) refuseExcess(sound.channels)
        // A packet without output still takes its playing time, so silence is yielded for it.
        for (; silent > 1; silent--) yield sound.channels.map(({ length }) => new Float32Array(length))
        silent = 0
        yield sound.channels
        await breath.after(sound.channels.length * sound.channels[0]!.length)
      }
      options.progress(run / runs.count)
    }
  }
}

/** @throws CodecError (unsupported_feature) for float samples beyond full scale, which players of encoded sound clip, and for NaN */
function refuseExcess(planar: readonly Float32Array[]): void {
  for (const channel of planar) {
    for (const value of channel)
      if (!(Math.abs(value) <= 1))
        throw unsupported(message('float_sound_reaches_times_full_scale', { factor: Math.abs(value).toFixed(2) }))
  }
}

/** Sample rates up to this, in Hz, have last packets so long (46 ms or more) that their padding is audible. */
const SLOW_HERTZ = 22_050

/**
 * Samples of silence to put before uncompressed sound, so that its last packet is full. Players honour an edit list that skips the start,
 * but few skip padding at the end.
 */
export function leadSilenceOf({ decoder, hertz, blockAlign }: AudioStream, { count, size }: SoundRuns): number {
  if (!decoder.startsWith('pcm_') || hertz > SLOW_HERTZ) return 0
  let samples = 0
  for (let run = 0; run < count; run++) samples += Math.floor(size[run]! / blockAlign)
  return (BLOCK - (samples % BLOCK)) % BLOCK
}

/**
 * Encodes sound as AAC and writes the packets to `part`.
 * @param lead samples of silence before the sound, which count as encoder delay
 * @throws CodecError (unsupported_feature) if packets contradict the track header
 * @throws CodecError (malformed) if the sound cannot be decoded
 */
export async function encodeSound(sound: StoredSound, part: PartWriter, bitsPerSecond: number, lead = 0): Promise<EncodedSound> {
  using engine = new Ffmpeg()
  return { head: await encodeWith(engine, sound, part, bitsPerSecond, lead), memoryBytes: engine.memoryBytes }
}

async function encodeWith(engine: Ffmpeg, sound: StoredSound, part: PartWriter, bitsPerSecond: number, lead: number): Promise<SoundHead> {
  const { hertz, channels } = sound.stream
  const { config, delay } = engine.openAac(hertz, channels, bitsPerSecond)
  const checker = new Checker(engine, hertz, channels, config, delay)
  const block = Array.from({ length: channels }, () => new Float32Array(BLOCK))
  let filled = lead
  let samples = 0
  let count = 0
  const keep = async (packet: Uint8Array | undefined) => {
    if (!packet) return
    count++
    checker.decode(packet)
    await part.write(packet)
  }
  const flush = async () => {
    checker.expect(block.map((channel) => channel.slice(0, filled)))
    const packet = engine.encodeAac(block.map((channel) => channel.subarray(0, filled)))
    filled = 0
    await keep(packet)
  }
  for await (const planar of decodedSound(engine, sound)) {
    const length = planar[0]!.length
    for (let from = 0; from < length; ) {
      const step = Math.min(BLOCK - filled, length - from)
      for (let channel = 0; channel < channels; channel++) block[channel]!.set(planar[channel]!.subarray(from, from + step), filled)
      filled += step
      from += step
      if (filled === BLOCK) await flush()
    }
    samples += length
    planar.forEach(discard)
  }
  if (samples === 0) throw malformed('sound', 0, 'no_samples')
  if (filled) await flush()
  for (let packet = engine.finishAac(); packet; packet = engine.finishAac()) await keep(packet)
  return { kind: 'sound', config: [...config], count, hertz, channels, delay: delay + lead, samples, ...checker.finish() }
}

/** Number of the engine's decoder that decodes the new packets. */
const CHECKING = 1

/** Decodes the new packets in the same engine and compares them with the source samples. */
class Checker {
  readonly #engine: Ffmpeg
  readonly #meter = new SnrMeter()
  #expected: Float32Array[][] = []
  #at = 0
  #skip: number

  constructor(engine: Ffmpeg, hertz: number, channels: number, config: Uint8Array, delay: number) {
    this.#engine = engine
    this.#skip = delay
    engine.openAudio({ decoder: 'aac', extradata: config, hertz, channels, bitsPerSample: 16, blockAlign: 0, tag: 0 }, CHECKING)
  }

  expect(planar: Float32Array[]): void {
    this.#expected.push(planar)
  }

  decode(packet: Uint8Array): void {
    this.#engine.sendAudio(packet, CHECKING)
    this.#compare()
  }

  finish(): Pick<SoundHead, 'signal' | 'noise'> {
    this.#engine.endAudio(CHECKING)
    this.#compare()
    const { signal, noise } = this.#meter
    return { signal, noise }
  }

  #compare(): void {
    for (let sound = this.#engine.nextSound(CHECKING); sound; sound = this.#engine.nextSound(CHECKING)) {
      const count = sound.channels[0]!.length
      let from = Math.min(this.#skip, count)
      this.#skip -= from
      while (from < count && this.#expected[0]) {
        const [first] = this.#expected
        const part = Math.min(count - from, first[0]!.length - this.#at)
        for (let channel = 0; channel < first.length; channel++) {
          this.#meter.add(first[channel]!.subarray(this.#at, this.#at + part), sound.channels[channel]!.subarray(from, from + part))
        }
        from += part
        this.#at += part
        if (this.#at === first[0]!.length) {
          this.#expected.shift()?.forEach(discard)
          this.#at = 0
        }
      }
      sound.channels.forEach(discard)
    }
  }
}
