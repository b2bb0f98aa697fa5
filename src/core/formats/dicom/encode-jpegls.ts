/** Writes and verifies data sets with JPEG-LS pixel data, one fragment per frame (PS3.5, A.4 and A.4.3). */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JpegLs, type JpegLsFrame } from '../../../../wasm/jpegls/jpegls.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Sink, Source } from '../../model/codec.ts'
import { PATCHABLE_BYTES } from '../../model/codec.ts'
import { ITEM, PIXEL_DATA, SEQUENCE_END, UNDEFINED_LENGTH } from './elements.ts'
import { beforePixels, type DicomFile, SYNTAX } from './file.ts'
import type { Frames } from './frames.ts'
import { explicitHeader, itemHeader } from './to-explicit.ts'
import { MAX_BUFFERED_FRAME_BYTES, PATCH_MARGIN_BYTES } from './tuning.ts'

const PLANAR_CONFIGURATION = 0x0028_0006

export const jpegLsFrame = (frames: Frames, bits: number): JpegLsFrame => ({ ...frames.frame, bits })

/** Writes the file. With several frames, the offset table (one entry per frame) is patched at the end. */
export async function encodeWithJpegLs(dicom: DicomFile, frames: Frames, bits: number, sink: Sink, tick: (share: number) => Promise<void>) {
  const start = jpegLsStart(dicom, frames)
  const tableAt = start.length - frames.count * 4
  await sink.write(start)
  const offsets = new ByteWriter(new Uint8Array(frames.count * 4), true)
  using coder = new JpegLs()
  const { width, height, components, sampleBytes } = frames.frame
  const small = width * height * components * sampleBytes <= MAX_BUFFERED_FRAME_BYTES
  let offset = 0
  for (let index = 0; index < frames.count; index++) {
    offsets.u32(offset)
    // The length of a fragment precedes it: a small frame's code is kept in memory, a large frame is encoded twice.
    const code = () => coder.encode(jpegLsFrame(frames, bits), frames.rows(index))
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of code()) {
      bytes += piece.length
      if (small) pieces.push(piece)
      else await tick(index / frames.count)
    }
    await sink.write(itemHeader(ITEM, bytes + (bytes % 2)))
    for await (const piece of small ? pieces : code()) if (piece.length > 0) await sink.write(piece)
    if (bytes % 2) await sink.write(new Uint8Array(1))
    offset += 8 + bytes + (bytes % 2)
    await tick((index + 1) / frames.count)
  }
  await sink.write(itemHeader(SEQUENCE_END, 0))
  await sink.write(dicom.after.slice())
  if (hasTable(dicom, frames)) sink.patch(tableAt, offsets.finish())
  const length = groupLength(dicom, start.length + offset)
  if (length) sink.patch(length.at, length.value)
}

/** Decodes every frame of the result and compares it with the source. Describes the first difference; `undefined`: none. */
export async function jpegLsDiffers(
  dicom: DicomFile,
  frames: Frames,
  bits: number,
  result: Source,
  tick: (share: number) => Promise<void>,
): Promise<string | undefined> {
  const start = jpegLsStart(dicom, frames)
  const table = hasTable(dicom, frames) ? frames.count * 4 : 0
  const stored = await result.read(0, start.length)
  const length = groupLength(dicom, result.size - dicom.after.length - 8)
  if (length) start.set(length.value, length.at)
  for (let i = 0; i < start.length - table; i++) if (start[i] !== stored[i]) return `byte ${i} before the frames differs`
  const reader = new ByteReader(stored, true)
  using coder = new JpegLs()
  let at = start.length
  for (let index = 0; index < frames.count; index++) {
    if (table && reader.u32(start.length - table + 4 * index) !== at - start.length) return `the offset of frame ${index} is wrong`
    const header = await result.read(at, 8)
    const bytes = new ByteReader(header, true).u32(4)
    if (!equal(header, itemHeader(ITEM, bytes)) || at + 8 + bytes > result.size) return `the fragment of frame ${index} is invalid`
    const from = at + 8
    const difference = await firstDifference(
      coder.decode(jpegLsFrame(frames, bits), bytes, (offset, length) => result.read(from + offset, length)),
      frames.rows(index),
    )
    if (difference !== undefined) return `frame ${index}: ${difference}`
    at += 8 + bytes
    await tick((index + 1) / frames.count)
  }
  const end = await result.read(at, result.size - at)
  if (!equal(end.subarray(0, 8), itemHeader(SEQUENCE_END, 0))) return 'the delimiter after the frames is missing'
  return equal(end.subarray(8), dicom.after) ? undefined : 'the elements after the pixel data differ'
}

/** Compares decoded rows with the rows of the original frame. */
async function firstDifference(decoded: AsyncIterable<Uint8Array>, original: ReturnType<Frames['rows']>): Promise<string | undefined> {
  let at = 0
  try {
    for await (const rows of decoded) {
      const wanted = await original(at, rows.length)
      for (let i = 0; i < rows.length; i++) if (rows[i] !== wanted[i]) return `byte ${at + i} differs`
      at += rows.length
    }
  } catch (error) {
    if (isEngineError(error, 'jpegls')) return error.message
    throw error
  }
  return undefined
}

/**
 * New value of the group length of Pixel Data and its offset in the file. `end`: offset after the frames. `undefined`: the file has no
 * such group length.
 */
function groupLength(dicom: DicomFile, end: number): { at: number; value: Uint8Array } | undefined {
  const at = dicom.pixelGroupLengthAt
  if (at === undefined) return undefined
  const startOfData = dicom.start(SYNTAX.jpegLsLossless).length
  const delimiter = 8
  const bytes = end + delimiter - startOfData - dicom.before.length
  return { at: startOfData + at, value: beforePixels(dicom, bytes).slice(at, at + 4) }
}

/** False if the group length is too far into the file to be patched at the end. */
export const canPatchGroup = (dicom: DicomFile): boolean =>
  dicom.pixelGroupLengthAt === undefined || dicom.before.length + PATCH_MARGIN_BYTES < PATCHABLE_BYTES

/** Bytes before the first frame. The offset table at their end is still empty. */
function jpegLsStart(dicom: DicomFile, frames: Frames): Uint8Array {
  const meta = dicom.start(SYNTAX.jpegLsLossless)
  const tableBytes = hasTable(dicom, frames) ? frames.count * 4 : 0
  const pixels = explicitHeader(PIXEL_DATA, 'OB', UNDEFINED_LENGTH)
  const start = new Uint8Array(meta.length + dicom.before.length + pixels.length + 8 + tableBytes)
  start.set(meta)
  start.set(dicom.before, meta.length)
  // JPEG-LS with line interleaving decodes to samples interleaved by pixel, so Planar Configuration is 0 (PS3.5, 8.2.3).
  const planarAt = dicom.valueAt(PLANAR_CONFIGURATION)
  if (planarAt !== undefined && frames.frame.components > 1) start[meta.length + planarAt] = 0
  start.set(pixels, meta.length + dicom.before.length)
  start.set(itemHeader(ITEM, tableBytes), meta.length + dicom.before.length + pixels.length)
  return start
}

/**
 * True if the file gets an offset table. It is optional (PS3.5, A.4): omitted for one frame, or if it is too far into the file to be
 * patched.
 */
function hasTable(dicom: DicomFile, frames: Frames): boolean {
  return frames.count > 1 && dicom.before.length + frames.count * 4 + PATCH_MARGIN_BYTES < PATCHABLE_BYTES
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
