/** Reads the inventory of BMP files (Microsoft: BITMAPFILEHEADER to BITMAPV5HEADER; OS/2 1.x and 2.x). */
import type { Source } from '../model/codec.ts'
import { Fields } from './fields.ts'
import { FileView } from './file-view.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addResolution } from './picture-items.ts'
import { digestOfRange } from './tiff-directory.ts'
import { addTrailingBytes } from './trailing.ts'

const FILE_HEADER_BYTES = 14
/** Header sizes of versions 2 and 3 with resolution, 4 with a colour space, 5 with a profile. */
const [V3_BYTES, V4_BYTES, V5_BYTES] = [40, 108, 124]
const CORE_BYTES = 12
/** Compressions whose size only the header says: run lengths, JPEG and PNG. */
const COMPRESSED: ReadonlySet<number> = new Set([1, 2, 4, 5])
/** Names of colour spaces (bV4CSType), also in the wrong byte order; 0 is a calibrated space with primaries and gamma. */
const SPACES: { readonly [type: number]: string } = {
  1934772034: 'sRGB',
  1111970419: 'sRGB',
  1466527264: 'Windows',
  544106839: 'Windows',
  1296188740: 'profile',
  1279872587: 'linked profile',
}
/** Primaries, and from offset 96 on the gamma of each channel, of a calibrated colour space. Without gamma it has no effect. */
const CALIBRATION = { at: 60, length: 48 }

async function readBmp(view: FileView): Promise<Inventory> {
  const builder = new InventoryBuilder()
  const head = Fields.little((await view.bytesUpTo(0, FILE_HEADER_BYTES + V5_BYTES)).slice())
  if (head.length < FILE_HEADER_BYTES + CORE_BYTES || head.text(0, 2) !== 'BM') throw view.malformed(0)
  const dib = head.part(FILE_HEADER_BYTES)
  const dibBytes = dib.u32(0)
  if (dib.length < Math.min(dibBytes, V5_BYTES)) throw view.malformed(FILE_HEADER_BYTES)
  if (dibBytes >= V3_BYTES) addResolution(builder, dib.i32(24), dib.i32(28))
  if (dibBytes >= V4_BYTES) addColourSpace(builder, dib)
  const profileEnd = dibBytes >= V5_BYTES ? await addEmbeddedProfile(builder, view, dib) : 0
  const pixelEnd = endOfPixels(dib, dibBytes, head.u32(10)) ?? head.u32(2)
  if (pixelEnd > 0) await addTrailingBytes(builder, view, Math.max(pixelEnd, profileEnd))
  return builder.build()
}

function addColourSpace(builder: InventoryBuilder, dib: Fields): void {
  const type = dib.u32(56)
  const calibration = dib.part(CALIBRATION.at, CALIBRATION.at + CALIBRATION.length)
  const isComplete = [96, 100, 104].every((at) => dib.u32(at) !== 0)
  const calibrated = calibration.bytes.every((byte) => byte === 0)
    ? 'unset'
    : `${isComplete ? '' : 'in'}complete calibration ${calibration.hex()}`
  const name = type === 0 ? calibrated : (SPACES[type] ?? `0x${type.toString(16)}`)
  builder.add('colour_signalling', `BMP colour space = ${name}`)
}

/** Adds the profile of a version 5 header, whose offset counts from the header. Returns the end of the profile; 0: none. */
async function addEmbeddedProfile(builder: InventoryBuilder, view: FileView, dib: Fields): Promise<number> {
  const [offset, length] = [dib.u32(112), dib.u32(116)]
  const at = FILE_HEADER_BYTES + offset
  if (!offset || !length || at + length > view.size) return 0
  builder.add('icc_profile', `profile = ${length} bytes #${await digestOfRange(view, at, length)}`)
  return at + length
}

/** End of the pixels from their size. `undefined`: only the length of the file in the header says it. */
function endOfPixels(dib: Fields, dibBytes: number, pixelsAt: number): number | undefined {
  if (dibBytes === CORE_BYTES) return pixelsAt + rowBytes(dib.u16(4), dib.u16(10)) * dib.u16(6)
  if (dibBytes < V3_BYTES) return pixelsAt + rowBytes(dib.i32(4), dib.u16(14)) * Math.abs(dib.i32(8))
  const size = dib.u32(20)
  if (COMPRESSED.has(dib.u32(16))) return size > 0 ? pixelsAt + size : undefined
  return pixelsAt + rowBytes(dib.i32(4), dib.u16(14)) * Math.abs(dib.i32(8))
}

/** Rows are padded to four bytes. */
const rowBytes = (width: number, bits: number) => Math.ceil((width * bits) / 32) * 4

export const BMP_READER: InventoryReader = { read: (source: Source, signal: AbortSignal) => readBmp(new FileView(source, 'bmp', signal)) }
