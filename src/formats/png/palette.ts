/** A palette, rows near to the picture's, or the exact form: compared as bytes that were really made, unless the case is clear. */

import { EngineError } from '../../../wasm/engine-error.ts'
import { type Facts, PngEngine } from '../../../wasm/png/engine.ts'
import { concat } from '../../bytes/concat.ts'
import { yieldToOthers } from '../../bytes/yield.ts'
import type { Compressed, Options, Outcome, Sink } from '../../codec/codec.ts'
import { isCodecError, noGain } from '../../codec/error.ts'
import { lossOf, ofPixels, type PictureLoss } from '../../codec/loss.ts'
import { memorySource } from '../../codec/source.ts'
import { paletteTargets } from '../../quality/ladder.ts'
import { analyse, isHopeless, type LosslessSearch, losslessBytes, searchLossless } from '../../raster/png-lossless.ts'
import { applyPlan, between, gentlerPlan, isSamePlan, type LossyPlan, measurePlan, passOf, planBytes } from '../../raster/png-lossy.ts'
import { mayComeNear, NearTrials, targetOfNear } from '../../raster/png-near.ts'
import { glanceAtExact, planPalette, Trials } from '../../raster/png-quantise.ts'
import { marginDb, type RasterTarget } from '../../raster/targets.ts'
import { isComplete, saidOf } from './dropped.ts'
import { inEightBits } from './eight.ts'
import { openPngFile, type PngFile } from './file.ts'
import { digestOf, similarityOf, similarityOfRounding } from './similarity.ts'
import { writePng } from './write.ts'

interface Chosen {
  readonly plan: LossyPlan
  readonly target: RasterTarget
}

export interface PaletteJob {
  readonly engine: PngEngine
  /** Ends with the job: further engines. */
  readonly engines: DisposableStack
  readonly file: PngFile
  readonly facts: Facts
  readonly options: Options
  /** Results of so many bytes are of no use. */
  readonly limit: number
}

type Choice = { kind: 'lossy'; write(sink: Sink): Promise<Outcome> } | { kind: 'exact'; exact: LosslessSearch | undefined }

/** What was estimated below this share of another, on the same sample, is smaller indeed. */
const CLEARLY_SMALLER = { exact: 0.6, lossy: 0.8 }
/** Estimates of palettes and of near rows are so far from each other, at most, where either may be smaller in the end. */
const MAY_BE_SMALLER = 1.1
/** Plans that are made, the smallest by their estimates; all of them where that takes no time. */
const MOST_FINISHED = { small: 4, usual: 3 }
/** Results up to this size are made once, in memory, and thrown away when they miss the target. */
const MOST_HELD_BYTES = 12 * 1024 * 1024
/** Up to this size what lies between is made, too, and held beside. */
const MOST_MADE_AGAIN_BYTES = 2 * 1024 * 1024
/** Fewer colours look a little worse, though they hold the level: they are taken for so much, not for a hundredth. */
const WORTH_FEWER_COLOURS = 0.96

/** Drawn pictures of this size or of so few colours are told apart by what no estimate sees: exact forms are made, and compared. */
const SMALL_BYTES = 96 * 1024
const FEW_COLOURS = 16
const isSmall = ({ header: { width, height, colourType } }: PngFile) => width * height * (colourType === 6 ? 4 : 3) <= SMALL_BYTES

/** After a `survey` pass. Low considers what medium would do, so that it is never larger. */
export async function chooseLossy(job: PaletteJob): Promise<Choice> {
  const { engine, file, facts, options } = job
  const plans = await plansFor(job)
  const exactEstimate = glanceAtExact(engine, facts)
  options.progress(0.4)
  let best: Finished | undefined
  const clear = (other: number, share: number) => best !== undefined && best.estimate < share * other
  for (const plan of plans.slice(0, isSmall(file) ? MOST_FINISHED.small : MOST_FINISHED.usual)) {
    if (clear(plan.plan.estimate, CLEARLY_SMALLER.lossy)) break
    const other = await finish(job, plan)
    if (other && !(best && best.bytes <= other.bytes)) best = other
    options.progress(0.6)
  }
  if (facts.needs16Bits && !file.header.interlaced && !clear(exactEstimate, CLEARLY_SMALLER.exact)) {
    const other = await finishEightBits(job)
    if (!(best && best.bytes <= other.bytes)) best = other
  }
  if (!best) return { kind: 'exact', exact: undefined }
  const small = isSmall(file) || facts.colours <= FEW_COLOURS
  if (!small && clear(exactEstimate, CLEARLY_SMALLER.exact)) return { kind: 'lossy', write: best.write }
  if (!small && (await isHopeless(engine, file, best.bytes - best.around))) return { kind: 'lossy', write: best.write }
  const exact = await searchLossless(engine, file)
  return best.bytes < (await losslessBytes(engine, file, exact)) + best.around
    ? { kind: 'lossy', write: best.write }
    : { kind: 'exact', exact }
}

