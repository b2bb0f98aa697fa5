/** Writes the result: chunks in order, frames encoded on the way. */

import { EngineError } from '../../../wasm/engine-error.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { chunk, colourChunks, startOfPng } from '../../../wasm/png/chunks.ts'
import type { PngEngine } from '../../../wasm/png/engine.ts'
import type { Options, Sink } from '../../codec/codec.ts'
import { carried, goesBeforePalette } from './chunks.ts'
import type { PngFile } from './file.ts'

/**
 * Runs the engine's `encode` or `remap` pass with the layout it has, and writes the whole file. Returns the types of chunks
 * that could not be carried over.
 */
export async function writePng(
  file: PngFile,
  engine: PngEngine,
  pass: { kind: 'encode' | 'remap'; alpha: boolean },
  sink: Sink,
  options: Options,
): Promise<string[]> {
  const { header } = file
  const layout = engine.layout()
  const dropped: string[] = []
  const sequence = { next: 0 }
  const write = async (type: string, data: Uint8Array) => sink.write(chunk(type, data))

  /** fcTL counts fcTL and fdAT in one sequence (W3C PNG, 11.3.6.1), and there may be fewer fdAT now. */
  const writeItem = async (item: PngFile['items'][number]) => {
    if (!('type' in item)) return
    const data = carried(item, file.writtenAs ?? header, layout)
    if (!data) {
      dropped.push(item.type)
      return
    }
    if (item.type !== 'fcTL') return write(item.type, data)
    const control = data.slice()
    new DataView(control.buffer).setUint32(0, sequence.next++)
    await write('fcTL', control)
  }

  await sink.write(startOfPng(header.width, header.height, layout, header.interlaced === true && !engine.inOrder))
  const firstFrame = file.items.findIndex((item) => 'frame' in item)
  const before = file.items.slice(0, firstFrame)
  for (const item of before) if ('type' in item && goesBeforePalette(item.type)) await writeItem(item)
  for (const bytes of colourChunks(layout)) await sink.write(bytes)
  for (const item of before) if ('type' in item && !goesBeforePalette(item.type)) await writeItem(item)

  engine.begin(pass.kind, { alpha: pass.alpha })
  let at = firstFrame
  const flush = async () => {
    options.signal.throwIfAborted()
    for (const piece of engine.drain()) {
      const item = file.items[at]
      if (!item || !('frame' in item)) throw new EngineError('png', 'misuse', 'image data without a frame')
      if (item.frame === 0) await write('IDAT', piece)
      else await sink.write(chunk('fdAT', numbered(sequence.next++), piece))
      discard(piece)
    }
  }
  await file.visit({
    frame: (width, height) => engine.frame(width, height),
    feed: async (bytes) => {
      engine.feed(bytes)
      await flush()
    },
    takeRow: async (row) => {
      engine.takeRow(row)
      await flush()
    },
    frameEnd: async () => {
      engine.frameEnd()
      await flush()
      for (at++; at < file.items.length; at++) {
        const item = file.items[at]
        if (!item || 'frame' in item) break
        await writeItem(item)
      }
    },
  })
  await sink.write(chunk('IEND'))
  return dropped
}

function numbered(sequence: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, sequence)
  return bytes
}
