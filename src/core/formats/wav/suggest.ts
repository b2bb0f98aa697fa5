/** Estimates the size of a WAVE file as FLAC or MP3, by encoding stretches of its sound. */

import { FlacEncoder } from '../../../../wasm/flac/flac.ts'
import { Lame } from '../../../../wasm/lame/lame.ts'
import { LEVELS } from '../../catalog/levels.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options, Source, Suggestion } from '../../model/codec.ts'
import { mp3Rate } from '../../sound/rates.ts'
import { Resampler } from '../../sound/resample.ts'
import type { SampleForm } from './analyse.ts'
import type { Wave } from './header.ts'
import { readSamples, type SampleBlock } from './samples.ts'
import { describeFlac, fitsFlac, flacIntegers, toIntegers } from './to-flac.ts'
import { toPlanar } from './to-mp3.ts'
import { FLAC_LEVEL, MAX_MP3_SOURCE_HERTZ, MAX_STRETCH_SAMPLES, STRETCH_SECONDS, STRETCHES } from './tuning.ts'

/** Suggested output, and its description for the receipt. */
export interface SmallerOutput extends Suggestion {
  readonly name: Message
}

/**
 * Returns the outputs that would be smaller than the upload, lossless ones first. Skips outputs that would clip the sound.
 * @param exact smaller PCM form with equal samples. `undefined`: none
 * @param excess reason why integers would clip the sound. `undefined`: they would not
 */
export async function smallerOutputs(
  source: Source,
  wave: Wave,
  { exact, excess }: { readonly exact: SampleForm | undefined; readonly excess: Message | undefined },
  options: Options,
): Promise<SmallerOutput[]> {
  const { channels, hertz } = wave.layout
  const sample = new Sample(source, wave, options)
  const others = wave.chunks.reduce((sum, { id, size }) => sum + (id === wave.data.id ? 0 : size), 0)
  const found: SmallerOutput[] = []
  // FLAC would lose bytes after the RIFF form, so such a conversion is rejected.
  // Other formats have no sample rates with a fraction.
  if (wave.layout.iff?.isWholeRate === false) return []
  if (fitsFlac(wave.layout) && wave.tail.size === 0) {
    const integers = flacIntegers(wave.layout, exact)
    if (integers.exact || !(options.lossless || excess))
      found.push({ output: 'flac', name: describeFlac(integers), estimatedBytes: others + (await flacBytes(sample, integers)) })
  }
  if (channels <= 2 && hertz <= MAX_MP3_SOURCE_HERTZ && !options.lossless && !excess)
    found.push({ output: 'mp3', name: message('mp3_not_exact'), estimatedBytes: others + (await mp3Bytes(sample, options)) })
  return found.filter(({ estimatedBytes }) => estimatedBytes < source.size)
}

/** Reads stretches of the sound, spread evenly over the file. */
class Sample {
  readonly wave: Wave
  readonly #source: Source
  readonly #options: Options
  readonly #blocks: number
  readonly #starts: readonly number[]

  constructor(source: Source, wave: Wave, options: Options) {
    const { hertz, channels, blockSamples, blockBytes } = wave.layout
    const perBlock = Math.max(1, blockSamples)
    const all = Math.max(1, Math.floor(wave.data.size / blockBytes))
    const wanted = Math.max(1, Math.ceil(Math.min(STRETCH_SECONDS * hertz, MAX_STRETCH_SAMPLES / channels) / perBlock))
    const whole = all <= STRETCHES * wanted
    this.wave = wave
    this.#source = source
    this.#options = options
    this.#blocks = whole ? all : wanted
    this.#starts = whole ? [0] : Array.from({ length: STRETCHES }, (_, k) => Math.floor((k * (all - wanted)) / (STRETCHES - 1)))
  }

  async *samples(): AsyncGenerator<SampleBlock> {
    const { blockBytes, blockSamples } = this.wave.layout
    for (const start of this.#starts) {
      const offset = this.wave.data.offset + start * blockBytes
      const size = Math.min(this.#blocks * blockBytes, this.wave.data.offset + this.wave.data.size - offset)
      const frames = Math.min(this.wave.frames, this.#blocks * Math.max(1, blockSamples))
      yield* readSamples(this.#source, { ...this.wave, data: { ...this.wave.data, offset, size }, frames }, this.#options)
    }
  }

  /** Extrapolates to the whole file from `bytes` bytes for `frames` samples per channel. */
  ofAll(bytes: number, frames: number): number {
    return Math.round((bytes * this.wave.frames) / Math.max(1, frames))
  }
}

async function flacBytes(sample: Sample, integers: ReturnType<typeof flacIntegers>): Promise<number> {
  const { channels, hertz } = sample.wave.layout
  const nothing = { comments: [], applications: [], pictures: [] }
  using encoder = new FlacEncoder({ channels, hertz, bits: integers.bits, level: FLAC_LEVEL, totalFrames: 0 }, nothing)
  let [bytes, frames] = [0, 0]
  const count = (chunks: readonly Uint8Array[]) => {
    for (const { length } of chunks) bytes += length
  }
  for await (const samples of sample.samples()) {
    frames += samples.values.length / channels
    count(encoder.encode(toIntegers(samples, integers)))
  }
  count(encoder.finish().chunks)
  return sample.ofAll(bytes, frames)
}

async function mp3Bytes(sample: Sample, { quality }: Options): Promise<number> {
  const { channels, hertz } = sample.wave.layout
  const rate = mp3Rate(hertz)
  using encoder = new Lame({ channels: channels === 1 ? 1 : 2, hertz: rate, vbrQuality: LEVELS.wavAsMp3[quality] })
  const resampler = rate === hertz ? undefined : new Resampler(channels, hertz, rate)
  let [bytes, frames] = [0, 0]
  const encode = (sound: Float32Array[]) => {
    for (const { length } of encoder.encode(sound)) bytes += length
  }
  for await (const samples of sample.samples()) {
    frames += samples.values.length / channels
    const sound = toPlanar(samples, channels)
    encode(resampler?.push(sound) ?? sound)
  }
  if (resampler) encode(resampler.finish())
  return sample.ofAll(bytes + encoder.finish().length, frames)
}
