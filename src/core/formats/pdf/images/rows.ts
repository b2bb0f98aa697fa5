/** Decodes images of all supported kinds into rows of 8-bit samples. */

import { isEngineError } from '../../../../../wasm/engine-error.ts'
import { JpegRows } from '../../../../../wasm/jpeg/jpeg.ts'
import { withEngines } from '../../../../../wasm/loading/engine-files.ts'
import type { JpxPicture } from '../../../../../wasm/openjpeg/openjpeg.ts'
import { concat } from '../../../bytes/concat.ts'
import { message } from '../../../i18n/message.ts'
import { decodeChunks, GENERIC_FILTERS } from '../filters.ts'
import { PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type ImageFacts, imageFilter, PALETTE_BASES, type Palette } from './facts.ts'
import { jp2Colour } from './jp2.ts'
import type { PixelLayout } from './scale.ts'

export interface Rows extends PixelLayout {
  /** Samples per pixel: 1, 3 or 4. Four are CMYK samples as stored. */
  channels: number
  /** Yields whole rows in strips; can be read only once. */
  strips: AsyncIterable<Uint8Array>
}

export type DctScale = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

const STRIP_BYTES = 256 * 1024
const MAX_SAMPLE_BYTES = 2 * 1024 * 1024 * 1024
const MAX_GATHERED_BYTES = 8 * 1024 * 1024
const MAX_JPX_BYTES = 12 * 1024 * 1024

/** Colour space families whose samples can be coded as JPEG and averaged. */
const CONTINUOUS: ReadonlySet<string> = new Set([...PALETTE_BASES, 'Separation'])

/** True if `openRows` can decode this image for lossy recompression. */
export function hasRows(facts: ImageFacts): boolean {
  if (facts.stencil || facts.colourKey || facts.matte) return false
  if (facts.chain.some((filter) => filter.name === 'Crypt')) return false
  // A /Decode array that increases contrast would amplify errors after they were measured.
  if (facts.decode?.some((value) => !(value >= 0 && value <= 1))) return false
  const filter = imageFilter(facts)
  if (filter === 'DCTDecode') return CONTINUOUS.has(facts.family) && [1, 3, 4].includes(facts.components) && facts.bitsPerComponent === 8
  if (filter === 'JPXDecode') return !facts.ownMask && !facts.palette && (facts.family === '' || CONTINUOUS.has(facts.family))
  if (filter !== '' || !hasGenericFilters(facts)) return false
  if (facts.palette) return !facts.decode && facts.bitsPerComponent >= 2 && facts.bitsPerComponent <= 8
  return (
    CONTINUOUS.has(facts.family) && [1, 3, 4].includes(facts.components) && (facts.bitsPerComponent === 8 || facts.bitsPerComponent === 16)
  )
}

/**
 * True if an image can be decoded for lossless recompression or comparison. In addition to `hasRows`, this includes grey samples of 1, 2
 * and 4 bits and one-bit palettes.
 */
export function hasExactRows(facts: ImageFacts): boolean {
  if (hasRows(facts)) return true
  const { stencil, colourKey, matte, decode, family, components, bitsPerComponent, palette } = facts
  const isPlain = !stencil && !colourKey && !matte && !decode && components === 1 && [1, 2, 4].includes(bitsPerComponent)
  return isPlain && (palette !== undefined || CONTINUOUS.has(family)) && imageFilter(facts) === '' && hasGenericFilters(facts)
}

const hasGenericFilters = ({ chain }: ImageFacts) => chain.every((filter) => GENERIC_FILTERS.has(filter.name))

/**
 * Decodes an image into rows. `dctScale`: scale of a JPEG in eighths, 8 is full size.
 * @throws PdfSyntax if the data is damaged.
 */
export async function openRows(reader: Reader, stream: Stream, facts: ImageFacts, dctScale: DctScale = 8): Promise<Rows> {
  const filter = imageFilter(facts)
  if (filter === 'DCTDecode') return jpegRows(reader, stream, facts, dctScale)
  return filter === 'JPXDecode' ? jpxRows(reader, stream, facts) : sampleRows(reader, stream, facts)
}

/** Yields the data of the image filter, with the generic filters around it decoded. */
export function imageDataChunks(reader: Reader, stream: Stream, facts: ImageFacts): AsyncIterable<Uint8Array> {
  let flow: AsyncIterable<Uint8Array> = reader.pieces(stream)
  for (const filter of facts.chain.slice(0, -1)) flow = decodeChunks(filter, flow, MAX_SAMPLE_BYTES, MAX_GATHERED_BYTES)
  return flow
}

/** Yields the JPEG data of an image. The consumer must copy each chunk before it requests the next one. */
export function jpegDataChunks(reader: Reader, stream: Stream, facts: ImageFacts): AsyncIterable<Uint8Array> {
  return facts.chain.length === 1 ? reader.releasedPieces(stream) : imageDataChunks(reader, stream, facts)
}

async function jpegRows(reader: Reader, stream: Stream, facts: ImageFacts, dctScale: DctScale): Promise<Rows> {
  const rows = await JpegRows.open(jpegDataChunks(reader, stream, facts), { dctScale }).catch(throwAsPdfSyntax)
  if (rows.channels !== facts.components)
    throw new PdfSyntax(message('jpeg_of_channels_in_space', { channels: rows.channels, components: facts.components }))
  const [width, height] = [facts.width, facts.height].map((side) => Math.ceil((side * dctScale) / 8))
  if (rows.width !== width || rows.height !== height) throw new PdfSyntax('jpeg_of_another_size_than_dictionary_says')
  return { width: rows.width, height: rows.height, channels: rows.channels, strips: stripsOf(rows) }
}

