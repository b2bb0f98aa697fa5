/** Lossy forms of a PNG within a target: a palette, or near-lossless rows. */
import type { PictureQuality, PngEngine } from '../../../../wasm/png/engine.ts'
import { type RasterTarget, rasterMarginDb } from '../search/targets.ts'
import { applyNearLossless, finerPlan, type NearLosslessPlan } from './near-lossless.ts'
import { applyPalette, largerPalette, measurePalette, type PalettePlan, paletteBytes } from './palette-search.ts'
import type { PngPicture } from './png-picture.ts'

export type LossyPlan = PalettePlan | NearLosslessPlan

/** Pass of the PNG engine that encodes the plan. */
export const enginePassOf = ({ kind }: LossyPlan) => (kind === 'palette' ? 'remap' : 'near')

/** Sets layout and effort of the PNG engine to those of the plan. */
export function applyPlan(engine: PngEngine, plan: LossyPlan, picture: PngPicture): void {
  if (plan.kind === 'palette') applyPalette(engine, plan)
  else applyNearLossless(engine, plan, picture)
}

/** Next plan if the whole picture is `short` dB below what its sample promised. `undefined`: no further plan. */
export function gentlerPlan(plan: LossyPlan, attempt: number, short: number): LossyPlan | undefined {
  return plan.kind === 'palette' ? largerPalette(plan, attempt, short) : finerPlan(plan, attempt)
}

/** Plan with a number of colours between a palette that missed the target and a larger one that reached it. `undefined`: there is none. */
export function planBetween(missed: LossyPlan, holds: LossyPlan): LossyPlan | undefined {
  if (missed.kind !== 'palette' || holds.kind !== 'palette' || missed.dither !== holds.dither) return undefined
  const colours = Math.round(Math.sqrt(missed.colours * holds.colours))
  return colours > missed.colours && colours < holds.colours ? { ...holds, colours } : undefined
}

export function isSamePlan(a: LossyPlan, b: LossyPlan): boolean {
  if (a.kind === 'near') return b.kind === 'near' && a.step === b.step && a.hueSteps === b.hueSteps
  return b.kind === 'palette' && a.colours === b.colours && a.tolerance === b.tolerance && a.dither === b.dither
}

/** Quality figures of a lossy plan, measured on the whole picture. */
export async function measurePlan(engine: PngEngine, picture: PngPicture, plan: LossyPlan, alpha: boolean): Promise<PictureQuality> {
  if (plan.kind === 'palette') return await measurePalette(engine, picture, plan, alpha)
  await nearPass(engine, picture, plan, alpha)
  return engine.quality()
}

/** Size of the image data in bytes of a lossy plan, measured by an encode pass without output. */
export async function planBytes(engine: PngEngine, picture: PngPicture, plan: LossyPlan, alpha: boolean): Promise<number> {
  if (plan.kind === 'palette') return await paletteBytes(engine, picture, plan, alpha)
  await nearPass(engine, picture, plan, alpha)
  return engine.encodedBytes()
}

/** Returns `first` or a gentler plan that reaches the target on the whole picture. `undefined`: no plan does. */
export async function planReachingTarget(
  engine: PngEngine,
  picture: PngPicture,
  first: LossyPlan,
  target: RasterTarget,
  alpha: boolean,
): Promise<LossyPlan | undefined> {
  let plan: LossyPlan | undefined = first
  for (let attempt = 1; plan; attempt++) {
    const margin = rasterMarginDb(await measurePlan(engine, picture, plan, alpha), target)
    if (margin >= 0) return plan
    plan = gentlerPlan(plan, attempt, -margin)
  }
  return undefined
}

async function nearPass(engine: PngEngine, picture: PngPicture, plan: NearLosslessPlan, alpha: boolean): Promise<void> {
  applyNearLossless(engine, plan, picture)
  engine.begin('near', { mute: true, alpha })
  await picture.visit(engine)
}
