import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { SimilarityMeter } from '../../../../src/core/metrics/ssim-psnr.ts'
import type { Options, Outcome } from '../../../../src/core/model/codec.ts'
import { lossOf, pixelLoss } from '../../../../src/core/model/loss.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { chunk } from '../../../../wasm/png/chunks.ts'
import { decodePng } from '../../../../wasm/png/png.ts'
import { pictureLossOf } from '../../../support/fidelity.ts'

const options: Options = {
  quality: 'medium',
  output: 'png',
  memoryBudget: 96 * 1024 * 1024,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
}
const WIDTH = 96
const HEIGHT = 72
const CHANNELS = { 0: 1, 2: 3, 6: 4 } as const

type Sample = (x: number, y: number, c: number) => number

function sixteenBits(colourType: 0 | 2 | 6, sample: Sample): Uint8Array {
  const channels = CHANNELS[colourType]
  const rowBytes = 1 + WIDTH * channels * 2
  const data = new Uint8Array(HEIGHT * rowBytes)
  const view = new DataView(data.buffer)
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++)
      for (let c = 0; c < channels; c++) view.setUint16(y * rowBytes + 1 + (x * channels + c) * 2, sample(x, y, c))
  const ihdr = new Uint8Array(13)
  new DataView(ihdr.buffer).setUint32(0, WIDTH)
  new DataView(ihdr.buffer).setUint32(4, HEIGHT)
  ihdr.set([16, colourType], 8)
  const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
  return concat([signature, chunk('IHDR', ihdr), chunk('IDAT', deflateSync(data)), chunk('IEND')])
}

async function run(file: Uint8Array, more: Partial<Options> = {}) {
  const source = memorySource(file, 'test.png')
  const pressed = await openJob(png, source, {}, { ...options, ...more }).whole(async () => memorySink(file.length, 'test.png'))
  return { outcome: pressed.outcome, bytes: pressed.result ? await readAll(pressed.result) : file }
}

async function samplesOf(bytes: Uint8Array): Promise<Uint16Array> {
  const rows: Uint8Array[] = []
  async function* once() {
    yield bytes
  }
  await decodePng(once(), 'rgba16', (row) => void rows.push(row.slice()))
  return new Uint16Array(concat(rows).slice().buffer)
}

/** Luma PSNR of opaque RGBA by definition, in double precision; 65535 corresponds to 255. */
async function lumaPsnrDb(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [x, y] = [await samplesOf(a), await samplesOf(b)]
  const luma = (of: Uint16Array, i: number) => (0.299 * of[i]! + 0.587 * of[i + 1]! + 0.114 * of[i + 2]!) / 257
  let squares = 0
  for (let i = 0; i < x.length; i += 4) squares += (luma(x, i) - luma(y, i)) ** 2
  return 10 * Math.log10((255 * 255 * x.length) / 4 / squares)
}

const grain = (x: number, y: number, c: number) => Math.imul(x * 7919 + y * 104729 + c * 1299709, 2654435761) >>> 24
/** Photographic noise whose samples are as far as possible from 8-bit values. */
const halfway: Sample = (x, y, c) => (c === 3 ? 65535 : 257 * (20 + ((grain(x, y, c) + x + y) % 200)) + 128)
/** Four colours with noise below the precision of 8 bits. */
const fourColours: Sample = (x, y, c) =>
  c === 3 ? 65535 : 257 * (40 + 50 * ((x >> 5) & 1) + 60 * ((y >> 5) & 1) + 20 * c) + (grain(x, y, c) % 120) - 60

describe('figures of 16-bit pictures use all 16 bits', () => {
  it.each([
    ['rounding where every sample lies halfway, grey', 0, halfway],
    ['rounding where every sample lies halfway, RGB', 2, halfway],
    ['rounding where every sample lies halfway, RGBA', 6, halfway],
    ['a palette of the four colours that eight bits show', 2, fourColours],
  ] as const)('%s', async (_, colourType, sample) => {
    const file = sixteenBits(colourType, sample)
    const { outcome, bytes } = await run(file)
    const claim = pictureLossOf(outcome)
    const found = await lumaPsnrDb(file, bytes)
    expect(found).toBeLessThan(75)
    expect(claim.psnrDb).toBeLessThanOrEqual(found + 0.001)
    expect(claim.psnrDb).toBeGreaterThan(found - 0.01)
  })

  it('verification rejects a claim that is 0.1 dB too high', async () => {
    for (const sample of [halfway, fourColours]) {
      const file = sixteenBits(2, sample)
      const { outcome, bytes } = await run(file)
      const { ssim, psnrDb } = pictureLossOf(outcome)
      const verify = (claim: Outcome) => png.verify(memorySource(file, 'a.png'), memorySource(bytes, 'b.png'), claim, options)
      expect(await verify(outcome)).toMatchObject({ equal: true })
      const more: Outcome = { kind: 'compressed', ...lossOf(pixelLoss({ ssim, psnrDb: psnrDb + 0.1 })), steps: [] }
      expect((await verify(more)).equal).toBe(false)
    }
  })
})

it('16-bit samples with 8-bit values have 8-bit figures', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom(1, 2, 3, 4),
      fc.nat(),
      (w, h, channels, seed) => {
        const one = Uint8Array.from({ length: w * h * channels }, (_, i) => grain(i, seed, 1))
        const other = one.map((value, i) => (grain(i, seed, 2) < 60 ? value ^ (grain(i, seed, 3) & 31) : value))
        const wide = (bytes: Uint8Array) => Uint8Array.from({ length: bytes.length * 2 }, (_, i) => bytes[i >> 1]!)
        using narrow = new SimilarityMeter(w, h, channels as 1 | 2 | 3 | 4)
        narrow.push(one, other)
        using broad = new SimilarityMeter(w, h, channels as 1 | 2 | 3 | 4, 16)
        broad.push(wide(one), wide(other))
        const [a, b] = [narrow.finish(), broad.finish()]
        expect(b.ssim).toBeCloseTo(a.ssim, 4)
        if (Number.isFinite(a.psnrDb)) expect(b.psnrDb).toBeCloseTo(a.psnrDb, 2)
        else expect(b.psnrDb).toBe(a.psnrDb)
        if (Number.isFinite(a.psnrRgbDb)) expect(b.psnrRgbDb).toBeCloseTo(a.psnrRgbDb, 2)
      },
    ),
    { numRuns: 60 },
  )
})
