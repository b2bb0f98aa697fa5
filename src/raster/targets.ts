/** What the levels aim at for pictures. Floors are under them (codec.ts). */
import type { Quality } from '../codec/codec.ts'
import { PICTURE_LEVELS } from '../quality/levels.ts'

export interface RasterTarget {
  /** Luma SSIM, 11 x 11 Gaussian. */
  readonly ssim: number
  /** Luma PSNR in dB. */
  readonly psnrDb: number
  /** PSNR over red, green and blue in dB: colour may suffer more than luma, but must not be lost. */
  readonly rgbPsnrDb: number
  /** Luma and RGB PSNR of the worst block of 32 x 32 pixels: figures of whole screens forgive a spoilt button. */
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
  /** Colours a palette has at least, where the picture has as many: figures forgive faint shades that eyes still see. */
  readonly leastColours: number
}

const target = (
  ssim: number,
  psnrDb: number,
  rgbPsnrDb: number,
  blockPsnrDb: number,
  blockRgbPsnrDb: number,
  leastColours = 16,
): RasterTarget => ({
  ssim,
  psnrDb,
  rgbPsnrDb,
  blockPsnrDb,
  blockRgbPsnrDb,
  leastColours,
})

const { medium, low } = PICTURE_LEVELS
const MEDIUM = target(medium.ssim, medium.psnrDb, 31, 30, 27)
const LOW = target(low.ssim, low.psnrDb, 28, 27, 24, 8)

/** `high` stays exact in formats that can be exact. `ultra` is for Office files and means `low` here. */
export const PALETTE_TARGETS: Readonly<Record<Exclude<Quality, 'high'>, RasterTarget>> = { medium: MEDIUM, low: LOW, ultra: LOW }

/** From the gentlest to just above the floors: the ladder that `target_size` climbs down. */
export const TARGET_LADDER: readonly RasterTarget[] = [
  target(0.99, 42, 38, 36, 33),
  target(0.985, 40, 36, 34, 31),
  target(0.975, 37.5, 33.5, 32, 29),
  MEDIUM,
  target(0.945, 33.5, 29.5, 28.5, 25.5),
  LOW,
  target(0.915, 31, 27, 24, 21, 4),
  target(0.903, 30.2, 26, 20, 18, 2),
]

/** Figures are compared with a hair's breadth, so that rounding does not decide. `margin`: how much more a sample must show. */
export function holds(found: Omit<RasterTarget, 'leastColours'>, wanted: RasterTarget, margin = 0): boolean {
  return marginDb(found, wanted, margin) >= 0
}

/** How far the figures are above the target (below: negative), in dB; the least of them. SSIM counts by its distance from 1. */
export function marginDb(found: Omit<RasterTarget, 'leastColours'>, wanted: RasterTarget, margin = 0): number {
  const hair = margin * 0.25 + 0.02
  const ssim = 10 * Math.log10((1 - wanted.ssim - margin * 0.004 - 0.0003) / Math.max(1e-9, 1 - found.ssim))
  return Math.min(
    ssim,
    found.psnrDb - wanted.psnrDb - hair,
    found.rgbPsnrDb - wanted.rgbPsnrDb - hair,
    found.blockPsnrDb - wanted.blockPsnrDb - hair - margin * 0.4,
    found.blockRgbPsnrDb - wanted.blockRgbPsnrDb - hair,
  )
}
