/** Reads the header of a NIfTI volume: NIfTI-1 (348 bytes) or NIfTI-2 (540 bytes), in either byte order. */

export interface NiftiHeader {
  readonly version: 1 | 2
  readonly littleEndian: boolean
  /** True if header and volume are in one file ("n+1", "n+2"). False: the volume is in a separate image file ("ni1", "ni2"). */
  readonly single: boolean
  /** End of the volume in bytes from the start of its file. */
  readonly endOfVolume: number
}

export const HEADER_BYTES = 540
const MAX_DIMENSIONS = 7

/** Reads the header. `undefined`: not a NIfTI file, or invalid dimensions. */
export function readNiftiHeader(head: Uint8Array): NiftiHeader | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (head.length < 348) return undefined
  for (const littleEndian of [true, false]) {
    const sizeof_hdr = view.getInt32(0, littleEndian)
    if (sizeof_hdr === 348) return readVersion1(view, littleEndian)
    if (sizeof_hdr === 540 && head.length >= HEADER_BYTES) return readVersion2(view, littleEndian)
  }
  return undefined
}

/** Field offsets in nifti1.h: dim 40 (8 × int16), bitpix 72, vox_offset 108 (float), magic 344. */
function readVersion1(view: DataView, littleEndian: boolean): NiftiHeader | undefined {
  const single = view.getUint8(345) === 0x2b // '+' in the magic: header and volume are in one file
  const dimensions = Array.from({ length: MAX_DIMENSIONS + 1 }, (_, i) => view.getInt16(40 + 2 * i, littleEndian))
  const end = endOfVolume(dimensions, view.getInt16(72, littleEndian), view.getFloat32(108, littleEndian))
  return end === undefined ? undefined : { version: 1, littleEndian, single, endOfVolume: end }
}

/** Field offsets in nifti2.h: magic 4, bitpix 14, dim 16 (8 × int64), vox_offset 168 (int64). */
function readVersion2(view: DataView, littleEndian: boolean): NiftiHeader | undefined {
  const single = view.getUint8(5) === 0x2b
  const dimensions = Array.from({ length: MAX_DIMENSIONS + 1 }, (_, i) => Number(view.getBigInt64(16 + 8 * i, littleEndian)))
  const end = endOfVolume(dimensions, view.getInt16(14, littleEndian), Number(view.getBigInt64(168, littleEndian)))
  return end === undefined ? undefined : { version: 2, littleEndian, single, endOfVolume: end }
}

/**
 * End of the volume in bytes. `dim[0]` is the number of dimensions; a length of 0 or less counts as 1, as in the reference library.
 * `undefined`: invalid.
 */
function endOfVolume([rank, ...lengths]: number[], bitsPerVoxel: number, volumeOffset: number): number | undefined {
  if (rank === undefined || rank < 1 || rank > MAX_DIMENSIONS || bitsPerVoxel < 1) return undefined
  if (!Number.isFinite(volumeOffset) || volumeOffset < 0) return undefined
  const voxels = lengths.slice(0, rank).reduce((product, length) => product * Math.max(1, length), 1)
  const end = Math.floor(volumeOffset) + Math.ceil((voxels * bitsPerVoxel) / 8)
  return Number.isSafeInteger(end) ? end : undefined
}
