/** Compares two inventories. */
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import type { Inventory, Items } from './inventory.ts'

/** Items of one kind that the result does not have. */
export interface Missing {
  readonly kind: InventoryKind
  /** Items that are gone, with the number of missing occurrences. */
  readonly gone: Items
  /** Items whose name is still there with another text, with the number of such occurrences. */
  readonly changed: Items
}

/**
 * Kinds whose items hold times, which two programs round differently: a difference of 0.1 s is none. Their items have one decimal, so
 * the times of two equal items differ by less than 0.2 s.
 */
const TIMED: readonly InventoryKind[] = ['chapters', 'durations', 'edit_lists']
const SECONDS = /\d+\.\d\b/g
const MAX_TENTHS = 1

const tenths = (item: string) => (item.match(SECONDS) ?? []).map((time) => Math.round(Number(time) * 10))

/** True if two items are equal, except for times that differ by at most 0.1 s. */
function equalButForRounding(a: string, b: string): boolean {
  if (a.replace(SECONDS, '') !== b.replace(SECONDS, '')) return false
  const others = tenths(b)
  return tenths(a).every((time, i) => Math.abs(time - others[i]!) <= MAX_TENTHS)
}

/** Returns the items of one kind of the result. Items whose times only differ by rounding get the text of the original's item. */
function itemsOf(after: Inventory, kind: InventoryKind, before: Items): Items | undefined {
  const items = after.get(kind)
  if (!items || !TIMED.includes(kind)) return items
  const missing = [...minus(before, items).keys()]
  const renamed = new Map<string, number>()
  for (const [item, count] of items) {
    const at = before.has(item) ? -1 : missing.findIndex((other) => equalButForRounding(other, item))
    const [name = item] = at < 0 ? [] : missing.splice(at, 1)
    renamed.set(name, (renamed.get(name) ?? 0) + count)
  }
  return renamed
}

/** Returns the kinds of which the result lacks items. Items that only the result has are no difference. */
export function missingItems(before: Inventory, after: Inventory): Missing[] {
  return [...before].flatMap(([kind, items]) => {
    const others = itemsOf(after, kind, items)
    const missing = minus(items, others)
    return missing.size === 0 ? [] : [{ kind, ...splitChanged(missing, minus(others ?? new Map(), items)) }]
  })
}

/** Returns the number of items by kind that both inventories have. */
export function countsKept(before: Inventory, after: Inventory): { [Kind in InventoryKind]?: number } {
  const counts: { [Kind in InventoryKind]?: number } = {}
  for (const [kind, items] of before) {
    const others = itemsOf(after, kind, items)
    let kept = 0
    for (const [item, count] of items) kept += Math.min(count, others?.get(item) ?? 0)
    if (kept > 0) counts[kind] = kept
  }
  return counts
}

function minus(items: Items, others: Items | undefined): Map<string, number> {
  const rest = new Map<string, number>()
  for (const [item, count] of items) {
    const more = count - (others?.get(item) ?? 0)
    if (more > 0) rest.set(item, more)
  }
  return rest
}

const NAME_END = ' = '
const nameOf = (item: string) => item.slice(0, item.indexOf(NAME_END))

/** Separates missing items whose name is also the name of a new item from the others. */
function splitChanged(missing: Items, added: Items): { gone: Items; changed: Items } {
  const namesLeft = new Map<string, number>()
  for (const [item, count] of added) if (item.includes(NAME_END)) namesLeft.set(nameOf(item), (namesLeft.get(nameOf(item)) ?? 0) + count)
  const [gone, changed] = [new Map<string, number>(), new Map<string, number>()]
  for (const [item, count] of missing) {
    const left = item.includes(NAME_END) ? (namesLeft.get(nameOf(item)) ?? 0) : 0
    const pairs = Math.min(count, left)
    if (pairs > 0) {
      namesLeft.set(nameOf(item), left - pairs)
      changed.set(item, pairs)
    }
    if (count > pairs) gone.set(item, count - pairs)
  }
  return { gone, changed }
}
