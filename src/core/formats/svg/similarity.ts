/** Compares two renderings of the same size. */

import { equalBytes } from '../../bytes/equal.ts'
import { PictureMeter } from '../../images/compare/compare.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
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

/** Similarity on black and on white, whichever is worse. The perceptual scores are measured with transparency. */
export type DrawnSimilarity = Similarity & PerceptualScores

const EQUAL_SCORES: PerceptualScores = { score: undefined, worstTile: undefined, colourCast: 0 }
const EQUAL: DrawnSimilarity = { ssim: 1, psnrDb: Number.POSITIVE_INFINITY, psnrRgbDb: Number.POSITIVE_INFINITY, ...EQUAL_SCORES }

const ROWS = 64

/** Compares two renderings. `undefined`: they differ in size. */
export function measureSimilarity(original: Rendering, rendering: Rendering): DrawnSimilarity | undefined {
  if (!haveSameSize(original, rendering)) return undefined
  if (equalBytes(original.pixels, rendering.pixels)) return EQUAL
  const { width, height } = original
  // For opaque renderings the background makes no difference, so one background is sufficient.
  const opaque = isOpaque(original.pixels) && isOpaque(rendering.pixels)
  using visible = new PictureMeter({ width, height, channels: opaque ? 3 : 4 }, ['perceptual'])
  using black = new PictureMeter({ width, height, channels: 3 }, ['similarity'])
  using white = opaque ? undefined : new PictureMeter({ width, height, channels: 3 }, ['similarity'])
  for (const [before, after] of bands(original, rendering)) {
    black.push(blendOver(before, 0), blendOver(after, 0))
    white?.push(blendOver(before, 255), blendOver(after, 255))
    const toPixels = opaque ? (rgba: Uint8Array) => blendOver(rgba, 0) : straight
    visible.push(toPixels(before), toPixels(after))
  }
  const { score, worstTile, cast } = visible.finish().perceptual
  const [a, b] = [black.finish().similarity, white?.finish().similarity]
  return {
    ssim: Math.min(a.ssim, b?.ssim ?? 1),
    psnrDb: Math.min(a.psnrDb, b?.psnrDb ?? Number.POSITIVE_INFINITY),
    psnrRgbDb: Math.min(a.psnrRgbDb, b?.psnrRgbDb ?? Number.POSITIVE_INFINITY),
    score,
    worstTile,
    colourCast: cast,
  }
}

/** Compares two renderings perceptually on white or on black, whichever contrasts with the drawing. `undefined`: they differ in size. */
export function measurePerceptualScores(original: Rendering, rendering: Rendering): PerceptualScores | undefined {
  if (!haveSameSize(original, rendering)) return undefined
  if (equalBytes(original.pixels, rendering.pixels)) return EQUAL_SCORES
  const background = isDark(original.pixels) ? 255 : 0
  using visible = new PictureMeter({ width: original.width, height: original.height, channels: 3 }, ['perceptual'])
  for (const [before, after] of bands(original, rendering)) visible.push(blendOver(before, background), blendOver(after, background))
  const { score, worstTile, cast } = visible.finish().perceptual
  return { score, worstTile, colourCast: cast }
}

const haveSameSize = (a: Rendering, b: Rendering): boolean => a.width === b.width && a.height === b.height

function* bands({ width, height, pixels }: Rendering, rendering: Rendering): Generator<[Uint8Array, Uint8Array]> {
  for (let y = 0; y < height; y += ROWS) {
    const rows = (rgba: Uint8Array) => rgba.subarray(y * width * 4, Math.min(height, y + ROWS) * width * 4)
    yield [rows(pixels), rows(rendering.pixels)]
  }
}

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

/** Blends premultiplied RGBA over a grey background and returns RGB. */
function blendOver(rgba: Uint8Array, background: number): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    const rest = background === 0 ? 0 : 255 - rgba[from + 3]!
    rgb[to] = rgba[from]! + rest
    rgb[to + 1] = rgba[from + 1]! + rest
    rgb[to + 2] = rgba[from + 2]! + rest
  }
  return rgb
}

/** Converts premultiplied RGBA to straight RGBA. */
function straight(rgba: Uint8Array): Uint8Array {
  const out = new Uint8Array(rgba.length)
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3]!
    if (alpha === 0) continue
    for (let i = at; i < at + 3; i++) out[i] = Math.min(255, Math.round((rgba[i]! * 255) / alpha))
    out[at + 3] = alpha
  }
  return out
}
