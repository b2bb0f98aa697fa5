import { afterEach, describe, expect, it, vi } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { LEVELS } from '../../../../src/core/catalog/levels.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { webp } from '../../../../src/core/formats/webp/webp.ts'
import { type Raster, stripsOf } from '../../../../src/core/images/raster/raster.ts'
import { ScoredFile } from '../../../../src/core/images/search/scored-file.ts'
import { alphaOf, channelsOfColours, coloursOf, withAlpha } from '../../../../src/core/images/webp/alpha.ts'
import { cutOf } from '../../../../src/core/images/webp/cut.ts'
import { bytesOf, ExactForm } from '../../../../src/core/images/webp/exact-form.ts'
import { FAST_METHOD, QUICK_EXACT } from '../../../../src/core/images/webp/tuning.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { EngineError } from '../../../../wasm/engine-error.ts'
import { decodeWebp, WebpEncoder } from '../../../../wasm/webp/webp.ts'
import { textsOf } from '../../../support/in-english.ts'
import { jpegOf, pngOf } from '../../../support/packages.ts'
import { pressFile } from '../../../support/press-file.ts'
import { webpOf } from '../../../support/webp-file.ts'
import { photo } from '../../formats/jpg/photo.ts'

const BAND = 64
/** A size that is no multiple of 16, with three of twelve bands in the cut. */
const [WIDTH, HEIGHT] = [401, 12 * BAND + 7]
const KEPT = [2, 6, 10]

const rasterOf = (pixels: Uint8Array, width: number, channels: Raster['channels']): Raster => ({
  width,
  height: pixels.length / width / channels,
  channels,
  async *rows() {
    yield* stripsOf(pixels, { width, channels })
  },
})

/** Changes the pixels of the cut's bands (`inside`), or the other ones. */
function changed(pixels: Uint8Array, channels: number, inside: boolean, change: (x: number, y: number) => readonly number[]): Uint8Array {
  const out = pixels.slice()
  for (let y = 0; y < HEIGHT; y++) {
    if (KEPT.includes(Math.floor(y / BAND)) !== inside) continue
    for (let x = 0; x < WIDTH; x++) out.set(change(x, y), (y * WIDTH + x) * channels)
  }
  return out
}

/** Thin strokes of red and cyan, which averaged chroma spoils. */
const strokes = (x: number, y: number) => ((x + y) % 7 < 2 ? [230, 20, 40] : [30, 200, 210])

