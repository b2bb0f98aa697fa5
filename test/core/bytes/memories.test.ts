import { afterEach, beforeEach, expect, it } from 'vitest'
import { deflateThorough } from '../../../src/core/bytes/deflate.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { SimilarityMeter } from '../../../src/core/metrics/ssim-psnr.ts'
import { EngineError } from '../../../wasm/engine-error.ts'
import { JpegJob, JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { Libdeflate } from '../../../wasm/libdeflate/libdeflate.ts'
import deflateModule from '../../../wasm/libdeflate/libdeflate.wasm'
import { MemoryPool } from '../../../wasm/memories/memories.ts'
import { decodePng, PngEncoder } from '../../../wasm/png/png.ts'
import { press, tones, wave } from '../formats/media-fixtures.ts'

/** Memories of all Wasm instances created during a test. */
const memories = new Set<WebAssembly.Memory>()
const { Instance } = WebAssembly

beforeEach(() => {
  memories.clear()
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
      const instance = new target(module, imports)
      memories.add(instance.exports['memory'] as WebAssembly.Memory)
      return instance
    },
  })
})

afterEach(() => {
  WebAssembly.Instance = Instance
})

const SIDE = 64
const noise = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, i) => (Math.imul(i, 2654435761) >>> 24) & 255)

function jpegOf(pixels: Uint8Array): Uint8Array {
  const taking = JpegJob.fromRows({ width: SIDE, height: SIDE, pixels: 'rgb' })
  taking.write(pixels)
  using job = taking.end()
  return new Uint8Array(Buffer.concat([...job.write('read', 'progressive', true)]))
}

it('consecutive engines reuse the same memories', async () => {
  for (let round = 0; round < 20; round++) {
    const jpeg = jpegOf(noise)
    using rows = await JpegRows.open(jpeg)
    const decoded = (await rows.read(SIDE)) ?? new Uint8Array()
    const meter = new SimilarityMeter(SIDE, SIDE, 3)
    meter.push(noise, decoded)
    expect(meter.finish().psnrDb).toBeGreaterThan(10)
    const encoder = new PngEncoder({ width: SIDE, height: SIDE, colourType: 2, bitDepth: 8 })
    for (let y = 0; y < SIDE; y++) encoder.writeRow(decoded.subarray(y * SIDE * 3, (y + 1) * SIDE * 3))
    let equal = 0
    await decodePng(
      (async function* () {
        yield* encoder.finish()
      })(),
      'rgb8',
      (row, y) => (equal += Buffer.compare(row, decoded.subarray(y * SIDE * 3, (y + 1) * SIDE * 3)) === 0 ? 1 : 0),
    )
    expect(equal).toBe(SIDE)
  }
  expect(memories.size).toBeLessThanOrEqual(2)
})

it('audio encoders free their memory, and give the same bytes in a reused memory', async () => {
  const samples = Int32Array.from(tones(20_000, 2, 44_100), (value) => Math.round(value * 30_000))
  const sound = wave(samples, 16, 2, 44_100)
  const first = { mp3: (await press(wav, sound, 'medium', 'mp3')).bytes, flac: (await press(wav, sound, 'medium', 'flac')).bytes }
  const before = memories.size
  for (let round = 0; round < 5; round++) {
    expect(Buffer.compare((await press(wav, sound, 'medium', 'mp3')).bytes, first.mp3)).toBe(0)
    expect(Buffer.compare((await press(wav, sound, 'medium', 'flac')).bytes, first.flac)).toBe(0)
  }
  expect(memories.size).toBe(before)
})

it('an engine finds no data of the previous one in a reused memory', () => {
  const engine = new Libdeflate()
  expect(engine.compress('raw', noise, 12)).toBeDefined()
  engine[Symbol.dispose]()
  const [used] = memories
  new Libdeflate()
  expect(memories.size).toBe(1)
  const fresh = new WebAssembly.Memory({ initial: 16, maximum: 1536 })
  new Instance(deflateModule, { env: { memory: fresh } })
  const [expected, found] = [new Uint8Array(fresh.buffer), new Uint8Array(used?.buffer ?? new ArrayBuffer())]
  expect(found.length).toBeGreaterThan(expected.length)
  expect(Buffer.compare(found.subarray(0, expected.length), expected)).toBe(0)
  expect(found.subarray(expected.length).some((byte) => byte !== 0)).toBe(false)
})

it('a failing job returns its memory, too', async () => {
  const cut = jpegOf(noise).subarray(0, 900)
  for (let round = 0; round < 10; round++) await expect(JpegJob.read(cut)).rejects.toThrow(EngineError)
  expect(memories.size).toBe(1)
})

it('rows that are not read to the end free their memory', async () => {
  const jpeg = jpegOf(noise)
  for (let round = 0; round < 10; round++) {
    const rows = await JpegRows.open(jpeg)
    for await (const strip of rows.strips(8)) {
      expect(strip.length).toBe(8 * SIDE * 3)
      break
    }
  }
  expect(memories.size).toBe(1)
})

it('a disposed engine cannot be used, and is disposed once', () => {
  const engine = new Libdeflate()
  engine[Symbol.dispose]()
  engine[Symbol.dispose]()
  expect(() => engine.compress('raw', noise, 6)).toThrow('has ended')
  new Libdeflate()
  new Libdeflate()
  expect(memories.size).toBe(2)
})

it('keeps memories up to its limit, and returns the largest first', () => {
  const pool = new MemoryPool({ initial: 1, maximum: 16 }, 5 * 65_536)
  const [small, large, other] = [pool.take(), pool.take(), pool.take()]
  large.grow(3)
  other.grow(1)
  for (const memory of [large, small, other]) pool.release(memory)
  expect(pool.take()).toBe(large)
  expect(pool.take(2 * 65_536)).toBe(small)
  expect(small.buffer.byteLength).toBe(2 * 65_536)
  expect([large, small, other]).not.toContain(pool.take())
})

it('above the limit, drops the smallest memory that is large enough', () => {
  const page = 65_536
  const pool = new MemoryPool({ initial: 1, maximum: 64 }, 8 * page)
  const pages = () => pool.take().buffer.byteLength / page
  const [two, three, six, nine] = [2, 3, 6, 9].map((count) => pool.take(count * page))
  for (const memory of [two, three, six]) pool.release(memory!)
  expect([pages(), pages(), pages()]).toEqual([6, 2, 1])
  pool.release(two!)
  pool.release(nine!)
  expect([pages(), pages()]).toEqual([2, 1])
})

it('cancelling deflate between two pieces frees its memory', async () => {
  const text = Uint8Array.from({ length: 700_000 }, (_, i) => i % 251)
  const gone = new Error('nobody waits any more')
  for (let round = 0; round < 4; round++) await expect(deflateThorough(text, text.length, AbortSignal.abort(gone))).rejects.toBe(gone)
  expect(memories.size).toBeLessThanOrEqual(1)
})
