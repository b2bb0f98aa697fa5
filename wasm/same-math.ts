/**
 * Functions whose last bit differs between JavaScript engines in `Math`. These use sums, products, quotients and square roots only, which
 * ECMA-262 defines to the last bit, so that roundings and decisions are the same everywhere. Their error is a few units in the last
 * place. Results for zero, infinite values and NaN are those of `Math`, which are exact.
 */

/** The functions of the engine, also while a package gets these in their place. */
const own = {
  atan2: Math.atan2,
  cos: Math.cos,
  exp: Math.exp,
  hypot: Math.hypot,
  log: Math.log,
  log10: Math.log10,
  sin: Math.sin,
  tan: Math.tan,
}

/** π/2 as a sum. The first three parts have 30 bits, so that their products with numbers up to 2^20 are exact. */
const HALF_PI = [1.570796325802803, 9.920935791635221e-10, 5.17018297889025e-19, 2.9038559739793605e-28] as const
/** ln 2 as a sum. The first part has 32 bits. */
const [LN2, LN2_REST] = [0.6931471803691238, 1.9082149292705877e-10]
/** Largest angle that is reduced with all its bits. Larger ones lose digits by `%` with 2π as a double. */
const LARGEST_ANGLE = 2 ** 20

/** 1 / n! by n. */
const INVERSE_FACTORIALS: readonly number[] = (() => {
  let factorial = 1
  return Array.from({ length: 21 }, (_, n) => 1 / (factorial *= Math.max(1, n)))
})()

const isOrdinary = (x: number) => x > 0 && x < Number.POSITIVE_INFINITY

/** Multiplies by a power of two in two steps, because the power alone may be no double. */
function timesPowerOfTwo(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2)
  return value * 2 ** half * 2 ** (exponent - half)
}

export function exp(x: number): number {
  // Beyond these limits, the result is 0, infinite or not a number.
  if (!(Math.abs(x) < 746)) return own.exp(x)
  const exponent = Math.round(x / LN2)
  const high = x - exponent * LN2
  const low = exponent * LN2_REST
  const rest = high - low
  let series = INVERSE_FACTORIALS[14]!
  for (let n = 13; n >= 2; n--) series = series * rest + INVERSE_FACTORIALS[n]!
  // Small terms first: the error of `rest`, then its square and the others.
  return timesPowerOfTwo(1 + (high + (rest * rest * series - low)), exponent)
}

const bits = new Float64Array(1)
const words = new Int32Array(bits.buffer)
/** Index of the word with the exponent. */
const UPPER = new Uint8Array(Int32Array.of(1).buffer)[0] === 1 ? 1 : 0
const SMALLEST_NORMAL = 2 ** -1022

/** Splits a positive number into a factor between √½ and √2, and an exponent of two. */
function split(x: number): { readonly factor: number; readonly exponent: number } {
  if (x < SMALLEST_NORMAL) {
    const { factor, exponent } = split(x * 2 ** 54)
    return { factor, exponent: exponent - 54 }
  }
  bits[0] = x
  const exponent = (words[UPPER]! >> 20) - 1023
  const factor = timesPowerOfTwo(x, -exponent)
  return factor > Math.SQRT2 ? { factor: factor / 2, exponent: exponent + 1 } : { factor, exponent }
}

export function log(x: number): number {
  if (!isOrdinary(x)) return own.log(x)
  const { factor, exponent } = split(x)
  const f = factor - 1
  const s = f / (2 + f)
  const square = s * s
  // log(1 + f) = 2 (s + s³/3 + s⁵/5 + …), rearranged so that the largest term is exact.
  let series = 0
  for (let n = 23; n >= 3; n -= 2) series = series * square + 2 / n
  const half = (f * f) / 2
  return exponent * LN2 - (half - (s * (half + series * square) + exponent * LN2_REST) - f)
}

/** Exact for powers of ten. */
export function log10(x: number): number {
  if (!isOrdinary(x)) return own.log10(x)
  const value = log(x) / Math.LN10
  const whole = Math.round(value)
  return Number(`1e${whole}`) === x ? whole : value
}

/** Largest whole exponent that is computed by products. */
const MOST_FACTORS = 64

