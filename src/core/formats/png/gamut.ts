/** Converts the colour space of a PNG, given by code points or chromaticities, to an ICC profile for formats that support profiles only. */
import { ByteReader } from '../../bytes/reader.ts'
import { type Gamut, matrixProfile, type TransferCurve } from '../../images/raster/matrix-profile.ts'
import type { PngFile } from './file.ts'
import { chunkOf, signallingOf } from './signalling.ts'

const D65 = [0.3127, 0.329] as const

/** Chromaticities by colour primaries (H.273, table 2). */
const GAMUTS: { readonly [primaries: number]: Gamut } = {
  1: { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: D65 },
  5: { red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06], white: D65 },
  6: { red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07], white: D65 },
  9: { red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046], white: D65 },
  11: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: [0.314, 0.351] },
  12: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: D65 },
}

/** Transfer curves that decode samples (H.273, table 3). */
const CURVES: { readonly [transfer: number]: TransferCurve } = {
  1: 'bt709',
  4: 2.2,
  5: 2.8,
  6: 'bt709',
  8: 1,
  13: 'srgb',
  14: 'bt709',
  15: 'bt709',
}

/** ICC profile of cICP, or of cHRM with gAMA. `undefined`: the samples are sRGB, or the file declares no colour space. */
export function gamutProfile(file: PngFile): Uint8Array | undefined {
  // Grey has no primaries, so an RGB profile does not apply.
  if (!(file.header.colourType & 2)) return undefined
  if (chunkOf(file, 'cICP')) return fromCodePoints(file)
  return chunkOf(file, 'iCCP', 'sRGB') ? undefined : fromChromaticities(file)
}

/** True if the file's cICP colours cannot be expressed as an ICC profile. */
export function needsCodePoints(file: PngFile): boolean {
  const signalling = chunkOf(file, 'cICP') && signallingOf(file)
  if (!signalling || !(file.header.colourType & 2)) return false
  const { primaries, transfer } = signalling
  return !(isSrgb(primaries, transfer) || gamutProfile(file))
}

const isSrgb = (primaries: number, transfer: number) => primaries === 1 && transfer === 13

function fromCodePoints(file: PngFile): Uint8Array | undefined {
  const { primaries, transfer } = signallingOf(file) ?? { primaries: 1, transfer: 13 }
  const [gamut, curve] = [GAMUTS[primaries], CURVES[transfer]]
  if (!gamut || curve === undefined || isSrgb(primaries, transfer)) return undefined
  return matrixProfile(gamut, curve, `H.273 primaries ${primaries}, transfer ${transfer}`)
}

/** Largest difference from the chromaticities of sRGB, which encoders round, and from its gamma. */
const SAME = 0.002

/**
 * ICC profile from cHRM (W3C PNG, 11.3.2.1): white, red, green and blue in units of 0.00001. The curve comes from gAMA, or is that of
 * sRGB.
 */
function fromChromaticities(file: PngFile): Uint8Array | undefined {
  const data = chunkOf(file, 'cHRM')?.data
  if (data?.length !== 32) return undefined
  const reader = new ByteReader(data, false)
  const point = (i: number) => [reader.u32(8 * i) / 100_000, reader.u32(8 * i + 4) / 100_000] as const
  const gamut: Gamut = { white: point(0), red: point(1), green: point(2), blue: point(3) }
  const srgb = GAMUTS[1]!
  const isNear = (name: keyof Gamut) => [0, 1].every((i) => Math.abs(gamut[name][i]! - srgb[name][i]!) < SAME)
  if ((['white', 'red', 'green', 'blue'] as const).every(isNear)) return undefined
  if (Object.values(gamut).some(([, y]) => y === 0)) return undefined
  const gamma = chunkOf(file, 'gAMA')?.data
  const exponent = gamma?.length === 4 ? new ByteReader(gamma, false).u32(0) / 100_000 : 1 / 2.2
  // In almost all files, gamma 1/2.2 means the curve of sRGB.
  const curve = Math.abs(exponent - 1 / 2.2) < SAME ? 'srgb' : 1 / exponent
  return matrixProfile(gamut, curve, 'Chromaticities of a PNG')
}
