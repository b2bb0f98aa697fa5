/** Rows near to the picture's, for targets that no palette holds in fewer bytes: how coarse they may be, found on the engine's sample. */
import type { Effort, Facts, PngEngine, TrialFound } from '../../../../wasm/png/engine.ts'
import { marginDb, type RasterTarget } from '../search/targets.ts'
import type { PngPicture } from './png-picture.ts'
import { FEW_BITS, FIRST_GUESS, MOST_NEAR_ATTEMPTS, NEAR_TRIAL, STEPS } from './tuning.ts'

/** Coarse hues mostly take fewer bytes at the same score, fine ones leave half of the blotches of 3 to 8 pixels that skin shows. */
type HueSteps = 1 | 2

export interface NearLosslessPlan {
  readonly kind: 'near'
  /** In levels of 255: what filters leave is rounded to multiples of it. */
  readonly step: number
  /** How many of them are one of hues. */
  readonly hueSteps: HueSteps
  readonly effort: Effort
  /** Bytes of the whole picture, estimated from the sample. */
  readonly estimate: number
}

/** A sample must show more than the whole picture. */
const marginOf = (share: number) => (share < 1 ? 1 : 0)
/** The best score there is: until it is measured, it holds nothing back. */
const NOT_YET = 100

/** Whether rows near to the picture's may beat a palette of `bytes`. */
export function mayBeNearLossless({ header: { width, height } }: PngEngine, facts: Facts, bytes: number): boolean {
  return facts.colours > 256 && bytes * 8 > width * height * FEW_BITS
}

type Trial = TrialFound & { readonly bytes: number }

interface TrialResult {
  /** Of the sample. */
  readonly bytes: number
  /** Decibels above (or below) the target. */
  readonly margin: number
}

/** Steps tried on the engine's sample; what one target found out serves the next. After `lookAtColours`. */
export class NearLosslessTrials {
  readonly #engine: PngEngine
  readonly #picture: PngPicture
  readonly #isGray: boolean
  readonly #found = { 1: new Map<number, Trial>(), 2: new Map<number, Trial>() }

  constructor(engine: PngEngine, picture: PngPicture) {
    this.#engine = engine
    this.#picture = picture
    this.#isGray = engine.facts().gray
  }

  /** The smallest that holds the target (`targetOfNear`); undefined: none does, or none in fewer than `most` bytes of the whole picture. */
  async plan(target: RasterTarget, most: number, pause: () => Promise<void>): Promise<NearLosslessPlan | undefined> {
    const coarse = await this.#coarsest(2, target, most, pause)
    if (this.#isGray) return coarse
    return (await this.#coarsest(1, target, Math.min(most, (coarse?.estimate ?? most) * target.fineHues), pause)) ?? coarse
  }

  async #coarsest(
    hueSteps: HueSteps,
    target: RasterTarget,
    most: number,
    pause: () => Promise<void>,
  ): Promise<NearLosslessPlan | undefined> {
    const share = this.#engine.sampleShare()
    let best: NearLosslessPlan | undefined
    let [low, high] = [0, STEPS.length]
    for (let index: number = FIRST_GUESS[hueSteps]; low < high; index = (low + high) >> 1) {
      const step = STEPS[index] ?? 1
      const { bytes, margin } = this.#try(step, hueSteps, target)
      await pause()
      const estimate = bytes / share
      if (margin >= 0) {
        best = { kind: 'near', step, hueSteps, effort: effortFor(this.#picture), estimate }
        low = index + 1
      } else if (estimate >= most) return undefined
      else high = index
    }
    return best && best.estimate < most ? best : undefined
  }

  #try(step: number, hueSteps: HueSteps, target: RasterTarget): TrialResult {
    const marginIn = (found: TrialFound) => marginDb({ score: NOT_YET, ...found }, target, marginOf(found.share))
    const known = this.#found[hueSteps].get(step)
    if (known && (known.score !== undefined || marginIn(known) < 0)) return { bytes: known.bytes, margin: marginIn(known) }
    this.#engine.setEffort(NEAR_TRIAL)
    this.#engine.planNear(step, hueSteps, !this.#picture.profiled)
    const found = this.#engine.trialNear((part) => marginIn(part) >= 0)
    this.#found[hueSteps].set(step, found)
    return { bytes: found.bytes, margin: marginIn(found) }
  }
}

function effortFor({ header: { width, height } }: PngPicture): Effort {
  return { ...NEAR_TRIAL, level: width * height <= 1 << 20 ? 12 : width * height <= 1 << 22 ? 11 : 10 }
}

/** What rows near to the picture's aim at. */
export const nearLosslessTarget = (target: RasterTarget): RasterTarget => ({ ...target, specks: target.nearSpecks })

/** What to try next where the whole picture misses what its sample promised; undefined where nothing is left. */
export function finerPlan(plan: NearLosslessPlan, attempt: number): NearLosslessPlan | undefined {
  const next = STEPS.findLast((step) => step < plan.step)
  return next === undefined || attempt >= MOST_NEAR_ATTEMPTS ? undefined : { ...plan, step: next }
}

/** Makes a plan's form the engine's layout, and its effort the engine's. */
export function applyNearLossless(engine: PngEngine, plan: NearLosslessPlan, picture: PngPicture): void {
  engine.planNear(plan.step, plan.hueSteps, !picture.profiled)
  engine.setEffort(plan.effort)
}
