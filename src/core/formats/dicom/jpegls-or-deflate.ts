/** Selects JPEG-LS or Deflate for a data set: only what all toolkits decode alike, and the smaller of the two. */

import { JpegLs } from '../../../../wasm/jpegls/jpegls.ts'
import { deflateRaw } from '../../bytes/deflate.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { Effort } from '../../catalog/effort.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { deflateObstacle } from './deflatable.ts'
import { deflatedFile, deflatedLevel } from './encode-deflated.ts'
import { canPatchGroup, jpegLsFrame } from './encode-jpegls.ts'
import type { DicomFile } from './file.ts'
import { type Frames, framesOf } from './frames.ts'
import { BAND_BYTES, BANDS, QUICK_LEVELS } from './tuning.ts'
import { type UnusedBits, unusedBits } from './unused-bits.ts'

const QUICK_BANDS = QUICK_LEVELS[1]

export interface Codings {
  readonly jpegLs: { readonly frames: Frames; readonly bits: number } | undefined
  readonly deflate: boolean
  /** Why neither JPEG-LS nor Deflate is possible. `undefined`: at least one is. */
  readonly refusal: Message | undefined
}

/**
 * Selects the codings that DCMTK, GDCM and pydicom decode to the same samples. GDCM 3.0 clears unused bits in deflated files; pydicom 3
 * clears them in native files but not in JPEG-LS.
 */
export async function codingsOf(dicom: DicomFile, source: Source, tick: () => Promise<void>): Promise<Codings> {
  const unused: UnusedBits = await unusedBits(dicom, source, tick)
  if (unused === 'foreign') {
    const refusal = message('unused_bits_hold_overlay')
    return { jpegLs: undefined, deflate: false, refusal }
  }
  const frames = canPatchGroup(dicom) ? framesOf(dicom, source) : undefined
  const why = await deflateObstacle(dicom, source)
  const jpegLs = frames && { frames, bits: precision(frames, unused) }
  return { jpegLs, deflate: why === undefined, refusal: frames ? undefined : why }
}

/**
 * Precision of the JPEG-LS code in bits. It must fit Bits Allocated (PS3.5, 8.2.3), because toolkits use one byte for up to 8 bits and two
 * for more. Below 8 bits, DCMTK 3.6.7 fails. Negative samples need all allocated bits.
 */
function precision({ frame, bitsStored }: Frames, unused: UnusedBits): number {
  if (frame.sampleBytes === 1) return 8
  return unused === 'signs' ? 16 : Math.max(9, bitsStored)
}

/**
 * Returns the deflated file and its level if it is smaller than `limit`. Skips the slow level if faster ones show that it will not be.
 */
export async function deflatedBelow(
  file: DicomFile,
  source: Source,
  limit: number,
  effort?: Effort,
): Promise<{ readonly pieces: Uint8Array[]; readonly level: number } | undefined> {
  let bytes = 0
  for (const { level, share } of QUICK_LEVELS) {
    const pieces = await deflatedWithin(file, source, limit * share, level)
    if (!pieces) return undefined
    bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  }
  const level = await deflatedLevel(source, effort, bytes / source.size)
  const pieces = await deflatedWithin(file, source, limit, level)
  return pieces && { pieces, level }
}

/** Returns the deflated file if it is smaller than `limit` bytes. */
async function deflatedWithin(file: DicomFile, source: Source, limit: number, level: number): Promise<Uint8Array[] | undefined> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of deflatedFile(file, source, level)) {
    bytes += piece.length
    if (bytes >= limit) return undefined
    pieces.push(piece)
  }
  return pieces
}

/** True if Deflate makes sampled bands of rows smaller than JPEG-LS does. The slow level runs only if a faster one does not decide. */
export async function isDeflateSmaller(frames: Frames, bits: number): Promise<boolean> {
  const { width, height, components, sampleBytes } = frames.frame
  const rowBytes = width * components * sampleBytes
  const rows = Math.min(height, Math.max(1, Math.floor(BAND_BYTES / rowBytes)))
  using coder = new JpegLs()
  const bands: Uint8Array[] = []
  let jpegLs = 0
  let quick = 0
  for (let i = 0; i < BANDS; i++) {
    const index = Math.floor((frames.count * (i + 0.5)) / BANDS)
    const row = Math.floor(((height - rows) * ((i * 5) % BANDS)) / (BANDS - 1))
    const band = (await frames.rows(index)(row * rowBytes, rows * rowBytes)).slice()
    const frame = { ...jpegLsFrame(frames, bits), height: rows }
    for await (const piece of coder.encode(frame, async (offset, length) => band.subarray(offset, offset + length))) jpegLs += piece.length
    quick += deflateRaw(band, QUICK_BANDS.level).length
    bands.push(band)
    await yieldToEventLoop()
  }
  if (quick < jpegLs || quick >= jpegLs * QUICK_BANDS.share) return quick < jpegLs
  let deflate = 0
  for (const band of bands) {
    deflate += deflateRaw(band).length
    await yieldToEventLoop()
  }
  return deflate < jpegLs
}
