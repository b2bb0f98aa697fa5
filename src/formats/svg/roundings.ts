/** Which decimals a drawing keeps, found by drawing what is left without the others. */
import { breathe } from '../../bytes/breathe.ts'
import type { Options } from '../../codec/codec.ts'
import type { Likeness } from '../../quality/metrics.ts'
import { inventoryDifference } from './inventory.ts'
import type { SvgMeter } from './measure.ts'
import { SvgRounder } from './optimize.ts'
import { reaches, TARGETS, type Target } from './targets.ts'

export interface Rounding {
  readonly text: string
  /** Decimals that coordinates kept. */
  readonly precision: number
  readonly likeness: Likeness
}

/** What most drawings need, so the search begins there. */
const USUAL_PRECISION = 1
const MAX_PRECISION = 6
/** A decimal less makes errors ten times as large. Drawings lose at least so much by it. */
const DECIBELS_OF_A_DECIMAL = 6

/**
 * With one decimal; with none, where that leaves room for it; with more, until one meets the target. Whatever a level looks at,
 * the next higher one has looked at, too.
 */
export async function roundingsOf(text: string, meter: SvgMeter, target: Target, options: Options): Promise<Rounding[]> {
  const rounders = [new SvgRounder(text), new SvgRounder(text, true)]
  const found: Rounding[] = []
  const look = async (precision: number) => {
    options.signal.throwIfAborted()
    await breathe()
    options.progress((0.8 * (precision + 1)) / (MAX_PRECISION + 2))
    const rounded = roundWhole(text, precision, rounders, meter)
    const likeness = rounded === undefined ? undefined : meter.measure(rounded)
    if (rounded !== undefined && likeness) found.push({ text: rounded, precision, likeness })
    return likeness
  }
  const usual = await look(USUAL_PRECISION)
  if (usual && usual.psnrDb >= TARGETS.low.psnrDb + DECIBELS_OF_A_DECIMAL) await look(0)
  for (let precision = USUAL_PRECISION + 1; precision <= MAX_PRECISION; precision++) {
    if (found.some(({ likeness }) => reaches(likeness, target))) break
    await look(precision)
  }
  return found
}

/** Rounded with nothing missing: with the usual preset, else a gentler one; undefined where a glance says that it comes to nothing. */
function roundWhole(text: string, precision: number, rounders: readonly SvgRounder[], meter: SvgMeter): string | undefined {
  for (const rounder of rounders) {
    const rounded = rounder.round(precision)
    if (inventoryDifference(text, rounded) !== undefined) continue
    if (meter.isHopeless(rounded, TARGETS.low)) return undefined
    const polished = rounder.polish(rounded, precision)
    return polished === rounded || inventoryDifference(text, polished) === undefined ? polished : rounded
  }
  return undefined
}
