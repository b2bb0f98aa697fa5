/** Searches over ordered settings: the smallest result that reaches a target, or the best result that fits a size. */
import { TargetUnreachable } from '../model/error.ts'

/** Known bounds of an ordered range: the condition is false up to `below` and true from `above`. */
export interface Bracket {
  /** Highest value for which the condition was false. One less than the range if none was. */
  readonly below: number
  /** Lowest value for which the condition was true. One more than the range if none was. */
  readonly above: number
}

export interface Bisection {
  readonly first: number
  readonly last: number
  /** Which of the two middle values is probed. */
  readonly middle: 'lower' | 'upper'
  /** Ends the search early if it returns true. `undefined`: search until the bounds are neighbours. */
  readonly isEnough?: (known: Bracket) => boolean
}

/**
 * Bisects the whole numbers from `first` to `last` until two neighbours are known: one where `holds` is false and one where it is true.
 * Probes do not depend on the target, so a lower target never gives a higher result.
 */
export async function bisect(range: Bisection, holds: (value: number) => boolean | Promise<boolean>): Promise<Bracket> {
  let known: Bracket = { below: range.first - 1, above: range.last + 1 }
  while (known.above - known.below > 1 && !range.isEnough?.(known)) {
    const middle = (known.below + known.above + (range.middle === 'upper' ? 1 : 0)) >> 1
    known = (await holds(middle)) ? { ...known, above: middle } : { ...known, below: middle }
  }
  return known
}

/** Returns the lowest whole number in `from … to` for which `holds` is true. `to` itself is not probed and is the fallback. */
export async function lowestThatHolds(from: number, to: number, holds: (value: number) => Promise<boolean>): Promise<number> {
  return (await bisect({ first: from, last: to - 1, middle: 'upper' }, holds)).above
}

/**
 * Goes up from `first` to the lowest whole number for which `stepsMissing` is 0, or to `last`. Skips as many numbers as it says, and goes
 * back if a skipped one may be enough. Never looks below `first`.
 */
export async function lowestUpwards(first: number, last: number, stepsMissing: (value: number) => Promise<number>): Promise<number> {
  for (let [failed, value] = [first - 1, first]; ; ) {
    const missing = await stepsMissing(value)
    if (missing > 0 && value >= last) return last
    if (missing > 0) {
      failed = value
      value = Math.min(last, value + missing)
      continue
    }
    while (value - failed > 1 && (await stepsMissing(value - 1)) === 0) value--
    return value
  }
}

/** Returns the highest whole number in `from … to` for which `fits` is true. `undefined`: none. */
export async function highestThatFits(from: number, to: number, fits: (value: number) => Promise<boolean>): Promise<number | undefined> {
  const { below } = await bisect({ first: from, last: to, middle: 'upper' }, async (value) => !(await fits(value)))
  return below < from ? undefined : below
}

/**
 * Returns the result of the gentlest step with fewer than `limitBytes`. `ladder`: steps from the gentlest to the strongest.
 * @param attempt encodes with a step; `undefined`: the step has no result
 * @param knownBytes size of another result of the same file; default: none
 * @throws TargetUnreachable with the smallest size found, or `knownBytes` if that is smaller
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

/** A probed setting and its margin: distance of the result above the target, negative below. */
interface Probe {
  readonly at: number
  readonly margin: number
}

export interface Interpolation {
  readonly first: number
  readonly last: number
  /** Setting of the first probe. */
  readonly hint: number
  readonly maxProbes: number
  /** Margin that is close enough to the target: a lower setting would save nothing. */
  readonly closeEnough: number
  /** Expected margin per setting before two probes are known; cautious in each direction. */
  readonly slope: { readonly down: number; readonly up: number }
}

/**
 * Returns the lowest setting whose margin is not negative, by regula falsi. `undefined`: none. The margin returned by `marginOf` must mostly
 * grow with the setting. It needs fewer probes than a bisection, which helps if a probe is expensive.
 */
export async function lowestByMargin(
  { first, last, hint, maxProbes: looks, closeEnough, slope }: Interpolation,
  marginOf: (setting: number) => number | Promise<number>,
): Promise<number | undefined> {
  let low: Probe | undefined
  let high: Probe | undefined
  let at = Math.min(last, Math.max(first, Math.round(hint)))
  for (let count = 0; count < looks; count++) {
    const probe = { at, margin: await marginOf(at) }
    if (probe.margin >= 0) high = probe
    else low = probe
    if (high && (high.margin < closeEnough || high.at <= (low?.at ?? first - 1) + 1 || high.at === first)) break
    if (!high && at === last) return undefined
    const perStep = low && high ? (high.margin - low.margin) / (high.at - low.at) : high ? slope.down : slope.up
    const from = high && (!low || high.margin < -low.margin) ? high : (low ?? probe)
    // The guess aims slightly above the target, because a result just below it is useless.
    const guess = Math.ceil((closeEnough / 2 - from.margin) / Math.max(0.02, perStep))
    // Until the answer is enclosed, the step doubles with each probe, even if the expected slope suggests less.
    const step = high && low ? guess : Math.sign(guess) * Math.max(Math.abs(guess), 2 ** count)
    const least = (low?.at ?? first - 1) + 1
    const most = (high?.at ?? last + 1) - 1
    at = Math.min(most, Math.max(least, from.at + (step || (from === high ? -1 : 1))))
  }
  return high?.at
}
