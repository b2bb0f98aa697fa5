/**
 * Searches for near-lossless PNG rows: rounded filter residuals, for targets that a palette only reaches with more bytes. The step is
 * found on the engine's sample.
 */
import type { ColourFacts, Effort, PngEngine, TrialQuality } from '../../../../wasm/png/engine.ts'
import { type RasterTarget, rasterMarginDb } from '../search/targets.ts'
import type { PngPicture } from './png-picture.ts'
import { FIRST_STEP_INDEX, LEAST_BITS_PER_PIXEL, MOST_NEAR_ATTEMPTS, NEAR_LOSSLESS_STEPS, NEAR_TRIAL } from './tuning.ts'

/**
 * Rounding of hue residuals in multiples of the step. 2 is usually smaller at the same score; 1 halves the blotches of 3 to 8 pixels that
 * are visible on skin.
 */
type HueSteps = 1 | 2

export interface NearLosslessPlan {
  readonly kind: 'near'
  /** Rounding step of filter residuals, in levels of 0 to 255. */
  readonly step: number
  /** Rounding step of hue residuals, in multiples of `step`. */
  readonly hueSteps: HueSteps
  readonly effort: Effort
  /** Estimated size of the whole picture in bytes, scaled up from the sample. */
  readonly estimate: number
}

/** Safety margin of a sample, as a factor: 1 for a sample, 0 for the whole picture. */
const marginOf = (share: number) => (share < 1 ? 1 : 0)
/** Best possible score, used before the score is measured, so that it does not limit the margin. */
const UNMEASURED_SCORE = 100

/** True if near-lossless rows may be smaller than a palette of `bytes` bytes. */
export function mayBeNearLossless({ header: { width, height } }: PngEngine, facts: ColourFacts, bytes: number): boolean {
  return facts.colours > 256 && bytes * 8 > width * height * LEAST_BITS_PER_PIXEL
}

type Trial = TrialQuality & { readonly bytes: number }

interface TrialResult {
  /** Size of the encoded sample in bytes. */
  readonly bytes: number
  /** Distance from the target in dB; negative: below the target. */
  readonly margin: number
}

/** Tries near-lossless steps on the engine's sample and caches the results for the next target. Requires `collectColours`. */
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

  /**
   * Returns the smallest plan that reaches the target (`nearLosslessTarget`). `undefined`: none does in fewer than `most` bytes of the
   * whole picture.
   */
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
    let [low, high] = [0, NEAR_LOSSLESS_STEPS.length]
    for (let index: number = FIRST_STEP_INDEX[hueSteps]; low < high; index = (low + high) >> 1) {
      const step = NEAR_LOSSLESS_STEPS[index] ?? 1
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
    const marginIn = (found: TrialQuality) => rasterMarginDb({ score: UNMEASURED_SCORE, ...found }, target, marginOf(found.share))
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

/** Target of near-lossless rows, with their own limit of specks. */
export const nearLosslessTarget = (target: RasterTarget): RasterTarget => ({ ...target, specks: target.nearSpecks })

/** Next plan if the whole picture misses what its sample promised: a smaller step. `undefined`: no further plan. */
export function finerPlan(plan: NearLosslessPlan, attempt: number): NearLosslessPlan | undefined {
  const next = NEAR_LOSSLESS_STEPS.findLast((step) => step < plan.step)
  return next === undefined || attempt >= MOST_NEAR_ATTEMPTS ? undefined : { ...plan, step: next }
}

/** Sets layout and effort of the PNG engine to those of the plan. */
export function applyNearLossless(engine: PngEngine, plan: NearLosslessPlan, picture: PngPicture): void {
  engine.planNear(plan.step, plan.hueSteps, !picture.profiled)
  engine.setEffort(plan.effort)
}
