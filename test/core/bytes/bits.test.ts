import { describe, expect, it } from 'vitest'
import { BitReader, BitWriter } from '../../../src/core/bytes/bits.ts'

describe('bits', () => {
  it('are written one after the other, the most significant first', () => {
    const out = new BitWriter()
    out.put(0b101, 3)
    out.put(0b11, 2)
    out.toByte()
    expect(out.length).toBe(1)
    out.put(1, 1)
    expect([...out.finish()]).toEqual([0b10111000, 0b10000000])
  })

  it('of numbers with more than 32 bits and with no bits', () => {
    const out = new BitWriter()
    out.putNumber(0x1f_0123_4567_89ab, 53)
    out.putNumber(7, 0)
    out.putNumber(0xabc, 3) // higher bits are ignored
    const hex = Buffer.from(out.finish()).toString('hex')
    expect(hex).toBe(((0x1f_0123_4567_89abn << 3n) | 4n).toString(16).padStart(14, '0'))
  })

  it('can be read back after the buffer has grown', () => {
    const out = new BitWriter()
    for (let i = 0; i < 50_000; i++) out.put(i % 3 === 0 ? 1 : 0, 1)
    const bits = new BitReader(out.finish())
    expect(Array.from({ length: 50_000 }, () => bits.bit()).every((bit, i) => bit === (i % 3 === 0 ? 1 : 0))).toBe(true)
  })

  it('are read as numbers, and as zeros behind the end of padded bytes', () => {
    const bits = BitReader.padded(Uint8Array.of(0b10111000, 255), 5)
    expect([bits.bits(3), bits.bits(0), bits.bits(13), bits.bits(24)]).toEqual([0b101, 0, 0b11000_11111111, 0])
    expect(() => bits.bits(1)).toThrow(RangeError)
  })
})
