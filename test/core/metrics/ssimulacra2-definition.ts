/**
 * Plain implementation of SSIMULACRA 2.1 (github.com/cloudinary/ssimulacra2) in double precision, which the kernel is compared with. The
 * weights are read from the kernel's source; everything else follows the definition.
 */
import { readFileSync } from 'node:fs'

/** One plane of samples. */
interface Plane {
  readonly width: number
  readonly height: number
  readonly at: Float64Array
}

const SOURCE = readFileSync(new URL('../../../wasm/measure/score.c', import.meta.url), 'utf8')
const TABLE = /WEIGHT\[108\] = \{([^}]+)\}/.exec(SOURCE)?.[1]?.replace(/\/\*.*?\*\//gs, '') ?? ''
const WEIGHTS = TABLE.split(',').flatMap((text) => (text.trim() === '' ? [] : [Number(text)]))
if (WEIGHTS.length !== 108) throw new Error(`there are 108 weights, not ${WEIGHTS.length}`)

const zip = (planes: readonly Plane[], value: (...samples: number[]) => number): Plane => {
  const [{ width, height }] = planes as [Plane]
  return { width, height, at: Float64Array.from({ length: width * height }, (_, i) => value(...planes.map(({ at }) => at[i]!))) }
}

/** Returns the impulse response of the "recursive Gaussian" of σ 1.5 (Charalampidis 2016), which has nine taps. */
function taps(): number[] {
  const [radius, sigma] = [5, 1.5]
  const omega = [1, 3, 5].map((k) => (k * Math.PI) / (2 * radius))
  const signs = [1, -1, 1]
  const p = omega.map((o, k) => signs[k]! / Math.tan(o / 2))
  const r = omega.map((o, k) => (signs[k]! * p[k]! ** 2) / Math.sin(o))
  const rho = omega.map((o) => Math.exp(-0.5 * sigma ** 2 * o ** 2) / radius)
  const d = (i: number, j: number) => p[i]! * r[j]! - r[i]! * p[j]!
  const [z1, z3] = [d(1, 2) / d(0, 1), d(2, 0) / d(0, 1)]
  const beta = solve([p, r, [z1, z3, 1]], [1, radius ** 2 - sigma ** 2, z1 * rho[0]! + z3 * rho[1]! + rho[2]!])
  return Array.from({ length: 9 }, (_, i) =>
    omega.reduce((sum, o, k) => sum - (beta[k]! * Math.cos(o * (radius + 1)) * Math.sin(o * (i - 4 + radius))) / Math.sin(o), 0),
  )
}

/** Solves three linear equations by Cramer's rule. */
function solve(rows: number[][], right: number[]): number[] {
  const det = ([a, b, c]: number[][]) =>
    a![0]! * (b![1]! * c![2]! - b![2]! * c![1]!) -
    a![1]! * (b![0]! * c![2]! - b![2]! * c![0]!) +
    a![2]! * (b![0]! * c![1]! - b![1]! * c![0]!)
  return [0, 1, 2].map((k) => det(rows.map((row, i) => row.map((value, j) => (j === k ? right[i]! : value)))) / det(rows))
}

const TAPS = taps()

/** Blurs a plane. Samples outside the picture are zero. */
function blur(plane: Plane): Plane {
  const { width, height } = plane
  const pass = (from: Float64Array, step: number, length: number, position: (i: number) => number) =>
    from.map((_, i) =>
      TAPS.reduce((sum, tap, k) => {
        const offset = k - 4
        const at = position(i) + offset
        return at < 0 || at >= length ? sum : sum + tap * from[i + offset * step]!
      }, 0),
    )
  const across = pass(plane.at, 1, width, (i) => i % width)
  return { width, height, at: pass(across, width, height, (i) => Math.floor(i / width)) }
}

function xyb([red, green, blue]: readonly Plane[]): Plane[] {
  const bias = 0.0037930732552754493
  const mix = (a: number, b: number, c: number) =>
    zip([red!, green!, blue!], (r, g, v) => Math.cbrt(a * r + b * g + c * v + bias) - Math.cbrt(bias))
  const long = mix(0.3, 0.622, 0.078)
  const middle = mix(0.23, 0.692, 0.078)
  const short = mix(0.24342268924547819, 0.20476744424496821, 0.5518098665095535)
  return [
    zip([long, middle], (l, m) => (l - m) * 7 + 0.42),
    zip([long, middle], (l, m) => (l + m) / 2 + 0.01),
    zip([long, middle, short], (l, m, s) => s - (l + m) / 2 + 0.55),
  ]
}

function half({ width, height, at }: Plane): Plane {
  const [w, h] = [Math.ceil(width / 2), Math.ceil(height / 2)]
  const sample = (x: number, y: number) => at[Math.min(y, height - 1) * width + Math.min(x, width - 1)]!
  const mean = (x: number, y: number) => (sample(x, y) + sample(x + 1, y) + sample(x, y + 1) + sample(x + 1, y + 1)) / 4
  return { width: w, height: h, at: Float64Array.from({ length: w * h }, (_, i) => mean(2 * (i % w), 2 * Math.floor(i / w))) }
}

const linear = (bytes: Uint8Array, width: number, height: number): Plane[] =>
  [0, 1, 2].map((channel) => ({
    width,
    height,
    at: Float64Array.from({ length: width * height }, (_, i) => {
      const value = bytes[i * 3 + channel]! / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    }),
  }))

/** Returns the means and 4-norms of lost similarity, ringing and blur. */
function maps(x: Plane, y: Plane): number[] {
  const [m1, m2] = [blur(x), blur(y)]
  const [s11, s22, s12] = [
    [x, x],
    [y, y],
    [x, y],
  ].map((pair) => blur(zip(pair, (a, b) => a * b)))
  const lost = zip([m1, m2, s11!, s22!, s12!], (a, b, aa, bb, ab) =>
    Math.max(0, 1 - ((1 - (a - b) ** 2) * (2 * (ab - a * b) + 0.0009)) / (aa - a * a + bb - b * b + 0.0009)),
  )
  const edges = zip([x, y, m1, m2], (a, b, ma, mb) => (1 + Math.abs(b - mb)) / (1 + Math.abs(a - ma)) - 1)
  const found = [lost, zip([edges], (e) => Math.max(e, 0)), zip([edges], (e) => Math.max(-e, 0))]
  const mean = (plane: Plane, power: number) => (plane.at.reduce((sum, value) => sum + value ** power, 0) / plane.at.length) ** (1 / power)
  return [...found.map((plane) => mean(plane, 1)), ...found.map((plane) => mean(plane, 4))]
}

/** Returns the number of scales of a picture. A picture below 8 pixels a side has no further scale. */
function scalesOf(width: number, height: number): number {
  let scales = 1
  for (let [w, h] = [width, height]; scales < 6 && w >= 8 && h >= 8; scales++) [w, h] = [Math.ceil(w / 2), Math.ceil(h / 2)]
  return scales
}

/**
 * Returns the score of 8-bit RGB samples. `published`: if scales are missing, the weights are used without gaps, as in the authors'
 * programs.
 */
export function definition(a: Uint8Array, b: Uint8Array, width: number, height: number, published = false): number {
  const stride = published ? scalesOf(width, height) : 6
  let [one, other] = [linear(a, width, height), linear(b, width, height)]
  let total = 0
  for (let scale = 0; scale < 6; scale++) {
    if (scale > 0) {
      if (one[0]!.width < 8 || one[0]!.height < 8) break
      one = one.map(half)
      other = other.map(half)
    }
    const [reference, candidate] = [xyb(one), xyb(other)]
    for (let channel = 0; channel < 3; channel++) {
      for (const [i, value] of maps(reference[channel]!, candidate[channel]!).entries())
        total += WEIGHTS[(channel * stride + scale) * 6 + i]! * value
    }
  }
  total *= 0.9562382616834844
  total = 2.326765642916932 * total - 0.020884521182843837 * total ** 2 + 6.248496625763138e-5 * total ** 3
  return total > 0 ? 100 - 10 * total ** 0.6276336467831387 : 100
}
