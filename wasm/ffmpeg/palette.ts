/** Converts 8-bit bitmaps with a palette to blue, green and red, for decoders without palettes. */

/** Bitmap rows are padded to multiples of four bytes. */
const rowBytes = (bytes: number) => (bytes + 3) & ~3

/** Number of bytes that `expandPalette` writes. */
export const expandedBytes = (width: number, height: number) => rowBytes(width * 3) * height

/**
 * Converts palette indexes to colours.
 * @param palette four bytes per colour: blue, green, red, unused (RGBQUAD). Missing colours are black
 * @param out rows in source order. Missing rows are black
 */
export function expandPalette(indexes: Uint8Array, palette: Uint8Array, width: number, height: number, out: Uint8Array): void {
  const [from, to] = [rowBytes(width), rowBytes(width * 3)]
  const colours = new Uint8Array(1024)
  colours.set(palette.subarray(0, 1024))
  out.fill(0)
  for (let y = 0; y < height; y++) {
    let at = y * to
    const end = Math.min(y * from + width, indexes.length)
    for (let i = y * from; i < end; i++, at += 3) {
      const colour = indexes[i]! * 4
      out[at] = colours[colour]!
      out[at + 1] = colours[colour + 1]!
      out[at + 2] = colours[colour + 2]!
    }
  }
}
