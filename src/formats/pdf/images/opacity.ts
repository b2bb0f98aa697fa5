/**
 * Colours below a mask. What the mask hides may have any colour, black as a rule, and must not be mixed with what it shows:
 * neither where a picture is reduced nor where JPEG spreads an edge over its block.
 */

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

/** Gives hidden pixels of RGBA the mean colour of what is shown near by, in blocks that grow with the distance. */
export function fillHidden(rgba: Uint8Array, width: number, height: number): void {
  if (width * height <= 1 || !hasHidden(rgba)) return
  const [halfWidth, halfHeight] = [(width + 1) >> 1, (height + 1) >> 1]
  const half = halved(rgba, width, height)
  fillHidden(half, halfWidth, halfHeight)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if (rgba[at + 3] !== 0) continue
      const from = ((y >> 1) * halfWidth + (x >> 1)) * 4
      for (let c = 0; c < 3; c++) rgba[at + c] = half[from + c]!
    }
  }
}

function hasHidden(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] === 0) return true
  return false
}

/** Half as large in each direction: the mean of what is shown of four pixels, hidden where nothing is. */
function halved(rgba: Uint8Array, width: number, height: number): Uint8Array {
  const [halfWidth, halfHeight] = [(width + 1) >> 1, (height + 1) >> 1]
  const half = new Uint8Array(halfWidth * halfHeight * 4)
  const sum = [0, 0, 0]
  for (let y = 0, to = 0; y < halfHeight; y++) {
    for (let x = 0; x < halfWidth; x++, to += 4) {
      sum.fill(0)
      let count = 0
      for (let v = y * 2; v < Math.min(height, y * 2 + 2); v++) {
        for (let u = x * 2; u < Math.min(width, x * 2 + 2); u++) {
          const from = (v * width + u) * 4
          if (rgba[from + 3] === 0) continue
          for (let c = 0; c < 3; c++) sum[c] = sum[c]! + rgba[from + c]!
          count++
        }
      }
      if (count === 0) continue
      for (let c = 0; c < 3; c++) half[to + c] = Math.round(sum[c]! / count)
      half[to + 3] = 255
    }
  }
  return half
}
