/** What was measured of single files, kept as lines of JSON: a run that was broken off goes on where it was. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export class Journal<Found> {
  readonly #path: string | undefined
  readonly #known = new Map<string, Found>()

  /** Without a path nothing is kept. */
  constructor(path: string | undefined) {
    this.#path = path
    for (const line of path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
      const entry = parsed<{ readonly key: string; readonly found: Found }>(line)
      if (entry) this.#known.set(entry.key, entry.found)
    }
  }

  /** What is known by that name, else what `measure` finds; nothing is kept of what it did not find. */
  async once(key: string, measure: () => Promise<Found>): Promise<Found> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = await measure()
    if (found === undefined) return found
    this.#known.set(key, found)
    // Behind a line that was cut off a new one begins.
    if (this.#path !== undefined) appendFileSync(this.#path, `\n${JSON.stringify({ key, found })}`)
    return found
  }
}

function parsed<Value>(line: string): Value | undefined {
  try {
    return line ? (JSON.parse(line) as Value) : undefined
  } catch {
    return undefined
  }
}
