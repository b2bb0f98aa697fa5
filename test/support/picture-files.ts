/** Generates small GIF and BMP files that are badly compressed. */

export interface GifFrame {
  readonly pixels: Uint8Array
  /** Display time in hundredths of a second. */
  readonly delay: number
}

/**
 * Encodes pixels as GIF sub-blocks without real compression (GIF89a, appendix F): 9-bit codes, and the table is cleared before it grows.
 */
export function plainCodes(pixels: Uint8Array): number[] {
  const codes: number[] = []
  pixels.forEach((pixel, i) => {
    if (i % 200 === 0) codes.push(256)
    codes.push(pixel)
  })
  codes.push(257)
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const code of codes) {
    bits |= code << count
    for (count += 9; count >= 8; count -= 8, bits >>= 8) bytes.push(bits & 255)
  }
  if (count) bytes.push(bits)
  const out = [8]
  for (let at = 0; at < bytes.length; at += 255) out.push(Math.min(255, bytes.length - at), ...bytes.slice(at, at + 255))
  return [...out, 0]
}

/** Returns a GIF of full frames with one palette of 256 colours (RGB triples). */
export function gifFile(width: number, height: number, palette: readonly number[], frames: readonly GifFrame[]): Uint8Array {
  const word = (value: number) => [value & 255, value >> 8]
  const out = [...new TextEncoder().encode('GIF89a'), ...word(width), ...word(height), 0xf7, 0, 0, ...palette]
  if (frames.length > 1) out.push(0x21, 0xff, 11, ...new TextEncoder().encode('NETSCAPE2.0'), 3, 1, 0, 0, 0)
  for (const { pixels, delay } of frames) {
    out.push(0x21, 0xf9, 4, 4, ...word(delay), 0, 0)
    out.push(0x2c, 0, 0, 0, 0, ...word(width), ...word(height), 0, ...plainCodes(pixels))
  }
  return Uint8Array.from([...out, 0x3b])
}

/** Returns a 24-bit BMP of RGB rows. */
export function bmpFile(width: number, height: number, rgb: Uint8Array): Uint8Array {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const file = new Uint8Array(54 + rowBytes * height)
  const view = new DataView(file.buffer)
  file.set([0x42, 0x4d])
  view.setUint32(2, file.length, true)
  view.setUint32(10, 54, true)
  view.setUint32(14, 40, true)
  view.setInt32(18, width, true)
  view.setInt32(22, height, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, 24, true)
  for (let y = 0; y < height; y++) {
    const row = 54 + (height - 1 - y) * rowBytes
    for (let i = 0; i < width * 3; i++) file[row + i] = rgb[(y * width + Math.floor(i / 3)) * 3 + 2 - (i % 3)] ?? 0
  }
  return file
}
