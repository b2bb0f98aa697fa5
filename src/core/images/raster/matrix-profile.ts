/** Builds ICC profiles of three primaries and one curve (ICC.1:2004, v4), for outputs that describe colours by ICC profiles only. */
import { concat } from '../../bytes/concat.ts'
import { halfWords, latin1Bytes, words } from '../../containers/isobmff/box.ts'

type Chromaticity = readonly [x: number, y: number]

export interface Gamut {
  readonly red: Chromaticity
  readonly green: Chromaticity
  readonly blue: Chromaticity
  readonly white: Chromaticity
}

/** Transfer curve: `srgb`, `bt709`, or a gamma exponent that decodes samples. */
export type TransferCurve = 'srgb' | 'bt709' | number

type Vector = readonly [number, number, number]
type Matrix = readonly [Vector, Vector, Vector]

/** White point D50 of the profile connection space, in XYZ. */
const D50: Vector = [0.9642, 1, 0.8249]
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

const timesVector = (m: Matrix, [x, y, z]: Vector): Vector => m.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Vector
const column = (m: Matrix, i: number): Vector => [m[0][i]!, m[1][i]!, m[2][i]!]
const transposed = (m: Matrix): Matrix => [column(m, 0), column(m, 1), column(m, 2)]
const times = (a: Matrix, b: Matrix): Matrix => transposed([0, 1, 2].map((i) => timesVector(a, column(b, i))) as unknown as Matrix)

function inverse([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
  const of = (value: number) => value / determinant
  return [
    [of(e * i - f * h), of(c * h - b * i), of(b * f - c * e)],
    [of(f * g - d * i), of(a * i - c * g), of(c * d - a * f)],
    [of(d * h - e * g), of(b * g - a * h), of(a * e - b * d)],
  ]
}

const xyz = ([x, y]: Chromaticity): Vector => [x / y, 1, (1 - x - y) / y]

/** Returns a diagonal matrix. */
const diagonal = ([a, b, c]: Vector): Matrix => [
  [a, 0, 0],
  [0, b, 0],
  [0, 0, c],
]

/** XYZ values of the three primaries, adapted to D50 (ICC.1:2004, annex E: Bradford). */
function adaptedPrimaries({ red, green, blue, white }: Gamut): { readonly primaries: Matrix; readonly adaptation: Matrix } {
  const plain = transposed([xyz(red), xyz(green), xyz(blue)])
  const primaries = times(plain, diagonal(timesVector(inverse(plain), xyz(white))))
  const [from, to] = [timesVector(BRADFORD, xyz(white)), timesVector(BRADFORD, D50)]
  const adaptation = times(inverse(BRADFORD), times(diagonal([to[0] / from[0], to[1] / from[1], to[2] / from[2]]), BRADFORD))
  return { primaries: times(adaptation, primaries), adaptation }
}

const fixed = (...values: readonly number[]) => words(...values.map((value) => Math.round(value * 65_536) >>> 0))

/** Parametric curve tag (ICC.1:2004, 10.15): type 0, or type 3 with a linear part near black. */
function curveTag(curve: TransferCurve): Uint8Array {
  if (typeof curve === 'number') return concat([latin1Bytes('para'), words(0), halfWords(0, 0), fixed(curve)])
  const parameters =
    curve === 'srgb' ? [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045] : [1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081]
  return concat([latin1Bytes('para'), words(0), halfWords(3, 0), fixed(...parameters)])
}

/** multiLocalizedUnicodeType tag (ICC.1:2004, 10.13) of one English text. */
function textTag(value: string): Uint8Array {
  return concat([
    latin1Bytes('mluc'),
    words(0, 1, 12),
    latin1Bytes('enUS'),
    words(value.length * 2, 28),
    halfWords(...[...value].map((c) => c.charCodeAt(0))),
  ])
}

/** Returns the ICC profile. `undefined`: the primaries do not span a gamut. */
export function matrixProfile(gamut: Gamut, curve: TransferCurve, name: string): Uint8Array | undefined {
  const { primaries, adaptation } = adaptedPrimaries(gamut)
  if (![...primaries, ...adaptation].flat().every((value) => Math.abs(value) < 4)) return undefined
  const xyzTag = (vector: Vector) => concat([latin1Bytes('XYZ '), words(0), fixed(...vector)])
  const trc = curveTag(curve)
  const tags: readonly (readonly [string, Uint8Array])[] = [
    ['desc', textTag(name)],
    ['cprt', textTag('No copyright')],
    ['wtpt', xyzTag(D50)],
    ['chad', concat([latin1Bytes('sf32'), words(0), fixed(...adaptation.flat())])],
    ['rXYZ', xyzTag(column(primaries, 0))],
    ['gXYZ', xyzTag(column(primaries, 1))],
    ['bXYZ', xyzTag(column(primaries, 2))],
    ['rTRC', trc],
    ['gTRC', trc],
    ['bTRC', trc],
  ]
  const places = new Map<Uint8Array, number>()
  const parts: Uint8Array[] = []
  let at = 128 + 4 + 12 * tags.length
  for (const [, data] of tags) {
    if (places.has(data)) continue
    places.set(data, at)
    const padded = concat([data, new Uint8Array(-data.length & 3)])
    parts.push(padded)
    at += padded.length
  }
  const table = tags.map(([tag, data]) => concat([latin1Bytes(tag), words(places.get(data) ?? 0, data.length)]))
  return concat([header(at), words(tags.length), ...table, ...parts])
}

/** Header of an RGB display profile, version 4.3 (ICC.1:2004, 7.2). */
function header(size: number): Uint8Array {
  const start = concat([words(size, 0, 0x04300000), latin1Bytes('mntrRGB XYZ '), halfWords(2026, 1, 1, 0, 0, 0), latin1Bytes('acsp')])
  return concat([start, new Uint8Array(68 - start.length), fixed(...D50), new Uint8Array(128 - 80)])
}
