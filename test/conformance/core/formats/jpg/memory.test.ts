import { afterEach, beforeEach, expect, it } from 'vitest'
import { pressTextured as pressed, textured } from '../../../../core/formats/jpg/textured.ts'

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
