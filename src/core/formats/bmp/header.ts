/**
 * Reads BMP headers: OS/2 1.x (12 bytes), OS/2 2.x (16 to 64), Windows V3 (40), with masks (52, 56), V4 (108) and V5 (124). Field names
 * and offsets follow Microsoft's documentation of BITMAPFILEHEADER, BITMAPINFOHEADER, BITMAPV4HEADER and BITMAPV5HEADER.
 */

import { ByteReader } from '../../bytes/reader.ts'
import { type MessageOrCode, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { type CodecError, malformed, unsupported } from '../../model/error.ts'
import { MOST_GAP_BYTES, MOST_PROFILE_BYTES } from './tuning.ts'

type BmpCoding = 'plain' | 'rle8' | 'rle4'

export interface BmpHeader {
  readonly width: number
  readonly height: number
  /** True if rows are stored from the top, which a negative height means. */
  readonly topDown: boolean
  /** Bits per pixel: 1, 4, 8, 16, 24 or 32. */
  readonly bits: number
  readonly coding: BmpCoding
  /** Palette: red, green and blue of up to 256 colours; empty above 8 bits. */
  readonly palette: Uint8Array
  /** Bit masks of red, green, blue and alpha in 16- and 32-bit pixels. Alpha mask 0: no alpha. */
  readonly masks: readonly [number, number, number, number]
  /** `pixelsAt`: offset of the pixels in the file. `rowBytes`: bytes of a stored row. */
  readonly pixelsAt: number
  readonly rowBytes: number
  /** Bytes of the DIB header, unchanged. */
  readonly dib: Uint8Array
  /** Embedded or linked ICC profile (V5), and its offset in the file. */
  readonly profile: Uint8Array | undefined
  readonly profileAt: number
  /** Bytes between headers and pixels. Readers ignore them; the result keeps them. Empty if all of them are zero. */
  readonly gap: Uint8Array
  readonly pixelsPerMetre: readonly [number, number]
}

const SIZES = [12, 16, 40, 52, 56, 64, 108, 124]
const NO_MASKS = [0, 0, 0, 0] as const

function damaged(what: MessageOrCode, offset: number): CodecError {
  return malformed('bmp', offset, what)
}

export async function readHeader(source: Source): Promise<BmpHeader> {
  const head = await source.read(0, 14 + 124 + 16 + 1024)
  if (head.length < 26) throw damaged(message('file_of_bytes', { fileSize: source.size }), 0)
  const reader = new ByteReader(head, true)
  if (reader.u16(0) !== 0x4d42) throw damaged('no_bm_signature', 0)
  const pixelsAt = reader.u32(10)
  const dibBytes = reader.u32(14)
  if (!SIZES.includes(dibBytes)) throw damaged(message('header_of_bytes', { size: dibBytes }), 14)
  if (head.length < 14 + dibBytes) throw damaged('file_ends_in_header', head.length)
  const dib = head.slice(14, 14 + dibBytes)
  const core = dibBytes === 12
  const signedHeight = core ? reader.u16(20) : reader.i32(22)
  const width = core ? reader.u16(18) : reader.i32(18)
  const height = Math.abs(signedHeight)
  const planes = reader.u16(core ? 22 : 26)
  const bits = reader.u16(core ? 24 : 28)
  const field = (offset: number) => (dibBytes >= offset + 4 ? reader.u32(14 + offset) : 0)
  if (width <= 0 || height === 0 || height > 0x7fffffff) throw damaged(message('bitmap_of', { width, height: signedHeight }), 18)
  if (planes !== 1) throw damaged(message('planes_found', { planes }), core ? 22 : 26)
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw unsupported(message('bits_per_pixel', { bits }))

  const coding = codingOf(field(16), bits, dibBytes, signedHeight < 0)
  const masked = field(16) === 3 || field(16) === 6
  const masks = masksOf(reader, bits, masked, dibBytes, field(16) === 6)
  const rowBytes = Math.ceil((width * bits) / 32) * 4
  const extraMasks = masked && dibBytes === 40 ? (field(16) === 6 ? 16 : 12) : 0
  const paletteAt = 14 + dibBytes + extraMasks
  const palette = paletteOf(head, { at: paletteAt, pixelsAt, bits, core, used: field(32) })
  if (pixelsAt < 14 + dibBytes || pixelsAt >= source.size)
    throw damaged(message('pixels_at_byte', { offset: pixelsAt, fileSize: source.size }), 10)
  if (coding === 'plain' && pixelsAt + rowBytes * height > source.size + 3) {
    throw damaged(message('bytes_of_pixels_expected_found', { expected: rowBytes * height, found: source.size - pixelsAt }), source.size)
  }
  const profile = await profileOf(source, dibBytes, field)
  const gapAt = paletteAt + (palette.length / 3) * (core ? 3 : 4)
  return {
    width,
    height,
    topDown: signedHeight < 0,
    bits,
    coding,
    palette,
    masks,
    pixelsAt,
    rowBytes,
    dib,
    ...profile,
    gap: await gapOf(source, gapAt, pixelsAt, profile),
    pixelsPerMetre: [field(24) | 0, field(28) | 0],
  }
}

function codingOf(compression: number, bits: number, dibBytes: number, topDown: boolean): BmpCoding {
  if (compression === 0) return 'plain'
  if (compression === 1 && bits === 8 && !topDown) return 'rle8'
  if (compression === 2 && bits === 4 && !topDown) return 'rle4'
  const os2 = dibBytes === 16 || dibBytes === 64
  if ((compression === 3 || compression === 6) && (bits === 16 || bits === 32) && !os2) return 'plain'
  if (compression <= 6 || (compression >= 11 && compression <= 13))
    throw unsupported(message('compression_with_bits', { compression, bits }))
  throw damaged(message('unknown_compression', { compression }), 30)
}

function masksOf(reader: ByteReader, bits: number, masked: boolean, dibBytes: number, withAlpha: boolean): BmpHeader['masks'] {
  if (bits !== 16 && bits !== 32) return NO_MASKS
  if (!masked) return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0]
  const alpha = dibBytes >= 56 || withAlpha
  if (reader.length < 14 + 40 + (alpha ? 16 : 12)) throw damaged('file_ends_in_masks', reader.length)
  const masks = [0, 4, 8, 12].map((at) => (at < 12 || alpha ? reader.u32(14 + 40 + at) : 0))
  const allMasks = masks.reduce((all, mask) => {
    const run = mask === 0 ? 1 : mask / (mask & -mask) + 1
    if (!Number.isInteger(Math.log2(Math.abs(run))) || (all & mask) !== 0) throw damaged('masks_with_gaps_or_in_each_other', 54)
    return all | mask
  }, 0)
  const narrow = masks.slice(0, 3).some((mask) => mask !== 0 && (mask >>> 0) / ((mask & -mask) >>> 0) <= 15)
  if (narrow) throw unsupported('fields_of_four_bits_or_less')
  if (allMasks === 0 || (bits === 16 && allMasks >>> 16 !== 0)) throw damaged('masks_fit_no_pixel', 54)
  return masks.map((mask) => mask >>> 0) as unknown as BmpHeader['masks']
}

