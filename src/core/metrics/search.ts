/** Searches over ordered settings: the smallest result that reaches a target, the best one that fits a size. */
import { TargetUnreachable } from '../model/error.ts'

/** What is known of an ordered range: it does not hold up to `below`, and holds from `above` on. */
export interface Bracket {
  /** The highest value that was seen not to hold; one less than the range where none was. */
  readonly below: number
  /** The lowest value that was seen to hold; one more than the range where none was. */
  readonly above: number
}

export interface Bisection {
  readonly first: number
  readonly last: number
  /** Which of two values in the middle is looked at. */
  readonly middle: 'lower' | 'upper'
  /** Ends the search before the two meet. */
  readonly isEnough?: (known: Bracket) => boolean
}

/**
 * Bisects the whole numbers from `first` to `last` until two neighbours are known: one that does not hold and one that does.
 * The tree of probes does not depend on what is looked for, so a lower target never ends higher.
 */
export async function bisect(range: Bisection, holds: (value: number) => boolean | Promise<boolean>): Promise<Bracket> {
  let known: Bracket = { below: range.first - 1, above: range.last + 1 }
  while (known.above - known.below > 1 && !range.isEnough?.(known)) {
    const middle = (known.below + known.above + (range.middle === 'upper' ? 1 : 0)) >> 1
    known = (await holds(middle)) ? { ...known, above: middle } : { ...known, below: middle }
  }
  return known
}

/** Lowest whole number in a range for which `holds`, or the upper end, which is not looked at. */
export async function lowest(from: number, to: number, holds: (value: number) => Promise<boolean>): Promise<number> {
  return (await bisect({ first: from, last: to - 1, middle: 'upper' }, holds)).above
}

/** Highest whole number in a range for which `fits`; undefined where none does. */
export async function highest(from: number, to: number, fits: (value: number) => Promise<boolean>): Promise<number | undefined> {
  const { below } = await bisect({ first: from, last: to, middle: 'upper' }, async (value) => !(await fits(value)))
  return below < from ? undefined : below
}

/**
 * The result of the gentlest step of a ladder (which goes from the gentlest to the strongest) that has fewer than `limitBytes`.
 * `attempt` gives undefined where a step has no result. Throws `TargetUnreachable` with the fewest bytes that were seen, or
 * `knownBytes` (another way to write the file) where that is less.
 */
export async function gentlestThatFits<Step, Result extends { readonly bytes: number }>(
  ladder: readonly Step[],
  limitBytes: number,
  attempt: (step: Step) => Promise<Result | undefined>,
  knownBytes = Number.POSITIVE_INFINITY,
): Promise<Result> {
  let fewestBytes = knownBytes
  let found: Result | undefined
  await bisect({ first: 0, last: ladder.length - 1, middle: 'lower' }, async (index) => {
    const step = ladder[index]
    const result = step === undefined ? undefined : await attempt(step)
    fewestBytes = Math.min(fewestBytes, result?.bytes ?? fewestBytes)
    if (!result || result.bytes >= limitBytes) return false
    found = result
    return true
  })
  if (!found) throw new TargetUnreachable(fewestBytes)
  return found
}

/** A setting, and how far above the target (below: negative) its result is. */
interface Probe {
  readonly at: number
  readonly margin: number
}

export interface Interpolation {
  readonly first: number
  readonly last: number
  /** Where to begin. */
  readonly hint: number
  readonly looks: number
  /** Above the target by less than this: nothing to gain below. */
  readonly closeEnough: number
  /** What a step is worth where nothing is known yet, cautious in either direction. */
  readonly slope: { readonly down: number; readonly up: number }
}

/**
 * The lowest setting whose margin is not negative, by regula falsi; undefined when none is. `look` gives the margin, which
 * grows with the setting by and large. For looks that cost much: it needs fewer than a bisection.
 */
export async function lowestByMargin(
  { first, last, hint, looks, closeEnough, slope }: Interpolation,
  look: (setting: number) => number | Promise<number>,
): Promise<number | undefined> {
  let low: Probe | undefined
  let high: Probe | undefined
  let at = Math.min(last, Math.max(first, Math.round(hint)))
  for (let count = 0; count < looks; count++) {
    const seen = { at, margin: await look(at) }
    if (seen.margin >= 0) high = seen
    else low = seen
    if (high && (high.margin < closeEnough || high.at <= (low?.at ?? first - 1) + 1 || high.at === first)) break
    if (!high && at === last) return undefined
    const perStep = low && high ? (high.margin - low.margin) / (high.at - low.at) : high ? slope.down : slope.up
    const from = high && (!low || high.margin < -low.margin) ? high : (low ?? seen)
    // A little above the target: just below it would be of no use.
    const guess = Math.ceil((closeEnough / 2 - from.margin) / Math.max(0.02, perStep))
    // Until the answer is enclosed, steps grow, whatever the slope promised.
    const step = high && low ? guess : Math.sign(guess) * Math.max(Math.abs(guess), 2 ** count)
    const least = (low?.at ?? first - 1) + 1
    const most = (high?.at ?? last + 1) - 1
    at = Math.min(most, Math.max(least, from.at + (step || (from === high ? -1 : 1))))
  }
  return high?.at
}
