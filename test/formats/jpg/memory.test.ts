import { afterEach, beforeEach, expect, it } from 'vitest'
import { concat } from '../../../src/bytes/concat.ts'
import type { Options } from '../../../src/codec/codec.ts'
import { memorySink } from '../../../src/codec/sink.ts'
import { memorySource } from '../../../src/codec/source.ts'
import { jpg } from '../../../src/formats/jpg/jpg.ts'
import { compress } from '../../../src/pipeline/compress.ts'
import { JpegJob } from '../../../wasm/jpeg/jpeg.ts'

/** Every Wasm memory made during a test, as if none was ever collected: more than an isolate can hold. */
const memories: WebAssembly.Memory[] = []
const { Instance } = WebAssembly

beforeEach(() => {
  memories.length = 0
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
      const instance = new target(module, imports)
      memories.push(...Object.values(instance.exports).filter((value) => value instanceof WebAssembly.Memory))
      return instance
    },
  })
})

afterEach(() => {
  WebAssembly.Instance = Instance
})

const MIB = 1024 * 1024
const WIDTH = 12_000
const HEIGHT = 9_000

/** 108 megapixels with texture everywhere, made strip by strip. */
function huge(): Uint8Array {
  const strip = new Uint8Array(WIDTH * 16)
  for (let i = 0; i < strip.length; i++) strip[i] = 120 + 60 * Math.sin(i / 700) + (Math.imul(i, 2654435761) >>> 28)
  const taking = JpegJob.fromRows({ width: WIDTH, height: HEIGHT, pixels: 'gray' }, { kind: 'stream', quality: 85, trellis: false })
  for (let row = 0; row < HEIGHT; row += 16) taking.write(strip.subarray(0, Math.min(16, HEIGHT - row) * WIDTH))
  return concat(taking.end().write('made', 'sequential', true))
}

it('takes 108 megapixels in less than 60 MB, all instances together', { timeout: 240_000 }, async () => {
  const bytes = huge()
  memories.length = 0
  const options: Options = {
    quality: 'low',
    output: 'jpg',
    memoryBudget: 96 * MIB,
    signal: new AbortController().signal,
    progress: () => undefined,
    inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
  }
  const { outcome, ...rest } = await compress(
    jpg,
    memorySource(bytes, 'huge.jpg'),
    async () => memorySink(bytes.length, 'huge.jpg'),
    options,
  )
  expect('defect' in rest ? rest.defect : undefined).toBeUndefined()
  expect(outcome.kind).toBe('compressed')
  const wasmBytes = memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0)
  expect(memories.length).toBeGreaterThan(2)
  expect(wasmBytes / MIB).toBeLessThan(60 + 20)
  expect(Math.max(...memories.map((memory) => memory.buffer.byteLength)) / MIB).toBeLessThan(60)
})
