/**
 * Films of other containers as MP4. All tracks get an index of MP4 around the same frames. That film is then compressed as an uploaded MP4
 * film is; if nothing is gained, it is the result, without loss.
 */
import { type Message, message } from '../../../../i18n/message.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../../../model/codec.ts'
import { isCodecError, noGain } from '../../../../model/error.ts'
import type { FinishedPart, PartPlan, PartReceipt, PartTotals, SegmentPlan } from '../../../../model/segmented.ts'
import { copiedKinds } from '../../copied.ts'
import { mp4 } from '../../film.ts'
import { verifyFilm } from '../../verify.ts'
import { type FilmAsMp4, openAsMp4 } from './mp4-film.ts'

/** Container that becomes MP4. */
export interface Origin<Film extends FilmAsMp4> {
  /** @throws CodecError (unsupported_feature) for content that MP4 cannot hold */
  read(source: Source, signal: AbortSignal): Promise<Film>
  /** Steps for the receipt: what became of the container. */
  stepsOf(film: Film): Message[]
  /** Why the pictures are not encoded again. `undefined`: they are, if that makes them smaller. */
  keptBecause(film: Film): Message | undefined
  /** Adds to each part what tells it where its frames are. */
  locate(parts: readonly PartPlan[], film: Film): PartPlan[]
  /** Encodes a part without reading the whole film. `undefined`: it does not tell where its frames are. */
  compressLocated(source: Source, part: PartPlan, sink: Sink, options: Options, soFar: PartTotals): Promise<PartReceipt | undefined>
  /**
   * Compares every frame and time of the original with the samples of an MP4 film.
   * @param isStored false: `film` reads its frames from `original`, so that only their times and sizes are compared
   * @returns a description of the first difference. `undefined`: none
   */
  difference(original: Source, film: Source, options: Options, isStored: boolean): Promise<string | undefined>
}

interface Opened<Film> {
  readonly origin: Film
  readonly film: Source
}

/** Codec functions for the output `mp4`. */
export function mp4Conversion<Film extends FilmAsMp4>(from: Origin<Film>) {
  const open = async (source: Source, { signal }: Options): Promise<Opened<Film>> => {
    const origin = await from.read(source, signal)
    return { origin, film: await openAsMp4(source, origin) }
  }
  const finish = (source: Source, { origin, film }: Opened<Film>, sink: Sink, options: Options, press: () => Promise<Outcome>) =>
    pressedOrCopied({ source, film, steps: from.stepsOf(origin), kinds: kindsOf(origin) }, sink, options, press)
  return {
    async compress(source: Source, sink: Sink, options: Options): Promise<Outcome> {
      const opened = await open(source, options)
      const detail = from.keptBecause(opened.origin)
      const kept: Outcome | undefined = detail && { kind: 'unchanged', reason: 'unsupported_feature', detail }
      return await finish(source, opened, sink, options, async () => kept ?? (await mp4.compress(opened.film, sink, options)))
    },

    async plan(source: Source, options: Options): Promise<SegmentPlan> {
      if (options.lossless) return { kind: 'whole' }
      const { origin, film } = await open(source, options)
      if (from.keptBecause(origin)) return { kind: 'whole' }
      const plan = await mp4.plan(film, options)
      return plan.kind === 'parts' ? { kind: 'parts', parts: from.locate(plan.parts, origin) } : { kind: 'whole' }
    },

    async compressPart(source: Source, part: PartPlan, sink: Sink, options: Options, soFar: PartTotals): Promise<PartReceipt> {
      const located = await from.compressLocated(source, part, sink, options, soFar)
      return located ?? (await mp4.compressPart((await open(source, options)).film, part, sink, options, soFar))
    },

    async join(source: Source, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome> {
      const opened = await open(source, options)
      return await finish(source, opened, sink, options, () => mp4.join(opened.film, parts, sink, options))
    },

    /** Compares every frame and time with the original, and what was encoded again with the film it was made of. */
    async verify(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
      const isExact = outcome.kind === 'compressed' && !outcome.loss
      const film = isExact ? result : (await open(original, options)).film
      const difference = await from.difference(original, film, options, isExact)
      if (difference !== undefined) return { equal: false, difference }
      return isExact ? { equal: true } : await verifyFilm(film, result, outcome, options)
    },
  }
}

const kindsOf = ({ tracks }: FilmAsMp4) => tracks.map(({ video }) => (video ? 'pictures' : 'sound'))

interface Made {
  readonly source: Source
  readonly film: Source
  readonly steps: readonly Message[]
  readonly kinds: readonly ('pictures' | 'sound')[]
}

/** Runs the codec of MP4. Writes the film as it is if that codec leaves it unchanged. */
async function pressedOrCopied(
  { source, film, steps, kinds }: Made,
  sink: Sink,
  options: Options,
  press: () => Promise<Outcome>,
): Promise<Outcome> {
  const pressed = options.lossless ? undefined : await pressedFilm(press)
  if (pressed?.kind === 'compressed') return { ...pressed, steps: [...steps, ...pressed.steps] }
  await sink.abort()
  if (film.size >= source.size) throw noGain()
  for await (const chunk of film.stream()) {
    options.signal.throwIfAborted()
    await sink.write(chunk)
    options.progress(0.6 + (0.3 * sink.written) / film.size)
  }
  const why = pressed?.detail ? [message('pictures_kept', { why: pressed.detail })] : []
  return { kind: 'compressed', ...copiedKinds(kinds), steps: [...steps, ...why] }
}

/** Outcome of the codec of MP4. `undefined`: it has no better form of the film. */
async function pressedFilm(press: () => Promise<Outcome>): Promise<Extract<Outcome, { kind: 'unchanged' }> | Outcome> {
  try {
    return await press()
  } catch (error) {
    if (isCodecError(error, 'no_gain', 'unsupported_feature', 'over_budget'))
      return { kind: 'unchanged', reason: error.reason, ...(error.detail ? { detail: error.detail } : {}) }
    throw error
  }
}
