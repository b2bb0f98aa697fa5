import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCompactArray, GrowingCompactArray, sumOf } from '../../../src/core/bytes/compact-array.ts'

test('returns the pushed numbers, with four bytes each if that is enough', () => {
  const number = fc.oneof(fc.nat(), fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 + 3 }), fc.maxSafeNat())
  const few = fc.array(number, { maxLength: 40 })
  fc.assert(
    fc.property(few, fc.nat(3000), (numbers, more) => {
      const column = new GrowingCompactArray()
      const all = [...Array.from({ length: more }, (_, i) => i), ...numbers]
      for (const value of all) column.push(value)
      const done = column.finish()
      expect([...done]).toEqual(all)
      expect(done.buffer.byteLength).toBe(all.length * (all.some((value) => value >= 2 ** 32) ? 8 : 4))
      expect(sumOf(done)).toBe(all.reduce((sum, value) => sum + value, 0))
    }),
  )
})

test('negative numbers can be read back as 32 bits', () => {
  const column = new GrowingCompactArray()
  for (const value of [-5, 7, -(2 ** 31)]) column.push(value)
  expect([...new Int32Array(column.finish().buffer)]).toEqual([-5, 7, -(2 ** 31)])
})

test('arrays use the smallest type for their largest number', () => {
  expect(createCompactArray(3, 2 ** 32 - 1)).toBeInstanceOf(Uint32Array)
  expect(createCompactArray(3, 2 ** 32)).toBeInstanceOf(Float64Array)
})
