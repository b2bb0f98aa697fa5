/** Tests which ICC profiles are those of sRGB. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { concat } from '../../src/core/bytes/concat.ts'
import { GAMUTS } from '../../src/core/images/raster/code-point-profile.ts'
import { matrixProfile, type TransferCurve } from '../../src/core/images/raster/matrix-profile.ts'
import { isSrgbProfile } from '../../src/core/images/raster/srgb-profile.ts'

const profile = (primaries: number, curve: TransferCurve) => matrixProfile(GAMUTS[primaries]!, curve, 'test')!

it.each([
  ['sRGB', 1, 'srgb', true],
  ['the curve of BT.709', 1, 'bt709', false],
  ['gamma 2.2', 1, 2.2, false],
  ['Display P3', 12, 'srgb', false],
  ['BT.2020', 9, 'srgb', false],
] as const)('%s', (_, primaries, curve, expected) => {
  expect(isSrgbProfile(profile(primaries, curve))).toBe(expected)
})

/** Replaces the curves by a table of `count` values, as profiles of version 2 have it. */
function withTable(count: number, exponent?: number): Uint8Array {
  const icc = profile(1, 'srgb').slice()
  const view = new DataView(icc.buffer)
  const table = new Uint8Array(12 + 2 * count)
  const values = new DataView(table.buffer)
  table.set([0x63, 0x75, 0x72, 0x76])
  values.setUint32(8, count)
  for (let i = 0; i < count; i++) {
    const x = i / (count - 1)
    const value = exponent === undefined ? (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4) : x ** exponent
    values.setUint16(12 + 2 * i, Math.round(value * 65535))
  }
  for (let i = 0; i < view.getUint32(128); i++) if (icc[132 + 12 * i + 1] === 0x54) view.setUint32(136 + 12 * i, icc.length)
  return concat([icc, table])
}

it('reads tables of curves', () => {
  expect(isSrgbProfile(withTable(1024))).toBe(true)
  expect(isSrgbProfile(withTable(1024, 2.2))).toBe(false)
})

it('never throws for damaged profiles, and says no to those that are cut off', () => {
  const whole = profile(1, 'srgb')
  for (let length = 0; length < whole.length - 20; length += 7) expect(isSrgbProfile(whole.subarray(0, length))).toBe(false)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void isSrgbProfile(bytes)))
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
      const damaged = whole.slice()
      damaged[at] = value
      isSrgbProfile(damaged)
    }),
  )
})