/** Methods of the lossy encodings, and of the lossless ones. */
function watched() {
  const encode = vi.spyOn(WebpEncoder.prototype, 'encode')
  const methods = (lossless: boolean) =>
    encode.mock.calls.filter(([options]) => (options.lossless ?? false) === lossless).map(([{ method }]) => method)
  return { lossy: () => methods(false), exact: () => methods(true) }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('cut of a picture', () => {
  it('has bands of 64 rows, spread evenly', async () => {
    const pixels = photo(WIDTH, HEIGHT, 3)
    const cut = cutOf(rasterOf(pixels, WIDTH, 3))
    const rowBytes = WIDTH * 3
    for (let at = 0, rows = 1; at < pixels.length; at += rows * rowBytes, rows = (rows % 90) + 13)
      cut?.add(pixels.subarray(at, at + rows * rowBytes))
    expect(cut).toMatchObject({ width: WIDTH, height: KEPT.length * BAND, channels: 3 })
    const strips: Uint8Array[] = []
    for await (const strip of cut?.rows() ?? []) strips.push(strip)
    const kept = concat(strips)
    for (const [index, band] of KEPT.entries()) {
      const bytesOf = (at: number) => [at * BAND * rowBytes, (at + 1) * BAND * rowBytes] as const
      expect(Buffer.compare(kept.subarray(...bytesOf(index)), pixels.subarray(...bytesOf(band)))).toBe(0)
    }
  })

  it.each([
    [1, 16383, false],
    [16383, 1, false],
    [16383, 383, false],
    [16383, 384, true],
    [800, 384, true],
    [545, 549, false],
  ])('of %i × %i pixels exists: %s', (width, height, exists) => {
    expect(cutOf({ width, height, channels: 1, rows: async function* () {} }) !== undefined).toBe(exists)
  })
})

describe('WebP that is predicted from a cut', () => {
  it.each([
    ['only inside the bands', true],
    ['only outside of the bands', false],
  ] as const)('reaches its level with detail and hues %s (webp-cut-of-uneven-bands)', async (_, inside) => {
    const pixels = changed(photo(WIDTH, HEIGHT, 3), 3, inside, strokes)
    const { lossy } = watched()
    const { outcome, defect } = await pressFile(png, pngOf(pixels, WIDTH, HEIGHT), 'a.png', { output: 'webp', quality: 'medium' })
    expect(defect).toBeUndefined()
    if (outcome.kind !== 'compressed') throw new Error('the picture was not converted')
    expect(outcome.loss?.pictures?.ssimulacra2 ?? 100).toBeGreaterThanOrEqual(LEVELS.perceptual.medium.score)
    expect(lossy()).toContain(FAST_METHOD)
  })

  it('keeps transparency that only one band has, sample by sample', async () => {
    const pixels = photo(WIDTH, HEIGHT, 4).map((value, at) => {
      const y = Math.floor(at / 4 / WIDTH)
      return at % 4 < 3 ? value : Math.floor(y / BAND) === 5 ? (at >> 2) % 251 : 255
    })
    const file = webpOf(
      changed(pixels, 4, true, (x, y) => [...strokes(x, y), 255]),
      { width: WIDTH, height: HEIGHT, channels: 4 },
    )
    const { outcome, bytes, defect } = await pressFile(webp, file, 'a.webp', { quality: 'low' })
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    const alpha = (one: Uint8Array) => decodeWebp(one, WIDTH, HEIGHT)?.filter((_, at) => at % 4 === 3) ?? new Uint8Array()
    expect(Buffer.compare(alpha(bytes), alpha(file))).toBe(0)
  })
})

describe('alpha of a WebP', () => {
  it.each([
    [2, 61, 40],
    [4, 64, 33],
  ] as const)('coded apart gives the file that libwebp makes at once, %i channels', async (channels, width, height) => {
    const pixels = photo(width, height, 4).filter((_, at) => at % 4 >= 4 - channels)
    using whole = new WebpEncoder(width, height, channels)
    whole.write(pixels)
    whole.encode({ quality: 70, method: 5 })
    const raster = rasterOf(pixels, width, channels)
    using colours = new WebpEncoder(width, height, channelsOfColours(raster))
    colours.write(coloursOf(pixels, raster))
    colours.encode({ quality: 70, method: 5 })
    const apart = withAlpha(colours.file(), await alphaOf(raster, 5, new AbortController().signal), raster)
    expect(Buffer.compare(apart, whole.file())).toBe(0)
  })
})

describe('lossless form of a WebP', () => {
  const SIDE = 160

  it('is only tried quickly for a picture whose lossy form is far smaller', async () => {
    const file = webpOf(photo(SIDE, SIDE, 1), { width: SIDE, height: SIDE, channels: 1 })
    const { exact } = watched()
    const { outcome } = await pressFile(webp, file, 'a.webp', { quality: 'low' })
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: {} } })
    expect(exact()).toEqual([QUICK_EXACT.method])
  })

  it('is found for a picture of repeated tiles, which quick encodings overlook (webp-of-repeated-tiles)', async () => {
    const [tile, side] = [32, 256]
    let seed = 5
    const noise = Array.from({ length: tile * tile * 3 }, () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 24)
    const at = (x: number, y: number, channel: number) => noise[((y % tile) * tile + (x % tile)) * 3 + channel] ?? 0
    const pixels = new Uint8Array(side * side * 3).map((_, i) => at(Math.floor(i / 3) % side, Math.floor(i / 3 / side), i % 3))
    const form = new ExactForm(
      rasterOf(pixels, side, 3),
      {},
      { options: { memoryBudget: 96e6, signal: new AbortController().signal } as Options },
    )
    const exact = await form.within(8000)
    expect(exact && bytesOf(exact)).toBeGreaterThan(tile ** 2 * 3)
  })

  const drawing = () =>
    pngOf(
      new Uint8Array(SIDE * SIDE * 3).map((_, at) => (((((at / 3) | 0) % SIDE) * 7 + at) % 90 < 9 ? 20 : 240)),
      SIDE,
      SIDE,
    )

  it('replaces a larger lossy form', async () => {
    const { outcome } = await pressFile(png, drawing(), 'a.png', { output: 'webp', quality: 'medium' })
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps)).toContain('encoded as lossless WebP')
  })

  it('is found for repeats of more rows than a short search sees (webp-exact-form-of-repeats)', async () => {
    let state = 1
    const rows = new Uint8Array(300 * 60).map(() => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return (state >>> 28) * 16
    })
    const pixels = new Uint8Array(300 * 300 * 3).map((_, at) => rows[((at / 3) | 0) % rows.length] ?? 0)
    const request = { output: 'webp', quality: 'medium', targetSize: 12_000 } as const
    const { outcome, bytes, defect } = await pressFile(png, pngOf(pixels, 300, 300), 'a.png', request)
    expect(defect).toBeUndefined()
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps)).toContain('encoded as lossless WebP')
    expect(bytes.length).toBeLessThanOrEqual(request.targetSize)
  })

  it('is the quick one if memory does not suffice for the slow one', async () => {
    const encode = WebpEncoder.prototype.encode
    vi.spyOn(WebpEncoder.prototype, 'encode').mockImplementation(function (this: WebpEncoder, options, of) {
      if (options.lossless && options.method > QUICK_EXACT.method) throw new EngineError('webp', 'memory', 'out of memory')
      return encode.call(this, options, of)
    })
    const { outcome, defect } = await pressFile(png, drawing(), 'a.png', { output: 'webp', quality: 'medium' })
    expect(defect).toBeUndefined()
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps)).toContain('encoded as lossless WebP')
  })
})

