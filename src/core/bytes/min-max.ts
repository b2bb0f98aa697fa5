/**
 * The least and the most of many numbers: `Math.min(...many)` needs the stack for them, and ends with a RangeError at some
 * 120,000. Of none, infinity, as `Math.min()` and `Math.max()`.
 */

export function leastOf(numbers: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const number of numbers) least = Math.min(least, number)
  return least
}

export function mostOf(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY
  for (const number of numbers) most = Math.max(most, number)
  return most
}
