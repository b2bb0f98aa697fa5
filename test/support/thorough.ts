/** True in `npm run conformance -- tests`. */
export const IS_THOROUGH = Boolean(process.env['WHITTLE_THOROUGH'])
/** Divisor of the rounds of properties and of loops over damaged files: 1 in `npm run conformance -- tests`, 4 in `npm test`. */
const SHARE = IS_THOROUGH ? 1 : 4

/** Returns the number of rounds of a property or loop. `rounds`: number in the thorough run. */
export const roundsOf = (rounds: number): number => Math.ceil(rounds / SHARE)

/** Yields positions from `from` up to but not including `to`. `step`: distance in the thorough run. */
export function* damagePositions(from: number, to: number, step: number): Generator<number> {
  for (let at = from; at < to; at += step * SHARE) yield at
}

/**
 * Returns `few` rows of a table in `npm test`, and all rows in the thorough run. Use it for tables whose rows check the same rule with
 * other numbers. The first and the last row are always included; the others have equal distances.
 * @throws RangeError if `few` is less than 1
 */
export function fewOf<Row>(rows: readonly Row[], few: number): Row[] {
  if (few < 1) throw new RangeError(`fewOf expects at least 1 row, got ${few}`)
  if (IS_THOROUGH || few >= rows.length) return [...rows]
  if (few === 1) return rows.slice(0, 1)
  return Array.from({ length: few }, (_, i) => rows[Math.round((i * (rows.length - 1)) / (few - 1))]!)
}
