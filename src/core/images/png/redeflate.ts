/**
 * Compresses the image data of a small PNG again with an optimal Deflate parser. The gain is worth its time for small files, such as
 * icons.
 */

import { chunk } from '../../../../wasm/png/chunks.ts'
import { CHANNELS, type ColourType, type Effort } from '../../../../wasm/png/engine.ts'
import { concat } from '../../bytes/concat.ts'
import { adler32, deflateThorough, zlibDecompress } from '../../bytes/deflate.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { DEFAULT_EFFORT, type Effort as SearchEffort } from '../../catalog/effort.ts'
import type { Options } from '../../model/codec.ts'
import { ALWAYS_ROW_BYTES, ALWAYS_THOROUGH_BYTES, MOST_DRAWING_SHARE, MOST_ROW_BYTES, PASSES_BEFORE_REDEFLATE } from './tuning.ts'

export interface PngRowForm {
  readonly width: number
  readonly height: number
  readonly bitDepth: number
  readonly colourType: ColourType
}

/** Size in bytes of the filtered rows. `undefined`: they are too many to be compressed twice at this effort. */
export function rowBytesIfFew({ width, height, bitDepth, colourType }: PngRowForm, effort = DEFAULT_EFFORT): number | undefined {
  const bytes = (1 + Math.ceil((width * CHANNELS[colourType] * bitDepth) / 8)) * height
  return isWorthRedeflating(bytes, 0, effort) ? bytes : undefined
}

/**
 * True if a PNG is deflated again, judged by a size in bytes that is near the final one. @param rowBytes size of the filtered rows in bytes
 */
export function isWorthRedeflating(rowBytes: number, size: number, effort: SearchEffort = DEFAULT_EFFORT): boolean {
  if (rowBytes > (effort === 'fast' ? ALWAYS_THOROUGH_BYTES : MOST_ROW_BYTES)) return false
  return effort === 'best' || rowBytes <= ALWAYS_ROW_BYTES || size <= rowBytes * MOST_DRAWING_SHARE
}

/** Effort of an encoding that is deflated again. Fewer rounds of the optimal parser choose the same filters. */
export const beforeRedeflate = (effort: Effort): Effort => ({ ...effort, passes: PASSES_BEFORE_REDEFLATE })

/**
 * Returns the PNG with recompressed image data in one IDAT chunk. `undefined`: that is not smaller, or not worth its time. `pieces` are
 * the signature with IHDR, then one chunk each; `rowBytes` is the size of the filtered rows.
 */
export async function redeflated(
  pieces: readonly Uint8Array[],
  rowBytes: number,
  { signal, effort }: Pick<Options, 'signal' | 'effort'>,
): Promise<Uint8Array[] | undefined> {
  const first = pieces.findIndex(isData)
  const stream = concat(pieces.filter(isData).map((piece) => piece.subarray(8, -4)))
  if (!isWorthRedeflating(rowBytes, stream.length, effort)) return undefined
  const rows = zlibDecompress(stream, rowBytes)
  const thorough = await deflateThorough(rows, stream.length - ZLIB_BYTES, signal)
  if (!thorough || thorough.length + ZLIB_BYTES >= stream.length) return undefined
  const data = ByteWriter.growing(false).u16(ZLIB_HEADER).bytes(thorough).u32(adler32(rows)).finish()
  return [...pieces.slice(0, first), chunk('IDAT', data), ...pieces.slice(first).filter((piece) => !isData(piece))]
}

/** Bytes of zlib header and checksum around a Deflate stream (RFC 1950). */
const ZLIB_BYTES = 6
/** zlib header: window of 32 KiB, slowest algorithm, no dictionary (RFC 1950). */
const ZLIB_HEADER = 0x78da

const IDAT = [0x49, 0x44, 0x41, 0x54]
const isData = (piece: Uint8Array) => IDAT.every((byte, i) => piece[4 + i] === byte)
