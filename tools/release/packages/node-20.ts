/** What Node 20 lacks, for bundles only: esbuild replaces the globals by these exports. */

class DisposableStack implements Disposable {
  readonly #later: (() => void)[] = []

  use<T extends Disposable | null | undefined>(value: T): T {
    if (value) this.#later.push(() => value[Symbol.dispose]())
    return value
  }

  adopt<T>(value: T, onDispose: (value: T) => void): T {
    this.#later.push(() => onDispose(value))
    return value
  }

  defer(onDispose: () => void): void {
    this.#later.push(onDispose)
  }

  [Symbol.dispose](): void {
    for (let next = this.#later.pop(); next; next = this.#later.pop()) next()
  }
}

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

export { DisposableStack }
