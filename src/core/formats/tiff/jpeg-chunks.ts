/**
 * Optimises JPEG strips and tiles: same coefficients, fewer bytes. Each gets its own Huffman tables, and the shared ones are dropped.
 * Decoders keep a strip's tables for later strips, in any order, so every strip must define its own.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { isSparse } from '../../containers/tiff/decode.ts'
import type { TiffFile } from '../../containers/tiff/directory.ts'
import {
  DHT,
  DQT,
  type JpegSegment,
  jpegSegments,
  jpegStream,
  jpegTablesOf,
  readJpegHead,
  withoutSegments,
} from '../../containers/tiff/jpeg.ts'
import type { PixelStorage } from '../../containers/tiff/pixels.ts'
import { isCodecError } from '../../model/error.ts'
import { JPEG_SAMPLES, MAX_JPEG_CHUNK_BYTES, MAX_JPEG_SHARE } from './tuning.ts'

/** Returns the shared JPEG tables (tag JPEGTables) without the Huffman tables. */
export const sharedTables = (pixels: PixelStorage): Uint8Array | undefined =>
  pixels.jpegTables && withoutSegments(pixels.jpegTables, ({ marker }) => marker === DHT)

/**
 * Returns a strip or tile with its own Huffman tables: optimised ones, or the shared ones if those are smaller. @throws EngineError,
 * CodecError (malformed)
 */
export async function optimisedChunk(file: TiffFile, pixels: PixelStorage, index: number): Promise<Uint8Array> {
  using job = await JpegJob.read(jpegStream(file, pixels, index))
  const shared = pixels.jpegTables ? [...jpegSegments(pixels.jpegTables)] : []
  const own = [...jpegSegments(await readJpegHead(file, pixels, index))].map(({ marker }) => marker)
  const codes = own.includes(DHT) ? [] : shared.filter(({ marker }) => marker === DHT).map(({ bytes }) => bytes)
  const keptBytes = codes.reduce((sum, { length }) => sum + length, pixels.lengths[index]!)
  // Optimising drops other segments before and between the scans, so such strips are not optimised.
  const optimised =
    job.lateSegments.length > 0 || own.some(isOther) ? undefined : besideShared(concat(job.write('read', 'sequential')), shared)
  if (optimised && optimised.length < keptBytes) return optimised
  const stored = await file.source.read(pixels.offsets[index]!, pixels.lengths[index]!)
  return concat([stored.subarray(0, 2), ...codes, stored.subarray(2)])
}

/** True for application segments and comments. Adobe's segment defines the colour components. */
const isOther = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

/**
 * Returns a stream without its quantisation tables if they equal the shared ones. `undefined`: the shared tables use the same slots for
 * other values.
 */
function besideShared(stream: Uint8Array, shared: readonly JpegSegment[]): Uint8Array | undefined {
  const known = jpegTablesOf(shared)
  const isKnown = (segment: JpegSegment) => [...jpegTablesOf([segment])].every(([name, table]) => isSame(known.get(name), table))
  const steps = [...jpegSegments(stream)].filter(({ marker }) => marker === DQT)
  if (steps.every(isKnown)) return withoutSegments(stream, ({ marker }) => marker === DQT)
  return shared.some(({ marker }) => marker === DQT) ? undefined : stream
}

const isSame = (known: Uint8Array | undefined, table: Uint8Array) => known !== undefined && equalBytes(known, table)

/** True if some strips or tiles, spread over the picture, become smaller, and all of them can be decoded. */
export async function mayOptimise(file: TiffFile, pixels: PixelStorage): Promise<boolean> {
  const present = [...pixels.lengths.keys()].filter((index) => !isSparse(pixels, index))
  if (present.some((index) => pixels.lengths[index]! > MAX_JPEG_CHUNK_BYTES)) return false
  const stride = Math.max(1, Math.floor(present.length / JPEG_SAMPLES))
  let [before, after] = [0, 0]
  try {
    for (let at = 0; at < present.length; at += stride) {
      before += pixels.lengths[present[at]!]!
      after += (await optimisedChunk(file, pixels, present[at]!)).length
    }
    if (!(after < before * MAX_JPEG_SHARE)) return false
    for (const index of present) await chunkDigest(file, pixels, index)
    return true
  } catch (error) {
    if (isEngineError(error, 'jpeg') || isCodecError(error, 'malformed')) return false
    throw error
  }
}

/** Hash of the coefficients and quantisation tables of a strip or tile. */
export async function chunkDigest(file: TiffFile, pixels: PixelStorage, index: number): Promise<string> {
  using job = await JpegJob.read(jpegStream(file, pixels, index), { kind: 'hash' })
  return job.digest()
}
