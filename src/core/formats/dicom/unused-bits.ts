/** Classifies the bits of a sample's cell that hold no sample data (PS3.5, 8.1.1): above Bits Stored, or below it if High Bit is higher. */

import type { Source } from '../../model/codec.ts'
import type { DicomFile } from './file.ts'
import { littleEndianPixels } from './frames.ts'
import { PIXEL_READ_BYTES } from './tuning.ts'

const BITS_ALLOCATED = 0x0028_0100
const BITS_STORED = 0x0028_0101
const HIGH_BIT = 0x0028_0102
const PIXEL_REPRESENTATION = 0x0028_0103
const OVERLAY_ROWS = 0x6000_0010
const OVERLAY_DATA = 0x6000_3000
/** Overlay planes have groups 6000, 6002 … 601E. */
const OVERLAY_PLANES = 16

/**
 * `clear`: unused bits are zero, or there are none. `signs`: they extend the sign of at least one negative sample. `foreign`: other data,
 * for example an overlay, which toolkits drop, keep or add to the samples.
 */
export type UnusedBits = 'clear' | 'signs' | 'foreign'

export async function unusedBits(dicom: DicomFile, source: Source, tick: () => Promise<void>): Promise<UnusedBits> {
  const [allocated, stored] = [dicom.number(BITS_ALLOCATED), dicom.number(BITS_STORED)]
  if (!dicom.pixels || !allocated || !stored) return 'clear'
  if (hasOverlayInPixels(dicom) || stored > allocated || (dicom.number(HIGH_BIT) ?? stored - 1) !== stored - 1) return 'foreign'
  if (stored === allocated) return 'clear'
  if (allocated !== 8 && allocated !== 16 && allocated !== 32) return 'foreign'
  const cells = allocated === 8 ? Int8Array : allocated === 16 ? Int16Array : Int32Array
  const isSigned = dicom.number(PIXEL_REPRESENTATION) === 1
  const read = littleEndianPixels(dicom, source)
  const whole = dicom.pixels.bytes - (dicom.pixels.bytes % cells.BYTES_PER_ELEMENT)
  let found: UnusedBits = 'clear'
  for (let at = 0; at < whole; at += PIXEL_READ_BYTES) {
    const bytes = new Uint8Array(await read(at, Math.min(PIXEL_READ_BYTES, whole - at)))
    const inPart = classifyCells(new cells(bytes.buffer), stored, isSigned)
    if (inPart === 'foreign') return 'foreign'
    if (inPart === 'signs') found = 'signs'
    await tick()
  }
  return found
}

/** Classifies the unused bits of cells with 8, 16 or 32 bits, read as signed numbers. */
function classifyCells(cells: Int8Array | Int16Array | Int32Array, stored: number, isSigned: boolean): UnusedBits {
  let negative = false
  for (let i = 0; i < cells.length; i++) {
    const above = cells[i]! >> stored
    if (above === 0) {
      // A signed sample with its highest stored bit set is negative, so zeros above it are not its sign.
      if (isSigned && cells[i]! >> (stored - 1) !== 0) return 'foreign'
      continue
    }
    if (!isSigned || cells[i]! >> (stored - 1) !== -1) return 'foreign'
    negative = true
  }
  return negative ? 'signs' : 'clear'
}

/** True if an overlay plane has no Overlay Data: its bits are then in Pixel Data (retired; PS3.3-2003, C.9.2). */
function hasOverlayInPixels(dicom: DicomFile): boolean {
  for (let plane = 0; plane < OVERLAY_PLANES; plane++) {
    const group = plane * 0x2_0000
    if (dicom.valueAt(OVERLAY_ROWS + group) !== undefined && dicom.valueAt(OVERLAY_DATA + group) === undefined) return true
  }
  return false
}
