/** Reads native pixel data (PS3.5, 8.1) as frames for JPEG-LS, with range access to their rows. */

import { JpegLs, type JpegLsFrame } from '../../../../wasm/jpegls/jpegls.ts'
import type { Source } from '../../model/codec.ts'
import type { DicomFile } from './file.ts'
import { swapWords } from './to-explicit.ts'
import { PIXEL_READ_BYTES } from './tuning.ts'

export interface Frames {
  /** Frame format without the precision, which `codingsOf` chooses. */
  readonly frame: Omit<JpegLsFrame, 'bits'>
  readonly count: number
  readonly bitsStored: number
  /** Reads bytes `offset` to `offset + length` of a frame: whole rows, samples interleaved by pixel, little endian. */
  rows(index: number): (offset: number, length: number) => Promise<Uint8Array>
}

/** Returns a function that reads pixel bytes as an explicit little-endian file has them. */
export function littleEndianPixels(dicom: DicomFile, source: Source): (offset: number, length: number) => Promise<Uint8Array> {
  const { at, vr } = dicom.pixels!
  const word = dicom.encoding.littleEndian || vr !== 'OW' ? 1 : 2
  const read = readAhead(source)
  // Bytes are swapped in pairs, so ranges start and end at even offsets. A single last byte is not swapped.
  return async (offset, length) => {
    if (word === 1) return read(at + offset, length)
    const from = offset & ~1
    const bytes = await read(at + from, (offset + length - from + 1) & ~1)
    return swapWords(bytes.subarray(0, bytes.length & ~1), 2).subarray(offset - from, offset - from + length)
  }
}

/** Reads at least one megabyte at a time, so that consecutive ranges need few reads. */
function readAhead(source: Source): (offset: number, length: number) => Promise<Uint8Array> {
  let start = 0
  let held: Uint8Array = new Uint8Array()
  return async (offset, length) => {
    if (offset < start || offset + length > start + held.length) {
      held = await source.read(offset, Math.max(length, PIXEL_READ_BYTES))
      start = offset
    }
    return held.subarray(offset - start, offset - start + length)
  }
}

/** Photometric interpretations allowed for JPEG-LS (PS3.5, table 8.2.3-1), with their samples per pixel. */
const COLOURS: { readonly [photometric: string]: 1 | 3 } = { MONOCHROME1: 1, MONOCHROME2: 1, 'PALETTE COLOR': 1, RGB: 3, YBR_FULL: 3 }

/** True if the standard allows JPEG-LS for these pixels. */
function isInTable(dicom: DicomFile, components: number, bitsAllocated: number, bitsStored: number): boolean {
  const photometric = dicom.text(0x0028_0004) ?? ''
  const isGrey = photometric.startsWith('MONOCHROME')
  if (COLOURS[photometric] !== components || bitsStored < 2) return false
  if (photometric === 'YBR_FULL' && (bitsAllocated !== 8 || bitsStored !== 8)) return false
  return isGrey || dicom.number(0x0028_0103) !== 1
}

/**
 * Returns the frames for JPEG-LS. `undefined`: JPEG-LS cannot store the pixels exactly, or the standard does not allow it (1 or 32 bits,
 * 4:2:2, wrong length).
 */
export function framesOf(dicom: DicomFile, source: Source): Frames | undefined {
  if (!dicom.pixels) return undefined
  const height = dicom.number(0x0028_0010)
  const width = dicom.number(0x0028_0011)
  const components = dicom.number(0x0028_0002) ?? 1
  const bitsAllocated = dicom.number(0x0028_0100)
  const bitsStored = dicom.number(0x0028_0101)
  const highBit = dicom.number(0x0028_0102)
  const planar = components > 1 && dicom.number(0x0028_0006) === 1
  const count = Number(dicom.text(0x0028_0008) || 1)
  if (!height || !width || !bitsStored || !Number.isInteger(count) || count < 1) return undefined
  if ((components !== 1 && components !== 3) || (bitsAllocated !== 8 && bitsAllocated !== 16) || width > JpegLs.maxWidth) return undefined
  if (bitsStored > bitsAllocated || highBit !== bitsStored - 1) return undefined
  if (!isInTable(dicom, components, bitsAllocated, bitsStored)) return undefined
  // In big-endian files, 8-bit bytes of OW are swapped in pairs. 16-bit samples must be OW.
  if (!dicom.encoding.littleEndian && bitsAllocated === 16 && dicom.pixels.vr !== 'OW') return undefined
  const sampleBytes = bitsAllocated === 8 ? 1 : 2
  const planeBytes = height * width * sampleBytes
  const frameBytes = planeBytes * components
  const spare = dicom.pixels.bytes - frameBytes * count
  if (spare !== 0 && !(spare === 1 && (frameBytes * count) % 2 === 1)) return undefined

  const frame = { width, height, components, sampleBytes } as const
  if (!planar) {
    const read = littleEndianPixels(dicom, source)
    return { frame, count, bitsStored, rows: (index) => (offset, length) => read(index * frameBytes + offset, length) }
  }
  const planes = Array.from({ length: components }, () => littleEndianPixels(dicom, source))
  const rows = (index: number) => async (offset: number, length: number) => {
    const out = new Uint8Array(length)
    const samples = length / components / sampleBytes
    for (const [c, read] of planes.entries()) {
      const plane = await read(index * frameBytes + c * planeBytes + offset / components, length / components)
      for (let i = 0; i < samples; i++) {
        for (let b = 0; b < sampleBytes; b++) out[(i * components + c) * sampleBytes + b] = plane[i * sampleBytes + b]!
      }
    }
    return out
  }
  return { frame, count, bitsStored, rows }
}
