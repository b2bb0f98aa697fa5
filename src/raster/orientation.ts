/** EXIF orientation: for containers whose readers do not look there. */

const TAG_ORIENTATION = 0x0112

/** Where the value of the orientation stands, and what it is: 1–8 as in EXIF 2.32, 4.6.4.A; undefined where there is none. */
function findOrientation(exif: Uint8Array): { at: number; little: boolean; value: number } | undefined {
  if (exif.length < 14) return undefined
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength)
  const order = view.getUint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return undefined
  const little = order === 0x4949
  const ifd = view.getUint32(4, little)
  if (ifd + 2 > exif.length) return undefined
  const count = view.getUint16(ifd, little)
  for (let at = ifd + 2, i = 0; i < count && at + 12 <= exif.length; i++, at += 12) {
    if (view.getUint16(at, little) !== TAG_ORIENTATION) continue
    const value = view.getUint16(at + 8, little)
    return value >= 1 && value <= 8 ? { at: at + 8, little, value } : undefined
  }
  return undefined
}

export const orientationOf = (exif: Uint8Array | undefined): number => (exif && findOrientation(exif)?.value) ?? 1

/** EXIF that says the picture is upright. */
export function upright(exif: Uint8Array): Uint8Array {
  const found = findOrientation(exif)
  if (!found) return exif
  const copy = exif.slice()
  new DataView(copy.buffer).setUint16(found.at, 1, found.little)
  return copy
}

/** RGBA pixels turned and mirrored to stand upright. */
export function turned(
  pixels: Uint8ClampedArray<ArrayBuffer>,
  width: number,
  height: number,
  orientation: number,
): { pixels: Uint8ClampedArray<ArrayBuffer>; width: number; height: number } {
  if (orientation === 1) return { pixels, width, height }
  const across = orientation >= 5
  const [outWidth, outHeight] = across ? [height, width] : [width, height]
  const from = new Uint32Array(pixels.buffer)
  const to = new Uint32Array(from.length)
  // Rows and columns of the stored picture that become the top and the left, by orientation.
  const flipX = [2, 3, 7, 8].includes(orientation)
  const flipY = [3, 4, 6, 7].includes(orientation)
  for (let y = 0; y < outHeight; y++) {
    for (let x = 0; x < outWidth; x++) {
      const storedX = across ? y : x
      const storedY = across ? x : y
      to[y * outWidth + x] = from[(flipY ? height - 1 - storedY : storedY) * width + (flipX ? width - 1 - storedX : storedX)] ?? 0
    }
  }
  return { pixels: new Uint8ClampedArray(to.buffer), width: outWidth, height: outHeight }
}
