/** Converts decoded sound to another format, and verifies the result by decoding it. */
import { MAX_CHAPTERS, MAX_TITLE_BYTES } from '../containers/sound-tags.ts'
import { message } from '../i18n/message.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../model/codec.ts'
import { isCodecError, noGain, unsupported } from '../model/error.ts'
import { checkWork } from '../model/work-estimate.ts'
import { compareSounds, type SoundComparison } from './compare.ts'
import { type DecodedSound, tagBytes } from './decoded-sound.ts'
import { resampled } from './resampled.ts'
import type { SoundOutput } from './sound-output.ts'
import { FLAC_OUTPUT } from './to-flac.ts'
import { CONVERTED_HERTZ, MAX_TAG_BYTES, SECONDS_PER_MILLION_SAMPLES, SNR_TOLERANCE_DB } from './tuning.ts'

/**
 * Writes decoded sound as another format.
 * @throws CodecError (unsupported_feature) if the output cannot store the sound, (no_gain) if the result would not be smaller
 */
export async function convertSound(original: DecodedSound, output: SoundOutput, sink: Sink, options: Options): Promise<Outcome> {
  const { hertz, channels, frames } = original
  if (hertz < CONVERTED_HERTZ.least || hertz > CONVERTED_HERTZ.most)
    throw unsupported(message('sample_rate_not_converted', { hertz, ...CONVERTED_HERTZ }))
  if (tagBytes(original) > MAX_TAG_BYTES) throw unsupported(message('tags_too_large', { mebibytes: MAX_TAG_BYTES / 2 ** 20 }))
  if (!hasPlainChapters(original)) throw unsupported('chapters_would_be_lost')
  output.check(original, options)
  if (frames === 0) throw noGain()
  checkWork(((frames * channels) / 1e6) * SECONDS_PER_MILLION_SAMPLES, options)
  const sound = resampled(original, output.rate(hertz))
  const { snrDb, steps } = await output.write(sound, sink, options)
  const resampling = sound.hertz === hertz ? [] : [message('resampled', { hertz, newHertz: sound.hertz })]
  const silence = snrDb === Number.POSITIVE_INFINITY ? [message('sound_without_audible_noise')] : []
  return { kind: 'compressed', loss: { sound: { snrDb } }, steps: [...resampling, ...steps, ...silence] }
}

/** Latest start of a chapter: ID3 stores milliseconds in 32 bits, and their greatest value means something else. */
const MAX_CHAPTER_SECONDS = 4_294_967

/** True if all outputs can store the chapters. */
const hasPlainChapters = ({ chapters }: DecodedSound) =>
  chapters.length <= MAX_CHAPTERS && chapters.every(({ seconds, title }) => seconds < MAX_CHAPTER_SECONDS && isPlainTitle(title))

const isPlainTitle = (title: string) => !title.includes('\0') && new TextEncoder().encode(title).length <= MAX_TITLE_BYTES

/** Decodes the original and a result, and compares all samples at the sample rate of the result. */
export async function compareConverted(
  original: DecodedSound,
  output: SoundOutput,
  result: Source,
  options: Options,
): Promise<SoundComparison> {
  const sound = resampled(original, output.rate(original.hertz))
  const compared = await compareSounds(sound.samples(options), output.samples(result, sound.frames, options))
  const [expected, found] = compared.frames
  if (expected !== sound.frames || found !== sound.frames) throw unsupported('sound_of_another_length')
  return compared
}

/** Decodes both files, and compares their length, and the noise with that of the receipt. */
export async function verifyConverted(
  original: DecodedSound,
  output: SoundOutput,
  result: Source,
  outcome: Outcome,
  options: Options,
): Promise<Verdict> {
  const differs = (difference: string): Verdict => ({ equal: false, difference })
  if (outcome.kind !== 'compressed' || !outcome.loss?.sound) return differs('the receipt has no loss of sound')
  const { snrDb } = outcome.loss.sound
  try {
    const { meter } = await compareConverted(original, output, result, options)
    return meter.heardDecibels >= snrDb - SNR_TOLERANCE_DB ? { equal: true } : differs(`${meter.decibels} dB instead of ${snrDb}`)
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return differs(error.message)
    throw error
  }
}

/** Decodes a file and its FLAC, and compares all samples. */
export async function verifyExact(original: DecodedSound, result: Source, options: Options): Promise<Verdict> {
  try {
    const { meter } = await compareConverted(original, FLAC_OUTPUT, result, options)
    return meter.noise === 0 ? { equal: true } : { equal: false, difference: `samples differ (${meter.decibels} dB)` }
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return { equal: false, difference: error.message }
    throw error
  }
}
