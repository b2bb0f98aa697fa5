import { describe, expect, it } from 'vitest'
import { ByteReader } from '../../../src/core/bytes/reader.ts'
import { ByteWriter } from '../../../src/core/bytes/writer.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('ByteWriter', () => {
  it('writes both byte orders', () => {
    const written = (littleEndian: boolean) =>
      hex(ByteWriter.growing(littleEndian).u8(0x01).u16(0x0203).u24(0x040506).u32(0x0708090a).u64(0x0b0c0d0e0f10).f32(1.5).f64(-2).finish())
    expect(written(false)).toBe('0102030405060708090a00000b0c0d0e0f103fc00000c000000000000000')
    expect(written(true)).toBe('0103020605040a090807100f0e0d0c0b00000000c03f00000000000000c0')
  })

  it('writes negative numbers as two’s complement', () => {
    expect(hex(ByteWriter.growing(true).u8(-1).u16(-2).u24(-3).u32(-4).u64(-5n).finish())).toBe('fffefffdfffffcfffffffbffffffffffffff')
    expect(hex(ByteWriter.growing(false).u24(-3).finish())).toBe('fffffd')
  })

  it('writes text and bytes', () => {
    expect(hex(ByteWriter.growing(true).ascii('RIFF').bytes([1, 2]).bytes(Uint8Array.of(3)).finish())).toBe('52494646010203')
  })

  it('writes zeros for skipped bytes, and overwrites earlier ones', () => {
    expect(hex(ByteWriter.growing(false).at(3).u8(9).at(0).u16(0x0102).finish())).toBe('01020009')
  })

  it('grows, and the numbers can be read back', () => {
    const writer = ByteWriter.growing(true)
    for (let i = 0; i < 1000; i++) writer.u32(i)
    const reader = new ByteReader(writer.finish(), true)
    expect(reader.length).toBe(4000)
    expect(Array.from({ length: 1000 }, (_, i) => reader.u32(4 * i))).toEqual(Array.from({ length: 1000 }, (_, i) => i))
  })

  it('throws outside the given bytes', () => {
    const around = new Uint8Array(8)
    const writer = new ByteWriter(around.subarray(2, 6), true)
    expect(writer.u16(0x0102).u16(0x0304).finish()).toEqual(Uint8Array.of(2, 1, 4, 3))
    expect([...around]).toEqual([0, 0, 2, 1, 4, 3, 0, 0])
    expect(() => writer.u8(1)).toThrow(RangeError)
    expect(() => writer.at(3).u16(1)).toThrow(RangeError)
    expect(() => writer.at(3).bytes([1, 2])).toThrow(RangeError)
    expect(() => writer.at(3).ascii('no')).toThrow(RangeError)
    expect([...around]).toEqual([0, 0, 2, 1, 4, 3, 0, 0])
  })

  it('rejects 64-bit numbers that are not whole', () => {
    expect(() => ByteWriter.growing(true).u64(0.5)).toThrow(RangeError)
  })
})
