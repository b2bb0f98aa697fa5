/**
 * A process of its own: presses a presentation of photographs, from a file to a file, and prints in MB how much memory was
 * held at the worst moment, above what the loaded modules take: `all` with garbage that nobody collected yet, `live` without.
 * `deck.ts FILE [--live]`.
 */
import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NoGain, type Options } from '../../../src/codec/codec.ts'
import { compress } from '../../../src/codec/compress.ts'
import { innerRooms } from '../../../src/codec/inner.ts'
import type { ResultSink } from '../../../src/codec/sink.ts'
import { rangeStream } from '../../../src/codec/source.ts'
import { pptx } from '../../../src/formats/pptx/pptx.ts'
import { PRESS_CODECS } from '../../../src/formats/press.ts'

const [path = ''] = process.argv.slice(2)
const COLLECTS = process.argv.includes('--live')

let [all, live, calls] = [0, 0, 0]

WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
    measure()
    return new target(module, imports)
  },
})

/** `external` has the buffers and the Wasm memories in it, collected or not. */
function held(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** At every read, write and new engine. What is live is only looked at on demand: collecting changes what else is measured. */
function measure(): void {
  all = Math.max(all, held())
  if (!COLLECTS || ++calls % 8 > 0) return
  // The second one waits for what the first left to be swept.
  globalThis.gc?.()
  globalThis.gc?.()
  live = Math.max(live, held())
}

function fileSource(path: string, size: number) {
  const file = openSync(path, 'r')
  const read = async (offset: number, length: number) => {
    // A store answers later: others get their turn, and so does the collector.
    await new Promise((resolve) => setImmediate(resolve))
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    readSync(file, bytes, 0, bytes.length, offset)
    measure()
    return bytes
  }
  return { name: 'deck.pptx', size, read, stream: () => rangeStream(size, read) }
}

function fileSink(path: string, limit: number): ResultSink {
  const file = openSync(path, 'w+')
  let written = 0
  return {
    get written() {
      return written
    },
    async write(chunk) {
      if (written + chunk.length >= limit) throw new NoGain()
      written += writeSync(file, chunk, 0, chunk.length, written)
      measure()
    },
    patch: (offset, patched) => void writeSync(file, patched, 0, patched.length, offset),
    finish: async () => fileSource(path, written),
    async abort() {
      closeSync(file)
    },
  }
}

const result = join(tmpdir(), `whittle-deck-${process.pid}.out`)
const source = fileSource(path, statSync(path).size)
globalThis.gc?.()
const before = held()
;[all, live] = [before, before]
const base: Omit<Options, 'inner'> = {
  quality: 'medium',
  output: 'pptx',
  memoryBudget: 96 * 1024 * 1024,
  signal: new AbortController().signal,
  progress: () => measure(),
}
const pressed = await compress(pptx, source, async () => fileSink(result, source.size), { ...base, inner: innerRooms(PRESS_CODECS, base) })
rmSync(result, { force: true })
const megabytes = (bytes: number) => Math.round((bytes - before) / 1e5) / 10
const { outcome } = pressed
console.log(
  JSON.stringify({
    kind: outcome.kind,
    steps: outcome.kind === 'compressed' ? outcome.steps : outcome.reason,
    ratio: (pressed.result?.size ?? source.size) / source.size,
    all: megabytes(all),
    live: megabytes(live),
    whole: Math.round(all / 1e5) / 10,
  }),
)