describe('search of a WebP', () => {
  it('ends when no quality that reaches the level gives a smaller file', async () => {
    const file = await jpegOf(photo(400, 300, 3), 400, 300, 40)
    const { lossy } = watched()
    const { outcome } = await pressFile(jpg, file, 'a.jpg', { output: 'webp', quality: 'high' })
    expect(outcome.kind).toBe('unchanged')
    expect(lossy().length).toBeLessThanOrEqual(2)
  })

  it.each([3, 4] as const)('measures the score of a file that verification would measure, %i channels', async (channels) => {
    const pixels = photo(200, 150, channels)
    const file = webpOf(pixels, { width: 200, height: 150, channels }, 97)
    const scoreOf = vi.spyOn(ScoredFile.prototype, 'scoreOf')
    const scoreWith = async () => {
      const { outcome } = await pressFile(webp, file, 'a.webp', { quality: 'low' })
      return outcome.kind === 'compressed' ? outcome.loss?.pictures?.ssimulacra2 : undefined
    }
    const known = await scoreWith()
    expect(await scoreOf.mock.results[0]?.value).toBe(known)
    scoreOf.mockResolvedValue(undefined)
    expect(await scoreWith()).toBeCloseTo(known ?? 0, 4)
  })

  it('hands over the score of a file that the sink takes (webp-score-of-taken-bytes)', async () => {
    const random = photo(256, 256, 3).map((value, at) => (value + Math.imul(at, 2654435761) / 2 ** 24) & 255)
    const { outcome, bytes } = await pressFile(png, pngOf(random, 256, 256), 'a.png', { output: 'webp', quality: 'high' })
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeGreaterThan(64 * 1024)
  })

  it('knows no score of other bytes', async () => {
    const { evidence } = ScoredFile.evidenceOf({ chunks: [Uint8Array.of(1, 2), Uint8Array.of(3)], scoreOfFile: 71 })
    expect(await evidence?.scoreOf(memorySource(Uint8Array.of(1, 2, 3), ''))).toBe(71)
    expect(await evidence?.scoreOf(memorySource(Uint8Array.of(1, 2, 4), ''))).toBeUndefined()
    expect(ScoredFile.evidenceOf({ chunks: [], scoreOfFile: undefined })).toEqual({})
  })
})
