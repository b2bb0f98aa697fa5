/** Searches the number of decimals for a drawing by rendering each rounding. */

import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { Options } from '../../model/codec.ts'
import { fewestDecimals, longerSideOf } from './decimals.ts'
import { hasForeignObject } from './freedom.ts'
import { type AllowedLosses, findMissingItem, type Inventory, inventoryOf } from './inventory.ts'
import { StreamingRounder } from './lean-rounder.ts'
import type { SvgMeter } from './measure.ts'
import { SvgRounder } from './optimize.ts'
import type { RoundingPrecision } from './rounding-plugins.ts'
import type { DrawnSimilarity } from './similarity.ts'
import { allowedLossesFor, changeOptionsFor, type SvgTarget } from './targets.ts'
import { DB_PER_DECIMAL, INITIAL_DECIMALS, MOST_DECIMALS, SMALL_CHARACTERS } from './tuning.ts'
import { rootAttributes } from './words.ts'

export interface Rounding {
  readonly text: string
  /** Number of decimals of the coordinates. */
  readonly precision: number
  readonly similarity: DrawnSimilarity
  /** True if the rounding reaches the level's target. */
  readonly fits: boolean
}

/** Matches path data that contains an arc. */
const ARC = /\sd="[^"]*[aA]/

/**
 * Tries one decimal, or more if a small drawing needs them. It tries fewer if the score leaves a margin, and more until one reaches the
 * target. If svgo's arcs miss the target, true arcs are tried. Higher levels continue after all roundings that lower levels try.
 */
export async function searchRoundings(text: string, meter: SvgMeter, target: SvgTarget, options: Options): Promise<Rounding[]> {
  const wishes = changeOptionsFor(options)
  const rounders = hasForeignObject(text)
    ? [new StreamingRounder(text)]
    : [new SvgRounder(text, wishes), new SvgRounder(text, { ...wishes, keepsStructure: true })]
  const required = { inventory: inventoryOf(text), may: allowedLossesFor(options) }
  const roundings: Rounding[] = []
  const isMet = (marginDb = 0) => roundings.some(({ fits, similarity }) => fits && similarity.psnrDb >= target.psnrDb + marginDb)
  // For a large drawing, each svgo pass and each rendering takes a quarter of a second.
  const pause = () => yieldToEventLoop(options.signal)
  const tryRounding = async (grain: RoundingPrecision) => {
    options.progress((0.8 * (grain.decimals + 1)) / (MOST_DECIMALS + 2))
    const rounded = await roundWithoutLoss(required, grain, rounders, pause)
    // A rounding is not rendered if it is longer than one that reaches the target, or if the same text was rendered before.
    if (rounded === undefined || roundings.some(({ text, fits }) => text === rounded || (fits && text.length <= rounded.length))) return
    await pause()
    const similarity = meter.measure(rounded)
    if (!similarity) return
    const fits = await meter.reaches(rounded, similarity, target, pause)
    roundings.push({ text: rounded, precision: grain.decimals, similarity, fits })
  }
  const tryDecimals = async (decimals: number) => {
    await tryRounding({ decimals, trueArcs: false })
    // True arcs may be shorter as well. Every level tries them, so that the result of a level does not depend on others.
    if (!isMet() || ARC.test(roundings.at(-1)?.text ?? '')) await tryRounding({ decimals, trueArcs: true })
  }
  const fewest = fewestDecimals(longerSideOf(Object.fromEntries(rootAttributes(text))) ?? Number.POSITIVE_INFINITY)
  let precision = Math.max(INITIAL_DECIMALS, fewest)
  await tryDecimals(precision)
  if (precision > fewest && isMet(DB_PER_DECIMAL)) await tryDecimals(precision - 1)
  while (!isMet() && precision < MOST_DECIMALS) await tryDecimals(++precision)
  if (text.length < SMALL_CHARACTERS && precision < MOST_DECIMALS) await tryDecimals(precision + 1)
  return roundings
}

/** Rounds coordinates with the usual svgo preset, or with a more conservative one if required content is missing. `undefined`: both lose content. */
async function roundWithoutLoss(
  { inventory, may }: { inventory: Inventory; may: AllowedLosses },
  grain: RoundingPrecision,
  rounders: readonly (SvgRounder | StreamingRounder)[],
  pause: () => Promise<void>,
): Promise<string | undefined> {
  for (const rounder of rounders) {
    const rounded = await rounder.round(grain, pause)
    await pause()
    if (findMissingItem(inventory, inventoryOf(rounded), may) !== undefined) continue
    const polished = await rounder.polish(rounded, grain, pause)
    await pause()
    return polished === rounded || findMissingItem(inventory, inventoryOf(polished), may) === undefined ? polished : rounded
  }
  return undefined
}
