/**
 * Files that were compressed by RLE (PS3.5, annex G) or as deflated data sets (A.5), which JPEG-LS beats: seen as the explicit
 * little-endian file that they stand for.
 */
import { breathe } from '../../bytes/breathe.ts'
import { concat } from '../../bytes/concat.ts'
import { DeflateError } from '../../bytes/deflate.ts'
import { inflateStream } from '../../bytes/inflate-stream.ts'
import { MalformedFile, type Source } from '../../codec/codec.ts'
import { memorySource, rangeStream } from '../../codec/source.ts'
import { ElementReader, EXPLICIT_LITTLE, ITEM, PIXEL_DATA, SEQUENCE_END, UNDEFINED_LENGTH, WindowTooShort } from './elements.ts'
import { FIRST_WINDOW_BYTES, readMeta, SYNTAX } from './file.ts'
import { RleFrame } from './rle.ts'
import { explicitHeader } from './to-explicit.ts'

const RLE = '1.2.840.10008.1.2.5'
/** Inflated data sets are held in memory. */
const MAX_INFLATED_BYTES = 24 << 20
const MAX_BEFORE_PIXELS_BYTES = 4 << 20
/** A decoded frame is held, and its code beside it. */
const MAX_FRAME_BYTES = 16 << 20
const MAX_FRAMES = 20_000
const PREAMBLE_BYTES = 132

export interface Plain {
  readonly source: Source
  /** How it was compressed; undefined for a file that is what it says. */
  readonly was?: 'RLE' | 'Deflate'
}

/** The file itself where it is neither, or has more than is decoded here. @throws MalformedFile */
export async function plainSource(source: Source): Promise<Plain> {
  const window = await source.read(0, FIRST_WINDOW_BYTES)
  if (window.length <= PREAMBLE_BYTES || String.fromCharCode(...window.subarray(128, PREAMBLE_BYTES)) !== 'DICM') return { source }
  const meta = readMeta(new ElementReader(window, EXPLICIT_LITTLE, source.size))
  const plain =
    meta.syntax === SYNTAX.deflated ? await inflated(source, meta) : meta.syntax === RLE ? await unpacked(source, meta) : undefined
  return plain ? { source: plain, was: meta.syntax === RLE ? 'RLE' : 'Deflate' } : { source }
}

type Meta = ReturnType<typeof readMeta>

async function inflated(source: Source, meta: Meta): Promise<Source | undefined> {
  const body = rangeStream(source.size - meta.end, (offset, length) => source.read(meta.end + offset, length))
  const chunks: Uint8Array[] = [meta.start(SYNTAX.explicitLittle)]
  try {
    for await (const chunk of inflateStream('raw', body, MAX_INFLATED_BYTES)) chunks.push(chunk)
  } catch (error) {
    if (!(error instanceof DeflateError)) throw error
    if (error.kind === 'too_large') return undefined
    throw new MalformedFile('dicom', meta.end, error.message)
  }
  return memorySource(concat(chunks), source.name)
}

