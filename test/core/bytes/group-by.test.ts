import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groupBy } from '../../../src/core/bytes/group-by.ts'

it('groups as Map.groupBy does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 9 }), (items, by) => {
      const keyOf = (item: number) => item % by
      expect([...groupBy(items, keyOf)]).toEqual([...Map.groupBy(items, keyOf)])
    }),
  )
})
