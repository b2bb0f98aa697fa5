import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INVENTORY_KINDS } from '../../../src/core/catalog/inventory/kinds.ts'
import { countsKept, missingItems } from '../../../src/core/inventory/compare.ts'
import { InventoryBuilder } from '../../../src/core/inventory/inventory.ts'

const inventoryOf = (items: readonly (readonly [(typeof INVENTORY_KINDS)[number], string, number?])[]) => {
  const builder = new InventoryBuilder()
  for (const [kind, item, count] of items) builder.add(kind, item, count)
  return builder.build()
}

describe('comparison of inventories', () => {
  it('reports an item that the result does not have', () => {
    const before = inventoryOf([
      ['ids', 'a'],
      ['ids', 'b', 2],
    ])
    const after = inventoryOf([['ids', 'b']])
    expect(missingItems(before, after)).toEqual([
      {
        kind: 'ids',
        gone: new Map([
          ['a', 1],
          ['b', 1],
        ]),
        changed: new Map(),
      },
    ])
    expect(countsKept(before, after)).toEqual({ ids: 1 })
  })

  it('reports a changed text by its name', () => {
    const before = inventoryOf([
      ['exif_tags', 'Make = Canon'],
      ['exif_tags', 'Model = R5'],
    ])
    const after = inventoryOf([['exif_tags', 'Make = Nikon']])
    const [missing] = missingItems(before, after)
    expect(missing?.changed).toEqual(new Map([['Make = Canon', 1]]))
    expect(missing?.gone).toEqual(new Map([['Model = R5', 1]]))
  })

  it('ignores items that only the result has', () => {
    expect(missingItems(inventoryOf([]), inventoryOf([['comments', 'new']]))).toEqual([])
  })

  it('limits the number and the length of items', () => {
    const builder = new InventoryBuilder()
    const long = 'x'.repeat(100_000)
    builder.add('comments', `${long}1`)
    builder.add('comments', `${long}2`)
    const items = [...(builder.build().get('comments')?.keys() ?? [])]
    expect(items).toHaveLength(2)
    expect(Math.max(...items.map(({ length }) => length))).toBeLessThan(200)
    expect(() => {
      for (let i = 0; i < 200_001; i++) builder.add('ids', `id${i}`)
    }).toThrow('too many to compare')
  })

  it('finds every item that is removed from any inventory', () => {
    const item = fc.tuple(fc.constantFrom(...INVENTORY_KINDS), fc.string({ maxLength: 20 }))
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 30 }), fc.nat(), (items, index) => {
        const removed = index % items.length
        const missing = missingItems(inventoryOf(items), inventoryOf(items.filter((_, at) => at !== removed)))
        expect(missing).toHaveLength(1)
        expect(missing[0]?.kind).toBe(items[removed]?.[0])
      }),
    )
  })
})
