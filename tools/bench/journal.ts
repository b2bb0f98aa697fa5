/** Measurements per file, stored as lines of JSON, so that an interrupted benchmark can continue. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export class Journal<Found> {
  readonly #path: string | undefined
  readonly #known = new Map<string, Found>()

  /** @param path file of the journal. `undefined`: nothing is stored */
  constructor(path: string | undefined) {
    this.#path = path
    for (const line of path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
      const entry = parsed<{ readonly key: string; readonly found: Found }>(line)
      if (entry) this.#known.set(entry.key, entry.found)
    }
  }

  /** Returns the stored measurement of `key`, or runs `measure` and stores its result. An `undefined` result is not stored. */
  async getOrMeasure(key: string, measure: () => Promise<Found>): Promise<Found> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = await measure()
    if (found === undefined) return found
    this.#known.set(key, found)
    // A line break first, because the previous line may be incomplete.
    if (this.#path !== undefined) appendFileSync(this.#path, `\n${JSON.stringify({ key, found })}`)
    return found
  }

  /** Like `getOrMeasure` for several items, of which `measure` gets those without a stored measurement and returns one result each. */
  async getOrMeasureAll<Item>(
    items: readonly Item[],
    keyOf: (item: Item) => string,
    measure: (missing: readonly Item[]) => Promise<readonly Found[]>,
  ): Promise<Found[]> {
    const missing = items.filter((item) => !this.#known.has(keyOf(item)))
    const measured = missing.length > 0 ? await measure(missing) : []
    if (measured.length !== missing.length) throw new Error(`${missing.length} items were to be measured, ${measured.length} were`)
    for (const [index, item] of missing.entries()) await this.getOrMeasure(keyOf(item), async () => measured[index]!)
    return items.flatMap((item) => this.#known.get(keyOf(item)) ?? [])
  }
}

function parsed<Value>(line: string): Value | undefined {
  try {
    return line ? (JSON.parse(line) as Value) : undefined
  } catch {
    return undefined
  }
}
