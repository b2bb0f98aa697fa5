/** Opens a PNG file as a picture of frames with its ancillary chunks. */

import { EngineError } from '../../../../wasm/engine-error.ts'
import { type Bytes, type PngEvent, readPng, withColours } from '../../../../wasm/png/chunks.ts'
import { GATHER_BYTES, type PictureHeader, rowBytesOf } from '../../../../wasm/png/engine.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import { PNG } from '../../catalog/formats/png.ts'
import { message } from '../../i18n/message.ts'
import type { FrameVisitor, PngPicture } from '../../images/png/png-picture.ts'
import { fitsMemoryBudget, maxPixelsOf } from '../../model/budget.ts'
import type { Options, Source } from '../../model/codec.ts'
import { signedByCredentials } from '../../model/content-credentials.ts'
import { unsupported } from '../../model/error.ts'
import { freedChunks } from '../../model/source.ts'
import {
  ENGINE_CALL_BYTES,
  GATHERING_BASE_BYTES,
  LEAST_EXPANSION,
  MOST_FRAME_PIXELS,
  MOST_ITEMS,
  ROW_BYTES_PER_YIELD,
  USUAL_GAMMA,
} from './tuning.ts'

export interface PngFile extends PngPicture {
  /** Header in the file, if `header` is a converted form. Ancillary chunks refer to it. */
  readonly writtenAs?: PictureHeader
  readonly animated: boolean
  /**
   * Ancillary chunks and frames in file order. Frames are represented by their number; IHDR, PLTE, tRNS, image data and IEND are left out.
   */
  readonly items: readonly (PngChunk | { frame: number })[]
  /** Offset of the first byte after IEND. */
  readonly end: number
  /** Bytes of the rows of all frames, at least one a pixel: a measure of the work. */
  readonly work: number
  events(): AsyncGenerator<PngEvent>
  /** Opens the file as a stream of bytes. */
  bytes(): Bytes
}

export interface PngChunk {
  readonly type: string
  readonly data: Uint8Array
  readonly offset: number
}

/** Size of a frame from its fcTL chunk (W3C PNG, 11.3.6.2). */
function frameSize(data: Uint8Array): { width: number; height: number } {
  if (data.length !== 26) throw new EngineError('png', 'damaged', `fcTL has ${data.length} bytes, 26 expected`)
  const reader = new ByteReader(data, false)
  const [width, height, x, y] = [reader.u32(4), reader.u32(8), reader.u32(12), reader.u32(16)]
  if (width === 0 || height === 0 || x > 0x7fffffff || y > 0x7fffffff)
    throw new EngineError('png', 'damaged', 'fcTL: the frame has no pixels or an invalid offset')
  return { width, height }
}

/**
 * Streams the source, checks the task's abort signal and yields to other tasks. A few kilobytes may contain a hundred megabytes of rows. A
 * piece is valid until the next one is requested. @param work bytes of rows, if the caller decodes them; 0: only chunks are read
 */
export async function* streamPng(source: Source, options: Options, work = 0): Bytes {
  const expansion = Math.max(LEAST_EXPANSION, work / source.size)
  const yieldBudget = new YieldBudget(ROW_BYTES_PER_YIELD, options.signal)
  for await (const part of freedChunks(source)) {
    options.signal.throwIfAborted()
    for (let at = 0; at < part.length; at += ENGINE_CALL_BYTES) {
      const piece = part.subarray(at, at + ENGINE_CALL_BYTES)
      const { length } = piece
      yield piece
      await yieldBudget.after(length * expansion)
    }
  }
}

/**
 * Reads every chunk once, checks all CRCs and the order of chunks, and returns the file as frames. @throws EngineError if the file is
 * damaged or too large
 */
export async function openPngFile(source: Source, options: Options): Promise<PngFile> {
  const survey = await surveyPng(source, options)
  const { header } = survey
  const bytes = () => streamPng(source, options, survey.work)
  const events = () => readPng(bytes())
  return {
    ...survey,
    profiled: survey.items.some((item) => 'type' in item && item.type === 'iCCP'),
    bytes,
    events,
    visit: (visitor) => visitFrames(events(), header, visitor),
  }
}

/** Checks animations: fcTL and fdAT share one sequence, and every frame has data (W3C PNG, 11.3.6). Readers reject other files. */
class AnimationSequence {
  announced = 0
  hasData = true
  #expected = 0
  #frames = 0

