/** Recognises ICC profiles of sRGB (ICC.1:2004-10, v2 and v4), which pages need not be told. */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { pow } from '../../bytes/same-math.ts'

/** Colorants of sRGB, adapted to D50 (IEC 61966-2-1), and their largest difference between common profiles. */
const COLORANTS = { rXYZ: [0.4361, 0.2225, 0.0139], gXYZ: [0.3851, 0.7169, 0.0971], bXYZ: [0.1431, 0.0606, 0.7141] } as const
const COLORANT_TOLERANCE = 0.002
const CURVES = ['rTRC', 'gTRC', 'bTRC'] as const
/** Values at which curves are compared, and the largest difference. Gamma 2.2 differs by 0.004 and more. */
const SAMPLES = 64
const CURVE_TOLERANCE = 0.001
const MOST_TAGS = 100
/** Tags of a table, which takes precedence over colorants and curves. */
const TABLES: ReadonlySet<string> = new Set(['A2B0', 'A2B1', 'A2B2', 'D2B0', 'D2B1'])

/** True if the profile says what is assumed without one. A profile that cannot be read is none. */
export function isSrgbProfile(icc: Uint8Array): boolean {
  try {
    return describesSrgb(new ByteReader(icc, false))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function describesSrgb(icc: ByteReader): boolean {
  const text = (at: number) => latin1Of(icc.bytes.subarray(at, at + 4))
  if (text(16) !== 'RGB ' || text(20) !== 'XYZ ') return false
  const count = icc.u32(128)
  if (count > MOST_TAGS) return false
  const tags = new Map<string, number>()
  for (let i = 0; i < count; i++) tags.set(text(132 + 12 * i), icc.u32(136 + 12 * i))
  if ([...tags.keys()].some((tag) => TABLES.has(tag))) return false
  for (const [tag, expected] of Object.entries(COLORANTS)) {
    const at = tags.get(tag)
    if (at === undefined || text(at) !== 'XYZ ') return false
    if (expected.some((value, i) => Math.abs(fixed(icc, at + 8 + 4 * i) - value) > COLORANT_TOLERANCE)) return false
  }
  return CURVES.every((tag) => {
    const at = tags.get(tag)
    const curve = at === undefined ? undefined : curveAt(icc, at, text(at))
    return curve !== undefined && isSrgbCurve(curve)
  })
}

type Curve = (sample: number) => number

/** `s15Fixed16Number`. */
const fixed = (icc: ByteReader, at: number) => icc.i32(at) / 65536

/** Returns the curve that decodes samples. `undefined`: of an unknown type. */
function curveAt(icc: ByteReader, at: number, type: string): Curve | undefined {
  if (type === 'para') return parametricCurve(icc, at)
  if (type !== 'curv') return undefined
  const count = icc.u32(at + 8)
  if (count === 0) return (x) => x
  if (count === 1) {
    const gamma = icc.u16(at + 12) / 256
    return (x) => pow(x, gamma)
  }
  const value = (i: number) => icc.u16(at + 12 + 2 * i) / 65535
  return (x) => {
    const place = x * (count - 1)
    const first = Math.min(count - 2, Math.floor(place))
    return value(first) + (place - first) * (value(first + 1) - value(first))
  }
}

/** `parametricCurveType` (10.15). `undefined`: of another kind than sRGB has. */
function parametricCurve(icc: ByteReader, at: number): Curve | undefined {
  const kind = icc.u16(at + 8)
  if (kind !== 3 && kind !== 4) return undefined
  const parameter = (i: number) => fixed(icc, at + 12 + 4 * i)
  const [g, a, b, c, d] = [parameter(0), parameter(1), parameter(2), parameter(3), parameter(4)]
  const [e, f] = kind === 4 ? [parameter(5), parameter(6)] : [0, 0]
  return (x) => (x >= d ? pow(Math.max(0, a * x + b), g) + e : c * x + f)
}

function isSrgbCurve(curve: Curve): boolean {
  for (let i = 0; i <= SAMPLES; i++) {
    const x = i / SAMPLES
    const expected = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
    if (!(Math.abs(curve(x) - expected) <= CURVE_TOLERANCE)) return false
  }
  return true
}
