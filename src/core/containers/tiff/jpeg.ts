/**
 * JPEG in strips and tiles: abbreviated streams whose shared tables are in one field (TIFF Technical Note 2, "Replacement TIFF/JPEG
 * specification").
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import type { TiffFile } from './directory.ts'
import { type PixelStorage, rowsOf } from './pixels.ts'
import { JPEG_ROWS, READ_BYTES } from './tuning.ts'

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
/** Markers of quantisation tables (DQT) and of Huffman tables (DHT). */
export const DQT = 0xdb
export const DHT = 0xc4
/** Markers of segments that define the colour space: APP0 (JFIF) and APP14 (Adobe). */
const COLOUR_MARKERS = new Set([0xe0, 0xee])

export interface JpegSegment {
  readonly marker: number
  /** Bytes of the segment, with marker and length. */
  readonly bytes: Uint8Array
}

/** Yields the segments up to the header of the first scan, without start and end markers. Stops early if the bytes are damaged. */
export function* jpegSegments(bytes: Uint8Array): Generator<JpegSegment> {
  for (let at = bytes[0] === 0xff && bytes[1] === SOI ? 2 : 0; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    if (marker === EOI) return
    const end = at + 2 + ((bytes[at + 2]! << 8) | bytes[at + 3]!)
    if (end > bytes.length) return
    yield { marker, bytes: bytes.subarray(at, end) }
    if (marker === SOS) return
    at = end
  }
}

/** Copies a JPEG stream without the segments before the first scan for which `drop` returns true. */
export function withoutSegments(stream: Uint8Array, drop: (segment: JpegSegment) => boolean): Uint8Array {
  const pieces: Uint8Array[] = [stream.subarray(0, 2)]
  let at = 2
  for (const segment of jpegSegments(stream)) {
    at += segment.bytes.length
    if (!drop(segment)) pieces.push(segment.bytes)
  }
  return concat([...pieces, stream.subarray(at)])
}

/**
 * Yields a strip or tile as a complete JPEG file. Each piece is valid until the next one.
 * @throws CodecError (malformed) if it is damaged or its size differs from the directory
 */
export async function* jpegStream(file: TiffFile, pixels: PixelStorage, index: number): AsyncGenerator<Uint8Array, void, undefined> {
  const { jpegTables } = pixels
  const [offset, length] = [pixels.offsets[index]!, pixels.lengths[index]!]
  const head = await readJpegHead(file, pixels, index)
  if (head[0] !== 0xff || head[1] !== SOI) throw malformed(file.format, offset, message('strip_or_tile_not_jpeg', { index }))
  const frame = frameOf(head)
  if (frame?.width !== pixels.chunkWidth || frame.height !== rowsOf(pixels, index))
    throw malformed(
      file.format,
      offset,
      frame
        ? message('strip_or_tile_of_size', { index, width: frame.width, height: frame.height })
        : message('strip_or_tile_without_frame', { index }),
    )
  if (jpegTables && redefinesTables(jpegTables, head))
    throw malformed(file.format, offset, message('strip_or_tile_has_other_tables', { index }))
  const isEnded = jpegTables && jpegTables.at(-2) === 0xff && jpegTables.at(-1) === EOI
  yield jpegTables ? jpegTables.subarray(0, isEnded ? -2 : undefined) : Uint8Array.of(0xff, SOI)
  for (let at = 2; at < length; at += READ_BYTES) yield await file.source.read(offset + at, Math.min(READ_BYTES, length - at))
}

/**
 * Yields the decoded rows of a strip or tile. Samples are not converted to another colour space.
 * @throws CodecError (malformed) if it is damaged, or coded so that readers would show other colours
 */
