/**
 * Matroska and WebM as MP4. All tracks get an index of MP4 around the same frames. That film is then compressed as an uploaded MP4 film is;
 * if nothing is gained, it is the result, without loss.
 */
import { message } from '../../../../i18n/message.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../../../model/codec.ts'
import { isCodecError, noGain } from '../../../../model/error.ts'
import type { FinishedPart, PartPlan, PartReceipt, PartTotals, SegmentPlan } from '../../../../model/segmented.ts'
import { copiedKinds } from '../../copied.ts'
import { mp4 } from '../../film.ts'
import { verifyFilm } from '../../verify.ts'
import { readMkvFilm } from './mkv-film.ts'
import { openAsMp4 } from './mp4-film.ts'
import { compressLocatedPart, locatedParts } from './picture-part.ts'
import { framesDifference } from './verify-frames.ts'

interface Mp4Film {
  readonly film: Source
  readonly kinds: readonly ('pictures' | 'sound')[]
}

async function filmOf(source: Source, { signal }: Options): Promise<Mp4Film> {
  const read = await readMkvFilm(source, signal)
  return { film: await openAsMp4(source, read), kinds: read.tracks.map(({ video }) => (video ? 'pictures' : 'sound')) }
}

export async function compressAsMp4(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const opened = await filmOf(source, options)
  return await pressedOrCopied(source, opened, sink, options, () => mp4.compress(opened.film, sink, options))
}

export async function planAsMp4(source: Source, options: Options): Promise<SegmentPlan> {
  if (options.lossless) return { kind: 'whole' }
  const film = await readMkvFilm(source, options.signal)
  const plan = await mp4.plan(await openAsMp4(source, film), options)
  return plan.kind === 'parts' ? { kind: 'parts', parts: locatedParts(plan.parts, film) } : { kind: 'whole' }
}

/** Encodes one part: pictures from their clusters alone, sound from the whole film. */
export const compressPartAsMp4 = async (
  source: Source,
  part: PartPlan,
  sink: Sink,
  options: Options,
  soFar: PartTotals,
): Promise<PartReceipt> =>
  (await compressLocatedPart(source, part, sink, options, soFar)) ??
  (await mp4.compressPart((await filmOf(source, options)).film, part, sink, options, soFar))

export async function joinAsMp4(source: Source, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome> {
  const opened = await filmOf(source, options)
  return await pressedOrCopied(source, opened, sink, options, () => mp4.join(opened.film, parts, sink, options))
}

/** Runs the codec of MP4. Writes the film as it is if that codec leaves it unchanged. */
async function pressedOrCopied(
  source: Source,
  { film, kinds }: Mp4Film,
  sink: Sink,
  options: Options,
  press: () => Promise<Outcome>,
): Promise<Outcome> {
  const repacked = message('mkv_repacked_as_mp4')
  const pressed = options.lossless ? undefined : await pressedFilm(press)
  if (pressed?.kind === 'compressed') return { ...pressed, steps: [repacked, ...pressed.steps] }
  await sink.abort()
  if (film.size >= source.size) throw noGain()
  for await (const chunk of film.stream()) {
    options.signal.throwIfAborted()
    await sink.write(chunk)
    options.progress(0.6 + (0.3 * sink.written) / film.size)
  }
  const why = pressed?.detail ? [message('pictures_kept', { why: pressed.detail })] : []
  return { kind: 'compressed', ...copiedKinds(kinds), steps: [repacked, ...why] }
}

/** Outcome of the codec of MP4. `undefined`: it has no better form of the film. */
async function pressedFilm(press: () => Promise<Outcome>): Promise<Outcome | undefined> {
  try {
    return await press()
  } catch (error) {
    if (isCodecError(error, 'no_gain', 'unsupported_feature', 'over_budget'))
      return { kind: 'unchanged', reason: error.reason, ...detailOf(error.detail) }
    throw error
  }
}

const detailOf = (detail: Extract<Outcome, { kind: 'unchanged' }>['detail']) => (detail ? { detail } : {})

/** Compares every frame and time with the Matroska file, and what was encoded again with the film it was made of. */
export async function verifyAsMp4(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const isExact = outcome.kind === 'compressed' && !outcome.loss
  const film = isExact ? result : (await filmOf(original, options)).film
  const difference = await framesDifference(original, film, options, isExact)
  if (difference !== undefined) return { equal: false, difference }
  return isExact ? { equal: true } : await verifyFilm(film, result, outcome, options)
}
