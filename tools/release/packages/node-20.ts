/** What Node 20 lacks, for bundles only: esbuild calls these exports instead. */

/** `Map.groupBy` (ECMA-262, 24.1.2.1). */
export function mapGroupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
