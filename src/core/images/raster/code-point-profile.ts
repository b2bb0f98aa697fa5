/** ICC profiles of code points (ITU-T H.273), for output formats that describe colours by ICC profiles only. */
import { type Gamut, matrixProfile, type TransferCurve } from './matrix-profile.ts'

const D65 = [0.3127, 0.329] as const

/** Chromaticities by colour primaries (H.273, table 2). */
export const GAMUTS: { readonly [primaries: number]: Gamut } = {
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

export interface CodePoints {
  readonly primaries: number
  readonly transfer: number
}

export const isSrgb = ({ primaries, transfer }: CodePoints): boolean => primaries === 1 && transfer === 13

/** ICC profile of code points. `undefined`: they are those of sRGB, or no profile describes them. */
export function codePointProfile(points: CodePoints): Uint8Array | undefined {
  const { primaries, transfer } = points
  const [gamut, curve] = [GAMUTS[primaries], CURVES[transfer]]
  if (!gamut || curve === undefined || isSrgb(points)) return undefined
  return matrixProfile(gamut, curve, `H.273 primaries ${primaries}, transfer ${transfer}`)
}
