/**
 * XML parts that a job has already read. A result mostly holds the same parts as its upload. For those, only the digest of the bytes is
 * computed again.
 */
import type { Inventory } from '../inventory.ts'

export interface KnownPart {
  /** Digest of the part's bytes. */
  readonly digest: string
  /** Local name of the root element. */
  readonly root: string
  /** Items that the part adds to the inventory. */
  readonly items: Inventory
}

/** Most characters of all items of a job. When it is full, it starts again. */
const MAX_CHARACTERS = 4 * 1024 * 1024

export class KnownParts {
  readonly #parts = new Map<string, KnownPart>()
  #characters = 0

  /** Returns the known part for a key, which must contain everything that the items depend on besides the bytes. */
  get(key: string): KnownPart | undefined {
    return this.#parts.get(key)
  }

  set(key: string, part: KnownPart): void {
    let characters = key.length
    for (const items of part.items.values()) for (const item of items.keys()) characters += item.length + ITEM_CHARACTERS
    if (characters > MAX_CHARACTERS) return
    if (this.#characters + characters > MAX_CHARACTERS) {
      this.#parts.clear()
      this.#characters = 0
    }
    this.#parts.set(key, part)
    this.#characters += characters
  }
}

/** Characters that an item costs besides its text. */
const ITEM_CHARACTERS = 50

/** Known parts by the signal of their job. */
const JOBS = new WeakMap<AbortSignal, KnownParts>()

export function knownPartsOf(signal: AbortSignal): KnownParts {
  const known = JOBS.get(signal) ?? new KnownParts()
  JOBS.set(signal, known)
  return known
}
