import { expect, test } from 'vitest'
import { SnrMeter } from '../../../src/core/metrics/snr.ts'

const ratio = (original: readonly number[], result: readonly number[]) => {
  const meter = new SnrMeter()
  meter.add(original, result)
  return meter.decibels
}

test('returns Infinity for equal samples, and the exact ratio for fine noise', () => {
  expect(ratio([1, -1], [1, -1])).toBe(Number.POSITIVE_INFINITY)
  expect(ratio([0, 0], [0, 0])).toBe(Number.POSITIVE_INFINITY)
  expect(ratio([1, -1], [1, -1 + 1e-7])).toBeCloseTo(143.01, 2)
  expect(ratio([0, 0], [0, 1])).toBe(Number.NEGATIVE_INFINITY)
})
