/** Row predictors: each row gets the filter with the smallest sum, and any chunks give the rows back. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Predictor, Unpredictor } from '../../../../src/core/formats/pdf/predictor.ts'

const COLUMNS = 300
const SHAPE = { predictor: 15, colors: 3, bitsPerComponent: 8, columns: COLUMNS }
const ROW = COLUMNS * 3

/** Difference of a byte to its prediction (PNG specification, 9.2), written as simply as possible. */
function predicted(type: number, left: number, up: number, upLeft: number): number {
  const p = left + up - upLeft
  const nearest = [left, up, upLeft].reduce((best, each) => (Math.abs(p - each) < Math.abs(p - best) ? each : best))
  return [0, left, up, (left + up) >> 1, nearest][type]!
}

function filtered(type: number, line: Uint8Array, above: Uint8Array): Uint8Array {
  return line.map((value, i) => value - predicted(type, i < 3 ? 0 : line[i - 3]!, above[i]!, i < 3 ? 0 : above[i - 3]!))
}

const sumOf = (line: Uint8Array) => line.reduce((sum, value) => sum + (value < 128 ? value : 256 - value), 0)

/** Rows that each suit another filter: gradients, repetitions, noise. */
const rows = fc.array(fc.record({ kind: fc.nat(3), seed: fc.nat(255) }), { minLength: 1, maxLength: 8 }).map((kinds) =>
  Uint8Array.from({ length: kinds.length * ROW }, (_, i) => {
    const { kind, seed } = kinds[Math.floor(i / ROW)]!
    const x = i % ROW
    return [seed, seed + Math.floor(x / 3), (x * x * (seed | 1)) >> 3, Math.floor(x / 3) * 2 + Math.floor(i / ROW) * 5][kind]!
  }),
)

describe('row predictors', () => {
  test('each row has the filter with the smallest sum', () => {
    fc.assert(
      fc.property(rows, (bytes) => {
        const out = new Predictor(ROW, 3).rows(bytes)
        let above = new Uint8Array(ROW)
        for (let y = 0; y * ROW < bytes.length; y++) {
          const line = bytes.slice(y * ROW, (y + 1) * ROW)
          const each = [0, 1, 2, 3, 4].map((type) => filtered(type, line, above))
          const sums = each.map(sumOf)
          const best = sums.indexOf(Math.min(...sums))
          expect(out[y * (ROW + 1)]).toBe(best)
          expect(out.slice(y * (ROW + 1) + 1, (y + 1) * (ROW + 1))).toEqual(each[best])
          above = line
        }
      }),
    )
  })

  test('chunks of any size give the rows back, and the start of a row that ends early', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 2000 }), fc.nat(ROW), (bytes, size, missing) => {
        const stored = new Predictor(ROW, 3).rows(bytes)
        const cut = stored.subarray(0, stored.length - missing)
        const unpredictor = new Unpredictor(SHAPE)
        const parts: number[] = []
        for (let at = 0; at < cut.length; at += size) parts.push(...unpredictor.push(cut.subarray(at, at + size)))
        parts.push(...unpredictor.end())
        expect(Uint8Array.from(parts)).toEqual(bytes.subarray(0, bytes.length - missing))
      }),
    )
  })

  test.each([1, 2, 3, 4])('filter %i in every row', (type) => {
    const bytes = Uint8Array.from({ length: 4 * ROW }, (_, i) => (i * i) >> 4)
    const stored: number[] = []
    for (let y = 0; y < 4; y++) {
      const line = bytes.slice(y * ROW, (y + 1) * ROW)
      stored.push(type, ...filtered(type, line, y > 0 ? bytes.subarray((y - 1) * ROW, y * ROW) : new Uint8Array(ROW)))
    }
    expect(new Unpredictor(SHAPE).push(Uint8Array.from(stored))).toEqual(bytes)
  })
})
