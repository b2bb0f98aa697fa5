/** Writes the result: chunks in order, frames encoded on the way. */

import { EngineError } from '../../../wasm/engine-error.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { chunk, colourChunks, startOfPng } from '../../../wasm/png/chunks.ts'
import type { Layout, PngEngine } from '../../../wasm/png/engine.ts'
import { concat } from '../../bytes/concat.ts'
import { adler32, deflateThorough, zlibDecompress } from '../../bytes/deflate.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Options, Sink } from '../../codec/codec.ts'
import type { FrameVisitor } from '../../raster/png-picture.ts'
import { carried, goesBeforePalette } from './chunks.ts'
import type { PngChunk, PngFile } from './file.ts'

/**
 * Runs the engine's `encode`, `remap` or `near` pass with the layout it has, and writes the whole file. Returns the types of chunks
 * that could not be carried over. `again`: the rows of one picture, where they are few, are deflated once more,
 * as small as it gets; it is called where that was smaller.
 */
export async function writePng(
  file: PngFile,
  engine: PngEngine,
  pass: { kind: 'encode' | 'remap' | 'near'; alpha: boolean; again?: () => void },
  sink: Sink,
  options: Options,
): Promise<string[]> {
  const writer = new Writer(file, engine, sink, options)
  if (pass.again) writer.again = { rowsBytes: rowsBytesOf(file, engine), onSmaller: pass.again }
  await writer.start()
  engine.begin(pass.kind, { alpha: pass.alpha })
  await file.visit(writer)
  await sink.write(chunk('IEND'))
  return writer.dropped
}

const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const
/** A second of the processor and more; what is larger gains less by it. */
const MOST_AGAIN_BYTES = 1.5e6

/** Of the picture as it is written, with a filter byte each; undefined where they are too many to be deflated twice, or stand in passes. */
function rowsBytesOf({ header, animated }: PngFile, engine: PngEngine): number | undefined {
  const { colourType, bitDepth } = engine.layout()
  const bytes = (1 + Math.ceil((header.width * SAMPLES[colourType] * bitDepth) / 8)) * header.height
  return animated || (header.interlaced && !engine.inOrder) || bytes > MOST_AGAIN_BYTES ? undefined : bytes
}

/** Takes the frames, and writes what the engine made of them with the chunks around it. */
class Writer implements FrameVisitor {
  /** Types of chunks that could not be carried over. */
  readonly dropped: string[] = []
  /** Rows are deflated again, if they are not too many, and who is told. */
  again: { readonly rowsBytes: number | undefined; readonly onSmaller: () => void } | undefined
  readonly #held: Uint8Array[] = []
  readonly #file: PngFile
  readonly #engine: PngEngine
  readonly #layout: Layout
  readonly #sink: Sink
  readonly #signal: AbortSignal
  /** Of the file's items: the frame that is being written. */
  #at: number
  /** fcTL and fdAT are counted in one sequence (W3C PNG, 11.3.6.1), and there may be fewer fdAT now. */
  #sequence = 0

  /** With the layout that the engine has before it begins. */
  constructor(file: PngFile, engine: PngEngine, sink: Sink, { signal }: Options) {
    this.#file = file
    this.#engine = engine
    this.#layout = engine.layout()
    this.#sink = sink
    this.#signal = signal
    this.#at = file.items.findIndex((item) => 'frame' in item)
  }

  /** All before the first frame. */
  async start(): Promise<void> {
    const { header, items } = this.#file
    const interlaced = header.interlaced === true && !this.#engine.inOrder
    await this.#sink.write(startOfPng(header.width, header.height, this.#layout, interlaced))
    const before = items.slice(0, this.#at).filter((item) => 'type' in item)
    for (const item of before) if (goesBeforePalette(item.type)) await this.#carry(item)
    for (const bytes of colourChunks(this.#layout)) await this.#sink.write(bytes)
    for (const item of before) if (!goesBeforePalette(item.type)) await this.#carry(item)
  }

  frame(width?: number, height?: number): void {
    this.#engine.frame(width, height)
  }

  async feed(bytes: Uint8Array): Promise<void> {
    this.#engine.feed(bytes)
    await this.#flush()
  }

  async takeRow(row: Uint8Array): Promise<void> {
    this.#engine.takeRow(row)
    await this.#flush()
  }

  /** With the chunks that stand before the next frame. */
  async frameEnd(): Promise<void> {
    this.#engine.frameEnd()
    await this.#flush()
    const { rowsBytes } = this.again ?? {}
    if (rowsBytes !== undefined) await this.#sink.write(chunk('IDAT', await this.#deflatedAgain(rowsBytes)))
    const { items } = this.#file
    for (this.#at++; this.#at < items.length; this.#at++) {
      const item = items[this.#at]
      if (!item || 'frame' in item) break
      await this.#carry(item)
    }
  }

  async #carry(item: PngChunk): Promise<void> {
    const data = carried(item, this.#file.writtenAs ?? this.#file.header, this.#layout)
    if (!data) {
      this.dropped.push(item.type)
      return
    }
    if (item.type !== 'fcTL') return this.#sink.write(chunk(item.type, data))
    const control = new ByteWriter(data.slice(), false).u32(this.#sequence++)
    await this.#sink.write(chunk('fcTL', control.finish()))
  }

  /** The shorter of the engine's stream and one that is parsed thoroughly. */
  async #deflatedAgain(rowsBytes: number): Promise<Uint8Array> {
    const stream = concat(this.#held)
    const rows = zlibDecompress(stream, rowsBytes)
    const thorough = await deflateThorough(rows, stream.length - ZLIB_BYTES, this.#signal)
    if (!thorough || thorough.length + ZLIB_BYTES >= stream.length) return stream
    this.again?.onSmaller()
    return ByteWriter.growing(false).u16(ZLIB_HEADER).bytes(thorough).u32(adler32(rows)).finish()
  }

  /** Image data that the engine has ready. */
  async #flush(): Promise<void> {
    this.#signal.throwIfAborted()
    for (const piece of this.#engine.drain()) {
      const item = this.#file.items[this.#at]
      if (!item || !('frame' in item)) throw new EngineError('png', 'misuse', 'image data without a frame')
      if (this.again?.rowsBytes !== undefined) this.#held.push(piece.slice())
      else if (item.frame === 0) await this.#sink.write(chunk('IDAT', piece))
      else await this.#sink.write(chunk('fdAT', numbered(this.#sequence++), piece))
      discard(piece)
    }
  }
}

/** RFC 1950: what stands before and behind a Deflate stream. */
const ZLIB_BYTES = 6
/** A window of 32 KiB, the slowest algorithm, no dictionary. */
const ZLIB_HEADER = 0x78da

const numbered = (sequence: number) => new ByteWriter(new Uint8Array(4), false).u32(sequence).finish()
