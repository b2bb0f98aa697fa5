import { describe, expect, it, vi } from 'vitest'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import { SimilarityMeter } from '../../../src/core/metrics/ssim-psnr.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { GifEngine } from '../../../wasm/gif/gif.ts'
import { MemoryPool } from '../../../wasm/memories/memories.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'

const word = (v: number) => [v & 255, v >> 8]

/** Codes of 9 bits with a clear code before they would grow: large files, as poor encoders write them. */
function poorCodes(pixels: Uint8Array): number[] {
  const bytes: number[] = []
  let [bits, count] = [0, 0]
  const put = (code: number) => {
    bits |= code << count
    for (count += 9; count >= 8; count -= 8, bits >>= 8) bytes.push(bits & 255)
  }
  pixels.forEach((pixel, i) => {
    if (i % 200 === 0) put(256)
    put(pixel)
  })
  put(257)
  if (count) bytes.push(bits)
  const out = [8]
  for (let at = 0; at < bytes.length; at += 255) out.push(Math.min(255, bytes.length - at), ...bytes.slice(at, at + 255))
  return [...out, 0]
}

interface Part {
  x: number
  y: number
  width: number
  height: number
  pixels: Uint8Array
  disposal?: number
}

const TABLE = Array.from({ length: 768 }, (_, i) => (i * 29) & 255)
const TRANSPARENT = 255

function gifOf(width: number, height: number, parts: readonly Part[], end = [0x3b]): Uint8Array {
  const out: number[] = [...new TextEncoder().encode('GIF89a'), ...word(width), ...word(height), 0xf7, 0, 0, ...TABLE]
  for (const [i, { x, y, width: w, height: h, pixels, disposal = i % 3 }] of parts.entries()) {
    out.push(0x21, 0xfe, 2, 0x68, 0x69, 0)
    out.push(0x21, 0xf9, 4, 1 | (disposal << 2), 4 + i, 0, TRANSPARENT, 0)
    out.push(0x2c, ...word(x), ...word(y), ...word(w), ...word(h), i & 1 ? 0x40 : 0)
    for (const byte of poorCodes(pixels)) out.push(byte)
  }
  return Uint8Array.from([...out, ...end])
}

const part = (x: number, y: number, width: number, height: number, seed: number): Part => ({
  x,
  y,
  width,
  height,
  pixels: Uint8Array.from({ length: width * height }, (_, i) => {
    const [column, row] = [i % width, Math.floor(i / width)]
    return (column * row * seed) % 97 === 0 ? TRANSPARENT : ((column >> 2) * seed + (row >> 1)) & 63
  }),
})

/** Memory budget too small for any canvas. */
const BUDGET = 4 * 1024 * 1024 + 1000
const options = {
  quality: 'medium',
  output: 'gif',
  memoryBudget: BUDGET,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
}

async function run(bytes: Uint8Array, memoryBudget = BUDGET, quality = options.quality) {
  const source = memorySource(bytes, 'large.gif')
  const pressed = await openJob(gif, source, {}, {
    ...options,
    memoryBudget,
    quality,
  } as never).whole(async () => memorySink(source.size, source.name))
  return { outcome: pressed.outcome, bytes: pressed.result ? await readAll(pressed.result) : undefined }
}

/** Canvas and delay of each frame. */
function watch(bytes: Uint8Array) {
  const engine = new GifEngine(() => undefined)
  engine.begin('look')
  const frames: { digest: bigint; delay: number }[] = []
  for (let at = 0; at < bytes.length; ) {
    const { taken, frame } = engine.push(bytes.subarray(at))
    at += taken
    if (frame) frames.push(engine.currentFrame())
  }
  engine.finish()
  return frames
}

const PARTS = [part(0, 0, 160, 90, 3), part(10, 7, 120, 60, 5), part(40, 30, 21, 13, 7), part(1, 1, 1, 1, 2)]
const FILE = gifOf(160, 90, PARTS)

