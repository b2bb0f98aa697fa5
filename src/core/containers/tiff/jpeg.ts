/**
 * JPEG in strips and tiles: abbreviated streams, with what they have in common in one field (TIFF Technical Note 2, "Replacement
 * TIFF/JPEG specification").
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import type { TiffFile } from './directory.ts'
import { type Pixels, rowsOf } from './pixels.ts'

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
/** Tables: of steps, of codes. */
export const DQT = 0xdb
export const DHT = 0xc4
/** APP0 of JFIF and APP14 of Adobe say what the components are. */
const NAMES_COLOURS = new Set([0xe0, 0xee])
const READ_BYTES = 256 * 1024
/** Rows that are decoded at a time. */
const STRIP_ROWS = 16

export interface Segment {
  readonly marker: number
  /** With marker and length. */
  readonly bytes: Uint8Array
}

/** Segments up to the first scan's header, without start and end markers; fewer where the bytes are damaged. */
export function* jpegSegments(bytes: Uint8Array): Generator<Segment> {
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

/** Everything up to the first scan but what `drop` names, then the rest. */
export function withoutSegments(stream: Uint8Array, drop: (segment: Segment) => boolean): Uint8Array {
  const pieces: Uint8Array[] = [stream.subarray(0, 2)]
  let at = 2
  for (const segment of jpegSegments(stream)) {
    at += segment.bytes.length
    if (!drop(segment)) pieces.push(segment.bytes)
  }
  return concat([...pieces, stream.subarray(at)])
}

/**
 * A strip or tile as a file of its own, in pieces of which each holds until the next. @throws CodecError (malformed) also where it has
 * another size than the directory says
 */
export async function* jpegStream(file: TiffFile, pixels: Pixels, index: number): AsyncGenerator<Uint8Array, void, undefined> {
  const { jpegTables } = pixels
  const [offset, length] = [pixels.offsets[index]!, pixels.lengths[index]!]
  const head = await headOf(file, pixels, index)
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
  if (jpegTables && definesAnew(jpegTables, head))
    throw malformed(file.format, offset, message('strip_or_tile_has_other_tables', { index }))
  const isEnded = jpegTables && jpegTables.at(-2) === 0xff && jpegTables.at(-1) === EOI
  yield jpegTables ? jpegTables.subarray(0, isEnded ? -2 : undefined) : Uint8Array.of(0xff, SOI)
  for (let at = 2; at < length; at += READ_BYTES) yield await file.source.read(offset + at, Math.min(READ_BYTES, length - at))
}

/**
 * The rows of a strip or tile, samples as they are stored. @throws CodecError (malformed) also where it is coded in a way that
 * readers take for other colours
 */
export async function* jpegRows(file: TiffFile, pixels: Pixels, index: number): AsyncGenerator<Uint8Array, void, undefined> {
  const offset = pixels.offsets[index]!
  const colour = storedColour(await headOf(file, pixels, index), pixels.samples)
  if (!colour) throw malformed(file.format, offset, message('strip_or_tile_has_no_plain_samples', { index }))
  try {
    const rows = await JpegRows.open(jpegStream(file, pixels, index), { colour })
    yield* rows.strips(STRIP_ROWS)
  } catch (error) {
    if (isEngineError(error, 'jpeg') && error.failure !== 'memory' && error.failure !== 'misuse')
      throw malformed(file.format, offset, message('engine_reports', { problem: error.message }))
    throw error
  }
}

/** The beginning of a strip or tile, with all that stands before its first scan. */
export const headOf = (file: TiffFile, { offsets, lengths }: Pixels, index: number) =>
  file.source.read(offsets[index]!, Math.min(lengths[index]!, READ_BYTES))

/** Decoders keep tables from one strip to the next: what is defined in two ways depends on the order of reading. */
function definesAnew(shared: Uint8Array, stream: Uint8Array): boolean {
  const known = tablesOf(jpegSegments(shared))
  for (const [name, table] of tablesOf(jpegSegments(stream))) {
    const other = known.get(name)
    if (other && Buffer.compare(other, table) !== 0) return true
  }
  return false
}

/** Tables by kind and slot: steps (T.81, B.2.4.1) and Huffman codes (B.2.4.2), of which a segment holds several. */
export function tablesOf(segments: Iterable<Segment>): ReadonlyMap<string, Uint8Array> {
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
  /** Name, sampling factors, slot of the steps: three bytes each. */
  readonly components: readonly Uint8Array[]
}

/** The frame header (T.81, B.2.2). */
function frameOf(head: Uint8Array): Frame | undefined {
  for (const { marker, bytes } of jpegSegments(head)) {
    if (marker < 0xc0 || marker > 0xcf || marker === DHT || marker === 0xc8 || marker === 0xcc) continue
    const reader = new ByteReader(bytes, false)
    const components = Array.from({ length: bytes[9] ?? 0 }, (_, i) => bytes.subarray(10 + 3 * i, 13 + 3 * i))
    return bytes.length < 10 ? undefined : { marker, height: reader.u16(5), width: reader.u16(7), components }
  }
  return undefined
}

/** How a decoder is asked for the components as they are; undefined where one has another size, or something names colours. */
function storedColour(head: Uint8Array, samples: number): 'gray' | 'rgb' | 'ycbcr' | 'natural' | undefined {
  const frame = frameOf(head)
  // Baseline and extended, sequential.
  if (frame?.marker !== 0xc0 && frame?.marker !== 0xc1) return undefined
  for (const { marker } of jpegSegments(head)) if (NAMES_COLOURS.has(marker)) return undefined
  const [first] = frame.components
  if (frame.components.length !== samples || frame.components.some((component) => component[1] !== first![1])) return undefined
  if (samples === 1) return 'gray'
  // Four are taken as they are, where no segment says YCCK.
  if (samples === 4) return 'natural'
  // Without a segment that says more, decoders go by these names; all others are YCbCr to them.
  const isNamed = frame.components.map((component) => String.fromCharCode(component[0]!)).join('') === 'RGB'
  return isNamed ? 'rgb' : 'ycbcr'
}
