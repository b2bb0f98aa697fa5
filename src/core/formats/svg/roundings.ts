/** Searches the number of decimals for a drawing by rendering each rounding. */

import { minOf } from '../../bytes/min-max.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options } from '../../model/codec.ts'
import { fewestDecimals, longerSideOf } from './decimals.ts'
import { hasForeignObject } from './freedom.ts'
import { type AllowedLosses, findMissingItem, type Inventories } from './inventory.ts'
import { StreamingRounder } from './lean-rounder.ts'
import type { SvgMeter } from './measure.ts'
import { SvgRounder } from './optimize.ts'
import type { RoundingPrecision } from './rounding-plugins.ts'
import { allowedLossesFor, changeOptionsFor, type SvgTarget } from './targets.ts'
import { DB_PER_DECIMAL, INITIAL_DECIMALS, LEAST_POLISHED_SHARE, MOST_DECIMALS, SMALL_CHARACTERS } from './tuning.ts'
import { rootAttributes } from './words.ts'

export interface Rounding {
  readonly text: string
  /** Number of decimals of the coordinates. */
  readonly precision: number
  readonly similarity: Similarity
  /** True if the rounding reaches the level's target. */
  readonly fits: boolean
}

/** Matches path data that contains an arc. */
const ARC = /\sd="[^"]*[aA]/

/**
 * Tries one decimal, or more if a small drawing needs them. It tries fewer if the score leaves a margin, and more until one reaches the
 * target. If svgo's arcs miss the target, true arcs are tried. Higher levels continue after all roundings that lower levels try.
 */
export async function searchRoundings(
  { text, inventories, meter }: { text: string; inventories: Inventories; meter: SvgMeter },
  target: SvgTarget,
  options: Options,
): Promise<Rounding[]> {
  const wishes = changeOptionsFor(options)
  const rounders = hasForeignObject(text)
    ? [new StreamingRounder(text)]
    : [new SvgRounder(text, wishes), new SvgRounder(text, { ...wishes, keepsStructure: true })]
  const required = { text, inventories, may: allowedLossesFor(options), tried: new Map<string, boolean>(), losing: new Set<object>() }
  const roundings: Rounding[] = []
  const isMet = (marginDb = 0) => roundings.some(({ fits, similarity }) => fits && similarity.psnrDb >= target.psnrDb + marginDb)
  const longest = () => minOf(roundings.filter(({ fits }) => fits).map(({ text: { length } }) => length / LEAST_POLISHED_SHARE))
  // For a large drawing, each svgo pass and each rendering takes a quarter of a second.
  const pause = () => yieldToEventLoop(options.signal)
  const tryRounding = async (grain: RoundingPrecision) => {
    options.progress((0.8 * (grain.decimals + 1)) / (MOST_DECIMALS + 2))
    const rounded = await roundWithoutLoss({ ...required, longest: longest() }, grain, rounders, pause)
    // A rounding is not rendered if it is longer than one that reaches the target, or if the same text was rendered before.
    if (rounded === undefined || roundings.some(({ text, fits }) => text === rounded || (fits && text.length <= rounded.length))) return
    const judged = await meter.judge(rounded, target, pause)
    if (judged) roundings.push({ text: rounded, precision: grain.decimals, similarity: judged.similarity, fits: judged.fits })
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

interface Requirements {
  readonly text: string
  readonly inventories: Inventories
  readonly may: AllowedLosses
  /** Length in characters from which a rounding is too long, even if repeated passes shorten it. */
  readonly longest: number
  /** Results of the first pass so far; true if nothing required is missing. */
  readonly tried: Map<string, boolean>
  /** Rounders whose results lacked something required. */
  readonly losing: Set<object>
}

/**
 * Rounds coordinates with the usual svgo preset, or with a more conservative one if required content is missing. `undefined`: both lose
 * content, or the rounding is too long, or it was tried before.
 */
async function roundWithoutLoss(
  { text, inventories, may, longest, tried, losing }: Requirements,
  grain: RoundingPrecision,
  rounders: readonly (SvgRounder | StreamingRounder)[],
  pause: () => Promise<void>,
): Promise<string | undefined> {
  const isWhole = (version: string) => findMissingItem(inventories.of(text), inventories.of(version), may) === undefined
  for (const rounder of rounders) {
    const rounded = await rounder.round(grain, pause)
    if (tried.get(rounded) === false) continue
    if (tried.has(rounded) || rounded.length >= longest) return undefined
    await pause()
    const isLost = losing.has(rounder) && !isWhole(rounded)
    const polished = isLost ? rounded : await rounder.polish(rounded, grain, pause)
    for (const version of isLost ? [] : new Set([polished, rounded])) {
      await pause()
      if (!isWhole(version)) continue
      tried.set(rounded, true)
      return version
    }
    tried.set(rounded, false)
    losing.add(rounder)
  }
  return undefined
}
