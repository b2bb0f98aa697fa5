/**
 * Chooses between a palette, near-lossless rows and a lossless form. It compares the bytes of real encodings, unless estimates differ
 * clearly.
 */

import { EngineError } from '../../../../wasm/engine-error.ts'
import type { Disposables } from '../../../../wasm/memories/disposables.ts'
import { CHANNELS, type ColourFacts, type PictureQuality, PngEngine } from '../../../../wasm/png/engine.ts'
import { concat } from '../../bytes/concat.ts'
import { mostExactBytes } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { analyse, cannotBeatSize, cannotBeatSmallSize } from '../../images/png/lossless-search.ts'
import { applyPlan, enginePassOf, gentlerPlan, type LossyPlan, measurePlan, planBetween, planBytes } from '../../images/png/lossy-plan.ts'
import { estimateExactBytes } from '../../images/png/palette-search.ts'
import { type LevelPlan, planLossy } from '../../images/png/plan-lossy.ts'
import { beforeRedeflate, isWorthRedeflating } from '../../images/png/redeflate.ts'
import { reducedTo8Bits } from '../../images/png/reduce-to-8-bit.ts'
import { FEW_BYTES } from '../../images/png/tuning.ts'
import { paletteTargetsOf, rasterMarginDb } from '../../images/search/targets.ts'
import type { Compressed, Options, Outcome, Sink } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { lossOf, type PictureLoss, pixelLoss } from '../../model/loss.ts'
import { memorySource } from '../../model/source.ts'
import { type Candidate, candidateInMemory, MemorySink, mayRedeflate, rowBytesToRedeflate, smallestOf } from './candidate.ts'
import { ancillaryBytes } from './chunks.ts'
import { exactCandidate, searchExact } from './exact.ts'
import { openPngFile, type PngFile } from './file.ts'
import { droppedChunkSteps, losesNoInformation } from './lost-chunks.ts'
import { sampleDigest, similarityOfPngs, similarityOfRounding } from './similarity.ts'
import {
  CLEARLY_SMALLER,
  FEW_COLOURS,
  FEW_PIXELS,
  FEWER_COLOURS_RATIO,
  IN_MEMORY_RESULT_BYTES,
  MOST_ENCODED_PLANS,
  MOST_REMADE_BYTES,
  SMALL_BYTES,
} from './tuning.ts'
import { writePng } from './write.ts'

export interface LossyJob {
  readonly engine: PngEngine
  /** Stack for further engines, which are disposed with the job. */
  readonly engines: Disposables
  readonly file: PngFile
  readonly facts: ColourFacts
  readonly options: Options
  /** Size in bytes from which on a result is useless. */
  readonly limit: number
}

const pixelsOf = ({ header: { width, height } }: PngFile) => width * height
const isSmall = (file: PngFile) => pixelsOf(file) * (file.header.colourType === 6 ? 4 : 3) <= SMALL_BYTES

/**
 * Returns the smallest candidate that reaches the level. `undefined`: only a lossless form does. Requires a `survey` pass. `low` also
 * considers the plans of `medium`, so that it is never larger.
 */
