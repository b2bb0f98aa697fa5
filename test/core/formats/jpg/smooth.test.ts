import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { pictureTarget } from '../../../../src/core/catalog/levels.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { TARGETS } from '../../../../src/core/formats/pdf/images/levels.ts'
import { searchQuality } from '../../../../src/core/formats/pdf/images/search.ts'
import { encodeJpeg } from '../../../../src/core/images/jpeg/encode.ts'
import type { Raster } from '../../../../src/core/images/raster/raster.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { encodeRows, JpegJob, JpegRows, type Scans } from '../../../../wasm/jpeg/jpeg.ts'

const WIDTH = 400
const HEIGHT = 304
const LEVELS = ['low', 'medium', 'high'] as const
/** Largest band error in levels; rounding slow ramps already costs half a level. */
const BAND_ERROR = 0.65

const painted = (colour: (x: number, y: number) => readonly number[]) => {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) pixels.set(colour(x, y).map(Math.round), (y * WIDTH + x) * 3)
  return pixels
}
const along = (x: number, y: number) => (y + 0.15 * x) / (HEIGHT + 0.15 * WIDTH)
const outward = (x: number, y: number) => Math.hypot(x - WIDTH / 2, y - HEIGHT / 2) / 252

const SMOOTH = {
  sky: painted((x, y) => [70 + 60 * along(x, y), 120 + 50 * along(x, y), 195 + 30 * along(x, y)]),
  'dark backdrop': painted((x, y) => [40 - 30 * outward(x, y), 30 - 24 * outward(x, y), 34 - 26 * outward(x, y)]),
  'ramp of light': painted((x, y) => [0, 0, 0].map(() => 30 + 40 * along(x, y))),
  'ramp of colour': painted((x, y) => [120 + 24 * along(x, y), 120 - 14 * along(x, y), 120 + 12 * along(y, x)]),
}
const texture = painted((x, y) => {
  const hash = (Math.imul(x * 374761393 + y * 668265263, 1274126177) >>> 0) / 2 ** 32
  const grain = 120 + 60 * Math.sin(x / 2.3 + Math.sin(y / 7)) * Math.sin(y / 1.9) + 50 * (hash - 0.5)
  return [grain, grain * 0.9, grain * 0.6]
})

async function fileOf(pixels: Uint8Array, quality = 95, scans: Scans = 'progressive'): Promise<Uint8Array> {
  return concat((await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality, scans, subsampled: false }, [pixels])).chunks)
}

async function decoded(file: Uint8Array): Promise<Uint8Array> {
  const rows = await JpegRows.open(file)
  const strips: Uint8Array[] = []
  for (let strip: Uint8Array | undefined; (strip = await rows.read(64)); ) strips.push(strip)
  return concat(strips)
}

const options: Options = {
  quality: 'medium',
  output: 'jpg',
  memoryBudget: 96 << 20,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
}

async function compressed(file: Uint8Array, more: Partial<Options>): Promise<Uint8Array> {
  const { result, outcome } = await openJob(jpg, memorySource(file, 'sky.jpg'), {}, { ...options, ...more }).whole(async () =>
    memorySink(file.length, 'sky.jpg'),
  )
  if (!result) throw new Error(JSON.stringify(outcome))
  const chunks: Uint8Array[] = []
  for (let at = 0; at < result.size; at += 65536) chunks.push(await result.read(at, Math.min(65536, result.size - at)))
  return concat(chunks)
}

/** Quantisation steps of DC and the two lowest frequencies of each table (ITU-T T.81, B.2.4.1). */
function lowestSteps(file: Uint8Array): number[] {
  const steps: number[] = []
  for (let at = 2; file[at + 1] !== 0xda; at += 2 + ((file[at + 2] ?? 0) << 8) + (file[at + 3] ?? 0)) {
    if (file[at + 1] !== 0xdb) continue
    const end = at + 2 + ((file[at + 2] ?? 0) << 8) + (file[at + 3] ?? 0)
    for (let table = at + 4; table < end; table += (file[table] ?? 0) >> 4 ? 129 : 65) {
      const size = (file[table] ?? 0) >> 4 ? 2 : 1
      steps.push(
        ...[0, 1, 2].map((k) =>
          size === 2 ? ((file[table + 1 + 2 * k] ?? 0) << 8) + (file[table + 2 + 2 * k] ?? 0) : (file[table + 1 + k] ?? 0),
        ),
      )
    }
  }
  return steps
}

