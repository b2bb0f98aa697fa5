/** Collects the items of a PDF. A kind with very many items becomes one item, because every accepted PDF must stay readable. */
import type { InventoryKind } from '../../catalog/inventory/kinds.ts'
import { digestOf } from '../digest.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'

/** Most different items and characters of one kind. With up to 40 kinds, the limits of `InventoryBuilder` are not reached. */
const MAX_ITEMS = 5000
const MAX_CHARACTERS = 400_000
/** Most items that count once. */
const MAX_ONCE = 50_000
/** Longest item that counts in full. `InventoryBuilder` cuts longer ones. */
const MAX_ITEM_CHARACTERS = 180

/** Items of one kind. `sum`: sum of the digests of all occurrences, which does not depend on their order. */
interface Kind {
  readonly items: Map<string, number>
  characters: number
  folded: boolean
  count: number
  sum: bigint
}

export class Items {
  readonly #kinds = new Map<InventoryKind, Kind>()
  /** Items that count once. */
  readonly #once = new Set<string>()

  /** Adds an occurrence of an item. */
  add(kind: InventoryKind, item: string): void {
    const own = this.#kinds.get(kind) ?? { items: new Map(), characters: 0, folded: false, count: 0, sum: 0n }
    this.#kinds.set(kind, own)
    const short = item.length > 2 * MAX_ITEM_CHARACTERS ? `${item.slice(0, MAX_ITEM_CHARACTERS)}… #${digestOfText(item)}` : item
    if (own.folded) {
      addToSum(own, short, 1)
      return
    }
    const before = own.items.get(short)
    own.items.set(short, (before ?? 0) + 1)
    if (before === undefined) own.characters += Math.min(short.length, MAX_ITEM_CHARACTERS)
    if (own.items.size > MAX_ITEMS || own.characters > MAX_CHARACTERS) fold(own)
  }

  /** Adds an item if the kind does not have it. */
  addOnce(kind: InventoryKind, item: string): void {
    const key = `${kind} ${item}`
    if (this.#once.has(key) || this.#once.size >= MAX_ONCE) return
    this.#once.add(key)
    this.add(kind, item)
  }

  build(): Inventory {
    const builder = new InventoryBuilder()
    for (const [kind, { items, folded, count, sum }] of this.#kinds) {
      for (const [item, occurrences] of items) builder.add(kind, item, occurrences)
      if (folded) builder.add(kind, `all ${count} together = #${sum.toString(16)}`, count)
    }
    return builder.build()
  }
}

function fold(kind: Kind): void {
  for (const [item, count] of kind.items) addToSum(kind, item, count)
  kind.items.clear()
  kind.folded = true
}

function addToSum(kind: Kind, item: string, count: number): void {
  kind.sum = BigInt.asUintN(SUM_BITS, kind.sum + BigInt(`0x${digestOfText(item)}`) * BigInt(count))
  kind.count += count
}

const SUM_BITS = 64
const digestOfText = (text: string): string => digestOf(new TextEncoder().encode(text))
