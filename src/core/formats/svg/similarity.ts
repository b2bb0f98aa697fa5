/** Compares two renderings of the same size. */

import { equalBytes } from '../../bytes/equal.ts'
import { PerceptualMeter, TileMeter } from '../../metrics/perceptual.ts'
import { type Similarity, SimilarityMeter } from '../../metrics/ssim-psnr.ts'
import type { Rendering } from './renderer.ts'

/** Perceptual scores of two renderings. */
export interface PerceptualScores {
  /**
   * SSIMULACRA 2.1 score of the whole picture, and of the worst tile of 64 × 64 pixels. `undefined`: the drawing is smaller than a tile.
   */
  readonly score: number | undefined
  readonly worstTile: number | undefined
  /** Largest distance of the mean colour in CIE Lab a and b, over all windows of 15 × 15 pixels. */
  readonly colourCast: number
}

const EQUAL_SCORES: PerceptualScores = { score: undefined, worstTile: undefined, colourCast: 0 }
const EQUAL: Similarity = { ssim: 1, psnrDb: Number.POSITIVE_INFINITY, psnrRgbDb: Number.POSITIVE_INFINITY }

/** Compares two renderings on black and on white; the lower figures count. `undefined`: they differ in size. */
export function measureSimilarity(original: Rendering, rendering: Rendering): Similarity | undefined {
  if (!haveSameSize(original, rendering)) return undefined
  if (equalBytes(original.pixels, rendering.pixels)) return EQUAL
  const black = similarityOver(original, rendering, 0)
  // For opaque renderings the background makes no difference, so one background is sufficient.
  if (isOpaque(original.pixels) && isOpaque(rendering.pixels)) return black
  const white = similarityOver(original, rendering, 255)
  return {
    ssim: Math.min(black.ssim, white.ssim),
    psnrDb: Math.min(black.psnrDb, white.psnrDb),
    psnrRgbDb: Math.min(black.psnrRgbDb, white.psnrRgbDb),
  }
}

function similarityOver({ width, height, pixels }: Rendering, rendering: Rendering, background: 0 | 255): Similarity {
  using meter = new SimilarityMeter(width, height, 3)
  meter.pushPremultiplied(pixels, rendering.pixels, background)
  return meter.finish()
}

/** Compares two renderings of the same size perceptually, with their transparency. */
export function measureScores({ width, height, pixels }: Rendering, rendering: Rendering): PerceptualScores {
  if (equalBytes(pixels, rendering.pixels)) return EQUAL_SCORES
  using meter = new PerceptualMeter(width, height, 4)
  meter.pushPremultiplied(pixels, rendering.pixels, undefined)
  const { score, worstTile, cast } = meter.finish()
  return { score, worstTile, colourCast: cast }
}

/** Compares two renderings on white or on black, whichever contrasts with the drawing. `undefined`: they differ in size. */
export function measureMagnifiedScores(original: Rendering, rendering: Rendering): Omit<PerceptualScores, 'colourCast'> | undefined {
  if (!haveSameSize(original, rendering)) return undefined
  if (equalBytes(original.pixels, rendering.pixels)) return EQUAL_SCORES
  using meter = new TileMeter(original.width, original.height, 4)
  meter.pushPremultiplied(original.pixels, rendering.pixels, isDark(original.pixels) ? 255 : 0)
  return meter.finish()
}

const haveSameSize = (a: Rendering, b: Rendering): boolean => a.width === b.width && a.height === b.height

/**
 * True if the drawing is darker than half of its coverage, sampled at every 16th pixel.
 * @param rgba premultiplied
 */
function isDark(rgba: Uint8Array): boolean {
  let [light, cover] = [0, 0]
  for (let at = 0; at < rgba.length; at += 64) {
    light += rgba[at + 1]!
    cover += rgba[at + 3]!
  }
  return light < cover / 2
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let i = 3; i < rgba.length; i += 4) if (rgba[i] !== 255) return false
  return true
}
