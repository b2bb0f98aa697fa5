/** Measures the noise of a whole audio file by decoding both files. */

import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import type { OutputId } from '../catalog/outputs.ts'
import { readMovie } from '../containers/isobmff/movie.ts'
import { playedM4a } from '../formats/film/m4a/played.ts'
import { framesOf } from '../formats/flac/decode.ts'
import { readFlac } from '../formats/flac/file.ts'
import { playedFlac } from '../formats/flac/played.ts'
import { decodePlayedSound } from '../formats/mp3/reencode.ts'
import { playedSamples, readStream } from '../formats/mp3/stream.ts'
import { playedSound } from '../formats/ogg/played.ts'
import { readOggSound } from '../formats/ogg/read-sound.ts'
import type { Wave } from '../formats/wav/header.ts'
import { readSound } from '../formats/wav/read-sound.ts'
import { in16BitUnits, readSamples } from '../formats/wav/samples.ts'
import { toPlanar } from '../formats/wav/to-mp3.ts'
import { playedWave } from '../formats/wav/to-opus.ts'
import { message } from '../i18n/message.ts'
import { SnrMeter } from '../metrics/snr.ts'
import type { Options, Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'
import { compareSounds } from '../sound/compare.ts'
import { compareConverted } from '../sound/convert.ts'
import { soundOutput } from '../sound/outputs.ts'

type Block = Float32Array | Float64Array | Int32Array
/** Blocks of decoded audio: one array per channel. Interleaved samples count as one channel. */
type Blocks = AsyncGenerator<readonly Block[]>

/**
 * Returns the signal-to-noise ratio in dB; `Infinity` if every sample is equal.
 * @throws CodecError `unsupported_feature` if the sample rate or the length differs
 */
export async function soundNoise(
  original: Source,
  format: 'wav' | 'aiff' | 'mp3' | 'flac' | 'm4a' | 'ogg' | 'opus',
  result: Source,
  output: OutputId,
  options: Options,
): Promise<number> {
  if (format === 'ogg' || format === 'opus') return await oggNoise(original, result, { ...options, output }, output === format)
  if (format === 'flac' && output !== 'flac') {
    const played = await playedFlac(original, await readFlac(original), options)
    return decibels((await compareConverted(played, soundOutput(output), result, options)).meter)
  }
  if (format === 'm4a') {
    using movie = await readMovie(original)
    return decibels((await compareConverted(await playedM4a(original, movie), soundOutput(output), result, options)).meter)
  }
  using engine = new Ffmpeg()
  if (format === 'mp3') {
    const [a, b] = [await readStream(original, options), await readStream(result, options)]
    return await noise(decodePlayedSound(engine, 0, original, a, options), decodePlayedSound(engine, 1, result, b, options))
  }
  if (format === 'flac') return await noise(flacSamples(original, options), flacSamples(result, options))
  const wave = await readSound(original)
  if (output === 'opus')
    return decibels((await compareConverted(await playedWave(original, wave), soundOutput(output), result, options)).meter)
  if (output === format) return await noise(interleaved(original, wave, options), interleaved(result, await readSound(result), options))
  if (output === 'flac') return await noise(interleaved(original, wave, options), flacSamples(result, options))
  if (output !== 'mp3') throw unsupported(message('noise_of', { output }))
  const stream = await readStream(result, options)
  if (stream.first.hertz !== wave.layout.hertz) throw unsupported('sound_at_another_sample_rate')
  if (playedSamples(stream).count !== wave.frames) throw unsupported('sound_of_another_length')
  return await noise(asPlayed(original, wave, options), decodePlayedSound(engine, 1, result, stream, options))
}

/** Compares an Ogg file with its conversion, or with another Ogg file. */
async function oggNoise(original: Source, result: Source, options: Options, isOgg: boolean): Promise<number> {
  const played = await playedSound(original, await readOggSound(original, options.signal), options)
  if (!isOgg) return decibels((await compareConverted(played, soundOutput(options.output), result, options)).meter)
  const other = await playedSound(result, await readOggSound(result, options.signal), options)
  const { meter, frames } = await compareSounds(played.samples(options), other.samples(options))
  if (frames[0] !== frames[1]) throw unsupported('sound_of_another_length')
  return decibels(meter)
}

/** Yields interleaved samples in 16-bit units, which represent every WAV coding exactly. */
async function* interleaved(source: Source, wave: Wave, options: Options): Blocks {
  for await (const samples of readSamples(source, wave, options)) yield [in16BitUnits(samples)]
}

/** Yields decoded FLAC samples in 16-bit units. */
async function* flacSamples(source: Source, options: Options): Blocks {
  const file = await readFlac(source)
  const unit = 2 ** (file.info.bits - 16)
  for await (const { samples } of framesOf(source, file, options)) yield [Float64Array.from(samples, (value) => value / unit)]
}

async function* asPlayed(source: Source, wave: Wave, options: Options): Blocks {
  for await (const samples of readSamples(source, wave, options)) yield toPlanar(samples, wave.layout.channels)
}

async function noise(before: Blocks, after: Blocks): Promise<number> {
  const meter = new SnrMeter()
  let [x, y] = [await before.next(), await after.next()]
  let [xAt, yAt] = [0, 0]
  while (!x.done && !y.done) {
    const [a, b] = [x.value, y.value]
    const count = Math.min(a[0]!.length - xAt, b[0]!.length - yAt)
    for (const [channel, left] of a.entries()) meter.add(left.subarray(xAt, xAt + count), b[channel]!.subarray(yAt, yAt + count))
    xAt += count
    yAt += count
    if (xAt === a[0]!.length) [x, xAt] = [await before.next(), 0]
    if (yAt === b[0]!.length) [y, yAt] = [await after.next(), 0]
  }
  if (x.done !== y.done) throw unsupported('sound_ends_early')
  return decibels(meter)
}

const decibels = (meter: SnrMeter): number => (meter.noise === 0 ? Number.POSITIVE_INFINITY : meter.heardDecibels)
