/**
 * Reads BMPs that all readers show alike: uncompressed, 1 to 24 bits, or 32 bits without transparency ([MS-WMF] 2.2.2.3, BitmapInfoHeader).
 */
import { ByteReader } from '../bytes/reader.ts'
import { type PlainPicture, physicalSize } from './plain-picture.ts'
import { MAX_REPLACED_PIXELS } from './tuning.ts'

export interface PlainBmp extends PlainPicture {
  /** Returns row `y` from the top as 8-bit RGB. The row is valid until the next call. */
  row(y: number): Uint8Array
}

const FILE_HEADER_BYTES = 14
/** Bytes of BITMAPINFOHEADER, BITMAPV4HEADER and BITMAPV5HEADER. */
const HEADERS: ReadonlySet<number> = new Set([40, 108, 124])
/** LCS_sRGB and LCS_WINDOWS_COLOR_SPACE: the BMP has no colour space of its own. */
const USUAL_COLOURS: ReadonlySet<number> = new Set([0x73524742, 0x57696e20])

/** `undefined`: another kind of BMP, a damaged BMP, or another format. */
export function readPlainBmp(bytes: Uint8Array): PlainBmp | undefined {
  const reader = new ByteReader(bytes, true)
  if (bytes.length < FILE_HEADER_BYTES + 40 || reader.u16(0) !== 0x4d42) return undefined
  const headerBytes = reader.u32(14)
  if (!HEADERS.has(headerBytes) || bytes.length < FILE_HEADER_BYTES + headerBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [width, signedHeight] = [view.getInt32(18, true), view.getInt32(22, true)]
  const height = Math.abs(signedHeight)
  const [bits, compression, start] = [reader.u16(28), reader.u32(30), reader.u32(10)]
  if (width < 1 || height < 1 || width * height > MAX_REPLACED_PIXELS || reader.u16(26) !== 1 || compression !== 0) return undefined
  if (![1, 4, 8, 24, 32].includes(bits) || (headerBytes > 40 && !USUAL_COLOURS.has(reader.u32(14 + 56)))) return undefined
  const stride = Math.ceil((width * bits) / 32) * 4
  if (start < FILE_HEADER_BYTES + headerBytes || start + stride * height > bytes.length) return undefined
  const pixels = bytes.subarray(start, start + stride * height)
  // A PNG has no place for data behind the pixels. Zeros are padding.
  if (bytes.subarray(start + stride * height).some((byte) => byte !== 0)) return undefined
  if (bits === 32 && !isOpaque(pixels)) return undefined
  const palette = bits <= 8 ? paletteOf(bytes.subarray(FILE_HEADER_BYTES + headerBytes, start), reader.u32(46), bits) : undefined
  if (bits <= 8 && !palette) return undefined
  const out = new Uint8Array(width * 3)
  const stored = (y: number) => pixels.subarray((signedHeight < 0 ? y : height - 1 - y) * stride)
  const row = (y: number) => (palette ? fromPalette(stored(y), palette, bits, out) : fromColours(stored(y), bits / 8, out))
  return {
    width,
    height,
    chunks: physicalSize(view.getInt32(38, true), view.getInt32(42, true)),
    row,
    *rows() {
      for (let y = 0; y < height; y++) yield row(y)
    },
  }
}

/** True if the fourth byte of all pixels is the same, 0 or 255, and thus no transparency. */
function isOpaque(pixels: Uint8Array): boolean {
  const first = pixels[3]
  if (first !== 0 && first !== 255) return false
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== first) return false
  return true
}

/** Palette with an entry for every possible index, blue first. Missing entries are black. */
function paletteOf(table: Uint8Array, used: number, bits: number): Uint8Array | undefined {
  const count = used === 0 ? 1 << bits : used
  if (count > 1 << bits || table.length < count * 4) return undefined
  const palette = new Uint8Array(4 << bits)
  palette.set(table.subarray(0, count * 4))
  return palette
}

function fromPalette(row: Uint8Array, palette: Uint8Array, bits: number, out: Uint8Array): Uint8Array {
  const [perByte, mask] = [8 / bits, (1 << bits) - 1]
  for (let x = 0; x * 3 < out.length; x++) {
    const index = (row[Math.floor(x / perByte)]! >> (8 - bits - (x % perByte) * bits)) & mask
    for (let c = 0; c < 3; c++) out[x * 3 + c] = palette[index * 4 + 2 - c]!
  }
  return out
}

function fromColours(row: Uint8Array, bytesAPixel: number, out: Uint8Array): Uint8Array {
  for (let x = 0; x * 3 < out.length; x++) for (let c = 0; c < 3; c++) out[x * 3 + c] = row[x * bytesAPixel + 2 - c]!
  return out
}
