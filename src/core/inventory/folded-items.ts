import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import { Digest } from './digest.ts'
import type { InventoryBuilder } from './inventory.ts'

/** Items of one kind that have no name of their own. */
interface Fold {
  count: number
  readonly digest: Digest
}

/**
 * Adds items to an inventory and limits the number of different ones. Slide scans describe each of 100,000 frames in a sequence of its own,
 * and microscopes write 10,000 pages. The first items are named. Further ones are counted by group, and a digest stands for their values.
 */
export class FoldedItems {
  readonly #to: InventoryBuilder
  readonly #maxNamed: number
  readonly #folds = new Map<InventoryKind, Fold>()
  #named = 0

  constructor(to: InventoryBuilder, maxNamed: number) {
    this.#to = to
    this.#maxNamed = maxNamed
  }

  add(kind: InventoryKind, item: string): void {
    if (this.#named < this.#maxNamed) {
      this.#named++
      this.#to.add(kind, item)
      return
    }
    const fold = this.#folds.get(kind) ?? { count: 0, digest: new Digest() }
    fold.count++
    fold.digest.update(`${item}\n`)
    this.#folds.set(kind, fold)
  }

  /** Ends a group. Its further items become one item of each kind. */
  endOfGroup(name: string): void {
    for (const [kind, { count, digest }] of this.#folds) this.#to.add(kind, `${name} further items = #${digest.finish()}`, count)
    this.#folds.clear()
  }
}