/** `x ** y`. */
export function pow(x: number, y: number): number {
  const whole = Math.trunc(y)
  if (whole === y && Math.abs(y) <= MOST_FACTORS) return wholePower(x, y)
  if (!isOrdinary(x) || !Number.isFinite(y)) return x ** y
  // The smaller the exponent, the smaller the error.
  return Math.abs(y) <= MOST_FACTORS ? wholePower(x, whole) * exp((y - whole) * log(x)) : exp(y * log(x))
}

function wholePower(x: number, y: number): number {
  if (x === 10) return Number(`1e${y}`)
  let [power, square] = [1, x]
  for (let rest = Math.abs(y); rest > 0; rest >>= 1) {
    if (rest & 1) power *= square
    square *= square
  }
  return y < 0 ? 1 / power : power
}

/** Reduces an angle to at most π/4. `low` is the part of it that `high` cannot hold, `quarters` the number of right angles. */
function reduced(angle: number): { readonly high: number; readonly low: number; readonly quarters: number } {
  const x = Math.abs(angle) <= LARGEST_ANGLE ? angle : angle % (2 * Math.PI)
  const quarters = Math.round(x / HALF_PI[0])
  const start = x - quarters * HALF_PI[0] - quarters * HALF_PI[1]
  const end = quarters * HALF_PI[2] + quarters * HALF_PI[3]
  const high = start - end
  return { high, low: start - high - end, quarters: ((quarters % 4) + 4) % 4 }
}

function sineOf(x: number, low: number): number {
  const square = x * x
  let series = 0
  for (let n = 19; n >= 3; n -= 2) series = INVERSE_FACTORIALS[n]! - series * square
  return x - (square * (x * series + low / 2) - low)
}

function cosineOf(x: number, low: number): number {
  const square = x * x
  let series = 0
  for (let n = 20; n >= 4; n -= 2) series = INVERSE_FACTORIALS[n]! - series * square
  const half = square / 2
  const near = 1 - half
  return near + (1 - near - half + (square * square * series - x * low))
}

/** Sine of an angle plus `more` right angles. */
function sineAfter(x: number, more: number): number {
  const { high, low, quarters } = reduced(x)
  const turned = (quarters + more) % 4
  const value = turned % 2 === 0 ? sineOf(high, low) : cosineOf(high, low)
  return turned >= 2 ? -value : value
}

/** Zero keeps its sign. */
const isAngle = (x: number) => x !== 0 && Number.isFinite(x)

export const sin = (x: number): number => (isAngle(x) ? sineAfter(x, 0) : own.sin(x))

export const cos = (x: number): number => (isAngle(x) ? sineAfter(x, 1) : own.cos(x))

export const tan = (x: number): number => (isAngle(x) ? sin(x) / cos(x) : own.tan(x))

/** Arctangent of a number between 0 and 1: a quarter of the angle has a series that ends soon. */
function smallArctangent(x: number): number {
  let y = x
  for (let halvings = 0; halvings < 2; halvings++) y /= 1 + Math.sqrt(1 + y * y)
  const square = y * y
  let series = 0
  for (let n = 25; n >= 3; n -= 2) series = 1 / n - series * square
  return 4 * (y - y * square * series)
}

export function atan(x: number): number {
  const size = Math.abs(x)
  if (!(size > 1e-8)) return x
  const angle = size <= 1 ? smallArctangent(size) : Math.PI / 2 - smallArctangent(1 / size)
  return x < 0 ? -angle : angle
}

export function atan2(y: number, x: number): number {
  if (!isAngle(x) || !isAngle(y)) return own.atan2(y, x)
  const angle = atan(y / x)
  if (x > 0) return angle
  return y < 0 ? angle - Math.PI : angle + Math.PI
}

export const asin = (x: number): number => (Math.abs(x) <= 1 ? atan2(x, Math.sqrt((1 - x) * (1 + x))) : Number.NaN)

export const acos = (x: number): number => (Math.abs(x) <= 1 ? atan2(Math.sqrt((1 - x) * (1 + x)), x) : Number.NaN)

const square = (x: number) => x * x

export function hypot(...values: number[]): number {
  const most = values.reduce((size, value) => Math.max(size, Math.abs(value)), 0)
  if (!isOrdinary(most)) return own.hypot(...values)
  // A power of two, so that the division is exact.
  const scale = timesPowerOfTwo(1, Math.min(split(most).exponent, 1023))
  return Math.sqrt(values.reduce((total, value) => total + square(value / scale), 0)) * scale
}
