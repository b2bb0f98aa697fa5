/**
 * Handles colours under a mask. Hidden pixels may have any colour, usually black. That colour must not mix with visible ones, neither by
 * downsampling nor by JPEG ringing inside a block.
 */
import { log10 } from '../../../bytes/same-math.ts'
import { CLEARLY_VISIBLE_OPACITY, MIN_VISIBLE_OPACITY, RIM_LEVELS } from '../tuning.ts'

/** Combines pixels of one or three channels with their opacity into RGBA. */
export function withOpacity(pixels: Uint8Array, channels: number, opacity: Uint8Array): Uint8Array {
  const count = opacity.length
  // One write a pixel. Red is the lowest byte, since all platforms of V8, SpiderMonkey and JavaScriptCore are little-endian.
  const out = new Uint32Array(count)
  if (channels === 1) for (let i = 0; i < count; i++) out[i] = (pixels[i]! * 0x01_01_01) | (opacity[i]! << 24)
  else
    for (let i = 0, from = 0; i < count; i++, from += channels)
      out[i] = pixels[from]! | (pixels[from + 1]! << 8) | (pixels[from + 2]! << 16) | (opacity[i]! << 24)
  return new Uint8Array(out.buffer)
}

/** Splits RGBA into pixels of `channels` channels and their opacity. */
export function withoutOpacity(rgba: Uint8Array, channels: number): { pixels: Uint8Array; opacity: Uint8Array } {
  const count = rgba.length / 4
  const pixels = new Uint8Array(count * channels)
  const opacity = new Uint8Array(count)
  for (let i = 0, from = 0, to = 0; i < count; i++, from += 4, to += channels) {
    for (let c = 0; c < channels; c++) pixels[to + c] = rgba[from + c]!
    opacity[i] = rgba[from + 3]!
  }
  return { pixels, opacity }
}

/**
 * Mean opacity of a picture, 0 to 1. `step`: bytes per pixel, the last of which is the opacity. `ofNothing`: result if everything is
 * hidden.
 */
export function meanOpacity(opacity: Uint8Array, step: number, ofNothing = 1): number {
  let sum = 0
  for (let at = step - 1; at < opacity.length; at += step) sum += opacity[at]!
  return sum === 0 ? ofNothing : (sum * step) / (255 * opacity.length)
}

/**
 * Scores of the visible part, computed from scores of the whole picture with equal hidden pixels. Without this correction, a small object
 * in a large transparent frame would get a low quality.
 */
export const visiblePartScores = <F extends { ssim: number; psnrDb: number }>(figures: F, share: number): F => ({
  ...figures,
  ssim: 1 - (1 - figures.ssim) / share,
  psnrDb: figures.psnrDb + 10 * log10(share),
})

/** Target scores for the whole picture, computed from target scores for its visible part. */
export const wholePictureTarget = <T extends { ssim: number; psnrDb: number; colourPsnrDb: number }>(target: T, share: number): T => ({
  ...target,
  ssim: 1 - (1 - target.ssim) * share,
  psnrDb: target.psnrDb - 10 * log10(share),
  colourPsnrDb: target.colourPsnrDb - 10 * log10(share),
})

/** Side of a JPEG block in pixels, in which an edge may cause ringing. */
const BLOCK = 8

/**
 * True if JPEG ringing may become visible at the mask edge, because hidden and visible colours of a block differ. False for soft edges. The
 * perceptual score hardly detects such rims, because they are one or two pixels wide.
 */
export function mayHaveRims(pixels: Uint8Array, opacity: Uint8Array, width: number): boolean {
  const channels = pixels.length / opacity.length
  const height = opacity.length / width
  const isRim = (left: number, top: number) => {
    const sums = { hidden: 0, hiddenCount: 0, shown: 0, shownCount: 0 }
    for (let y = top; y < Math.min(height, top + BLOCK); y++) {
      for (let at = y * width + left; at < y * width + Math.min(width, left + BLOCK); at++) {
        const value = pixels[at * channels + (channels === 3 ? 1 : 0)]!
        if (opacity[at]! < MIN_VISIBLE_OPACITY) {
          sums.hidden += value
          sums.hiddenCount++
        } else if (opacity[at]! >= CLEARLY_VISIBLE_OPACITY) {
          sums.shown += value
          sums.shownCount++
        }
      }
    }
    if (sums.hiddenCount === 0 || sums.shownCount === 0) return false
    return Math.abs(sums.hidden / sums.hiddenCount - sums.shown / sums.shownCount) > RIM_LEVELS
  }
  for (let top = 0; top < height; top += BLOCK) for (let left = 0; left < width; left += BLOCK) if (isRim(left, top)) return true
  return false
}

/**
 * Replaces hidden pixels by their original colours in `stored`. Users see them when they extract the picture from the document. In
 * `pixels`, colours are weighted by opacity.
 */
export function restoreHiddenPixels(pixels: Uint8Array, stored: Uint8Array, opacity: Uint8Array): void {
  const channels = pixels.length / opacity.length
  for (let i = 0; i < opacity.length; i++) {
    if (opacity[i]! >= MIN_VISIBLE_OPACITY) continue
    for (let at = i * channels; at < (i + 1) * channels; at++) pixels[at] = stored[at]!
  }
}
