/**
 * Colours below a mask. What the mask hides may have any colour, black as a rule, and must not be mixed with what it shows:
 * neither where a picture is reduced nor where JPEG spreads an edge over its block.
 */
import { HARDLY_SHOWN, RIM_LEVELS, WELL_SHOWN } from '../tuning.ts'

/** Pixels of one or three samples with their opacity, as RGBA. */
export function withOpacity(pixels: Uint8Array, channels: number, opacity: Uint8Array): Uint8Array {
  const out = new Uint8Array(opacity.length * 4)
  const [green, blue] = channels === 1 ? [0, 0] : [1, 2]
  for (let i = 0, from = 0, to = 0; i < opacity.length; i++, from += channels, to += 4) {
    out[to] = pixels[from]!
    out[to + 1] = pixels[from + green]!
    out[to + 2] = pixels[from + blue]!
    out[to + 3] = opacity[i]!
  }
  return out
}

/** The other way round. */
export function withoutOpacity(rgba: Uint8Array, channels: number): { pixels: Uint8Array; opacity: Uint8Array } {
  const count = rgba.length / 4
  const pixels = new Uint8Array(count * channels)
  const opacity = new Uint8Array(count)
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < channels; c++) pixels[i * channels + c] = rgba[i * 4 + c]!
    opacity[i] = rgba[i * 4 + 3]!
  }
  return { pixels, opacity }
}

/** How much of a picture is shown, 0 to 1; `step` bytes a pixel, its opacity the last; `ofNothing` where all is hidden. */
export function shownShare(opacity: Uint8Array, step: number, ofNothing = 1): number {
  let sum = 0
  for (let at = step - 1; at < opacity.length; at += step) sum += opacity[at]!
  return sum === 0 ? ofNothing : (sum * step) / (255 * opacity.length)
}

/**
 * Figures of what is shown, where what is hidden is the same and was measured, too: a small disc in a large frame would
 * otherwise be coded as coarsely as the frame allows.
 */
export const ofShown = <F extends { ssim: number; psnrDb: number }>(figures: F, share: number): F => ({
  ...figures,
  ssim: 1 - (1 - figures.ssim) / share,
  psnrDb: figures.psnrDb + 10 * Math.log10(share),
})

/** The other way round: what must be measured of everything for a target to hold for what is shown. */
export const forAll = <T extends { ssim: number; psnrDb: number; colourPsnrDb: number }>(target: T, share: number): T => ({
  ...target,
  ssim: 1 - (1 - target.ssim) * share,
  psnrDb: target.psnrDb - 10 * Math.log10(share),
  colourPsnrDb: target.colourPsnrDb - 10 * Math.log10(share),
})

/** JPEG spreads an edge over so many pixels. */
const BLOCK = 8

/**
 * Is there an edge between what is hidden and what is shown that JPEG would spread? A soft one is not, nor where a picture goes on below
 * its mask. The score hardly sees rims of a pixel or two.
 */
export function mayHaveRims(pixels: Uint8Array, opacity: Uint8Array, width: number): boolean {
  const channels = pixels.length / opacity.length
  const height = opacity.length / width
  const isRim = (left: number, top: number) => {
    const sums = { hidden: 0, hiddenCount: 0, shown: 0, shownCount: 0 }
    for (let y = top; y < Math.min(height, top + BLOCK); y++) {
      for (let at = y * width + left; at < y * width + Math.min(width, left + BLOCK); at++) {
        const value = pixels[at * channels + (channels === 3 ? 1 : 0)]!
        if (opacity[at]! < HARDLY_SHOWN) {
          sums.hidden += value
          sums.hiddenCount++
        } else if (opacity[at]! >= WELL_SHOWN) {
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
 * Gives `pixels`, of which colours are weighted by what a mask shows, back what it hides: `stored` has the plain means. Whoever
 * takes a picture out of a document sees that, too.
 */
export function hiddenAsStored(pixels: Uint8Array, stored: Uint8Array, opacity: Uint8Array): void {
  const channels = pixels.length / opacity.length
  for (let i = 0; i < opacity.length; i++) {
    if (opacity[i]! >= HARDLY_SHOWN) continue
    for (let at = i * channels; at < (i + 1) * channels; at++) pixels[at] = stored[at]!
  }
}
