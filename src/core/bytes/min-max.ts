/**
 * Minimum and maximum of many numbers. `Math.min(...many)` puts all arguments on the stack and throws a RangeError at about 120,000.
 * Without numbers, they return infinity, as `Math.min()` and `Math.max()` do.
 */

export function minOf(numbers: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const number of numbers) least = Math.min(least, number)
  return least
}

export function maxOf(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY
  for (const number of numbers) most = Math.max(most, number)
  return most
}