export async function chooseLossy(job: LossyJob): Promise<Candidate | undefined> {
  const { engine, file, facts, options } = job
  const plans = await planLossy({ engine, picture: file, facts, options })
  const exactEstimate = estimateExactBytes(engine, facts)
  options.progress(0.4)
  /**
   * Smallest candidate for each target or a gentler one. The choice of `medium` is also deflated again at `low`; otherwise `low` could end
   * up larger.
   */
  const smallest: Estimated[] = []
  let best: Estimated | undefined
  const keepSmallest = (other: Estimated, rank: number) => {
    for (let at = rank; at < paletteTargetsOf(options).length; at++) {
      const known = smallest[at]
      if (!known || other.bytes < known.bytes) smallest[at] = other
    }
    best = smallest.at(-1)
  }
  const isClearlySmaller = (other: number, share: number) => best !== undefined && best.estimate < share * other
  const levelPlans = plans
    .filter(({ isStronger }) => !isStronger)
    .slice(0, isSmall(file) ? MOST_ENCODED_PLANS.small : MOST_ENCODED_PLANS.usual)
  for (const plan of levelPlans) {
    if (isClearlySmaller(plan.plan.estimate, CLEARLY_SMALLER.lossy)) break
    const other = await encodePlan(job, plan)
    if (other) keepSmallest(other, plan.rank)
    options.progress(0.6)
  }
  for (const plan of plans.filter(({ isStronger }) => isStronger)) {
    const other = await encodePlan({ ...job, limit: best?.bytes ?? job.limit }, plan)
    if (other) keepSmallest(other, plan.rank)
  }
  if (facts.needs16Bits && !file.header.interlaced && !isClearlySmaller(exactEstimate, CLEARLY_SMALLER.exact))
    keepSmallest(await encodeEightBits(job), 0)
  if (!best) return undefined
  const small = isSmall(file) || facts.colours <= FEW_COLOURS || (best.bytes <= FEW_BYTES && pixelsOf(file) <= FEW_PIXELS)
  const isClear = small
    ? await cannotBeatSmallSize(engine, file, mostExactBytes(best.bytes, file.header) - ancillaryBytes(file))
    : isClearlySmaller(exactEstimate, CLEARLY_SMALLER.exact) || (await cannotBeatSize(engine, file, best.bytes - ancillaryBytes(file)))
  const exact = isClear ? [] : [await exactCandidate(file, engine, await searchExact(file, engine, options), options)]
  return await smallestOf([...exact, ...new Set(Object.values(smallest))], file.header)
}

interface Estimated extends Candidate {
  /** Estimated size in bytes from the sample, corrected by the cost of gentler plans. */
  readonly estimate: number
}

/**
 * Encodes a plan, and gentler ones while the whole picture misses the target, then one between the last two. `undefined`: the target is
 * not reached below the limit.
 */
async function encodePlan(job: LossyJob, { plan: first, target, needed }: LevelPlan): Promise<Estimated | undefined> {
  const marginOf = ({ quality }: EncodedPlan) => rasterMarginDb(quality, target)
  let firstBytes: number | undefined
  let missed: LossyPlan | undefined
  for (let plan: LossyPlan | undefined = first, attempt = 1; plan; attempt++) {
    const made = await encodeOnce(job, plan)
    if (!made) return undefined
    firstBytes ??= made.bytes
    if (marginOf(made) >= 0) {
      const middle: LossyPlan | undefined = missed && made.bytes <= MOST_REMADE_BYTES ? planBetween(missed, plan) : undefined
      const other = middle && (await encodeOnce(job, middle))
      const preferred = other && marginOf(other) >= 0 && other.bytes < made.bytes * FEWER_COLOURS_RATIO ? other : made
      if (rasterMarginDb(preferred.quality, needed) < 0) return undefined
      return { ...preferred, estimate: (plan.estimate * made.bytes) / firstBytes }
    }
    missed = plan
    plan = gentlerPlan(plan, attempt, -marginOf(made))
  }
  return undefined
}

type EncodedPlan = Candidate & { readonly quality: PictureQuality }

