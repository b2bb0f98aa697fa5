import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ItemCollector } from '../../../src/core/inventory/collector.ts'
import { missingItems } from '../../../src/core/inventory/compare.ts'

const LIMITS = { items: 20, characters: 1000 }
const names = (count: number, prefix = 'item') => Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

function collected(items: readonly string[], limits = LIMITS) {
  const collector = new ItemCollector(limits)
  for (const item of items) collector.add('texts', item)
  return collector.build()
}

describe('collector of items', () => {
  it('lists items up to the limit', () => {
    expect([...collected(names(20)).get('texts')!.keys()]).toEqual(names(20))
  })

  it('replaces more items with their number and the sum of their hashes', () => {
    expect([...collected(names(21)).get('texts')!]).toEqual([[expect.stringMatching(/^21 items = #[0-9a-f]{32}$/), 21]])
    expect([...collected(names(7, 'x'.repeat(150))).get('texts')!]).toEqual([[expect.stringMatching(/^7 items = #[0-9a-f]{32}$/), 7]])
  })

  it('gives the same sum for every order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(names(40), { minLength: 40 }), (shuffled) => {
        expect(collected(shuffled)).toEqual(collected(names(40)))
      }),
    )
  })

  it('sees each item of a sum that is missing, changed or repeated', () => {
    const whole = collected(names(60))
    const others = fc.constantFrom<(items: string[], at: number) => unknown>(
      (items, at) => items.splice(at, 1),
      (items, at) => items.splice(at, 1, `${items[at]}!`),
      (items, at) => items.splice(at, 1, items[(at + 1) % items.length]!),
    )
    fc.assert(
      fc.property(fc.nat(59), others, (at, change) => {
        const items = names(60)
        change(items, at)
        expect(missingItems(whole, collected(items))).toHaveLength(1)
      }),
    )
  })

  it('keeps the names in other groups than the one that is too long', () => {
    const collector = new ItemCollector(LIMITS)
    for (const [group, count] of Object.entries({ first: 5, second: 100, third: 5 })) {
      collector.beginGroup(group)
      for (const item of names(count, group)) collector.add('elements', item)
    }
    const items = collector.build().get('elements')!
    expect([...items]).toEqual([
      ...names(5, 'first').map((item) => [item, 1]),
      [expect.stringMatching(/^second 100 items = #[0-9a-f]{32}$/), 100],
      ...names(5, 'third').map((item) => [item, 1]),
    ])
  })

  it('limits the number of groups', () => {
    const collector = new ItemCollector({ items: 0, characters: 0 })
    expect(() => {
      for (let index = 0; index <= 20_000; index++) {
        collector.beginGroup(String(index))
        collector.add('tags', 'a')
      }
    }).toThrow('too many to compare')
  })
})
