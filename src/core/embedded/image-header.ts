/** Reads the headers of embedded pictures. Everything else is left to the codecs. */

import { orientationOf } from '../images/raster/orientation.ts'

type PictureKind = 'jpg' | 'png' | 'gif' | 'bmp'

export interface PictureHeader {
  readonly kind: PictureKind
  /** Stored pixels, before any EXIF orientation is applied. */
  readonly width: number
  readonly height: number
  /** True if rows can be decoded as grey, RGB or YCbCr for comparison. */
  readonly comparable: boolean
  /** False if the header rules out transparent pixels. */
  readonly mayBeTransparent: boolean
  /** True if the picture is displayed rotated or mirrored (EXIF orientation 2–8). */
  readonly isRotated: boolean
}

/** Reads the header of a JPEG, PNG, GIF or BMP. `undefined`: another format, or a damaged header. */
export function readPictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const plain = { comparable: false, mayBeTransparent: true, isRotated: false } satisfies Partial<PictureHeader>
  try {
    if (view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) return png(bytes, view)
    if (view.getUint16(0) === 0xffd8 && view.getUint8(2) === 0xff) return jpeg(bytes, view)
    if (view.getUint32(0) === 0x47494638) return { kind: 'gif', width: view.getUint16(6, true), height: view.getUint16(8, true), ...plain }
    if (view.getUint16(0) === 0x424d) {
      return {
        kind: 'bmp',
        width: Math.abs(view.getInt32(18, true)),
        height: Math.abs(view.getInt32(22, true)),
        ...plain,
        mayBeTransparent: false,
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

/** Reads IHDR (W3C PNG, 11.2.1) and the types of the chunks before the image data. */
function png(bytes: Uint8Array, view: DataView): PictureHeader | undefined {
  const colourType = view.getUint8(25)
  let transparent = colourType === 4 || colourType === 6
  let animated = false
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at)) {
    const type = view.getUint32(at + 4)
    if (type === 0x49444154) break // chunk type IDAT
    if (type === 0x74524e53) transparent = true // chunk type tRNS
    if (type === 0x6163544c) animated = true // chunk type acTL
  }
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  return { kind: 'png', width, height, comparable: !animated, mayBeTransparent: transparent, isRotated: false }
}

/** Reads the frame header (ITU-T T.81, B.2) and EXIF's orientation. */
function jpeg(bytes: Uint8Array, view: DataView): PictureHeader | undefined {
  let turned = false
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at++
      continue
    }
    const length = view.getUint16(at + 2)
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      const comparable = view.getUint8(at + 9) !== 4
      return {
        kind: 'jpg',
        width: view.getUint16(at + 7),
        height: view.getUint16(at + 5),
        comparable,
        mayBeTransparent: false,
        isRotated: turned,
      }
    }
    if (marker === 0xda || length < 2) return undefined
    if (marker === 0xe1 && length > 16 && view.getUint32(at + 4) === 0x45786966)
      turned ||= orientationOf(bytes.subarray(at + 10, at + 2 + length)) > 1
    at += 2 + length
  }
  return undefined
}