/** What the level and gentler ones would do, the smallest by its estimate first. */
async function plansFor({ engine, file, facts, options }: PaletteJob): Promise<Chosen[]> {
  const plans: Chosen[] = []
  const add = (plan: LossyPlan | undefined, target: RasterTarget) => {
    // What low allows is more than what medium allows: the same plan need not be made for both.
    const same = plans.findIndex((other) => plan && isSamePlan(other.plan, plan))
    if (same >= 0) plans.splice(same, 1)
    if (plan) plans.push({ plan, target })
    options.signal.throwIfAborted()
  }
  const pause = () => yieldToOthers(options.signal)
  const targets = paletteTargets(options.quality)
  const trials = new Trials(engine)
  // What a gentler level would look for is looked for, whatever this one finds.
  const least: number[] = []
  for (const target of targets) {
    const plan = await planPalette(trials, file, target, pause)
    add(plan, target)
    least.push(Math.min(least.at(-1) ?? Number.POSITIVE_INFINITY, plan?.estimate ?? Number.POSITIVE_INFINITY))
  }
  if (mayComeNear(engine, facts, least.at(-1) ?? Number.POSITIVE_INFINITY)) {
    const near = new NearTrials(engine, file)
    for (const [i, target] of targets.map(targetOfNear).entries())
      add(await near.plan(target, (least[i] ?? Number.POSITIVE_INFINITY) * MAY_BE_SMALLER, pause), target)
  }
  return plans.sort((a, b) => a.plan.estimate - b.plan.estimate)
}

interface Finished {
  /** From the sample, corrected by what stepping back cost. */
  readonly estimate: number
  /** Of the whole file, and of all in it but image data and palette. */
  readonly bytes: number
  readonly around: number
  write(sink: Sink): Promise<Outcome>
}

/**
 * Makes the result, and again more gently where the whole picture misses the target; then between what missed it and what holds it.
 * undefined: it does not hold, or not below the limit.
 */
async function finish(job: PaletteJob, { plan: first, target }: Chosen): Promise<Finished | undefined> {
  const around = bytesAround(job.file)
  let firstBytes: number | undefined
  let missed: LossyPlan | undefined
  for (let plan: LossyPlan | undefined = first, attempt = 1; plan; attempt++) {
    const made = await make(job, plan, target)
    if (!made) return undefined
    firstBytes ??= made.bytes
    if (made.margin >= 0) {
      const middle: LossyPlan | undefined = missed && made.bytes <= MOST_MADE_AGAIN_BYTES ? between(missed, plan) : undefined
      const other = middle && (await make(job, middle, target))
      const { bytes, write } = other && other.margin >= 0 && other.bytes < made.bytes * WORTH_FEWER_COLOURS ? other : made
      return { estimate: (plan.estimate * made.bytes) / firstBytes, bytes, around, write }
    }
    missed = plan
    plan = gentlerPlan(plan, attempt, -made.margin)
  }
  return undefined
}

type Made = Pick<Finished, 'bytes' | 'write'> & { readonly margin: number }

/** One plan over the whole picture. undefined: what no engine measures, or not below the limit. */
async function make(job: PaletteJob, plan: LossyPlan, target: RasterTarget): Promise<Made | undefined> {
  const { engine, file, facts, options, limit } = job
  const alpha = !facts.opaque
  options.signal.throwIfAborted()
  if (plan.estimate <= MOST_HELD_BYTES) {
    const held = heldSink(limit)
    try {
      const { outcome, dropped } = await writeLossy(job, plan, held, alpha)
      const same = outcome.loss.pictures.psnrDb === Number.POSITIVE_INFINITY && (await isExact(file, held.pieces, options))
      const said: Outcome = same && isComplete(dropped) ? { kind: 'compressed', steps: outcome.steps } : outcome
      return { margin: marginDb(engine.quality(), target), bytes: held.written, write: (sink) => held.pass(sink, said) }
    } catch (error) {
      if (isCodecError(error, 'no_gain')) return undefined
      throw error
    }
  }
  if (isDeep(file)) return undefined
  const margin = marginDb(await measurePlan(engine, file, plan, alpha), target)
  const bytes = (await planBytes(engine, file, plan, alpha)) + bytesAround(file)
  return { margin, bytes, write: async (sink) => (await writeLossy(job, plan, sink, alpha)).outcome }
}

