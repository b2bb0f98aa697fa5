/**
 * Tests files with very many boxes, glyphs or letters. Spreading more than about 120,000 arguments into a call would overflow the stack.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxOf, minOf } from '../../../src/core/bytes/min-max.ts'
import { boxFreeingParts, boxOf } from '../../../src/core/containers/isobmff/box.ts'
import { Cff } from '../../../src/core/fonts/cff/font.ts'
import { CFF_STRINGS } from '../../../src/core/fonts/cff/standard-strings.ts'
import { Scaler } from '../../../wasm/scale/scale.ts'

const MANY = 300_000

test('minimum and maximum equal those of Math, for none and for 300,000 numbers', () => {
  const numbers = fc.array(fc.double({ noNaN: true }), { maxLength: 50 })
  fc.assert(fc.property(numbers, (some) => minOf(some) === Math.min(...some) && maxOf(new Set(some)) === Math.max(...some)))
  const many = Float64Array.from({ length: MANY }, (_, i) => i)
  expect([minOf(many), maxOf(many)]).toEqual([0, MANY - 1])
})

test('a box of 300,000 boxes is written', () => {
  const empty = boxOf('free', [])
  const parts = Array.from({ length: MANY }, () => empty)
  expect(boxFreeingParts('trak', parts).length).toBe(8 + 8 * MANY)
})

test('a font may have a string of 300,000 letters', () => {
  const text = Cff.prototype.stringOf.call({ strings: [new Uint8Array(MANY).fill(0xe9)] } as unknown as Cff, CFF_STRINGS.length)
  expect(text).toBe('é'.repeat(MANY))
})

test('a pixel can be repeated to a row of 300,000', () => {
  const one = { first: 0, weights: Float32Array.of(1) }
  const across = Array.from({ length: MANY }, () => one)
  using scaler = new Scaler({ width: 1, height: 1, channels: 1, across, down: [one] })
  expect(scaler).toBeDefined()
})
