import { afterEach, beforeEach, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { compress } from '../../../../src/core/pipeline/compress.ts'
import { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'

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

/** Texture everywhere, made strip by strip. */
function textured(width: number, height: number, noise: number, quality: number): Uint8Array {
  const strip = new Uint8Array(width * 16)
  for (let i = 0; i < strip.length; i++) strip[i] = 120 + 60 * Math.sin(i / 700) + (Math.imul(i, 2654435761) >>> 24) * noise
  const taking = JpegJob.fromRows({ width, height, pixels: 'gray' }, { kind: 'stream', quality, trellis: false })
  for (let row = 0; row < height; row += 16) taking.write(strip.subarray(0, Math.min(16, height - row) * width))
  return concat(taking.end().write('made', 'sequential', true))
}

const options: Options = {
  quality: 'low',
  output: 'jpg',
  memoryBudget: 96 * MIB,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
}

const pressed = (bytes: Uint8Array, over: Partial<Options> = {}) =>
  compress(jpg, memorySource(bytes, 'large.jpg'), async () => memorySink(bytes.length, 'large.jpg'), { ...options, ...over })

async function compressed(bytes: Uint8Array) {
  memories.length = 0
  const { outcome, result, ...rest } = await pressed(bytes)
  expect('defect' in rest ? rest.defect : undefined).toBeUndefined()
  expect(outcome.kind).toBe('compressed')
  // Engines one after the other share memories.
  const megabytes = [...new Set(memories)].map((memory) => memory.buffer.byteLength / MIB)
  return { megabytes, all: megabytes.reduce((sum, each) => sum + each, 0), resultMegabytes: (result?.size ?? 0) / MIB }
}

it('takes 108 megapixels in less than 60 MB, all instances together', { timeout: 240_000 }, async () => {
  const { megabytes, all } = await compressed(textured(WIDTH, HEIGHT, 1 / 16, 85))
  expect(megabytes.length).toBeGreaterThan(2)
  expect(all).toBeLessThan(60 + 20)
  expect(Math.max(...megabytes)).toBeLessThan(60)
})

it('looks at 15 megapixels of noise in less than 110 MB, all instances and what is looked at together', { timeout: 240_000 }, async () => {
  const bytes = textured(4_480, 3_360, 1 / 3, 92)
  expect(bytes.length / MIB).toBeGreaterThan(6)
  const { all, resultMegabytes } = await compressed(bytes)
  // What is looked at is a sequential file, which takes a fifth more than the result at most.
  expect(all + 1.2 * resultMegabytes).toBeLessThan(110)
})

it('has room for what is made where there is none for what came', async () => {
  const bytes = textured(2000, 1500, 1 / 3, 97)
  // What came takes three times its bytes beside ten megabytes and the windows of its rows.
  expect((await pressed(bytes, { memoryBudget: 10 * MIB + 3 * bytes.length })).outcome.kind).toBe('compressed')
  expect((await pressed(bytes, { memoryBudget: 10.5 * MIB })).outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
})

it('codes again without loss what is larger than its memory', async () => {
  const bytes = textured(2000, 1500, 1 / 3, 97)
  const { outcome } = await pressed(bytes, { lossless: true, memoryBudget: 10 * MIB + 2.6 * bytes.length })
  expect(outcome).toMatchObject({ kind: 'compressed', steps: ['same coefficients, progressive scans with optimal Huffman tables'] })
  // Progressive scans cannot be verified where their coefficients have no room.
  const { outcome: scarce } = await pressed(bytes, { lossless: true, memoryBudget: 10 * MIB + 1.5 * bytes.length })
  expect(scarce).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
})
