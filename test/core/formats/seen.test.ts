import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import type { Message } from '../../../src/core/i18n/message.ts'
import { AvifCodec } from '../../../src/core/images/avif/libaom.ts'
import { decodedRows } from '../../../src/core/images/convert/decoders.ts'
import { wholeRgba } from '../../../src/core/images/raster/raster.ts'
import { PerceptualMeter } from '../../../src/core/metrics/perceptual.ts'
import { SimilarityMeter } from '../../../src/core/metrics/ssim-psnr.ts'
import type { Codec, Options, Quality } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { encodeRows, JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { decodeWebp, WebpEncoder } from '../../../wasm/webp/webp.ts'
import { dusk } from '../../support/dusk.ts'
import { pictureLossOf } from '../../support/fidelity.ts'
import { inEnglish, textsOf } from '../../support/in-english.ts'

const [WIDTH, HEIGHT] = [160, 120]
/** Lines one pixel wide in pure colours, as in maps and drawings. */
const LINES = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => {
  const [x, y, c] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH), i % 3]
  if ((x * 3 + y * 7) % 23 === 0) return c === 0 ? 255 : 0
  if ((x * 5 - y * 2) % 29 === 0) return c === 2 ? 255 : 0
  return 255
})

const withoutAlpha = (rgba: Uint8Array) => rgba.filter((_, i) => i % 4 !== 3)
async function jpegRows(bytes: Uint8Array): Promise<Uint8Array> {
  using rows = await JpegRows.open(bytes, { colour: 'rgb' })
  return (await rows.read(HEIGHT))!
}

async function converted(codec: Codec, file: Uint8Array, output: 'webp' | 'avif', quality: Quality = 'medium') {
  const source = memorySource(file, 'picture')
  const options = {
    quality,
    output,
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
    inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
  } satisfies Options as Options
  const { outcome, result } = await openJob(codec, source, {}, options).whole(async () => memorySink(source.size, 'x'))
  return { outcome, bytes: result && (await readAll(result)) }
}

describe('conversions measured as viewers show them', () => {
  it('reports figures of the decoded RGB for faint coloured lines as WebP', async () => {
    const lines = LINES.map((value) => (value ? 235 : 135))
    const input = { width: WIDTH, height: HEIGHT, pixels: 'rgb', subsampled: false, quality: 95, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [lines])).chunks)
    const { outcome, bytes } = await converted(jpg, file, 'webp')
    const claim = pictureLossOf(outcome)
    if (!bytes) throw new Error('no file')
    using meter = new SimilarityMeter(WIDTH, HEIGHT, 3)
    meter.push(await jpegRows(file), withoutAlpha(decodeWebp(bytes, WIDTH, HEIGHT)!))
    const found = meter.finish()
    expect(claim.ssim).toBeLessThanOrEqual(found.ssim + 0.001)
    expect(claim.psnrDb).toBeLessThanOrEqual(found.psnrDb + 0.1)
    expect(found.psnrRgbDb).toBeGreaterThan(25)
  })

  it('does not turn alternating colours into grey', async () => {
    const rows = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => {
      const [x, y, c] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH), i % 3]
      return (x + y) % 2 === 0 ? [200, 20, 120][c]! : [20, 112, 90][c]!
    })
    const input = { width: WIDTH, height: HEIGHT, pixels: 'rgb', subsampled: false, quality: 95, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [rows])).chunks)
    expect(inEnglish((await converted(jpg, file, 'avif')).outcome)).toMatchObject({
      kind: 'compressed',
      steps: [expect.stringContaining('4:4:4')],
    })
    expect(inEnglish((await converted(jpg, file, 'webp')).outcome)).toMatchObject({
      kind: 'compressed',
      steps: ['encoded as lossless WebP'],
    })
  })
})

describe('WebP search by perceptual score', () => {
  it('reaches the score of its level and not more, where luma figures mean little', async () => {
    const [width, height] = [256, 192]
    const pixels = dusk(width, height)
    const input = { width, height, pixels: 'rgb', subsampled: false, quality: 97, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [pixels])).chunks)
    using rows = await JpegRows.open(file, { colour: 'rgb' })
    const shown = (await rows.read(height))!.slice()
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { bytes } = await converted(jpg, file, 'webp', quality)
      using meter = new PerceptualMeter(width, height, 3)
      meter.push(shown, withoutAlpha(decodeWebp(bytes!, width, height)!))
      const { score, worstTile } = meter.finish()
      expect(score, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].score)
      expect(worstTile, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].worstTile)
      expect(score, quality).toBeLessThan(LEVELS.perceptual[quality].score + 8)
      sizes.push(bytes!.length)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('encodes red strokes losslessly, because halved chroma spoils them at any quality', async () => {
    const [width, height] = [192, 128]
    const isStroke = (x: number, y: number) => (x % 9 < 2 && y % 11 > 1) || y % 11 === 5
    const pixels = new Uint8Array(width * height * 3)
    for (let y = 0, at = 0; y < height; y++)
      for (let x = 0; x < width; x++) for (const value of isStroke(x, y) ? [190, 10, 30] : [70, 90, 40]) pixels[at++] = value
    const input = { width, height, pixels: 'rgb', subsampled: false, quality: 97, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [pixels])).chunks)
    const { outcome, bytes } = await converted(jpg, file, 'webp', 'low')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: ['encoded as lossless WebP'] })
    expect(bytes!.length).toBeLessThan(file.length)
  })
})