/** The picture in eight bits, as small as it gets. */
async function finishEightBits({ file, engines, options }: PaletteJob): Promise<Finished> {
  const found = await similarityOfRounding(file.bytes, file.header)
  if (typeof found === 'string') throw new EngineError('png', 'damaged', found)
  const eight = inEightBits(file)
  const engine = engines.use(new PngEngine(eight.header))
  await analyse(engine, eight)
  const exact = await searchLossless(engine, eight)
  const around = bytesAround(file)
  const bytes = (await losslessBytes(engine, eight, exact)) + around
  const write = async (sink: Sink): Promise<Outcome> => {
    exact.plan.apply(engine)
    engine.setEffort(exact.plan.effort)
    const dropped = await writePng(eight, engine, { kind: 'encode', alpha: false }, sink, options)
    return {
      kind: 'compressed',
      ...lossOf(ofPixels(found)),
      steps: ['16 → 8 bits a sample', ...saidOf(dropped)],
    }
  }
  return { estimate: bytes, bytes, around, write }
}

/** A sink in memory that gives up at `limit` bytes. */
function heldSink(limit: number) {
  const pieces: Uint8Array[] = []
  return {
    written: 0,
    async write(chunk: Uint8Array): Promise<void> {
      this.written += chunk.length
      if (this.written >= limit) throw noGain()
      pieces.push(chunk)
    },
    patch(): void {
      throw new RangeError('PNG is written in order')
    },
    async abort(): Promise<void> {
      pieces.length = 0
      this.written = 0
    },
    pieces,
    async pass<T>(sink: Sink, outcome: T): Promise<T> {
      for (const piece of pieces) await sink.write(piece)
      return outcome
    },
  }
}

/** Signature, IHDR, IEND and the chunks around the image data. */
export function bytesAround(file: PngFile): number {
  return 8 + 25 + 12 + 12 + file.items.reduce((sum, item) => sum + ('type' in item ? item.data.length + 12 : 0), 0)
}

type Measured = Compressed & { readonly loss: { readonly pictures: PictureLoss } }

/** Sixteen bits a sample: the engine measures at eight, so the result is made in memory and measured there. */
const isDeep = ({ header }: PngFile) => header.bitDepth === 16

export async function writeLossy(
  { file, engine, options }: Pick<PaletteJob, 'file' | 'engine' | 'options'>,
  plan: LossyPlan,
  sink: Sink,
  alpha = !engine.facts().opaque,
): Promise<{ outcome: Measured; dropped: readonly string[] }> {
  applyPlan(engine, plan, file)
  const { palette } = engine.layout()
  const held = isDeep(file) ? heldSink(MOST_HELD_BYTES) : undefined
  const dropped = await writePng(file, engine, { kind: passOf(plan), alpha }, held ?? sink, options)
  const made = palette ? `palette of ${palette.length / 3} colours` : `samples off by at most ${engine.samplesOff()} of 255`
  const steps = [made, ...saidOf(dropped)]
  const found = held ? await similarityOf(file.bytes(), streamOfPieces(held.pieces), file.header) : engine.quality()
  if (typeof found === 'string') throw new EngineError('png', 'misuse', found)
  await held?.pass(sink, undefined)
  return { outcome: { kind: 'compressed', loss: { pictures: ofPixels(found) }, steps }, dropped }
}

/** Whether what was made holds the very samples of the upload. */
async function isExact(file: PngFile, pieces: readonly Uint8Array[], options: Options): Promise<boolean> {
  const result = await openPngFile(memorySource(concat([...pieces]), 'result.png'), options)
  return (await digestOf(file)) === (await digestOf(result))
}

async function* streamOfPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield piece.slice()
}
