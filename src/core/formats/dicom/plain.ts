/**
 * Presents files compressed by RLE (PS3.5, annex G), lossless JPEG (A.4.1) or Deflate (A.5) as explicit little-endian files. JPEG-LS beats
 * all three.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { concat } from '../../bytes/concat.ts'
import { inflateStream } from '../../bytes/inflate-stream.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { isCodecError, malformed } from '../../model/error.ts'
import { memorySource, rangeStream } from '../../model/source.ts'
import { recogniseBareDicom, withPreamble } from './bare.ts'
import { ElementReader, EXPLICIT_LITTLE, ITEM, PIXEL_DATA, SEQUENCE_END, UNDEFINED_LENGTH, WindowTooShort } from './elements.ts'
import { readMeta, SYNTAX } from './file.ts'
import { decodeLosslessJpeg, readHeader } from './lossless-jpeg.ts'
import { decodeRle } from './rle.ts'
import { explicitHeader } from './to-explicit.ts'
import {
  FIRST_WINDOW_BYTES,
  MAX_BEFORE_PIXELS_BYTES,
  MAX_FRAME_BYTES,
  MAX_FRAMES,
  MAX_INFLATED_BYTES,
  MAX_JPEG_HEADER_BYTES,
} from './tuning.ts'

const RLE = '1.2.840.10008.1.2.5'
const PACKED: { readonly [syntax: string]: 'RLE' | 'lossless JPEG' } = {
  [RLE]: 'RLE',
  '1.2.840.10008.1.2.4.57': 'lossless JPEG',
  '1.2.840.10008.1.2.4.70': 'lossless JPEG',
}
const PREAMBLE_BYTES = 132
const PHOTOMETRIC = 0x0028_0004

export interface DecodedSource {
  readonly source: Source
  /** Original compression. `undefined`: the file was not compressed. */
  readonly coding?: 'RLE' | 'lossless JPEG' | 'Deflate'
  /** Parts of PS3.10 that the file lacked. `undefined`: it was complete. */
  readonly added?: 'preamble_added' | 'preamble_and_meta_information_added'
}

/**
 * Returns the decoded file, or the file itself if it is not compressed this way or exceeds the decoder's limits. @throws CodecError
 * (malformed)
 */
export async function decodedSource(source: Source): Promise<DecodedSource> {
  const window = await source.read(0, FIRST_WINDOW_BYTES)
  const bare = recogniseBareDicom(window)
  if (bare) {
    const plain = await decodedSource(withPreamble(source, bare, window))
    return { ...plain, added: bare.syntax === undefined ? 'preamble_added' : 'preamble_and_meta_information_added' }
  }
  if (window.length <= PREAMBLE_BYTES || latin1Of(window.subarray(128, PREAMBLE_BYTES)) !== 'DICM') return { source }
  const meta = readMeta(new ElementReader(window, EXPLICIT_LITTLE, source.size))
  const packed = PACKED[meta.syntax]
  if (!packed && meta.syntax !== SYNTAX.deflated) return { source }
  const plain = packed ? await unpacked(source, meta) : await inflated(source, meta)
  return plain ? { source: plain, coding: packed ?? 'Deflate' } : { source }
}

type Meta = ReturnType<typeof readMeta>

async function inflated(source: Source, meta: Meta): Promise<Source | undefined> {
  const body = rangeStream(source.size - meta.end, (offset, length) => source.read(meta.end + offset, length))
  const chunks: Uint8Array[] = [meta.start(SYNTAX.explicitLittle)]
  try {
    for await (const chunk of inflateStream('raw', body, MAX_INFLATED_BYTES)) chunks.push(chunk)
  } catch (error) {
    if (!isEngineError(error, 'deflate')) throw error
    if (error.failure === 'too_large') return undefined
    throw malformed('dicom', meta.end, message('engine_reports', { problem: error.message }))
  }
  return memorySource(concat(chunks), source.name)
}

