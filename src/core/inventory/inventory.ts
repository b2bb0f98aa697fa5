/**
 * Inventory of a file: what people can find in it besides pixels and samples. Readers in this folder share no code with the codecs that
 * write results, so that a mistake of a codec is found here.
 */
import { INVENTORY_KINDS, type InventoryKind } from '../catalog/inventory/kinds.ts'
import { message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { overBudget } from '../model/error.ts'
import { digestOf } from './digest.ts'

/** Items of one kind: number of occurrences by value. A value `name = text` compares by name, so that a changed text is reported once. */
export type Items = ReadonlyMap<string, number>

/** Items by kind. A kind without items has no entry. */
export type Inventory = ReadonlyMap<InventoryKind, Items>

/** Reads the inventory of one format. */
export interface InventoryReader {
  /** Library that reads the structure of the file, with its version. `undefined`: code of this folder reads it. */
  readonly library?: string
  /**
   * Reads a file by ranges in bounded memory (at most about 16 MiB, any file size). `isResult`: the file is a result, so damage that
   * readers usually repair is an error; default: false.
   * @throws CodecError `over_budget` if the file has more items than fit, `malformed` if its structure cannot be read
   */
  read(source: Source, signal: AbortSignal, isResult?: boolean): Promise<Inventory>
}

/** Most different items of a file, and most characters of all items together. A file with more is `over_budget`. */
const MAX_ITEMS = 200_000
const MAX_CHARACTERS = 16 * 1024 * 1024
/** Longest item in characters. A longer text is cut, and a digest of the whole text is appended. */
const MAX_ITEM_CHARACTERS = 160

/** Collects the items of a file and limits their number. */
export class InventoryBuilder {
  readonly #items = new Map<InventoryKind, Map<string, number>>()
  #count = 0
  #characters = 0

  /**
   * Adds `count` occurrences of an item; default: 1. White space is collapsed. `value` is `name = text` if the text may change.
   * @throws CodecError `over_budget` if the file has too many items
   */
  add(kind: InventoryKind, value: string, count = 1): void {
    if (count <= 0) return
    const item = shortened(value)
    const items = this.#items.get(kind) ?? new Map<string, number>()
    const before = items.get(item)
    if (before === undefined) {
      this.#characters += item.length
      if (++this.#count > MAX_ITEMS || this.#characters > MAX_CHARACTERS)
        throw overBudget(message('inventory_too_large', { items: MAX_ITEMS }))
    }
    items.set(item, (before ?? 0) + count)
    this.#items.set(kind, items)
  }

  /** Adds an item `name = digest` for binary content, for example a colour profile. */
  addBytes(kind: InventoryKind, name: string, bytes: Uint8Array): void {
    this.add(kind, `${name} = ${bytes.length} bytes #${digestOf(bytes)}`)
  }

  /** Adds all items of another inventory, for example of an embedded file. */
  addAll(inventory: Inventory): void {
    for (const [kind, items] of inventory) for (const [item, count] of items) this.add(kind, item, count)
  }

  /** Returns the inventory, its kinds in the order of `INVENTORY_KINDS`. */
  build(): Inventory {
    return new Map(INVENTORY_KINDS.flatMap((kind) => (this.#items.has(kind) ? [[kind, this.#items.get(kind)!] as const] : [])))
  }
}

function shortened(value: string): string {
  if (value.length <= MAX_ITEM_CHARACTERS) return withPlainSpaces(value)
  const digest = digestOf(new TextEncoder().encode(withPlainSpaces(value)))
  return `${withPlainSpaces(value.slice(0, MAX_ITEM_CHARACTERS))}… #${digest}`
}

const OTHER_SPACE = /\s\s|[^\S ]|^\s|\s$/

/** Returns a text in which one space stands for each run of white space, with none at the ends. Most items are such texts. */
export const withPlainSpaces = (text: string): string => (OTHER_SPACE.test(text) ? text.replace(/\s+/g, ' ').trim() : text)
