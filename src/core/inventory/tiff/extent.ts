/** Finds where the content of a TIFF file ends, so that bytes after it can be told apart. */
import { latin1Of } from '../../bytes/latin1.ts'
import type { FileView } from '../file-view.ts'
import { isInside, numbersOf, type TiffEntry, type TiffHeader } from '../tiff-directory.ts'

/** Numbers that are read at once from a list of offsets or lengths. */
const NUMBERS_AT_ONCE = 8192
const SIGNATURE = 'GDAL_STRUCTURAL_METADATA_SIZE='
/** Bytes of the signature, six digits, " bytes" and a line feed. */
const GHOST_HEADER_BYTES = 43

export class Extent {
  /** Offset after the last byte of the content. */
  end = 0
  readonly #view: FileView
  readonly #header: TiffHeader
  /** Bytes that GDAL repeats after each tile. */
  readonly #afterTile: number

  private constructor(view: FileView, header: TiffHeader, afterTile: number) {
    this.#view = view
    this.#header = header
    this.#afterTile = afterTile
  }

  /** Starts with the header, and the structural metadata of a cloud optimized GeoTIFF (GDAL, "Header ghost area"). */
  static async of(view: FileView, header: TiffHeader): Promise<Extent> {
    const at = header.big ? 16 : 8
    const start = latin1Of(await view.bytesUpTo(at, GHOST_HEADER_BYTES))
    const size = start.startsWith(SIGNATURE) ? /^\d{6}/.exec(start.slice(SIGNATURE.length)) : null
    const ghost = size ? latin1Of(await view.bytesUpTo(at, GHOST_HEADER_BYTES + Number(size[0]))) : ''
    const isValid = ghost.includes('KNOWN_INCOMPATIBLE_EDITION=NO')
    const extent = new Extent(view, header, isValid && ghost.includes('BLOCK_TRAILER=LAST_4_BYTES_REPEATED') ? 4 : 0)
    extent.add(0, at + (isValid ? ghost.length : 0))
    return extent
  }

  add(at: number, length: number): void {
    if (length > 0) this.end = Math.max(this.end, Math.min(at + length, this.#view.size))
  }

  /** Adds the ranges of two lists: offsets and lengths, for example of tiles. */
  async addRanges(offsets: TiffEntry | undefined, lengths: TiffEntry | undefined, areTiles: boolean): Promise<void> {
    if (!offsets || !lengths || !isInside(this.#view, offsets) || !isInside(this.#view, lengths)) return
    const count = Math.min(offsets.count, lengths.count)
    for (let from = 0; from < count; from += NUMBERS_AT_ONCE) {
      const [at, bytes] = [await this.#slice(offsets, from), await this.#slice(lengths, from)]
      for (const [i, length] of bytes.entries()) if (length > 0) this.add(at[i] ?? 0, length + (areTiles ? this.#afterTile : 0))
    }
  }

  async #slice(entry: TiffEntry, from: number): Promise<number[]> {
    const size = entry.byteLength / entry.count
    const count = Math.min(entry.count - from, NUMBERS_AT_ONCE)
    const part = { ...entry, valueAt: entry.valueAt + from * size, count, byteLength: count * size }
    return numbersOf(this.#view, this.#header, part, count)
  }
}
