/** Collects items. A kind with very many items becomes one item, so that large maps, plots and mails fit into memory. */
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import { digestOf } from './digest.ts'
import { type Inventory, InventoryBuilder } from './inventory.ts'

/** Different items of a kind that are listed. A kind with more has one item with the sum of the hashes of all. */
const MAX_LISTED = 20_000
/** Longest item in characters, including its digest; `InventoryBuilder` keeps such items as they are. */
const MAX_CHARACTERS = 160
const SHORT_CHARACTERS = 140

interface Group {
  /** Occurrences by item. `undefined`: there are too many items. */
  listed: Map<string, number> | undefined
  count: number
  /** Sums of two hashes of all occurrences, modulo 2³². They do not depend on the order of the items. */
  readonly sums: Int32Array
}

export class ItemCollector {
  readonly #groups = new Map<InventoryKind, Group>()

  /** Adds `count` occurrences of an item; default: 1. */
  add(kind: InventoryKind, value: string, count = 1): void {
    const item = shortItem(value)
    const group = this.#groups.get(kind) ?? { listed: new Map(), count: 0, sums: new Int32Array(2) }
    this.#groups.set(kind, group)
    group.count += count
    if (!group.listed) addHash(group.sums, item, count)
    else {
      group.listed.set(item, (group.listed.get(item) ?? 0) + count)
      if (group.listed.size <= MAX_LISTED) return
      for (const [known, times] of group.listed) addHash(group.sums, known, times)
      group.listed = undefined
    }
  }

  /** Items of a kind. `undefined`: there are too many. */
  listed(kind: InventoryKind): ReadonlyMap<string, number> | undefined {
    const group = this.#groups.get(kind)
    return group ? group.listed : new Map()
  }

  /** Replaces the items of a kind by others. Nothing happens if there are too many. */
  replace(kind: InventoryKind, change: (item: string, count: number) => string | undefined): void {
    const listed = this.listed(kind)
    if (!listed || listed.size === 0) return
    this.#groups.delete(kind)
    for (const [item, count] of listed) {
      const changed = change(item, count)
      if (changed !== undefined) this.add(kind, changed)
    }
  }

  has(kind: InventoryKind): boolean {
    return this.#groups.has(kind)
  }

  /** Removes all items of a kind. */
  remove(kind: InventoryKind): void {
    this.#groups.delete(kind)
  }

  build(): Inventory {
    const builder = new InventoryBuilder()
    for (const [kind, { listed, count, sums }] of this.#groups) {
      if (listed) for (const [item, times] of listed) builder.add(kind, item, times)
      else builder.add(kind, `${count} items = #${[...new Uint32Array(sums)].map((sum) => sum.toString(16)).join('-')}`, count)
    }
    return builder.build()
  }
}

function shortItem(value: string): string {
  const text = value.replace(/\s+/g, ' ').trim()
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, SHORT_CHARACTERS)}… #${textDigest(text)}`
}

/** Returns the digest of a text in UTF-8. */
export const textDigest = (text: string): string => digestOf(new TextEncoder().encode(text))

/** Adds `count` times the hash of a text to `sums`. The hashes are FNV-1a and a variant with another multiplier. */
function addHash(sums: Int32Array, text: string, count: number): void {
  let [first, second] = [0x811c9dc5, 0x1234567]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    first = Math.imul(first ^ code, 0x01000193)
    second = Math.imul(second ^ code, 0x5bd1e995)
    second ^= second >>> 13
  }
  sums[0] = sums[0]! + Math.imul(first, count)
  sums[1] = sums[1]! + Math.imul(second, count)
}
