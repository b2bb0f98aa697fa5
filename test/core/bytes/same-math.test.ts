/** Functions of `Math` that give the same bits in every JavaScript engine. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acos, asin, atan, atan2, cos, exp, hypot, log, log10, pow, sin, tan } from '../../../src/core/bytes/same-math.ts'
import { withSameMath } from '../../../src/core/bytes/same-math-in.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const same = { acos, asin, atan, atan2, cos, exp, hypot, log, log10, pow, sin, tan }
const ALL = Object.keys(same) as (keyof typeof same)[]
const SPECIAL = [0, -0, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]

const double = (min: number, max: number) => fc.double({ min, max, noNaN: true })
/** Distance relative to the expected value, in units of its last place (2⁻⁵²). */
const units = (found: number, expected: number) =>
  found === expected ? 0 : Math.abs(found - expected) / Math.max(Number.MIN_VALUE, Math.abs(expected) * 2 ** -52)

describe('is close to Math', () => {
  it.each([
    ['sin', double(-1000, 1000), 2],
    ['cos', double(-1000, 1000), 2],
    ['tan', double(-1000, 1000), 4],
    ['asin', double(-1, 1), 8],
    ['acos', double(-1, 1), 8],
    ['atan', double(-1e9, 1e9), 8],
    ['exp', double(-700, 700), 2],
    ['log', double(1e-300, 1e300), 2],
    ['log10', double(1e-300, 1e300), 4],
  ] as const)('%s', (name, arguments_, most) => {
    fc.assert(
      fc.property(arguments_, (x) => {
        expect(units(same[name](x), Math[name](x))).toBeLessThanOrEqual(most)
      }),
      { numRuns: 5000 },
    )
  })

  it('pow, atan2 and hypot', () => {
    fc.assert(
      fc.property(double(0.01, 1000), double(-40, 40), (x, y) => {
        expect(units(same.pow(x, y), x ** y)).toBeLessThanOrEqual(32)
        expect(units(same.atan2(y, x), Math.atan2(y, x))).toBeLessThanOrEqual(8)
        expect(units(same.atan2(y, -x), Math.atan2(y, -x))).toBeLessThanOrEqual(8)
        expect(units(same.hypot(x, y), Math.hypot(x, y))).toBeLessThanOrEqual(4)
      }),
      { numRuns: 5000 },
    )
  })

  it('at the ends of the range', () => {
    for (const x of [5e-324, 1e-310, 2 ** -1022, 1e-16, 1e300, Number.MAX_VALUE]) {
      expect(units(same.log(x), Math.log(x))).toBeLessThanOrEqual(2)
      expect(units(same.hypot(x, x / 3), Math.hypot(x, x / 3))).toBeLessThanOrEqual(4)
      expect(Math.abs(same.sin(x))).toBeLessThanOrEqual(1)
    }
    for (const x of [-800, -745, -708, 709.7, 800]) expect(units(same.exp(x), Math.exp(x))).toBeLessThanOrEqual(2)
  })

  it('for special values exactly', () => {
    for (const x of SPECIAL) {
      for (const name of ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'exp', 'log', 'log10'] as const)
        if (Math.abs(x) !== 1) expect([name, x, same[name](x)]).toEqual([name, x, Math[name](x)])
      for (const y of SPECIAL) {
        expect([x, y, same.atan2(x, y)]).toEqual([
          x,
          y,
          Math.abs(x) === 1 && Math.abs(y) === 1 ? expect.closeTo(Math.atan2(x, y), 14) : Math.atan2(x, y),
        ])
        expect([x, y, same.pow(x, y)]).toEqual([x, y, x ** y])
        expect([x, y, same.hypot(x, y)]).toEqual([x, y, Math.abs(x * y) === 1 ? Math.SQRT2 : Math.hypot(x, y)])
      }
    }
  })
})

it('log10 and pow are exact for powers of ten', () => {
  for (let exponent = -300; exponent <= 300; exponent++) expect(same.log10(Number(`1e${exponent}`))).toBe(exponent)
  for (let exponent = -64; exponent <= 64; exponent++) expect(same.pow(10, exponent)).toBe(Number(`1e${exponent}`))
})

it('the bits are those of every platform', () => {
  const hash = createHash('sha256')
  for (let i = 0; i < 5000; i++) {
    const [x, y] = [i * 0.123456789 - 250, ((i * 7919) % 5000) / 5000]
    const values = [same.sin(x), same.cos(x), same.tan(x), same.asin(y), same.acos(y), same.atan(x), same.atan2(y, x), same.exp(x)]
    values.push(same.log(y), same.log10(y), same.pow(y, x / 10), same.hypot(x, y))
    hash.update(Float64Array.from(values))
  }
  expect(hash.digest('hex')).toBe('c7ed93edccc6548a4e31ef81811918439d7aac23e671890cf724374c18239c8e')
})

describe('a package that calls Math', () => {
  it('gets these functions', () => {
    expect(withSameMath(() => ALL.map((name) => Math[name]))).toEqual(ALL.map((name) => same[name]))
    expect(withSameMath(() => Object.keys(Math))).toEqual([])
  })

  it('gets results for special values, which are those of the engine', () => {
    expect(withSameMath(() => [Math.hypot(0, 0), Math.log(0), Math.exp(1000), Math.atan2(0, 1), Math.sin(0), Math.cos(0)])).toEqual([
      0,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      0,
      0,
      1,
    ])
  })

  it('leaves Math as it was, also after an error', () => {
    const before = ALL.map((name) => Math[name])
    const fail = () => {
      throw new Error('not well-formed')
    }
    expect(() => withSameMath(fail)).toThrow('not well-formed')
    expect(ALL.map((name) => Math[name])).toEqual(before)
  })
})

it('no other code of the library calls functions whose last bit differs', () => {
  const files = globSync('{src/core,wasm}/**/*.ts', { cwd: ROOT }).filter((path) => path !== 'wasm/same-math.ts')
  expect(files.length).toBeGreaterThan(500)
  const different = /\bMath\.(?:a?(?:sin|cos|tan)h?|atan2|exp|expm1|log|log10|log1p|hypot|pow)\(/
  expect(files.filter((path) => different.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})