describe('strong colours whose chroma was already halved', () => {
  it('are encoded as WebP with fitted chroma, a quarter smaller than averaged', async () => {
    const [width, height] = [256, 192]
    const input = { width, height, pixels: 'rgb', subsampled: true, quality: 92, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [plot(width, height)])).chunks)
    using rows = await JpegRows.open(file, { colour: 'rgb' })
    const shown = (await rows.read(height))!.slice()
    const { outcome, bytes } = await converted(jpg, file, 'webp', 'high')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: [expect.stringContaining('chroma fitted')] })
    const scoreOf = (webp: Uint8Array) => {
      using meter = new PerceptualMeter(width, height, 3)
      meter.push(shown, withoutAlpha(decodeWebp(webp, width, height)!))
      return meter.finish().score
    }
    expect(scoreOf(bytes!)).toBeGreaterThanOrEqual(LEVELS.perceptual.high.score)
    using means = new WebpEncoder(width, height, 3)
    means.write(shown)
    expect(means.encode({ quality: 90, method: 5 })).toBeGreaterThan(1.25 * bytes!.length)
    expect(scoreOf(means.file())).toBeLessThan(LEVELS.perceptual.high.score)
    expect(means.hueContrast).toBeGreaterThan(0.001)
  })

  it('stay within the memory of two megapixels', () => {
    const [width, height] = [1600, 1250]
    using encoder = new WebpEncoder(width, height, 3, 'fitted')
    const rows = new Uint8Array(width * 3 * 50).map((_, i) => (i * 37) & 255)
    for (let y = 0; y < height; y += 50) encoder.write(rows)
    expect(encoder.memoryBytes).toBeLessThan(28 * 1024 * 1024)
  })
})

describe('AVIF search by perceptual score', () => {
  it('reaches the score of its level and not more, where luma figures mean little', async () => {
    const [width, height] = [256, 192]
    const input = { width, height, pixels: 'rgb', subsampled: false, quality: 97, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [dusk(width, height)])).chunks)
    using rows = await JpegRows.open(file, { colour: 'rgb' })
    const shown = (await rows.read(height))!.slice()
    for (const quality of ['low', 'medium'] as const) {
      const { bytes } = await converted(jpg, file, 'avif', quality)
      using meter = new PerceptualMeter(width, height, 3)
      for await (const strip of decodedRows('avif', memorySource(bytes!, ''), { width, height })) meter.push(shown, withoutAlpha(strip))
      const { score, worstTile } = meter.finish()
      expect(score, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].score)
      expect(worstTile, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].worstTile)
      expect(score, quality).toBeLessThan(LEVELS.perceptual[quality].score + 8)
    }
  })

  it('encodes a plot with halved chroma by fitted chroma, a third smaller than averaged', async () => {
    const [width, height] = [256, 192]
    const input = { width, height, pixels: 'rgb', subsampled: true, quality: 92, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [plot(width, height)])).chunks)
    using rows = await JpegRows.open(file, { colour: 'rgb' })
    const shown = (await rows.read(height))!.slice()
    const scoreOf = async (avif: Uint8Array) => {
      using meter = new PerceptualMeter(width, height, 3)
      for await (const strip of decodedRows('avif', memorySource(avif, ''), { width, height })) meter.push(shown, withoutAlpha(strip))
      return meter.finish().score
    }
    const { outcome, bytes } = await converted(jpg, file, 'avif', 'high')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: [expect.stringContaining('4:2:0 chroma fitted')] })
    expect(await scoreOf(bytes!)).toBeGreaterThanOrEqual(LEVELS.perceptual.high.score)
    const quality = Number(/quality (\d+)/.exec(textsOf((outcome as { steps: Message[] }).steps)[0]!)?.[1])
    using codec = await AvifCodec.open()
    const pixels = await wholeRgba({
      width,
      height,
      channels: 3,
      rows: async function* () {
        yield shown
      },
    })
    const means = codec.encode({ pixels, width, height }, quality, 6, 'halved')
    expect(await scoreOf(means)).toBeLessThan(LEVELS.perceptual.high.score - 2)
    const better = codec.encode({ pixels, width, height }, quality + 16, 6, 'halved')
    expect(await scoreOf(better)).toBeLessThan((await scoreOf(bytes!))!)
    expect(better.length).toBeGreaterThan(1.25 * bytes!.length)
  })
})

/** Broad curves of strong colours on white, saved as JPEG by a drawing program. */
function plot(width: number, height: number): Uint8Array {
  const colours = [
    [230, 0, 20],
    [0, 40, 230],
    [0, 150, 30],
    [220, 0, 200],
  ]
  const out = new Uint8Array(width * height * 3).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const found = colours.find((_, i) => Math.abs(y - height / 2 - Math.sin(x / (17 + 9 * i) + i) * (30 + 14 * i)) < 2.2)
      if (found) out.set(found, (y * width + x) * 3)
    }
  return out
}
