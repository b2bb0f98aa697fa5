import type { Removed } from './codec.ts'

/** Adds up removals of the same kind and reason, in the order of their first occurrence. */
export function sumRemoved(removed: readonly Removed[]): Removed[] {
  const sums = new Map<string, Removed>()
  for (const each of removed) {
    const key = `${each.kind} ${each.why}`
    sums.set(key, { ...each, count: each.count + (sums.get(key)?.count ?? 0) })
  }
  return [...sums.values()]
}

/** Returns the field `removed` of an outcome. `{}`: nothing was removed. */
export function removedField(removed: readonly Removed[]): { removed?: Removed[] } {
  return removed.length > 0 ? { removed: sumRemoved(removed) } : {}
}
