import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { fidelityOf } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { GifEngine } from '../../../wasm/gif/gif.ts'
import { pictureLossOf, withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { gifFile, plainCodes } from '../../support/picture-files.ts'
import { damagePositions, IS_THOROUGH, roundsOf } from '../../support/thorough.ts'

interface Frame {
  x: number
  y: number
  width: number
  height: number
  pixels: Uint8Array
  delay?: number
  disposal?: number
  transparent?: number
  palette?: number[]
  interlaced?: boolean
}

const word = (v: number) => [v & 255, v >> 8]
const COMMENT = [0x21, 0xfe, 5, ...new TextEncoder().encode('hello'), 0]

function gifOf(width: number, height: number, palette: number[], frames: Frame[], loop?: number): Uint8Array {
  const bits = Math.max(1, Math.ceil(Math.log2(palette.length / 3)))
  const table = (colours: number[], size: number) => [...colours, ...new Array(3 * size - colours.length).fill(0)]
  const out = [
    ...new TextEncoder().encode('GIF89a'),
    ...word(width),
    ...word(height),
    0x80 | (bits - 1),
    0,
    0,
    ...table(palette, 1 << bits),
  ]
  if (loop !== undefined) out.push(0x21, 0xff, 11, ...new TextEncoder().encode('NETSCAPE2.0'), 3, 1, ...word(loop), 0)
  out.push(...COMMENT)
  for (const f of frames) {
    const control = ((f.disposal ?? 0) << 2) | (f.transparent === undefined ? 0 : 1)
    out.push(0x21, 0xf9, 4, control, ...word(f.delay ?? 5), f.transparent ?? 0, 0)
    const local = f.palette ? 0x80 | 7 : 0
    out.push(0x2c, ...word(f.x), ...word(f.y), ...word(f.width), ...word(f.height), local | (f.interlaced ? 0x40 : 0))
    if (f.palette) out.push(...table(f.palette, 256))
    for (const byte of plainCodes(f.pixels)) out.push(byte)
  }
  out.push(0x3b)
  return Uint8Array.from(out)
}

/** Independent decoder: canvas after each frame (GIF89a, 23). */
function play(width: number, height: number, palette: number[], frames: Frame[]) {
  let canvas = new Array<number>(width * height).fill(-1)
  return frames.map((f) => {
    const before = canvas.slice()
    const colours = f.palette ?? palette
    const rows = f.interlaced
      ? [...lines(0, 8, f.height), ...lines(4, 8, f.height), ...lines(2, 4, f.height), ...lines(1, 2, f.height)]
      : lines(0, 1, f.height)
    f.pixels.forEach((p, i) => {
      if (p === f.transparent) return
      const y = rows[Math.floor(i / f.width)] ?? 0
      const rgb = [0, 1, 2].reduce((sum, c) => sum + ((colours[3 * p + c] ?? 0) << (8 * c)), 0)
      canvas[(f.y + y) * width + f.x + (i % f.width)] = rgb
    })
    const shown = canvas.slice()
    if (f.disposal === 2) for (let y = 0; y < f.height; y++) canvas.fill(-1, (f.y + y) * width + f.x, (f.y + y) * width + f.x + f.width)
    if (f.disposal === 3) canvas = before
    return { shown, delay: f.delay ?? 5 }
  })
}
const lines = (from: number, step: number, end: number) =>
  Array.from({ length: Math.max(0, Math.ceil((end - from) / step)) }, (_, i) => from + i * step)

/** Canvases of a file as the engine decodes them. */
function watch(bytes: Uint8Array) {
  const engine = new GifEngine(() => undefined)
  engine.begin('look')
  const frames: { shown: number[]; delay: number }[] = []
  for (let at = 0; at < bytes.length; ) {
    const { taken, frame } = engine.push(bytes.subarray(at))
    at += taken
    if (!frame) continue
    const { width, height } = engine.facts()
    const shown: number[] = []
    for (let y = 0; y < height; y++) {
      const row = engine.row(y)
      for (let x = 0; x < width; x++) {
        shown.push(row[4 * x + 3] ? row[4 * x]! + (row[4 * x + 1]! << 8) + (row[4 * x + 2]! << 16) : -1)
      }
    }
    frames.push({ shown, delay: engine.currentFrame().delay })
  }
  engine.finish()
  return frames
}

/** Merges frames that repeat the previous one into one longer frame. */
function merged(frames: { shown: number[]; delay: number }[]) {
  const out: { shown: number[]; delay: number }[] = []
  for (const f of frames) {
    const last = out.at(-1)
    if (last?.shown.every((v, i) => v === f.shown[i])) last.delay += f.delay
    else out.push({ ...f })
  }
  return out
}

const base = {
  memoryBudget: 96 * 1024 * 1024,
  signal: new AbortController().signal,
  progress: () => undefined,
  output: 'gif' as const,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged' as const, reason: 'no_gain' as const }) },
}
const run = async (bytes: Uint8Array, quality: Quality, more: object = {}) => {
  const source = memorySource(bytes, 'test.gif')
  const pressed = await openJob(gif, source, {}, { ...base, quality, ...more } as never).whole(async () =>
    memorySink(source.size, source.name),
  )
  return { ...pressed, bytes: pressed.result ? await readAll(pressed.result) : undefined }
}

const PALETTE = Array.from({ length: 48 }, (_, i) => (i * 53) & 255)

/** Small animations with every disposal method, transparency, local tables and interlacing. */
const animations = fc
  .record({ width: fc.integer({ min: 1, max: 24 }), height: fc.integer({ min: 1, max: 24 }) })
  .chain(({ width, height }) =>
    fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      frames: fc.array(
        fc.record({ x: fc.nat(width - 1), y: fc.nat(height - 1), seed: fc.nat(255) }).chain(({ x, y, seed }) =>
          fc
            .record({
              x: fc.constant(x),
              y: fc.constant(y),
              width: fc.constant(width - x),
              height: fc.constant(height - y),
              pixels: fc.constant(
                Uint8Array.from({ length: (width - x) * (height - y) }, (_, i) => ((i * (seed | 1)) >> 3) & (seed & 1 ? 15 : 3)),
              ),
              delay: fc.integer({ min: 2, max: 9 }),
              disposal: fc.integer({ min: 0, max: 3 }),
              transparent: fc.option(fc.nat(15), { nil: undefined }) as fc.Arbitrary<number>,
              interlaced: fc.boolean(),
              palette: fc.option(fc.constant(PALETTE.map((v) => 255 - v)), { nil: undefined, freq: 4 }) as fc.Arbitrary<number[]>,
            })
            .map((frame) => (frame.disposal === 2 ? { ...frame, transparent: frame.transparent ?? 5 } : frame)),
        ),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  )
  .map(({ width, height, frames: [first, ...others] }) => {
    const covers = first!.width === width && first!.height === height
    return { width, height, frames: [covers ? first! : { ...first!, transparent: first!.transparent ?? 5 }, ...others] }
  })

describe('GIF', () => {
  it('keeps frames that viewers show differently: background restored behind an opaque frame', async () => {
    const frame = (disposal: number, x: number, width = 8) => ({
      x,
      y: 0,
      width,
      height: 8,
      pixels: new Uint8Array(8 * width).fill(3),
      delay: 5,
      disposal,
    })
    const result = await run(gifOf(16, 8, PALETTE, [frame(2, 0, 16), frame(1, 8)] as never), 'high')
    expect(inEnglish(withFidelity(result.outcome))).toMatchObject({
      kind: 'compressed',
      fidelity: 'lossless',
      steps: ['LZW data of 2 frames recompressed'],
    })
    const png = await run(gifOf(16, 8, PALETTE, [frame(2, 0, 16), frame(1, 8)] as never), 'high', { output: 'png' })
    expect(png.outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    const covered = await run(gifOf(8, 8, PALETTE, [frame(2, 0), frame(1, 0)] as never), 'high')
    expect(covered.outcome).not.toMatchObject({ reason: 'unsupported_feature' })
  })

  it('keeps frames that viewers show differently: first frame smaller than the canvas', async () => {
    const frame = { x: 2, y: 0, width: 6, height: 8, pixels: new Uint8Array(48).fill(3), delay: 5, disposal: 1 }
    const file = gifOf(8, 8, PALETTE, [frame] as never)
    expect(inEnglish(withFidelity((await run(file, 'medium')).outcome))).toMatchObject({
      fidelity: 'lossless',
      steps: ['LZW data of 1 frame recompressed'],
    })
    expect((await run(file, 'medium', { output: 'png' })).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    const transparent = gifOf(8, 8, PALETTE, [{ ...frame, transparent: 5 }] as never)
    expect(inEnglish((await run(transparent, 'medium')).outcome)).toMatchObject({
      steps: ['1 frame re-encoded as the difference from the previous frame', 'lossless'],
    })
  })

  it('keeps frames if the canvas has more colours than the engine can distinguish', async () => {
    const tiles = Array.from({ length: 260 }, (_, tile) => ({
      x: 16 * (tile % 20),
      y: 16 * Math.floor(tile / 20),
      width: 16,
      height: 16,
      pixels: Uint8Array.from({ length: 256 }, (_, i) => i),
      delay: 0,
      disposal: 1,
      ...(tile ? {} : { transparent: 255 }),
      palette: Array.from({ length: 256 }, (_, i) => [i, tile & 255, tile >> 8]).flat(),
    }))
    const { outcome } = await run(gifOf(320, 208, PALETTE, tiles as never), 'medium')
    expect(inEnglish(withFidelity(outcome))).toMatchObject({
      kind: 'compressed',
      fidelity: 'lossless',
      steps: ['LZW data of 260 frames recompressed'],
    })
  })

  it('decodes disposal, transparency, local tables and interlacing as other viewers do', () => {
    fc.assert(
      fc.property(animations, ({ width, height, frames }) => {
        expect(watch(gifOf(width, height, PALETTE, frames))).toEqual(play(width, height, PALETTE, frames))
      }),
      { numRuns: roundsOf(150) },
    )
  })

  it('clears to transparency if every entry of the global table is used', async () => {
    const pixels = (text: string) => Uint8Array.from(text, Number)
    const still = { delay: 2, interlaced: false, palette: PALETTE }
    const frames = [
      { ...still, x: 4, y: 4, width: 3, height: 1, pixels: pixels('013'), disposal: 0, transparent: 5 },
      { ...still, x: 2, y: 2, width: 5, height: 3, pixels: pixels('020202021313131'), disposal: 2, transparent: 5 },
      { ...still, x: 2, y: 2, width: 5, height: 3, pixels: pixels('021032103103210'), disposal: 0, transparent: 0 },
    ]
    const { outcome, bytes } = await run(gifOf(7, 5, PALETTE, frames, 7), 'high')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(merged(watch(bytes!))).toEqual(merged(play(7, 5, PALETTE, frames)))
  })

  it('keeps every change at its time, even an invisible one', async () => {
    const steady = (x: number, y: number, frame: number) => 100 + ((x * 7 + y * 13) % 60) + (frame === 3 && x < 4 && y < 4 ? 1 : 0)
    const palette = Array.from({ length: 256 }, (_, i) => [i, i, i]).flat()
    const frames = Array.from({ length: 5 }, (_, frame) => ({
      delay: 10 + frame,
      pixels: Uint8Array.from({ length: 64 * 48 }, (_, i) => steady(i % 64, Math.floor(i / 64), frame)),
    }))
    const file = gifFile(64, 48, palette, frames)
    for (const quality of ['high', 'medium', 'low'] as const) {
      const { bytes } = await run(file, quality)
      const after = merged(watch(bytes ?? file))
      expect(
        after.map(({ delay }) => delay),
        quality,
      ).toEqual([33, 13, 14])
      expect(after[1]!.shown, 'the faint frame differs from the one before').not.toEqual(after[0]!.shown)
    }
  })

  it('writes smaller animations with the same frames, times and extensions', async () => {
    await fc.assert(
      fc.asyncProperty(animations, async ({ width, height, frames }) => {
        const file = gifOf(width, height, PALETTE, frames, 7)
        const { outcome, bytes } = await run(file, 'high')
        if (outcome.kind === 'unchanged') {
          expect(outcome.reason).toBe('no_gain')
          return
        }
        expect(fidelityOf(outcome)).toBe('lossless')
        expect(bytes!.length).toBeLessThan(file.length)
        expect(merged(watch(bytes!))).toEqual(merged(play(width, height, PALETTE, frames)))
        const text = String.fromCharCode(...bytes!)
        expect(text).toContain('hello')
        expect(text).toContain('NETSCAPE2.0\x03\x01\x07\x00')
      }),
      { numRuns: roundsOf(120) },
    )
  })

  const noisy = (shift: number) => ({
    x: 0,
    y: 0,
    width: 96,
    height: 80,
    pixels: Uint8Array.from({ length: 96 * 80 }, (_, i) => {
      const [x, y] = [i % 96, Math.floor(i / 96)]
      return Math.min(255, Math.max(0, 128 + 90 * Math.sin((x + shift) / 9) * Math.cos(y / 7) + ((i * 2654435761) >>> 29)))
    }),
  })
  const GREYS = Array.from({ length: 768 }, (_, i) => Math.floor(i / 3))
  const film = gifOf(96, 80, GREYS, [0, 2, 4, 6, 8, 10].map(noisy), 0)

  it('keeps low ≤ medium ≤ high, every frame within the target, without drift', async () => {
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes } = await run(film, quality)
      expect(outcome.kind).toBe('compressed')
      if (outcome.kind !== 'compressed' || !bytes) return
      sizes.push(bytes.length)
      if (quality === 'high') expect(fidelityOf(outcome)).toBe('lossless')
      else expect(pictureLossOf(outcome).psnrDb).toBeGreaterThanOrEqual(quality === 'low' ? 32 : 35)
    }
    expect([...sizes].sort((a, b) => a - b)).toEqual(sizes)
    expect(sizes[0]).toBeLessThan(sizes[2]! * 0.7)
  })

  it('is lossless on request and meets a target size', async () => {
    const exact = await run(film, 'low', { lossless: true })
    expect(withFidelity(exact.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const { bytes } = await run(film, 'high', { targetSize: Math.floor(exact.bytes!.length * 0.7) })
    expect(bytes!.length).toBeLessThan(exact.bytes!.length * 0.7)
    await expect(run(film, 'medium', { targetSize: 300 })).rejects.toThrow(/bytes/)
  })

  it('rejects damage quickly and continues with the next file', async () => {
    for (const at of damagePositions(1, film.length, Math.ceil(film.length / 25))) {
      const cut = await run(film.subarray(0, at), 'high')
      expect(cut.outcome).toMatchObject({ kind: 'unchanged' })
      const flipped = film.slice()
      flipped[at]! ^= 0x55
      await run(flipped, 'high') // any outcome is allowed, but no crash or hang
    }
    const huge = gifOf(65535, 65535, [0, 0, 0, 255, 255, 255], [{ x: 0, y: 0, width: 1, height: 1, pixels: Uint8Array.of(1) }])
    expect((await run(huge, 'low')).outcome).toMatchObject({ reason: 'over_budget' })
    expect((await run(film, 'high')).outcome.kind).toBe('compressed')
  })

  it.runIf(IS_THOROUGH)('uses about 13 bytes a pixel for any number of frames', () => {
    const width = 1500
    const height = 1000
    const frames = Array.from({ length: 4 }, (_, i) => ({
      x: 0,
      y: 0,
      width,
      height,
      disposal: i % 3 === 2 ? 3 : 1,
      pixels: Uint8Array.from({ length: width * height }, (_, k) => ((k * (i + 1)) >> 12) & 15),
    }))
    const file = gifOf(width, height, PALETTE, frames)
    const engine = new GifEngine(() => undefined)
    for (const mode of ['scan', 'encode'] as const) {
      engine.begin(mode, { mute: true })
      for (let at = 0; at < file.length; ) at += engine.push(file.subarray(at)).taken
      engine.finish()
    }
    expect(engine.memoryBytes / (width * height)).toBeLessThan(14)
  })
})