export async function* jpegRows(file: TiffFile, pixels: PixelStorage, index: number): AsyncGenerator<Uint8Array, void, undefined> {
  const offset = pixels.offsets[index]!
  const colour = storedColour(await readJpegHead(file, pixels, index), pixels.samples)
  if (!colour) throw malformed(file.format, offset, message('strip_or_tile_has_no_plain_samples', { index }))
  try {
    const rows = await JpegRows.open(jpegStream(file, pixels, index), { colour })
    yield* rows.strips(JPEG_ROWS)
  } catch (error) {
    if (isEngineError(error, 'jpeg') && error.failure !== 'memory' && error.failure !== 'misuse')
      throw malformed(file.format, offset, message('engine_reports', { problem: error.message }))
    throw error
  }
}

/** Reads the start of a strip or tile, with all segments before its first scan. */
export const readJpegHead = (file: TiffFile, { offsets, lengths }: PixelStorage, index: number) =>
  file.source.read(offsets[index]!, Math.min(lengths[index]!, READ_BYTES))

/** True if a strip redefines a shared table. Decoders keep tables between strips, so the result would depend on the reading order. */
function redefinesTables(shared: Uint8Array, stream: Uint8Array): boolean {
  const known = jpegTablesOf(jpegSegments(shared))
  for (const [name, table] of jpegTablesOf(jpegSegments(stream))) {
    const other = known.get(name)
    if (other && !equalBytes(other, table)) return true
  }
  return false
}

/** Tables by kind and slot: quantisation tables (T.81, B.2.4.1) and Huffman tables (B.2.4.2). One segment may contain several. */
export function jpegTablesOf(segments: Iterable<JpegSegment>): ReadonlyMap<string, Uint8Array> {
  const tables = new Map<string, Uint8Array>()
  for (const { marker, bytes } of segments) {
    if (marker !== DQT && marker !== DHT) continue
    for (let at = 4; at < bytes.length; ) {
      const first = bytes[at]!
      const length = marker === DHT ? 17 + bytes.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0) : first >> 4 ? 129 : 65
      tables.set(`${marker} ${marker === DHT ? first : first & 15}`, bytes.subarray(at, at + length))
      at += length
    }
  }
  return tables
}

interface Frame {
  readonly marker: number
  readonly width: number
  readonly height: number
  /** Three bytes for each component: id, sampling factors, quantisation table slot. */
  readonly components: readonly Uint8Array[]
}

/** Reads the frame header (T.81, B.2.2). */
function frameOf(head: Uint8Array): Frame | undefined {
  for (const { marker, bytes } of jpegSegments(head)) {
    if (marker < 0xc0 || marker > 0xcf || marker === DHT || marker === 0xc8 || marker === 0xcc) continue
    const reader = new ByteReader(bytes, false)
    const components = Array.from({ length: bytes[9] ?? 0 }, (_, i) => bytes.subarray(10 + 3 * i, 13 + 3 * i))
    return bytes.length < 10 ? undefined : { marker, height: reader.u16(5), width: reader.u16(7), components }
  }
  return undefined
}

/**
 * Colour space to pass to the decoder so that it does not convert samples. `undefined`: components are subsampled, or a segment names the
 * colour space.
 */
function storedColour(head: Uint8Array, samples: number): 'gray' | 'rgb' | 'ycbcr' | 'natural' | undefined {
  const frame = frameOf(head)
  // Baseline and extended sequential frames.
  if (frame?.marker !== 0xc0 && frame?.marker !== 0xc1) return undefined
  for (const { marker } of jpegSegments(head)) if (COLOUR_MARKERS.has(marker)) return undefined
  const [first] = frame.components
  if (frame.components.length !== samples || frame.components.some((component) => component[1] !== first![1])) return undefined
  if (samples === 1) return 'gray'
  // Decoders do not convert four components if no Adobe segment says YCCK.
  if (samples === 4) return 'natural'
  // Without such a segment, decoders use the component ids: "RGB" means RGB, all others mean YCbCr.
  const isNamed = frame.components.map((component) => String.fromCharCode(component[0]!)).join('') === 'RGB'
  return isNamed ? 'rgb' : 'ycbcr'
}
