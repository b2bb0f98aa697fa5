/** Converts the colour space of a PNG, given by code points or chromaticities, to an ICC profile for formats that support profiles only. */
import { ByteReader } from '../../bytes/reader.ts'
import { codePointProfile, GAMUTS, isSrgb } from '../../images/raster/code-point-profile.ts'
import { type Gamut, matrixProfile } from '../../images/raster/matrix-profile.ts'
import type { PngFile } from './file.ts'
import { chunkOf, signallingOf } from './signalling.ts'

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
  return !(isSrgb(signalling) || gamutProfile(file))
}

const fromCodePoints = (file: PngFile): Uint8Array | undefined => codePointProfile(signallingOf(file) ?? { primaries: 1, transfer: 13 })

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