/** Returns a source that decodes pixels on demand, one frame at a time. `undefined`: the frames are not supported. */
async function unpacked(source: Source, meta: Meta): Promise<Source | undefined> {
  const found = await elementsBeforePixels(source, meta.end)
  const shape = found && shapeOf(found.reader, meta.end, found.pixelsAt)
  if (!shape) return undefined
  const fragments = await fragmentsOf(source, found.pixelsAt + 12)
  if (!fragments) return undefined
  const codes = meta.syntax === RLE ? await framesOfRle(source, fragments, shape.frames) : await framesOfJpeg(source, fragments.of)
  if (codes?.length !== shape.frames) return undefined
  if (meta.syntax !== RLE && !(await areLosslessJpeg(source, shape, codes))) return undefined
  const decode = meta.syntax === RLE ? decodeRle : decodeLosslessJpeg
  const pixelBytes = shape.frameBytes * shape.frames
  const even = pixelBytes + (pixelBytes % 2)
  const header = explicitHeader(PIXEL_DATA, shape.sampleBytes === 1 ? 'OB' : 'OW', even)
  const head = concat([meta.start(SYNTAX.explicitLittle), found.reader.bytes.subarray(meta.end, found.pixelsAt), header])
  const tailAt = head.length + even
  const size = tailAt + source.size - fragments.end
  let held = -1
  let pixels: Uint8Array = new Uint8Array()

  const decoded = async (index: number) => {
    if (held === index) return pixels
    discard(pixels)
    held = -1
    const frame = decode(shape, await codeOf(source, codes[index]!), codes[index]![0]!.at)
    ;[pixels, held] = [frame, index]
    await yieldToEventLoop()
    return frame
  }
  const read = async (offset: number, length: number) => {
    const out = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    for (let filled = 0; filled < out.length; ) {
      const at = offset + filled
      let part: Uint8Array
      if (at < head.length) part = head.subarray(at)
      else if (at < head.length + pixelBytes) {
        const index = Math.floor((at - head.length) / shape.frameBytes)
        part = (await decoded(index)).subarray(at - head.length - index * shape.frameBytes)
      } else if (at < tailAt) part = new Uint8Array(tailAt - at)
      else part = await source.read(fragments.end + at - tailAt, out.length - filled)
      if (part.length === 0) throw malformed('dicom', at, 'file_became_shorter')
      part = part.subarray(0, out.length - filled)
      out.set(part, filled)
      filled += part.length
    }
    return out
  }
  return { name: source.name, size, read, stream: () => rangeStream(size, read) }
}

interface Fragment {
  readonly at: number
  readonly bytes: number
}

interface Fragments {
  /** Basic offset table of the encapsulated pixel data, which may be empty. */
  readonly table: Fragment
  readonly of: readonly Fragment[]
  readonly end: number
}

