/**
 * What four inks look like: between the sixteen colours that full inks print alone and on each other (SWOP, as swatches have
 * them), in proportion to the area of each. What renderers show without a profile is close to that, and so are its errors.
 */
const PAPER = 0xffffff
/** By which of cyan (1), magenta (2), yellow (4) and black (8) are printed. */
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

/** Red, green and blue of CMYK samples; `inverted`: 255 is no ink. */
export function asPrinted(cmyk: Uint8Array, inverted = false): Uint8Array {
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
