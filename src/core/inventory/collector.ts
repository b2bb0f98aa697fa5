/** Collects items. Very many items of a kind become one item, so that large maps, plots, mails and slide scans fit into memory. */
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import { message } from '../i18n/message.ts'
import { overBudget } from '../model/error.ts'
import { digestOf } from './digest.ts'
import { type Inventory, InventoryBuilder, withPlainSpaces } from './inventory.ts'
import { ItemSum } from './item-sum.ts'

/** Limits of the items of one kind that are listed. */
interface Limits {
  /** Most different items. */
  readonly items: number
  /** Most characters of all of them. */
  readonly characters: number
}

/** Longest item in characters, including its digest; `InventoryBuilder` keeps such items as they are. */
const MAX_CHARACTERS = 160
const SHORT_CHARACTERS = 140
const DEFAULT_LIMITS: Limits = { items: 20_000, characters: 20_000 * MAX_CHARACTERS }
/** Most items that count once. */
const MAX_ONCE = 50_000
/** Groups whose items became a sum. A file with more is `over_budget`. */
const MAX_SUMS = 20_000

/** Items of one kind in one group: occurrences by item, or their sum. */
type Group = Map<string, number> | ItemSum

/** Items of one kind. */
interface Collected {
  readonly groups: Map<string, Group>
  /** Number of different items in all groups that are listed, and their characters. */
  items: number
  characters: number
}

/**
 * Items by kind and by group. A group is a part of the file, for example a page of a TIFF. When a kind has too many items, the group that
 * is being read becomes one item with a sum of hashes. Items of other groups keep their names.
 */
export class ItemCollector {
  readonly #kinds = new Map<InventoryKind, Collected>()
  readonly #limits: Limits
  /** Items that count once, with their kind. */
  readonly #once = new Set<string>()
  #group = ''
  #sums = 0

  constructor(limits = DEFAULT_LIMITS) {
    this.#limits = limits
  }

  /** Starts a group, to which the next items belong. Default: a group without a name, which is the whole file. */
  beginGroup(name: string): void {
    this.#group = name
  }

  /** Adds `count` occurrences of an item; default: 1. @throws CodecError `over_budget` if there are too many groups */
  add(kind: InventoryKind, value: string, count = 1): void {
    const item = shortItem(value)
    const collected = this.#kinds.get(kind) ?? { groups: new Map<string, Group>(), items: 0, characters: 0 }
    this.#kinds.set(kind, collected)
    const group = collected.groups.get(this.#group) ?? new Map<string, number>()
    if (group instanceof ItemSum) {
      group.add(item, count)
      return
    }
    collected.groups.set(this.#group, group)
    const before = group.get(item)
    group.set(item, (before ?? 0) + count)
    if (before !== undefined) return
    collected.items++
    collected.characters += item.length
    if (collected.items > this.#limits.items || collected.characters > this.#limits.characters) this.#shorten(collected, group)
  }

  /** Adds an item if the kind does not have it. */
  addOnce(kind: InventoryKind, item: string): void {
    const key = `${kind} ${item}`
    if (this.#once.has(key) || this.#once.size >= MAX_ONCE) return
    this.#once.add(key)
    this.add(kind, item)
  }

  /** Replaces the items of the group that is being read with their sum. */
  #shorten(collected: Collected, group: ReadonlyMap<string, number>): void {
    collected.groups.set(this.#group, this.#sumOf(group))
    collected.items -= group.size
    for (const item of group.keys()) collected.characters -= item.length
  }

  #sumOf(group: ReadonlyMap<string, number>): ItemSum {
    if (++this.#sums > MAX_SUMS) throw overBudget(message('inventory_too_large', { items: MAX_SUMS }))
    const sum = new ItemSum()
    for (const [item, count] of group) sum.add(item, count)
    return sum
  }

  /** Adds an item `name = digest` for binary content. */
  addBytes(kind: InventoryKind, name: string, bytes: Uint8Array): void {
    this.add(kind, `${name} = ${bytes.length} bytes #${digestOf(bytes)}`)
  }

  /** Adds all items of another inventory, for example of an embedded file. */
  addAll(inventory: Inventory): void {
    for (const [kind, items] of inventory) for (const [item, count] of items) this.add(kind, item, count)
  }

  /** Items of a kind in the group without a name. `undefined`: there are too many. */
  listed(kind: InventoryKind): ReadonlyMap<string, number> | undefined {
    const group = this.#kinds.get(kind)?.groups.get('') ?? new Map<string, number>()
    return group instanceof ItemSum ? undefined : group
  }

  /** Replaces the items of a kind by others. Nothing happens if there are too many. */
  replace(kind: InventoryKind, change: (item: string, count: number) => string | undefined): void {
    const listed = this.listed(kind)
    if (!listed || listed.size === 0) return
    this.#kinds.delete(kind)
    for (const [item, count] of listed) {
      const changed = change(item, count)
      if (changed !== undefined) this.add(kind, changed)
    }
  }

  has(kind: InventoryKind): boolean {
    return this.#kinds.has(kind)
  }

  /** Removes all items of a kind. */
  remove(kind: InventoryKind): void {
    this.#kinds.delete(kind)
  }

  build(): Inventory {
    const builder = new InventoryBuilder()
    for (const [kind, { groups }] of this.#kinds)
      for (const [name, group] of groups) {
        if (group instanceof ItemSum)
          builder.add(kind, `${name === '' ? '' : `${name} `}${group.count} items = #${group.text}`, group.count)
        else for (const [item, count] of group) builder.add(kind, item, count)
      }
    return builder.build()
  }
}

function shortItem(value: string): string {
  const text = withPlainSpaces(value)
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, SHORT_CHARACTERS)}… #${textDigest(text)}`
}

/** Returns the digest of a text in UTF-8. */
export const textDigest = (text: string): string => digestOf(new TextEncoder().encode(text))
