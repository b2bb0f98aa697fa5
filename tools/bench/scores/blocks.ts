/** Measures the worst block of 32 × 32 pixels of two RGBA pictures, which palettes must hold, too. */

export interface BlockFigures {
  /** PSNR of the worst block in dB: luma, and RGB. A translucent picture is measured on black and white; the lower counts. */
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
}

const SIDE = 32
const PEAK = 255
/** Share of a block's pixels below which it is not measured alone: a rest at the right or lower edge. */
const LEAST_PIXELS = (SIDE * SIDE) / 4

export function worstBlock(before: Uint8Array, after: Uint8Array, width: number): BlockFigures {
  const height = before.length / 4 / width
  let [luma, rgb] = [0, 0]
  for (let top = 0; top < height; top += SIDE) {
    for (let left = 0; left < width; left += SIDE) {
      const [right, bottom] = [Math.min(width, left + SIDE), Math.min(height, top + SIDE)]
      if ((right - left) * (bottom - top) < LEAST_PIXELS) continue
      for (const background of [0, PEAK]) {
        const error = errorOf(before, after, { left, top, right, bottom, width, background })
        luma = Math.max(luma, error.luma)
        rgb = Math.max(rgb, error.rgb)
      }
    }
  }
  return { blockPsnrDb: decibels(luma), blockRgbPsnrDb: decibels(rgb) }
}

interface Block {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly width: number
  readonly background: number
}

/** Mean squared errors of a block. */
function errorOf(before: Uint8Array, after: Uint8Array, { left, top, right, bottom, width, background }: Block) {
  let [luma, rgb] = [0, 0]
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = (y * width + x) * 4
      const [red = 0, green = 0, blue = 0] = [0, 1, 2].map(
        (channel) => over(before, at, channel, background) - over(after, at, channel, background),
      )
      luma += (0.299 * red + 0.587 * green + 0.114 * blue) ** 2
      rgb += (red * red + green * green + blue * blue) / 3
    }
  }
  const pixels = (right - left) * (bottom - top)
  return { luma: luma / pixels, rgb: rgb / pixels }
}

function over(pixels: Uint8Array, at: number, channel: number, background: number): number {
  const alpha = (pixels[at + 3] ?? PEAK) / PEAK
  return (pixels[at + channel] ?? 0) * alpha + background * (1 - alpha)
}

const decibels = (error: number) => (error === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10(PEAK ** 2 / error))
