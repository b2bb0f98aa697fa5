/** Divisor of the rounds of loops over damaged files: 1 in `npm run conformance -- tests`, 4 in `npm test`. */
const SHARE = process.env['WHITTLE_THOROUGH'] ? 1 : 4

/** Returns the number of rounds of a loop. `rounds`: number in the thorough run. */
export const damageRounds = (rounds: number): number => Math.ceil(rounds / SHARE)

/** Yields positions from `from` up to but not including `to`. `step`: distance in the thorough run. */
export function* damagePositions(from: number, to: number, step: number): Generator<number> {
  for (let at = from; at < to; at += step * SHARE) yield at
}
