/** A palette, rows near to the picture's, or the exact form: compared as bytes that were really made, unless the case is clear. */

import { EngineError } from '../../../../wasm/engine-error.ts'
import { type Facts, type PictureQuality, PngEngine } from '../../../../wasm/png/engine.ts'
import { concat } from '../../bytes/concat.ts'
import { paletteTargets } from '../../catalog/level-order.ts'
import { message } from '../../i18n/message.ts'
import { analyse, isHopeless, searchLossless } from '../../images/png/lossless-search.ts'
import { applyPlan, gentlerPlan, type LossyPlan, measurePlan, passOf, planBetween, planBytes } from '../../images/png/lossy-plan.ts'
import { estimateExactBytes } from '../../images/png/palette-search.ts'
import { type LevelPlan, planLossy } from '../../images/png/plan-lossy.ts'
import { reducedTo8Bits } from '../../images/png/reduce-to-8-bit.ts'
import { FEW_BYTES } from '../../images/png/tuning.ts'
import { marginDb } from '../../images/search/targets.ts'
import type { Compressed, Options, Outcome, Sink } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { lossOf, ofPixels, type PictureLoss } from '../../model/loss.ts'
import { memorySource } from '../../model/source.ts'
import { type Candidate, candidateInMemory, MemorySink, rowBytesToRedeflate, smallestOf } from './candidate.ts'
import { bytesAround } from './chunks.ts'
import { exactCandidate } from './exact.ts'
import { openPngFile, type PngFile } from './file.ts'
import { isComplete, saidOf } from './lost-chunks.ts'
import { sampleDigest, similarityOfPngs, similarityOfRounding } from './similarity.ts'
import {
  CLEARLY_SMALLER,
  FEW_COLOURS,
  FEW_PIXELS,
  MOST_FINISHED,
  MOST_HELD_BYTES,
  MOST_REMADE_BYTES,
  SMALL_BYTES,
  WORTH_FEWER_COLOURS,
} from './tuning.ts'
import { writePng } from './write.ts'

export interface LossyJob {
  readonly engine: PngEngine
  /** Ends with the job: further engines. */
  readonly engines: DisposableStack
  readonly file: PngFile
  readonly facts: Facts
  readonly options: Options
  /** Results of so many bytes are of no use. */
  readonly limit: number
}

const pixelsOf = ({ header: { width, height } }: PngFile) => width * height
const isSmall = (file: PngFile) => pixelsOf(file) * (file.header.colourType === 6 ? 4 : 3) <= SMALL_BYTES

/**
 * The smallest that holds the level, after a `survey` pass; undefined where only an exact form does. Low considers what medium would do,
 * so that it is never larger.
 */
export async function chooseLossy(job: LossyJob): Promise<Candidate | undefined> {
  const { engine, file, facts, options } = job
  const plans = await planLossy({ engine, picture: file, facts, options })
  const exactEstimate = estimateExactBytes(engine, facts)
  options.progress(0.4)
  /** The smallest for each target or a gentler one: what medium takes is deflated once more at low, too, or it might come out below. */
  const smallest: Estimated[] = []
  let best: Estimated | undefined
  const take = (other: Estimated, rank: number) => {
    for (let at = rank; at < paletteTargets(options.quality).length; at++) {
      const known = smallest[at]
      if (!known || other.bytes < known.bytes) smallest[at] = other
    }
    best = smallest.at(-1)
  }
  const clear = (other: number, share: number) => best !== undefined && best.estimate < share * other
  const own = plans.filter(({ isStronger }) => !isStronger).slice(0, isSmall(file) ? MOST_FINISHED.small : MOST_FINISHED.usual)
  for (const plan of own) {
    if (clear(plan.plan.estimate, CLEARLY_SMALLER.lossy)) break
    const other = await finish(job, plan)
    if (other) take(other, plan.rank)
    options.progress(0.6)
  }
  for (const plan of plans.filter(({ isStronger }) => isStronger)) {
    const other = await finish({ ...job, limit: best?.bytes ?? job.limit }, plan)
    if (other) take(other, plan.rank)
  }
  if (facts.needs16Bits && !file.header.interlaced && !clear(exactEstimate, CLEARLY_SMALLER.exact)) take(await finishEightBits(job), 0)
  if (!best) return undefined
  const small = isSmall(file) || facts.colours <= FEW_COLOURS || (best.bytes <= FEW_BYTES && pixelsOf(file) <= FEW_PIXELS)
  const isClear =
    !small && (clear(exactEstimate, CLEARLY_SMALLER.exact) || (await isHopeless(engine, file, best.bytes - bytesAround(file))))
  const exact = isClear ? [] : [await exactCandidate(file, engine, await searchLossless(engine, file), options)]
  return await smallestOf([...exact, ...new Set(Object.values(smallest))], file.header)
}

interface Estimated extends Candidate {
  /** From the sample, corrected by what stepping back cost. */
  readonly estimate: number
}

/**
 * Makes the result, and again more gently where the whole picture misses the target; then between what missed it and what holds it.
 * undefined: it does not hold, or not below the limit.
 */
