/** Tables of films and the like: half a million numbers for a few hours, in as few bytes as hold them. */

/** Whole numbers, none below zero. */
export type Column = Uint32Array | Float64Array

/** Zeros, where numbers up to `largest` fit. */
export const columnOf = (count: number, largest: number): Column => (largest < 2 ** 32 ? new Uint32Array(count) : new Float64Array(count))

export function sumOf(column: Column): number {
  let sum = 0
  for (const value of column) sum += value
  return sum
}
