/** Plans lossy PNG results: palettes and near-lossless rows for the level, and for other levels whose result may be smaller. */
import type { ColourFacts, PngEngine } from '../../../../wasm/png/engine.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { QualityGoal } from '../../catalog/score-goal.ts'
import { targetForSize } from '../../catalog/small-pictures.ts'
import type { Options } from '../../model/codec.ts'
import { paletteTargetsOf, type RasterTarget, strongerPaletteTargetsOf } from '../search/targets.ts'
import { isSamePlan, type LossyPlan } from './lossy-plan.ts'
import { mayBeNearLossless, NearLosslessTrials, nearLosslessTarget } from './near-lossless.ts'
import { PaletteTrials, planPalette } from './palette-search.ts'
import type { PngPicture } from './png-picture.ts'
import { FEW_BYTES, UNCERTAIN_ESTIMATE_RATIO } from './tuning.ts'

/** Lossy plan that reaches a target on the engine's sample. */
export interface LevelPlan {
  readonly plan: LossyPlan
  /** Target that the search for the plan used. */
  readonly target: RasterTarget
  /** Target that the result of the plan must reach. */
  readonly needed: RasterTarget
  /** Index of `needed` in the list of targets from the highest quality down to the level. */
  readonly rank: number
  /** True if the plan was made for a stronger level. */
  readonly isStronger: boolean
}

interface Planning {
  readonly engine: PngEngine
  readonly picture: PngPicture
  readonly facts: ColourFacts
  readonly options: Pick<Options, keyof QualityGoal | 'signal'>
}

/**
 * Plans palettes and near-lossless rows for the level, for higher-quality levels and for stronger ones, smallest estimate first. Requires
 * a `survey` pass.
 */
export async function planLossy({ engine, picture, facts, options }: Planning): Promise<LevelPlan[]> {
  const plans: LevelPlan[] = []
  const forSize = (target: RasterTarget) => targetForSize(target, picture.header)
  const targets = paletteTargetsOf(options).map(forSize)
  const own = targets.length - 1
  const aims = [...targets, ...strongerPaletteTargetsOf(options).map(forSize)]
  const add = (plan: LossyPlan | undefined, aim: number, toForm = (target: RasterTarget) => target) => {
    // A stronger level often ends with the plan of a gentler one, which need not be encoded twice. Tiny results are exempt, because their
    // fallback plans may be smaller.
    const same = plan && plan.estimate > FEW_BYTES ? plans.findIndex((other) => isSamePlan(other.plan, plan)) : -1
    const [target, rank] = [aims[aim], Math.min(aim, own)]
    const needed = targets[rank]
    if (same >= 0 && aim <= own) plans.splice(same, 1)
    if (plan && target && needed && (same < 0 || aim <= own))
      plans.push({ plan, target: toForm(target), needed: toForm(needed), rank, isStronger: aim > own })
    options.signal.throwIfAborted()
  }
  const pause = () => yieldToEventLoop(options.signal)
  const trials = new PaletteTrials(engine)
  // Smallest estimate of this aim and all gentler ones. It does not depend on stronger levels, so that all levels search the same plans.
  const least: number[] = []
  for (const [aim, target] of aims.entries()) {
    const plan = await planPalette(trials, picture, target, pause)
    add(plan, aim)
    least.push(Math.min(least.at(-1) ?? Number.POSITIVE_INFINITY, plan?.estimate ?? Number.POSITIVE_INFINITY))
  }
  if (mayBeNearLossless(engine, facts, least.at(-1) ?? Number.POSITIVE_INFINITY)) {
    const near = new NearLosslessTrials(engine, picture)
    for (const [aim, target] of aims.map(nearLosslessTarget).entries())
      add(await near.plan(target, (least[aim] ?? Number.POSITIVE_INFINITY) * UNCERTAIN_ESTIMATE_RATIO, pause), aim, nearLosslessTarget)
  }
  return plans.sort((a, b) => a.plan.estimate - b.plan.estimate)
}