async function finish(job: LossyJob, { plan: first, target, needed }: LevelPlan): Promise<Estimated | undefined> {
  const aims = ({ quality }: Made) => marginDb(quality, target)
  let firstBytes: number | undefined
  let missed: LossyPlan | undefined
  for (let plan: LossyPlan | undefined = first, attempt = 1; plan; attempt++) {
    const made = await make(job, plan)
    if (!made) return undefined
    firstBytes ??= made.bytes
    if (aims(made) >= 0) {
      const middle: LossyPlan | undefined = missed && made.bytes <= MOST_REMADE_BYTES ? planBetween(missed, plan) : undefined
      const other = middle && (await make(job, middle))
      const better = other && aims(other) >= 0 && other.bytes < made.bytes * WORTH_FEWER_COLOURS ? other : made
      if (marginDb(better.quality, needed) < 0) return undefined
      return { ...better, estimate: (plan.estimate * made.bytes) / firstBytes }
    }
    missed = plan
    plan = gentlerPlan(plan, attempt, -aims(made))
  }
  return undefined
}

type Made = Candidate & { readonly quality: PictureQuality }

/** One plan over the whole picture. undefined: what no engine measures, or not below the limit. */
async function make(job: LossyJob, plan: LossyPlan): Promise<Made | undefined> {
  const { engine, file, facts, options, limit } = job
  const alpha = !facts.opaque
  options.signal.throwIfAborted()
  if (plan.estimate <= MOST_HELD_BYTES) {
    const held = new MemorySink(limit)
    try {
      const { outcome, dropped } = await writeLossy(job, plan, held, alpha)
      const same = outcome.loss.pictures.psnrDb === Number.POSITIVE_INFINITY && (await isExact(file, held.pieces, options))
      const said: Outcome = same && isComplete(dropped) ? { kind: 'compressed', steps: outcome.steps } : outcome
      const rowBytes = rowBytesToRedeflate(file, engine.layout(), engine.inOrder, options)
      return {
        quality: engine.quality(),
        ...candidateInMemory({ pieces: held.pieces, outcome: said, isExact: same, rowBytes }, options),
      }
    } catch (error) {
      if (isCodecError(error, 'no_gain')) return undefined
      throw error
    }
  }
  if (isDeep(file)) return undefined
  const quality = await measurePlan(engine, file, plan, alpha)
  const bytes = (await planBytes(engine, file, plan, alpha)) + bytesAround(file)
  return { quality, bytes, isExact: false, write: async (sink) => (await writeLossy(job, plan, sink, alpha)).outcome }
}

/** The picture in eight bits, as small as it gets. */
async function finishEightBits({ file, engines, options }: LossyJob): Promise<Estimated> {
  const found = await similarityOfRounding(file.bytes, file.header)
  if (typeof found === 'string') throw new EngineError('png', 'damaged', found)
  const eight = reducedTo8Bits(file)
  const engine = engines.use(new PngEngine(eight.header))
  await analyse(engine, eight)
  const saying = ({ bytes, write, redeflated: again }: Candidate): Candidate => ({
    bytes,
    isExact: false,
    async write(sink) {
      const outcome = await write(sink)
      if (outcome.kind !== 'compressed') return outcome
      return { ...outcome, ...lossOf(ofPixels(found)), steps: [message('deep_to_8_bits_a_sample'), ...outcome.steps] }
    },
    ...(again && { redeflated: async () => saying(await again()) }),
  })
  const exact = saying(await exactCandidate(eight, engine, await searchLossless(engine, eight), options))
  return { ...exact, estimate: exact.bytes }
}

type Measured = Compressed & { readonly loss: { readonly pictures: PictureLoss } }

/** Sixteen bits a sample: the engine measures at eight, so the result is made in memory and measured there. */
const isDeep = ({ header }: PngFile) => header.bitDepth === 16

export async function writeLossy(
  { file, engine, options }: Pick<LossyJob, 'file' | 'engine' | 'options'>,
  plan: LossyPlan,
  sink: Sink,
  alpha = !engine.facts().opaque,
): Promise<{ outcome: Measured; dropped: readonly string[] }> {
  applyPlan(engine, plan, file)
  const { palette } = engine.layout()
  const held = isDeep(file) ? new MemorySink(MOST_HELD_BYTES) : undefined
  const dropped = await writePng(file, engine, { kind: passOf(plan), alpha }, held ?? sink, options)
  const made = palette
    ? message('colours_in_palette', { colours: palette.length / 3 })
    : message('samples_off', { off: engine.samplesOff() })
  const steps = [made, ...saidOf(dropped)]
  const found = held ? await similarityOfPngs(file.bytes(), streamOfPieces(held.pieces), file.header) : engine.quality()
  if (typeof found === 'string') throw new EngineError('png', 'misuse', found)
  for (const piece of held?.pieces ?? []) await sink.write(piece)
  return { outcome: { kind: 'compressed', loss: { pictures: ofPixels(found) }, steps }, dropped }
}

/** Whether what was made holds the very samples of the upload. */
async function isExact(file: PngFile, pieces: readonly Uint8Array[], options: Options): Promise<boolean> {
  const result = await openPngFile(memorySource(concat([...pieces]), 'result.png'), options)
  return (await sampleDigest(file)) === (await sampleDigest(result))
}

async function* streamOfPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield piece.slice()
}