  next(number: number): void {
    if (number !== this.#expected++) throw new EngineError('png', 'damaged', `sequence number ${number}, ${this.#expected - 1} expected`)
  }

  frame(number: number): void {
    this.next(number)
    if (!this.hasData && this.#frames > 0) throw new EngineError('png', 'damaged', 'fcTL without image data')
    this.hasData = false
    this.#frames++
  }

  end(): void {
    if (!this.hasData) throw new EngineError('png', 'damaged', 'fcTL without image data')
    if (this.#frames !== this.announced) throw new EngineError('png', 'damaged', `${this.#frames} frames, ${this.announced} announced`)
  }
}

async function surveyPng(source: Source, options: Options) {
  let header: PictureHeader | undefined
  const items: (PngChunk | { frame: number })[] = []
  let frames = 0
  let animated = false
  let pixels = 0
  let openData: 'IDAT' | 'fdAT' | undefined
  let hasImageData = false
  let size: { width: number; height: number } | undefined
  let end = source.size
  const sequence = new AnimationSequence()
  for await (const event of readPng(streamPng(source, options))) {
    if (event.kind === 'data' && event.sequence !== undefined) sequence.next(event.sequence)
    if (event.kind === 'data') sequence.hasData = true
    if (event.kind === 'header') {
      header = event.header
      checkSize(header, options)
      continue
    }
    if (!header) throw new EngineError('png', 'damaged', 'a chunk precedes IHDR')
    if (event.kind === 'data') {
      if (openData === event.type) continue
      if (event.type === 'IDAT' && hasImageData) throw new EngineError('png', 'damaged', 'a second image (IDAT after other chunks)')
      if (event.type === 'fdAT' && !(animated && size)) throw new EngineError('png', 'damaged', 'fdAT without fcTL')
      if (header.colourType === 3 && !header.palette) throw new EngineError('png', 'damaged', 'an indexed picture without PLTE')
      openData = event.type
      if (event.type === 'IDAT') hasImageData = true
      const { width, height } = event.type === 'IDAT' ? header : (size ?? header)
      if ((pixels += width * height) > MOST_FRAME_PIXELS) throw new EngineError('png', 'memory', 'more frames than a job has time for')
      items.push({ frame: frames++ })
      continue
    }
    openData = undefined
    if (event.kind === 'end') {
      end = event.end
      break
    }
    const { type, data, offset } = event
    if (type === 'PLTE' || type === 'tRNS') {
      if (hasImageData) throw new EngineError('png', 'damaged', `${type} after the image data (byte ${offset})`)
      header = withColours(header, type, data, offset)
      continue
    }
    refuseChunk(type)
    if (type === 'acTL') {
      animated = true
      sequence.announced = data.length === 8 ? new ByteReader(data, false).u32(0) : 0
    }
    if (type === 'fcTL') {
      size = frameSize(data)
      sequence.frame(new ByteReader(data, false).u32(0))
    }
    if (items.push({ type, data, offset }) > MOST_ITEMS) throw new EngineError('png', 'memory', `more than ${MOST_ITEMS} chunks`)
  }
  if (!header || !hasImageData) throw new EngineError('png', 'truncated', 'no image data')
  if (animated) sequence.end()
  const work = pixels * Math.max(1, rowBytesOf(header, header.width) / header.width)
  return { header, items, frames, animated, end, work }
}

/** @throws EngineError `memory` if the job cannot hold a picture of this size */
function checkSize(header: PictureHeader, options: Options): void {
  if (header.width * header.height > maxPixelsOf(PNG.mostPixels, options))
    throw new EngineError('png', 'memory', `${header.width} x ${header.height} pixels`)
  if (header.interlaced && !fitsInterlaced(header, options))
    throw new EngineError('png', 'memory', 'the interlaced picture does not fit into the memory budget')
}

/** @throws CodecError for content credentials, and for critical chunks (W3C PNG, 5.4) that the codec does not know */
function refuseChunk(type: string): void {
  if (type === 'caBX') throw signedByCredentials()
  if (type === 'CgBI') throw unsupported('iphone_optimised_png_cgbi')
  if (!(type.charCodeAt(0) & 32)) throw unsupported(message('critical_chunk', { type }))
}

function fitsInterlaced(header: PictureHeader, options: Options): boolean {
  const bytes = (rowBytesOf(header, header.width) + 1) * header.height
  return bytes > GATHER_BYTES || fitsMemoryBudget(options, bytes + GATHERING_BASE_BYTES)
}

/** Passes the frames of an event stream to a visitor: IDAT is the first frame, every run of fdAT another. */
async function visitFrames(events: AsyncGenerator<PngEvent>, header: PictureHeader, visitor: FrameVisitor): Promise<void> {
  let open: 'IDAT' | 'fdAT' | undefined
  let size: { width: number; height: number } | undefined
  for await (const event of events) {
    if (event.kind === 'data') {
      if (open !== event.type) {
        if (open) await visitor.frameEnd()
        open = event.type
        const { width, height } = event.type === 'fdAT' && size ? size : header
        await visitor.frame(width, height)
      }
      await visitor.feed(event.bytes)
    } else if (event.kind !== 'header') {
      if (event.kind === 'chunk' && event.type === 'fcTL') size = frameSize(event.data)
      if (open && (event.kind === 'end' || event.type === 'fcTL')) {
        await visitor.frameEnd()
        open = undefined
      }
    }
  }
}

/**
 * True if the gAMA chunk has an exponent outside of `USUAL_GAMMA` (W3C PNG, 11.3.2.1: exponent times 100,000). A profile, sRGB or cICP
 * overrides gAMA.
 */
export function hasUnusualGamma(file: PngFile): boolean {
  const chunk = (type: string) => file.items.find((item) => 'type' in item && item.type === type)
  const gamma = chunk('gAMA')
  if (!gamma || !('data' in gamma) || gamma.data.length !== 4 || chunk('sRGB') || chunk('iCCP') || chunk('cICP')) return false
  const exponent = new ByteReader(gamma.data, false).u32(0) / 100_000
  return exponent < USUAL_GAMMA.from || exponent > USUAL_GAMMA.to
}
