/**
 * Approximates the RGB appearance of CMYK. It interpolates between the sixteen overprints of full inks (SWOP swatch colours), weighted by
 * area (Neugebauer model). PDF renderers without a profile show similar colours.
 */
const PAPER = 0xffffff
/** RGB colour of each overprint. The index is the sum of cyan (1), magenta (2), yellow (4) and black (8). */
const PRINTED = [
  PAPER,
  0x00adef,
  0xec008c,
  0x2e3192,
  0xfff200,
  0x00a651,
  0xed1c24,
  0x363639,
  0x231f20,
  0x000f24,
  0x240000,
  0x000000,
  0x1c1a00,
  0x001300,
  0x220000,
  0x000000,
] as const

/** Converts CMYK samples to RGB. `inverted`: 255 means no ink. */
export function cmykToRgb(cmyk: Uint8Array, inverted = false): Uint8Array {
  const rgb = new Uint8Array((cmyk.length / 4) * 3)
  const flip = inverted ? 255 : 0
  for (let at = 0, to = 0; at < cmyk.length; at += 4, to += 3) {
    const [c, m, y, k] = [cmyk[at]! ^ flip, cmyk[at + 1]! ^ flip, cmyk[at + 2]! ^ flip, cmyk[at + 3]! ^ flip]
    let [red, green, blue] = [0, 0, 0]
    for (let inks = 0; inks < 16; inks++) {
      const share = (inks & 1 ? c : 255 - c) * (inks & 2 ? m : 255 - m) * (inks & 4 ? y : 255 - y) * (inks & 8 ? k : 255 - k)
      if (share === 0) continue
      const colour = PRINTED[inks]!
      red += share * (colour >> 16)
      green += share * ((colour >> 8) & 255)
      blue += share * (colour & 255)
    }
    rgb[to] = Math.round(red / 255 ** 4)
    rgb[to + 1] = Math.round(green / 255 ** 4)
    rgb[to + 2] = Math.round(blue / 255 ** 4)
  }
  return rgb
}
