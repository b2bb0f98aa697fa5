import { describe, expect, it } from 'vitest'
import { Fingerprint } from '../../../src/core/bytes/fingerprint.ts'

const of = (...parts: Uint8Array[]) => {
  const fingerprint = new Fingerprint()
  for (const part of parts) fingerprint.update(part)
  return fingerprint.digest()
}

const DATA = Uint8Array.from({ length: 100 }, (_, at) => (at * 167) & 255)

describe('fingerprint of bytes', () => {
  it('does not depend on how the bytes are divided', () => {
    for (let first = 0; first <= DATA.length; first++)
      for (const second of [0, 1, 15, 16, 17])
        expect(of(DATA.subarray(0, first), DATA.subarray(first, first + second), DATA.subarray(first + second))).toBe(of(DATA))
  })

  it('differs for every changed bit, every length and every pair of swapped bytes', () => {
    const all = new Set<string>()
    for (let length = 0; length <= DATA.length; length++) all.add(of(DATA.subarray(0, length)))
    for (let at = 0; at < DATA.length; at++)
      for (let bit = 0; bit < 8; bit++) all.add(of(DATA.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte))))
    for (let at = 1; at < DATA.length; at++)
      all.add(of(DATA.map((byte, index) => (index === at ? DATA[at - 1]! : index === at - 1 ? DATA[at]! : byte))))
    expect(all.size).toBe(101 + 800 + 99)
  })

  it('tells zeros of different lengths apart', () => {
    expect(new Set(Array.from({ length: 40 }, (_, length) => of(new Uint8Array(length)))).size).toBe(40)
  })
})