/** Root mean square error of the means of 16-pixel squares, in the worst channel: the visible part of bands and blocks. */
function bandError(a: Uint8Array, b: Uint8Array): number {
  const squares = [0, 0, 0]
  for (let y = 0; y < HEIGHT; y += 16)
    for (let x = 0; x < WIDTH; x += 16)
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0
        for (let i = 0; i < 256; i++) {
          const at = ((y + (i >> 4)) * WIDTH + x + (i & 15)) * 3 + channel
          sum += (a[at] ?? 0) - (b[at] ?? 0)
        }
        squares[channel] = (squares[channel] ?? 0) + (sum / 256) ** 2
      }
  return Math.sqrt((Math.max(...squares) * 256) / (WIDTH * HEIGHT))
}

const raster: Raster = {
  width: WIDTH,
  height: HEIGHT,
  channels: 3,
  async *rows() {
    yield SMOOTH.sky.slice()
  },
}

describe.each(Object.keys(SMOOTH) as (keyof typeof SMOOTH)[])('a %s', (name) => {
  it.each(LEVELS)('shows no bands and no blocks at %s', async (quality) => {
    const file = await fileOf(SMOOTH[name])
    const result = await compressed(file, { quality })
    expect(Math.max(...lowestSteps(result))).toBeLessThanOrEqual(8)
    expect(bandError(await decoded(file), await decoded(result))).toBeLessThan(BAND_ERROR)
  })
})

describe('finer steps for smooth areas', () => {
  it('keep the order of levels', async () => {
    for (const pixels of Object.values(SMOOTH)) {
      const file = await fileOf(pixels)
      const sizes = await Promise.all(LEVELS.map(async (quality) => (await compressed(file, { quality })).length))
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    }
  })

  it('are used if a file is read twice because it exceeds memory', async () => {
    const file = await fileOf(SMOOTH.sky, 98, 'sequential')
    // Budget above the memory of the result and below that of the coefficients.
    const memoryBudget = 10 * 1024 * 1024 + WIDTH * 1200 + 3.5 * file.length
    const result = await compressed(file, { quality: 'low', memoryBudget })
    expect(Math.max(...lowestSteps(result))).toBeLessThanOrEqual(8)
  })

  it('are used for pictures of other formats, stored or read twice', async () => {
    for (const memoryBudget of [96 << 20, 17 * 1024 * 1024 + WIDTH * 1200 + WIDTH * HEIGHT]) {
      const request = { target: pictureTarget('low'), pristine: true, sizeLimit: 1 << 30, options: { ...options, memoryBudget } }
      const { chunks } = await encodeJpeg(raster, {}, request)
      expect(Math.max(...lowestSteps(concat([...chunks])))).toBeLessThanOrEqual(8)
    }
  })

  it('are used for pictures in documents', async () => {
    using job = await JpegJob.read(await fileOf(SMOOTH.sky))
    await searchQuality(job, WIDTH * HEIGHT, TARGETS.low, 40, Number.POSITIVE_INFINITY)
    expect(Math.max(...lowestSteps(concat(job.write('made', 'progressive'))))).toBeLessThanOrEqual(8)
  })

  it('are used for a target size', async () => {
    const file = await fileOf(SMOOTH.sky)
    const result = await compressed(file, { targetSize: Math.round(file.length / 3) })
    expect(Math.max(...lowestSteps(result))).toBeLessThanOrEqual(8)
  })

  it('are not used where texture hides bands: same bytes', async () => {
    using job = await JpegJob.read(await fileOf(texture))
    expect(job.smoothPlanes).toBe(0)
    for (const quality of [35, 65]) {
      await job.requantise(quality)
      const usual = concat(job.write('made', 'progressive'))
      job.refineSmooth(false)
      await job.requantise(quality)
      expect(concat(job.write('made', 'progressive'))).toEqual(usual)
      job.refineSmooth(true)
    }
  })

  it('are not used in flat colours', async () => {
    using job = await JpegJob.read(await fileOf(painted((x) => (x < WIDTH / 2 ? [200, 40, 40] : [250, 250, 250]))))
    expect(job.smoothPlanes).toBe(0)
  })

  it('write the same bytes streamed and stored', async () => {
    const file = await fileOf(SMOOTH.sky)
    using stored = await JpegJob.read(file)
    using streamed = await JpegJob.read(file, { kind: 'stream', quality: 50, smoothPlanes: stored.smoothPlanes })
    await stored.requantise(50)
    expect(stored.smoothPlanes).not.toBe(0)
    expect(concat(streamed.write('made', 'progressive'))).toEqual(concat(stored.write('made', 'progressive')))
  })
})
