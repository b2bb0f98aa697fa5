/** Converts M4A to other formats of sound. Apple Lossless becomes FLAC without loss. */
import { readMovie } from '../../../containers/isobmff/movie.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../../model/codec.ts'
import { unsupported } from '../../../model/error.ts'
import { convertSound, verifyConverted, verifyExact } from '../../../sound/convert.ts'
import { soundOutput } from '../../../sound/outputs.ts'
import type { SoundOutput } from '../../../sound/sound-output.ts'
import { exactFlac } from '../../../sound/to-flac.ts'
import { type PlayedM4a, playedM4a } from './played.ts'

/** @throws CodecError (unsupported_feature) if the output cannot store the sound, (no_gain) if the result would not be smaller */
export async function convertM4a(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  using movie = await readMovie(source)
  const sound = await playedM4a(source, movie)
  const exact = exactOutput(sound, options)
  const outcome = await convertSound(sound, exact ?? soundOutput(options.output), sink, options)
  if (!exact || outcome.kind === 'unchanged') return outcome
  const { loss, ...lossless } = outcome
  if (loss?.sound?.snrDb !== Number.POSITIVE_INFINITY) throw unsupported('m4a_sound_not_converted')
  return lossless
}

export async function verifyM4a(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  using movie = await readMovie(original)
  const sound = await playedM4a(original, movie)
  if (outcome.kind === 'compressed' && outcome.loss)
    return await verifyConverted(sound, soundOutput(options.output), result, outcome, options)
  return await verifyExact(sound, result, options)
}

/** FLAC with the bits of Apple Lossless. `undefined`: the result has loss. */
const exactOutput = ({ exactBits }: PlayedM4a, { output }: Options): SoundOutput | undefined =>
  output === 'flac' && exactBits !== undefined ? exactFlac(exactBits) : undefined
