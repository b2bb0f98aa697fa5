import { describe, expect, it } from 'vitest'
import { INVENTORY_KINDS } from '../../../src/core/catalog/inventory/kinds.ts'
import { counted } from '../../../src/core/i18n/counted.ts'
import { EN } from '../../../src/core/i18n/en.ts'

describe('numbers of items', () => {
  it.each([
    [24, 'ids', '24 ids'],
    [1, 'ids', '1 id'],
    [1, 'page boxes', '1 page box'],
    [1, 'classes', '1 class'],
    [1, 'custom properties', '1 custom property'],
    [1, 'fonts of forms', '1 font of forms'],
    [1, 'sheets and slides', '1 sheet or slide'],
    [2, 'sheets and slides', '2 sheets and slides'],
    [1, 'ICC colour profile', 'ICC colour profile'],
    [2, 'resolution', 'resolution (2)'],
  ])('%i %s', (count, name, text) => {
    expect(counted(count, name)).toBe(text)
  })

  it.each(INVENTORY_KINDS)('writes one and many of %s differently', (kind) => {
    const name = EN[`kind_${kind}`]
    expect(counted(1, name)).not.toContain(`1 ${name}`)
    expect(counted(2, name)).toContain(name)
  })
})