async function codeOf(source: Source, fragments: readonly Fragment[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (const { at, bytes } of fragments) parts.push(await source.read(at, bytes))
  return parts.length === 1 ? parts[0]! : concat(parts)
}

/**
 * Assigns RLE fragments to frames. A frame has one fragment (A.4.2), but common writers split it; the offset table then gives the frames'
 * starts.
 */
async function framesOfRle(source: Source, { table, of }: Fragments, frames: number): Promise<Fragment[][] | undefined> {
  if (of.length === frames) return of.map((one) => [one])
  if (of.reduce((sum, { bytes }) => sum + bytes, 0) > 2 * MAX_FRAME_BYTES * frames) return undefined
  if (frames === 1) return [[...of]]
  if (table.bytes !== 4 * frames) return undefined
  const offsets = new ElementReader(await source.read(table.at, table.bytes), EXPLICIT_LITTLE)
  const starts = Array.from({ length: frames }, (_, i) => of.findIndex(({ at }) => at - of[0]!.at === offsets.uint32(4 * i)))
  if (starts[0] !== 0 || starts.some((start, i) => i > 0 && start <= starts[i - 1]!)) return undefined
  return starts.map((start, i) => of.slice(start, starts[i + 1]))
}

/** Assigns JPEG fragments to frames. A frame may have several (A.4.1). SOI, its first two bytes, cannot occur inside a stream. */
async function framesOfJpeg(source: Source, fragments: readonly Fragment[]): Promise<Fragment[][] | undefined> {
  const frames: Fragment[][] = []
  for (const fragment of fragments) {
    const start = await source.read(fragment.at, 2)
    if (start[0] === 0xff && start[1] === 0xd8) frames.push([])
    if (frames.length === 0) return undefined
    frames.at(-1)!.push(fragment)
  }
  return frames.some((frame) => frame.reduce((sum, { bytes }) => sum + bytes, 0) > 2 * MAX_FRAME_BYTES) ? undefined : frames
}

/** True if the lossless JPEG decoder supports every frame. */
async function areLosslessJpeg(source: Source, shape: Shape, codes: readonly Fragment[][]): Promise<boolean> {
  if (shape.sampleBytes > 2 || (shape.samples > 1 && !shape.rgb)) return false
  try {
    for (const [{ at, bytes }] of codes as [Fragment][])
      readHeader(shape, await source.read(at, Math.min(bytes, MAX_JPEG_HEADER_BYTES)), at)
  } catch (error) {
    if (isCodecError(error, 'unsupported_feature')) return false
    throw error
  }
  return true
}

/** Reads the start of the file up to the encapsulated pixel data. `undefined`: not found, or too far into the file. */
async function elementsBeforePixels(source: Source, from: number): Promise<{ reader: ElementReader; pixelsAt: number } | undefined> {
  for (let length = FIRST_WINDOW_BYTES; ; length *= 4) {
    const reader = new ElementReader(await source.read(0, length), EXPLICIT_LITTLE, source.size)
    try {
      for (let at = from; at + 12 <= source.size; ) {
        if (at + 12 > reader.bytes.length) throw new WindowTooShort(at + 12)
        if (reader.tag(at) === PIXEL_DATA) return reader.uint32(at + 8) === UNDEFINED_LENGTH ? { reader, pixelsAt: at } : undefined
        at = reader.element(at).end
      }
      return undefined
    } catch (error) {
      if (!(error instanceof WindowTooShort)) throw error
      if (length >= MAX_BEFORE_PIXELS_BYTES) return undefined
    }
  }
}

type Shape = NonNullable<ReturnType<typeof shapeOf>>

/** Reads the frame format from the image elements (PS3.3, C.7.6.3). `undefined`: frames are of another kind or too large. */
function shapeOf(reader: ElementReader, from: number, to: number) {
  const short = new Map<number, number>()
  let frames = 1
  let rgb = false
  for (let at = from; at < to; ) {
    const { tag, vr, valueAt, end } = reader.element(at)
    if (tag === PHOTOMETRIC) rgb = new TextDecoder('latin1').decode(reader.bytes.subarray(valueAt, end)).trim() === 'RGB'
    if (vr === 'US' && end - valueAt >= 2) short.set(tag, reader.uint16(valueAt))
    if (tag === 0x0028_0008) frames = Number(new TextDecoder('latin1').decode(reader.bytes.subarray(valueAt, end)).replace(/\0/g, ''))
    // Frame offsets (7FE0,0001 and 7FE0,0002) would become wrong.
    if (tag >>> 16 === 0x7fe0 && tag !== 0x7fe0_0000) return undefined
    at = end
  }
  const [height = 0, width = 0, samples = 1, bits] = [0x0028_0010, 0x0028_0011, 0x0028_0002, 0x0028_0100].map((tag) => short.get(tag))
  if (bits !== 8 && bits !== 16 && bits !== 32) return undefined
  const shape = {
    ...{ width, height, pixels: width * height, samples, sampleBytes: bits / 8, frames },
    frameBytes: width * height * samples * (bits / 8),
    planar: short.get(0x0028_0006) === 1,
    /** True for RGB. Some JPEG readers convert other colour spaces. */
    rgb,
    signed: short.get(0x0028_0103) === 1,
  }
  const { frameBytes } = shape
  // GDCM reads 16-bit colour differently from DCMTK and pydicom.
  if (samples === 3 && bits !== 8) return undefined
  if (frameBytes === 0 || frameBytes > MAX_FRAME_BYTES || (samples !== 1 && samples !== 3)) return undefined
  return Number.isInteger(frames) && frames > 0 && frames <= MAX_FRAMES ? shape : undefined
}

/**
 * Finds the fragments of encapsulated pixel data (A.4) and their end. The first item is the offset table. `undefined`: too many or too
 * large.
 */
async function fragmentsOf(source: Source, from: number): Promise<Fragments | undefined> {
  const items: Fragment[] = []
  for (let at = from; at + 8 <= source.size; ) {
    const header = await source.read(at, 8)
    const reader = new ElementReader(header, EXPLICIT_LITTLE)
    const [tag, bytes] = [reader.tag(0), reader.uint32(4)]
    if (tag === SEQUENCE_END && items[0]) return { table: items[0], of: items.slice(1), end: at + 8 }
    if (tag !== ITEM || at + 8 + bytes > source.size) throw malformed('dicom', at, 'expected_fragment')
    if (items.length > MAX_FRAMES || bytes > 2 * MAX_FRAME_BYTES) return undefined
    items.push({ at: at + 8, bytes })
    at += 8 + bytes
  }
  throw malformed('dicom', source.size, 'fragments_without_end')
}
