/** Reads DICOM files whose elements besides the pixel data do not fit in memory: documents, meshes, float pixels, private data. */

import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { ElementReader, type Encoding, EXPLICIT_LITTLE, ITEM, PIXEL_DATA, WindowTooShort } from './elements.ts'
import { isSignature, readMeta, SYNTAX } from './file.ts'
import { FIRST_WINDOW_BYTES, MAX_SEQUENCE_BYTES } from './tuning.ts'
import { KNOWN_VRS, LONG_VRS } from './vr.ts'

const BITS_ALLOCATED = 0x0028_0100
const BITS_STORED = 0x0028_0101

export interface LargeDicomFile {
  readonly encoding: Encoding
  start(syntax: string): Uint8Array
  readonly signed: boolean
  /** Offset of the data set in the source. It extends to the end of the file and is deflated unchanged. */
  readonly dataSetAt: number
}

/**
 * Checks the top level of an explicit little-endian data set without reading values.
 * @throws CodecError (malformed), CodecError (unsupported_feature), CodecError (over_budget)
 */
export async function readLargeDicom(source: Source): Promise<LargeDicomFile> {
  const meta = readMeta(new ElementReader(await source.read(0, FIRST_WINDOW_BYTES), EXPLICIT_LITTLE, source.size))
  if (meta.syntax !== SYNTAX.explicitLittle) throw overBudget('too_much_beside_pixels_not_explicit')
  let signed = false
  const bits = new Map<number, number>()
  let window = new Uint8Array(0)
  let windowAt = 0
  for (let at = meta.end; at < source.size; ) {
    if (at + 12 > windowAt + window.length) {
      window = new Uint8Array(await source.read(at, FIRST_WINDOW_BYTES))
      windowAt = at
    }
    const header = new ElementReader(window.subarray(at - windowAt), EXPLICIT_LITTLE, source.size - at)
    if (header.bytes.length < 8) throw malformed('dicom', at, 'element_without_end')
    const tag = header.tag(0)
    if (tag >= ITEM) throw malformed('dicom', at, 'item_outside_of_sequence')
    if (tag >>> 16 === 4) throw unsupported('directory_points_at_own_bytes')
    if (isSignature(tag)) signed = true
    if ((tag === BITS_ALLOCATED || tag === BITS_STORED) && header.bytes.length >= 10) bits.set(tag, header.uint16(8))
    if (tag === PIXEL_DATA && bits.get(BITS_ALLOCATED) !== bits.get(BITS_STORED)) {
      throw overBudget('too_much_beside_pixels_with_unused_bits')
    }
    at = definedEnd(header, at, source.size) ?? (await undefinedEnd(source, at))
  }
  return { encoding: EXPLICIT_LITTLE, start: meta.start, signed, dataSetAt: meta.end }
}

/** End of an element of defined length. `undefined`: its length is undefined. */
function definedEnd(reader: ElementReader, at: number, size: number): number | undefined {
  const vr = String.fromCharCode(reader.bytes[4]!, reader.bytes[5]!)
  if (!KNOWN_VRS.has(vr)) throw unsupported(message('no_value_representation_at_byte', { at }))
  const long = LONG_VRS.has(vr)
  if (long && reader.bytes.length < 12) throw malformed('dicom', at, 'element_without_end')
  const length = long ? reader.uint32(8) : reader.uint16(6)
  if (length === 0xffff_ffff) {
    if (reader.tag(0) === PIXEL_DATA) throw malformed('dicom', at, 'encapsulated_pixel_data_in_native_file')
    return undefined
  }
  const end = at + (long ? 12 : 8) + length
  if (end > size) throw malformed('dicom', at, message('element_of_bytes_file_ends', { length, size }))
  return end
}

async function undefinedEnd(source: Source, at: number): Promise<number> {
  for (let length = FIRST_WINDOW_BYTES; ; length = Math.min(length * 4, MAX_SEQUENCE_BYTES)) {
    try {
      return at + new ElementReader(await source.read(at, length), EXPLICIT_LITTLE, source.size - at).element(0, 1).end
    } catch (error) {
      if (!(error instanceof WindowTooShort)) throw error
      if (length >= MAX_SEQUENCE_BYTES) throw overBudget(message('sequence_of_more_than_bytes', { limit: MAX_SEQUENCE_BYTES }))
    }
  }
}