describe('GIF with a canvas that exceeds the memory budget', () => {
  it('encodes every frame again with the same pixels, delays and comments', async () => {
    const { outcome, bytes } = await run(FILE)
    expect(inEnglish(withFidelity(outcome))).toMatchObject({
      kind: 'compressed',
      fidelity: 'lossless',
      steps: ['LZW data of 4 frames recompressed'],
    })
    expect(bytes!.length).toBeLessThan(FILE.length / 2)
    expect(watch(bytes!)).toEqual(watch(FILE))
    expect(String.fromCharCode(...bytes!).split('\x21\xfe\x02hi\0')).toHaveLength(PARTS.length + 1)
  })

  it('adds a missing trailer and keeps codes that it cannot make smaller', async () => {
    const open = await run(gifOf(160, 90, PARTS, []))
    expect(open.bytes!.at(-1)).toBe(0x3b)
    const again = await run(open.bytes!)
    expect(again.outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  it('verification detects a changed pixel, delay or comment', async () => {
    const { outcome, bytes } = await run(FILE)
    const verify = (result: Uint8Array) =>
      gif.verify(memorySource(FILE, 'a.gif'), memorySource(result, 'b.gif'), outcome, options as never).catch(() => ({ equal: false }))
    expect(await verify(bytes!)).toEqual({ equal: true })
    let seen = 0
    for (let at = 13; at < bytes!.length - 1; at += 17) {
      const flipped = bytes!.slice()
      flipped[at]! ^= 0x20
      if ((await verify(flipped)).equal)
        expect(watch(flipped)).toEqual(watch(FILE)) // bits after the end code have no meaning
      else seen++
    }
    expect(seen).toBeGreaterThan((bytes!.length / 17) * 0.9)
  })

  it('rejects damaged and far too large files', async () => {
    for (let at = 20; at < FILE.length; at += Math.ceil(FILE.length / 20)) {
      expect((await run(FILE.subarray(0, at))).outcome).toMatchObject({ kind: 'unchanged' })
    }
    expect((await run(gifOf(65535, 65535, PARTS))).outcome).toMatchObject({ reason: 'over_budget' })
  })

  describe('largest canvas within the budget', () => {
    const MIB = 1024 * 1024
    /** Sizes in MB of the memories that engines got, including retired ones. */
    async function watched(bytes: Uint8Array) {
      const given = new Set<WebAssembly.Memory>()
      const { take } = MemoryPool.prototype
      vi.spyOn(MemoryPool.prototype, 'take').mockImplementation(function (this: MemoryPool, least?: number) {
        const memory = take.call(this, least)
        given.add(memory)
        return memory
      })
      const { outcome } = await run(bytes, 96 * MIB)
      vi.restoreAllMocks()
      return { outcome, wasmMB: [...given].reduce((sum, { buffer }) => sum + buffer.byteLength, 0) / 1e6 }
    }

    it('leaves memory for both verifying engines', { timeout: 120_000 }, async () => {
      const restored = PARTS.map((p, i) => ({ ...p, disposal: i % 4 }))
      const { outcome, wasmMB } = await watched(gifOf(3090, 2310, restored))
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'compressed',
        steps: ['4 frames re-encoded as the difference from the previous frame', expect.anything()],
      })
      expect(wasmMB).toBeGreaterThan(60)
      expect(wasmMB).toBeLessThan(86)
      const larger = await watched(gifOf(3130, 2310, restored))
      expect(inEnglish(larger.outcome)).toMatchObject({ steps: ['LZW data of 4 frames recompressed'] })
      expect(larger.wasmMB).toBeLessThan(86)
      const still = await watched(gifOf(3460, 2590, PARTS.slice(0, 1)))
      expect(inEnglish(still.outcome)).toMatchObject({
        steps: ['1 frame re-encoded as the difference from the previous frame', expect.anything()],
      })
      expect(still.wasmMB).toBeLessThan(88)
    })

    it('ignores the disposal of a single frame', async () => {
      for (const disposal of [0, 1, 2, 3]) {
        const { outcome, bytes } = await run(gifOf(160, 90, [{ ...part(10, 7, 120, 60, 5), disposal }]), 96 * MIB, 'high')
        expect(outcome).toMatchObject({ kind: 'compressed' })
        expect(watch(bytes!)).toEqual(watch(gifOf(160, 90, [part(10, 7, 120, 60, 5)])))
      }
    })

    it('is smaller if large frames are restored to previous', { timeout: 120_000 }, async () => {
      const { outcome, wasmMB } = await watched(gifOf(3090, 2310, [PARTS[0]!, { ...part(0, 0, 1000, 700, 3), disposal: 3 }, PARTS[1]!]))
      expect(inEnglish(outcome)).toMatchObject({ steps: ['LZW data of 3 frames recompressed'] })
      expect(wasmMB).toBeLessThan(86)
    })
  })

  it('uses the same memory at any height', () => {
    const file = gifOf(3000, 60_000, [part(0, 0, 3000, 400, 3)])
    const engine = new GifEngine(() => undefined)
    for (const mode of ['countFrames', 'writeFrames'] as const) {
      engine.begin(mode)
      for (let at = 0; at < file.length; engine.drain()) at += engine.push(file.subarray(at)).taken
      engine.finish()
    }
    expect(engine.memoryBytes).toBeLessThan(4 * 1024 * 1024)
  })
})

describe('similarity of two canvases', () => {
  /** Similarity of the whole canvases, measured by the service's own meter. */
  function whole(engines: readonly [GifEngine, GifEngine]) {
    const { width, height } = engines[0].facts()
    const meter = new SimilarityMeter(width, height, 4)
    for (let y = 0; y < height; y++) meter.push(engines[0].row(y).slice(), engines[1].row(y))
    return meter.finish()
  }
  const opened = (bytes: Uint8Array) => {
    const engine = new GifEngine(() => undefined)
    engine.begin('look')
    let at = 0
    return {
      engine,
      next() {
        for (;;) {
          const { taken, frame } = engine.push(bytes.subarray(at))
          at += taken
          if (frame) return engine.changedPart()
        }
      },
    }
  }
  const noise = (p: Part, seed: number): Part => ({
    ...p,
    pixels: p.pixels.map((v, i) => (v === TRANSPARENT || (i * seed) % 11 > 2 ? v : (v + 3) & 63)),
  })

  it.each([
    [160, 90],
    [71, 200],
    [9, 40],
    [300, 7],
    [5, 5],
  ])('equals a measurement of the whole canvas if only changes are measured (%i x %i)', (width, height) => {
    const solid = (p: Part): Part => ({ ...p, pixels: p.pixels.map((v) => v & 63) })
    const first = solid(part(0, 0, width, height, 3))
    const parts = [first, part(0, 0, Math.ceil(width / 2), Math.ceil(height / 3), 5), part(width - 4, height - 3, 4, 3, 7)]
    for (const opaque of [true, false]) {
      const given = opaque ? parts.map(solid) : [part(0, 0, width, height, 3), ...parts.slice(1)]
      const [a, b] = [
        opened(gifOf(width, height, given)),
        opened(
          gifOf(
            width,
            height,
            given.map((p, i) => noise(p, 7 + i)),
          ),
        ),
      ]
      for (let i = 0; i < given.length; i++) {
        const changed = a.next()
        expect(b.next()).toEqual(changed)
        const [found, expected] = [b.engine.similarityTo(a.engine, changed), whole([a.engine, b.engine])]
        expect(found.ssim).toBeCloseTo(expected.ssim, 3)
        expect(found.psnrDb).toBeCloseTo(expected.psnrDb, 2)
      }
    }
  })
})