/** A file whose pixels are decoded as they are read, a frame at a time. */
async function unpacked(source: Source, meta: Meta): Promise<Source | undefined> {
  const found = await elementsBeforePixels(source, meta.end)
  const shape = found && shapeOf(found.reader, meta.end, found.pixelsAt)
  if (!shape) return undefined
  const fragments = await fragmentsOf(source, found.pixelsAt + 12, shape.frames)
  if (!fragments) return undefined
  const frame = new RleFrame(shape)
  const pixelBytes = frame.bytes * shape.frames
  const even = pixelBytes + (pixelBytes % 2)
  const header = explicitHeader(PIXEL_DATA, shape.sampleBytes === 1 ? 'OB' : 'OW', even)
  const head = concat([meta.start(SYNTAX.explicitLittle), found.reader.bytes.subarray(meta.end, found.pixelsAt), header])
  const tailAt = head.length + even
  const size = tailAt + source.size - fragments.end
  let held = -1
  let pixels: Uint8Array = new Uint8Array()

  const decoded = async (index: number) => {
    if (held === index) return pixels
    const { at, bytes } = fragments.of[index]!
    pixels = frame.decode(await source.read(at, bytes), at)
    held = index
    await breathe()
    return pixels
  }
  const read = async (offset: number, length: number) => {
    const out = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    for (let filled = 0; filled < out.length; ) {
      const at = offset + filled
      let part: Uint8Array
      if (at < head.length) part = head.subarray(at)
      else if (at < head.length + pixelBytes) {
        const index = Math.floor((at - head.length) / frame.bytes)
        part = (await decoded(index)).subarray(at - head.length - index * frame.bytes)
      } else if (at < tailAt) part = new Uint8Array(tailAt - at)
      else part = await source.read(fragments.end + at - tailAt, out.length - filled)
      if (part.length === 0) throw new MalformedFile('dicom', at, 'the file became shorter')
      part = part.subarray(0, out.length - filled)
      out.set(part, filled)
      filled += part.length
    }
    return out
  }
  return { name: source.name, size, read, stream: () => rangeStream(size, read) }
}

/** The start of the file, up to the encapsulated pixel data. */
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

/** What the elements of the image say (PS3.3, C.7.6.3); undefined where frames are of another kind or too large. */
function shapeOf(reader: ElementReader, from: number, to: number) {
  const short = new Map<number, number>()
  let frames = 1
  for (let at = from; at < to; ) {
    const { tag, vr, valueAt, end } = reader.element(at)
    if (vr === 'US' && end - valueAt >= 2) short.set(tag, reader.uint16(valueAt))
    if (tag === 0x0028_0008) frames = Number(new TextDecoder('latin1').decode(reader.bytes.subarray(valueAt, end)).replace(/\0/g, ''))
    // Offsets of frames (7FE0,0001 and 0002) would point nowhere.
    if (tag >>> 16 === 0x7fe0 && tag !== 0x7fe0_0000) return undefined
    at = end
  }
  const [height = 0, width = 0, samples = 1, bits] = [0x0028_0010, 0x0028_0011, 0x0028_0002, 0x0028_0100].map((tag) => short.get(tag))
  if (bits !== 8 && bits !== 16 && bits !== 32) return undefined
  const shape = { pixels: width * height, samples, sampleBytes: bits / 8, planar: short.get(0x0028_0006) === 1, frames }
  const frameBytes = shape.pixels * samples * shape.sampleBytes
  // Colour of 16 bits is read by GDCM otherwise than by DCMTK and pydicom.
  if (samples === 3 && bits !== 8) return undefined
  if (frameBytes === 0 || frameBytes > MAX_FRAME_BYTES || (samples !== 1 && samples !== 3)) return undefined
  return Number.isInteger(frames) && frames > 0 && frames <= MAX_FRAMES ? shape : undefined
}

/** Where each frame's only fragment lies (PS3.5, A.4.2); undefined when there are more or fewer. The first item is the offset table. */
async function fragmentsOf(source: Source, from: number, frames: number) {
  const of: { at: number; bytes: number }[] = []
  for (let at = from; at + 8 <= source.size; ) {
    const header = await source.read(at, 8)
    const reader = new ElementReader(header, EXPLICIT_LITTLE)
    const [tag, bytes] = [reader.tag(0), reader.uint32(4)]
    if (tag === SEQUENCE_END) return of.length === frames + 1 ? { of: of.slice(1), end: at + 8 } : undefined
    if (tag !== ITEM || at + 8 + bytes > source.size) throw new MalformedFile('dicom', at, 'expected a fragment')
    if (of.length > frames || bytes > 2 * MAX_FRAME_BYTES) return undefined
    of.push({ at: at + 8, bytes })
    at += 8 + bytes
  }
  throw new MalformedFile('dicom', source.size, 'fragments without an end')
}
