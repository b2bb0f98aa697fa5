/** Writes a PNG result: chunks in order, frames encoded in between. */

import { EngineError } from '../../../../wasm/engine-error.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { chunk, colourChunks, startOfPng } from '../../../../wasm/png/chunks.ts'
import type { Layout, PngEngine } from '../../../../wasm/png/engine.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { FrameVisitor } from '../../images/png/png-picture.ts'
import type { Options, Sink } from '../../model/codec.ts'
import { goesBeforePalette, transferredChunk } from './chunks.ts'
import type { PngChunk, PngFile } from './file.ts'

/**
 * Runs the engine's `encode`, `remap` or `near` pass with its current layout and writes the whole file. Returns the types of chunks that
 * were dropped.
 */
export async function writePng(
  file: PngFile,
  engine: PngEngine,
  pass: { kind: 'encode' | 'remap' | 'near'; alpha: boolean },
  sink: Sink,
  options: Options,
): Promise<string[]> {
  const writer = new Writer(file, engine, sink, options)
  await writer.start()
  engine.begin(pass.kind, { alpha: pass.alpha })
  await file.visit(writer)
  await sink.write(chunk('IEND'))
  return writer.dropped
}

/** Passes frames to the engine and writes its output with the chunks around it. */
class Writer implements FrameVisitor {
  /** Types of chunks that were dropped. */
  readonly dropped: string[] = []
  readonly #file: PngFile
  readonly #engine: PngEngine
  readonly #layout: Layout
  readonly #sink: Sink
  readonly #signal: AbortSignal
  /** Index in the file's items of the frame that is being written. */
  #at: number
  /** Next sequence number, which fcTL and fdAT share (W3C PNG, 11.3.6.1). It is renumbered because the number of fdAT chunks may change. */
  #sequence = 0

  /** Creates a writer for the engine's current layout. */
  constructor(file: PngFile, engine: PngEngine, sink: Sink, { signal }: Options) {
    this.#file = file
    this.#engine = engine
    this.#layout = engine.layout()
    this.#sink = sink
    this.#signal = signal
    this.#at = file.items.findIndex((item) => 'frame' in item)
  }

  /** Writes everything before the first frame. */
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

  /** Ends a frame and writes the chunks before the next one. */
  async frameEnd(): Promise<void> {
    this.#engine.frameEnd()
    await this.#flush()
    const { items } = this.#file
    for (this.#at++; this.#at < items.length; this.#at++) {
      const item = items[this.#at]
      if (!item || 'frame' in item) break
      await this.#carry(item)
    }
  }

  async #carry(item: PngChunk): Promise<void> {
    const data = transferredChunk(item, this.#file.writtenAs ?? this.#file.header, this.#layout)
    if (!data) {
      this.dropped.push(item.type)
      return
    }
    if (item.type !== 'fcTL') return this.#sink.write(chunk(item.type, data))
    const control = new ByteWriter(data.slice(), false).u32(this.#sequence++)
    await this.#sink.write(chunk('fcTL', control.finish()))
  }

  /** Writes the compressed image data that the engine has ready. */
  async #flush(): Promise<void> {
    this.#signal.throwIfAborted()
    for (const piece of this.#engine.drain()) {
      const item = this.#file.items[this.#at]
      if (!item || !('frame' in item)) throw new EngineError('png', 'misuse', 'image data without a frame')
      if (item.frame === 0) await this.#sink.write(chunk('IDAT', piece))
      else await this.#sink.write(chunk('fdAT', numbered(this.#sequence++), piece))
      discard(piece)
    }
  }
}

const numbered = (sequence: number) => new ByteWriter(new Uint8Array(4), false).u32(sequence).finish()
