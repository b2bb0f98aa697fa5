import { createHash, type Hash } from 'node:crypto'
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import type { InventoryBuilder } from './inventory.ts'

/** Items of one kind that have no name of their own. */
interface Fold {
  count: number
  readonly hash: Hash
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
    const fold = this.#folds.get(kind) ?? { count: 0, hash: createHash('sha256') }
    fold.count++
    fold.hash.update(`${item}\n`)
    this.#folds.set(kind, fold)
  }

  /** Ends a group. Its further items become one item of each kind. */
  endOfGroup(name: string): void {
    for (const [kind, { count, hash }] of this.#folds)
      this.#to.add(kind, `${name} further items = #${hash.digest('hex').slice(0, 16)}`, count)
    this.#folds.clear()
  }
}
