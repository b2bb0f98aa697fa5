import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { SAMPLES_CLOSE, SAMPLES_FAST, zlibCompress } from '../../../src/core/bytes/deflate.ts'

/** Returns differences of noisy samples: small numbers around zero, with few repeated sequences. */
function noise(length: number): Uint8Array {
  let state = 1
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24
  return Uint8Array.from({ length }, () => (next() + next() + next() + next()) / 16 - 32)
}

const repeated = Uint8Array.from({ length: 400_000 }, (_, i) => (i % 7919) * 31)
const cases: [string, Uint8Array][] = [
  ['nothing', new Uint8Array(0)],
  ['one byte', Uint8Array.of(7)],
  ['the shortest match', Uint8Array.of(1, 2, 3, 1, 2, 3)],
  ['one value', new Uint8Array(700_000)],
  ['noise over several blocks', noise(1_000_000)],
  ['the same again', repeated],
  ['noise, then the same again', Uint8Array.of(...noise(50_000), ...repeated.subarray(0, 60_000), ...noise(3))],
]

describe('levels for the samples of pictures', () => {
  for (const level of [SAMPLES_FAST, SAMPLES_CLOSE]) {
    test.each(cases)(`level ${level}: round trip of %s`, (_, bytes) => {
      expect(Buffer.compare(inflateSync(zlibCompress(bytes, level)), bytes)).toBe(0)
    })
  }

  test('noise is smaller than at level 9', () => {
    const bytes = noise(500_000)
    expect(zlibCompress(bytes, SAMPLES_FAST).length).toBeLessThan(zlibCompress(bytes, 9).length)
  })
})