async function* stripsOf(rows: JpegRows): AsyncGenerator<Uint8Array> {
  try {
    yield* rows.strips(Math.max(16, Math.floor(STRIP_BYTES / rows.stride)))
  } catch (error) {
    throwAsPdfSyntax(error)
  }
}

/** Pixels per strip when decoding JPEG 2000; each pixel takes 12 bytes of memory. */
const JPX_STRIP_PIXELS = 1_000_000

async function jpxRows(reader: Reader, stream: Stream, facts: ImageFacts): Promise<Rows> {
  const parts: Uint8Array[] = []
  for await (const piece of imageDataChunks(reader, stream, facts)) {
    parts.push(piece)
    if (parts.length * piece.length > 2 * MAX_JPX_BYTES) break
  }
  const data = concat(parts)
  if (data.length > MAX_JPX_BYTES) throw new PdfSyntax('jpeg_2000_data_over_limit')
  const picture = await openJpx(data)
  const { width, height, components, isDecodable: plain } = picture
  // If the document gives no colour space, the one in the JPEG 2000 file applies (ISO 32000-2, 8.9.5, table 87). Only greyscale and RGB are
  // supported.
  const own = jp2Colour(data)
  const expected = facts.components || (own === 'gray' ? 1 : own === 'rgb' ? 3 : own === undefined ? components : 0)
  const fits = plain && width === facts.width && height === facts.height && components === expected
  if (!fits || ![1, 3, 4].includes(components)) throw new PdfSyntax('jpeg_2000_of_kind_not_followed')
  const rows = Math.max(64, Math.ceil(JPX_STRIP_PIXELS / width))
  return { width, height, channels: components, strips: jpxStrips(picture, rows) }
}

async function openJpx(data: Uint8Array): Promise<JpxPicture> {
  const engine = await withEngines(import('../../../../../wasm/openjpeg/openjpeg.ts'))
  try {
    return new engine.JpxPicture(data)
  } catch (error) {
    return throwAsPdfSyntax(error)
  }
}

async function* jpxStrips(opened: JpxPicture, rows: number): AsyncGenerator<Uint8Array> {
  using picture = opened
  try {
    yield* picture.strips(rows)
  } catch (error) {
    throwAsPdfSyntax(error)
  }
}

export function throwAsPdfSyntax(error: unknown): never {
  if (isEngineError(error, 'jpeg', 'openjpeg')) throw new PdfSyntax(message('of_named', { name: error.name, what: error.message }))
  throw error
}

/** Decodes uncompressed samples: groups them into rows, converts them to 8 bits and applies the palette. */
async function sampleRows(reader: Reader, stream: Stream, facts: ImageFacts): Promise<Rows> {
  const { flow } = await reader.decodedPieces(stream, MAX_SAMPLE_BYTES)
  return unpackSamples(flow, facts)
}

/** Layout of packed samples. */
type Samples = Pick<ImageFacts, 'width' | 'height' | 'bitsPerComponent' | 'components'> & {
  palette: Pick<Palette, 'channels' | 'bytes'> | undefined
}

/** Converts packed samples into rows of 8-bit samples. */
export function unpackSamples(samples: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, facts: Samples): Rows {
  const channels = facts.palette?.channels ?? facts.components
  return { width: facts.width, height: facts.height, channels, strips: expand(samples, facts) }
}

async function* expand(flow: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, facts: Samples): AsyncGenerator<Uint8Array> {
  const stride = Math.ceil((facts.width * facts.components * facts.bitsPerComponent) / 8)
  const wanted = Math.max(1, Math.floor(STRIP_BYTES / stride)) * stride
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let rows = 0
  for await (const piece of flow) {
    pending.push(piece)
    pendingBytes += piece.length
    if (pendingBytes < wanted) continue
    const bytes = concat(pending)
    const whole = Math.min(facts.height - rows, Math.floor(bytes.length / stride))
    if (whole > 0) yield toBytes(bytes.subarray(0, whole * stride), facts, stride)
    rows += whole
    pending = [bytes.slice(whole * stride)]
    pendingBytes = pending[0]!.length
    if (rows === facts.height) return
  }
  const bytes = concat(pending)
  const whole = Math.min(facts.height - rows, Math.floor(bytes.length / stride))
  if (rows + whole < facts.height) throw new PdfSyntax(message('rows_missing', { rows: rows + whole, height: facts.height }))
  yield toBytes(bytes.subarray(0, whole * stride), facts, stride)
}

function toBytes(bytes: Uint8Array, facts: Samples, stride: number): Uint8Array {
  const { bitsPerComponent: bits, width, components } = facts
  const palette = facts.palette ?? (bits < 8 ? greys(bits) : undefined)
  if (!palette) {
    if (bits === 8) return bytes
    // 16-bit samples are big-endian (ISO 32000-2, 8.9.5.2), so the first byte is the most significant one.
    return Uint8Array.from({ length: bytes.length >> 1 }, (_, i) => bytes[i * 2]!)
  }
  const rows = bytes.length / stride
  const { channels } = palette
  const out = new Uint8Array(rows * width * channels * components)
  const mask = (1 << bits) - 1
  let at = 0
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * bits
      const index = (bytes[y * stride + (bit >> 3)]! >> (8 - bits - (bit & 7))) & mask
      for (let c = 0; c < channels; c++) out[at++] = palette.bytes[index * channels + c]!
    }
  }
  return out
}

/** Palette of evenly spaced greys, 0 to 255, for samples of 1, 2 or 4 bits. */
const greys = (bits: number) => ({ channels: 1, bytes: Uint8Array.from({ length: 2 ** bits }, (_, i) => (i * 255) / (2 ** bits - 1)) })
