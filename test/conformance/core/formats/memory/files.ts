/** Files as sources and sinks, for processes whose memory is measured. */

import { ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import type { Source } from '../../../../../src/core/model/codec.ts'
import { noGain } from '../../../../../src/core/model/error.ts'
import type { ResultSink } from '../../../../../src/core/model/sink.ts'
import { rangeStream } from '../../../../../src/core/model/source.ts'

/** `step` is called after every read. */
export function fileSource(path: string, size: number, name: string, step: () => void = () => undefined): Source {
  const file = openSync(path, 'r')
  const read = async (offset: number, length: number) => {
    // A store answers later: others get their turn, and so does the collector.
    await new Promise((resolve) => setImmediate(resolve))
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    readSync(file, bytes, 0, bytes.length, offset)
    step()
    return bytes
  }
  return { name, size, read, stream: () => rangeStream(size, read) }
}

/** `step` is called after every write, and every read of what was written. */
export function fileSink(path: string, limit: number, name: string, step: () => void = () => undefined): ResultSink {
  const file = openSync(path, 'w+')
  let written = 0
  return {
    get written() {
      return written
    },
    async write(chunk) {
      if (written + chunk.length >= limit) throw noGain()
      written += writeSync(file, chunk, 0, chunk.length, written)
      step()
    },
    patch: (offset, patched) => void writeSync(file, patched, 0, patched.length, offset),
    finish: async () => fileSource(path, written, name, step),
    async abort() {
      ftruncateSync(file)
      written = 0
    },
  }
}