/** Encodes one plan of the whole picture. `undefined`: the engine cannot measure it, or the result reaches the limit. */
async function encodeOnce(job: LossyJob, plan: LossyPlan): Promise<EncodedPlan | undefined> {
  const { engine, file, facts, options, limit } = job
  const alpha = !facts.opaque
  options.signal.throwIfAborted()
  if (plan.estimate <= IN_MEMORY_RESULT_BYTES) {
    const memory = new MemorySink(limit)
    const { width, height, colourType } = file.header
    const mostRowBytes = height * (1 + width * (plan.kind === 'palette' ? 1 : CHANNELS[colourType]))
    const isRedeflated = mayRedeflate(file, engine.inOrder, options) && isWorthRedeflating(mostRowBytes, plan.estimate, options.effort)
    try {
      const { outcome, dropped } = await writeLossy(
        job,
        isRedeflated ? { ...plan, effort: beforeRedeflate(plan.effort) } : plan,
        memory,
        alpha,
      )
      const same = outcome.loss.pictures.psnrDb === Number.POSITIVE_INFINITY && (await isExact(file, memory.pieces, options))
      const reported: Outcome = same && losesNoInformation(dropped) ? { kind: 'compressed', steps: outcome.steps } : outcome
      const rowBytes = rowBytesToRedeflate(file, engine.layout(), engine.inOrder, options)
      return {
        quality: engine.quality(),
        ...candidateInMemory({ pieces: memory.pieces, outcome: reported, isExact: same, rowBytes }, options),
      }
    } catch (error) {
      if (isCodecError(error, 'no_gain')) return undefined
      throw error
    }
  }
  if (isDeep(file)) return undefined
  const quality = await measurePlan(engine, file, plan, alpha)
  const bytes = (await planBytes(engine, file, plan, alpha)) + ancillaryBytes(file)
  return { quality, bytes, isExact: false, write: async (sink) => (await writeLossy(job, plan, sink, alpha)).outcome }
}

/** Candidate reduced to 8 bits a sample, encoded losslessly from there. */
async function encodeEightBits({ file, engines, options }: LossyJob): Promise<Estimated> {
  const found = await similarityOfRounding(file.bytes, file.header)
  if (typeof found === 'string') throw new EngineError('png', 'damaged', found)
  const reduced = reducedTo8Bits(file)
  const engine = engines.use(new PngEngine(reduced.header))
  await analyse(engine, reduced)
  const withStep = ({ bytes, write, redeflated: again }: Candidate): Candidate => ({
    bytes,
    isExact: false,
    async write(sink) {
      const outcome = await write(sink)
      if (outcome.kind !== 'compressed') return outcome
      return { ...outcome, ...lossOf(pixelLoss(found)), steps: [message('deep_to_8_bits_a_sample'), ...outcome.steps] }
    },
    ...(again && { redeflated: async () => withStep(await again()) }),
  })
  const exact = withStep(await exactCandidate(reduced, engine, await searchExact(reduced, engine, options), options))
  return { ...exact, estimate: exact.bytes }
}

type Measured = Compressed & { readonly loss: { readonly pictures: PictureLoss } }

/** True for 16 bits a sample. The engine measures at 8 bits, so the result is encoded in memory and measured separately. */
const isDeep = ({ header }: PngFile) => header.bitDepth === 16

export async function writeLossy(
  { file, engine, options }: Pick<LossyJob, 'file' | 'engine' | 'options'>,
  plan: LossyPlan,
  sink: Sink,
  alpha = !engine.facts().opaque,
): Promise<{ outcome: Measured; dropped: readonly string[] }> {
  applyPlan(engine, plan, file)
  const { palette } = engine.layout()
  const memory = isDeep(file) ? new MemorySink(IN_MEMORY_RESULT_BYTES) : undefined
  const dropped = await writePng(file, engine, { kind: enginePassOf(plan), alpha }, memory ?? sink, options)
  const made = palette
    ? message('colours_in_palette', { colours: palette.length / 3 })
    : message('samples_off', { off: engine.largestSampleError() })
  const steps = [made, ...droppedChunkSteps(dropped)]
  const found = memory ? await similarityOfPngs(file.bytes(), streamOfPieces(memory.pieces), file.header) : engine.quality()
  if (typeof found === 'string') throw new EngineError('png', 'misuse', found)
  for (const piece of memory?.pieces ?? []) await sink.write(piece)
  return { outcome: { kind: 'compressed', loss: { pictures: pixelLoss(found) }, steps }, dropped }
}

/** True if the encoded file has exactly the samples of the upload. */
async function isExact(file: PngFile, pieces: readonly Uint8Array[], options: Options): Promise<boolean> {
  const result = await openPngFile(memorySource(concat([...pieces]), 'result.png'), options)
  return (await sampleDigest(file)) === (await sampleDigest(result))
}

async function* streamOfPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield piece.slice()
}
