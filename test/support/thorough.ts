/** Loops over damaged files are long in `npm run conformance -- tests` and a quarter as long in `npm test`. */
const SHARE = process.env['WHITTLE_THOROUGH'] ? 1 : 4

/** The number of rounds of a loop that has `rounds` where it is long. */
export const damageRounds = (rounds: number): number => Math.ceil(rounds / SHARE)

/** Positions from `from` up to but without `to`, `step` apart where the loop is long. */
export function* damagePositions(from: number, to: number, step: number): Generator<number> {
  for (let at = from; at < to; at += step * SHARE) yield at
}