/** Position and size of the palette, from the header fields. */
interface PaletteLocation {
  readonly at: number
  readonly pixelsAt: number
  readonly bits: number
  /** True for palette entries of three bytes, which the 12-byte header has. */
  readonly core: boolean
  /** Number of colours; 0: as many as `bits` can index. */
  readonly used: number
}

function paletteOf(head: Uint8Array, { at, pixelsAt, bits, core, used }: PaletteLocation): Uint8Array {
  if (bits > 8) return new Uint8Array()
  const entry = core ? 3 : 4
  const most = 1 << bits
  const capacity = Math.max(0, Math.floor((Math.min(pixelsAt, head.length) - at) / entry))
  const count = Math.min(used === 0 || used > most ? most : used, capacity, most)
  if (count === 0) throw damaged('no_room_for_palette', at)
  const rgb = new Uint8Array(count * 3)
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < 3; c++) rgb[3 * i + c] = head[at + entry * i + 2 - c] ?? 0
  }
  return rgb
}

/** Reads the profile by bV5CSType, bV5ProfileData and bV5ProfileSize. Offsets count from the DIB header. */
async function profileOf(source: Source, dibBytes: number, field: (offset: number) => number): Promise<Profile> {
  const type = field(56)
  const [offset, size] = [field(112), field(116)]
  const named = dibBytes >= 124 && (type === 0x4d424544 || type === 0x4c494e4b) // 'MBED' (embedded), 'LINK' (linked)
  if (!named || size === 0) return { profile: undefined, profileAt: 0 }
  if (size > MOST_PROFILE_BYTES || 14 + offset + size > source.size) throw damaged('profile_outside_file', 14 + 112)
  return { profile: (await source.read(14 + offset, size)).slice(), profileAt: 14 + offset }
}

type Profile = Pick<BmpHeader, 'profile' | 'profileAt'>

/** Bytes from `at` to `end`, without the profile if it lies there. Empty if all of them are zero. */
async function gapOf(source: Source, at: number, end: number, { profile, profileAt }: Profile): Promise<Uint8Array> {
  if (end - at > MOST_GAP_BYTES) throw unsupported(message('bytes_between_headers_and_pixels', { bytes: end - at }))
  const gap = end > at ? (await source.read(at, end - at)).slice() : new Uint8Array()
  const [from, to] = profile && profileAt < end ? [profileAt - at, profileAt - at + profile.length] : [gap.length, gap.length]
  const rest = gap.filter((_, i) => i < from || i >= to)
  if (rest.every((byte) => byte === 0)) return new Uint8Array()
  // Run lengths are padded to an even offset, which some readers count from the start of the file.
  if (rest.length % 2 === 1) throw unsupported(message('pixels_behind_odd_number_of_bytes_stay', { bytes: rest.length }))
  return rest
}
