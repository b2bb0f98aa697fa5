/** An EXIF block from its TIFF header on (no `Exif\0\0`), as far as its first directory (TIFF 6.0, section 2). */
export interface FirstDirectory {
  readonly view: DataView
  readonly little: boolean
  /** Offset of the number of entries, which are 12 bytes each and follow it. */
  readonly at: number
  readonly count: number
}

/** undefined where the block ends before its directory begins, or is none. Entries may still be missing. */
export function firstDirectory(exif: Uint8Array): FirstDirectory | undefined {
  if (exif.length < 8) return undefined
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength)
  const order = view.getUint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return undefined
  const little = order === 0x4949
  const at = view.getUint32(4, little)
  return at + 2 <= exif.length ? { view, little, at, count: view.getUint16(at, little) } : undefined
}
