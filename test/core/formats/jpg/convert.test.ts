import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { LEVELS, pictureTarget } from '../../../../src/core/catalog/levels.ts'
import type { OutputId } from '../../../../src/core/catalog/outputs.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { encodeAvif } from '../../../../src/core/images/avif/avif.ts'
import { readGrid, singleFile } from '../../../../src/core/images/avif/file.ts'
import { planFrame } from '../../../../src/core/images/avif/frame.ts'
import { encodeGrid, similarityOfGrid } from '../../../../src/core/images/avif/grid.ts'
import { AvifCodec } from '../../../../src/core/images/avif/libaom.ts'
import { scoreOfRows } from '../../../../src/core/images/compare/compare.ts'
import { decodedRows } from '../../../../src/core/images/convert/decoders.ts'
import { verdictOfOutput } from '../../../../src/core/images/convert/output-codecs.ts'
import { encodeJpeg } from '../../../../src/core/images/jpeg/encode.ts'
import { encodeLosslessPng } from '../../../../src/core/images/png/encode-exact.ts'
import { orientationOf, uprightRaster, withUprightOrientation } from '../../../../src/core/images/raster/orientation.ts'
import { asRgba, type PictureMetadata, type Raster, wholeRgba, withoutOpaqueAlpha } from '../../../../src/core/images/raster/raster.ts'
import { resized, sizeWithin } from '../../../../src/core/images/raster/resize.ts'
import type { EncodeRequest } from '../../../../src/core/images/search/encode-request.ts'
import { webpChunks } from '../../../../src/core/images/webp/container.ts'
import { encodeWebp } from '../../../../src/core/images/webp/encode.ts'
import { PerceptualMeter } from '../../../../src/core/metrics/perceptual.ts'
import type { Options, Outcome, Source } from '../../../../src/core/model/codec.ts'
import { CodecError } from '../../../../src/core/model/error.ts'
import { lossOf, type PictureLoss } from '../../../../src/core/model/loss.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { textsOf } from '../../../support/in-english.ts'
import { damagePositions, IS_THOROUGH } from '../../../support/thorough.ts'
import { photo, psnrDb } from './photo.ts'

const WIDTH = 333
const HEIGHT = 271

const differenceOf = async (output: string, raster: Raster, carried: PictureMetadata, result: Source, outcome: Outcome) =>
  (await verdictOfOutput(output, raster, carried, { result, outcome })).difference

const options: Options = {
  quality: 'medium',
  output: 'jpg',
  memoryBudget: 96 << 20,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
}

const request = (more: Partial<EncodeRequest> = {}): EncodeRequest => ({
  target: pictureTarget('medium'),
  pristine: true,
  sizeLimit: 1 << 30,
  options,
  ...more,
})

/** Raster with strips of odd heights, as decoders yield them. */
function raster(pixels: Uint8Array, channels: Raster['channels'], width = WIDTH, height = HEIGHT): Raster {
  return {
    width,
    height,
    channels,
    async *rows() {
      for (let row = 0; row < height; row += 7) yield pixels.slice(row * width * channels, Math.min(height, row + 7) * width * channels)
    },
  }
}

/** Encodes as the usual grid of tiles, as pictures are that do not fit into one frame. */
function encodeTiles(stored: Raster, metadata: Partial<typeof carried>, asked: EncodeRequest) {
  const picture = uprightRaster(stored, orientationOf(metadata.exif))
  const upright = { ...metadata, exif: metadata.exif && withUprightOrientation(metadata.exif) }
  return encodeGrid(picture, upright, asked)
}

const exif = new Uint8Array([0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])
const carried = { exif, icc: new Uint8Array(301).fill(7), xmp: new TextEncoder().encode('<x:xmpmeta/>') }

/** Outcome of a job, from an encoder's result. */
const madeWith = ({ loss }: { loss?: PictureLoss }): Outcome => ({ kind: 'compressed', ...lossOf(loss), steps: [] })
const EXACTLY = madeWith({})

const scoreOf = (picture: Raster, file: Uint8Array) => scoreOfRows(asRgba(picture), decodedRows('avif', memorySource(file, ''), picture))

const fileOf = (encoded: { chunks: readonly Uint8Array[] }) => concat([...encoded.chunks])

describe('raster encoders', () => {
  it.each([1, 3] as const)('webp: reaches the target, keeps metadata and passes verification (%i channels)', async (channels) => {
    const picture = raster(photo(WIDTH, HEIGHT, channels), channels)
    const encoded = await encodeWebp(picture, carried, request({ pristine: false }))
    expect(encoded.loss?.ssim).toBeGreaterThanOrEqual(LEVELS.perceptual.medium.floor.ssim)
    const result = memorySource(fileOf(encoded), 'a.webp')
    expect(await differenceOf('webp', picture, carried, result, madeWith(encoded))).toBeUndefined()
    expect(webpChunks(fileOf(encoded)).map(({ name }) => name)).toEqual(['VP8X', 'ICCP', 'VP8 ', 'EXIF', 'XMP '])
    const other = raster(photo(WIDTH, HEIGHT, channels).reverse(), channels)
    expect(await differenceOf('webp', other, carried, result, madeWith(encoded))).toMatch(/SSIM/)
    expect(await differenceOf('webp', picture, { ...carried, icc: new Uint8Array(9) }, result, madeWith(encoded))).toMatch(/ICCP/)
  })

  it('webp: is lossless if that is smaller, with alpha', async () => {
    const pixels = new Uint8Array(WIDTH * HEIGHT * 4).map((_, i) => [((i >> 6) & 3) * 60, 90, 200, (i >> 9) & 1 ? 255 : 40][i & 3] ?? 0)
    const picture = raster(pixels, 4)
    const encoded = await encodeWebp(picture, {}, request())
    expect(encoded).not.toHaveProperty('loss')
    expect(await differenceOf('webp', picture, {}, memorySource(fileOf(encoded), ''), EXACTLY)).toBeUndefined()
    pixels[4003] = 1
    expect(await differenceOf('webp', picture, {}, memorySource(fileOf(encoded), ''), EXACTLY)).toMatch(/pixel 1000/)
  })

  it('webp: meets a target size', async () => {
    const picture = raster(photo(WIDTH, HEIGHT, 3), 3)
    const whole = fileOf(await encodeWebp(picture, carried, request({ pristine: false }))).length
    const less = await encodeWebp(picture, carried, request({ pristine: false, targetSize: Math.round(whole * 0.8) }))
    expect(fileOf(less).length).toBeLessThanOrEqual(whole * 0.8)
  })

  it('png: is lossless and stops early if it cannot be smaller', async () => {
    const picture = raster(photo(WIDTH, HEIGHT, 3), 3)
    const encoded = await encodeLosslessPng(picture, carried, request())
    expect(await differenceOf('png', picture, carried, memorySource(fileOf(encoded), ''), EXACTLY)).toBeUndefined()
    await expect(encodeLosslessPng(picture, carried, request({ sizeLimit: 20_000 }))).rejects.toThrow(CodecError)
  })

  it.each([1, 2, 3, 4] as const)('jpeg: reaches the target from %i channels, with transparency on white', async (channels) => {
    const colours = channels > 2 ? 3 : 1
    const plain = photo(WIDTH, HEIGHT, colours)
    const pixels = new Uint8Array(WIDTH * HEIGHT * channels)
    for (let i = 0; i < WIDTH * HEIGHT; i++) {
      pixels.set(plain.subarray(i * colours, (i + 1) * colours), i * channels)
      if (channels % 2 === 0) pixels[i * channels + colours] = i < WIDTH * 40 ? 0 : 255
    }
    const encoded = await encodeJpeg(raster(pixels, channels), carried, request())
    const rows = await JpegRows.open(fileOf(encoded))
    const decoded = (await rows.read(HEIGHT)) as Uint8Array
    const expected = plain.slice()
    if (channels % 2 === 0) expected.fill(255, 0, WIDTH * 40 * colours)
    expect(psnrDb(expected, decoded)).toBeGreaterThan(31)
    using meter = new PerceptualMeter(WIDTH, HEIGHT, colours)
    meter.push(expected, decoded)
    expect(meter.finish().score).toBeGreaterThanOrEqual(LEVELS.perceptual.medium.score)
    expect(encoded.step.code === 'transparency_on_white').toBe(channels % 2 === 0)
    const streamed = await encodeJpeg(raster(pixels, channels), carried, request({ options: { ...options, memoryBudget: 17.6 * 2 ** 20 } }))
    expect(Math.abs(fileOf(streamed).length / fileOf(encoded).length - 1)).toBeLessThan(0.25)
  })

  it('avif: reaches the target, keeps metadata, rotates upright and passes verification', async () => {
    const picture = raster(photo(96, 70, 3), 3, 96, 70)
    const encoded = await encodeAvif(picture, carried, request())
    expect(encoded.loss?.ssim).toBeGreaterThanOrEqual(LEVELS.perceptual.medium.floor.ssim)
    const file = fileOf(encoded)
    expect(await differenceOf('avif', picture, carried, memorySource(file, ''), madeWith(encoded))).toBeUndefined()
    expect(Buffer.from(file).includes(Buffer.from('<x:xmpmeta/>'))).toBe(true)
    expect(Buffer.from(file).includes(Buffer.from(new Uint8Array(301).fill(7)))).toBe(true)
  })

  it('avif: codes two megapixels as one frame (avif-two-megapixels-in-twelve-tiles)', () => {
    const sized = (width: number, height: number, channels: Raster['channels']) => raster(new Uint8Array(), channels, width, height)
    for (const channels of [1, 3, 4] as const) expect(planFrame(sized(1920, 1080, channels), {}, request())).toBeDefined()
    expect(planFrame(sized(1920, 1080, 3), {}, request({ options: { ...options, memoryBudget: 40 << 20 } }))).toBeUndefined()
    expect(planFrame(sized(4000, 3000, 3), {}, request())).toBeUndefined()
  })

  it.runIf(IS_THOROUGH)(
    'avif: codes drawings in tiles if repeated parts need too much memory (avif-repeated-drawing)',
    async () => {
      const [width, height] = [800, 700]
      const isInk = (x: number, y: number) =>
        ((Math.imul((x >> 3) * 31 + ((y / 12) | 0) * 57, 2_654_435_761) >>> 24) * (x % 8) * (y % 12)) % 7 === 3
      const pixels = Uint8Array.from({ length: width * height }, (_, i) => (isInk(i % width, Math.floor(i / width)) ? 20 : 240))
      const target = { ssim: 0.5, psnrDb: 20, lowestJpegQuality: 35 }
      const asked = request({ options: { ...options, memoryBudget: 68 << 20 }, target, byLuma: true })
      expect(planFrame(raster(pixels, 1, width, height), {}, asked)).toBeDefined()
      const encoded = await encodeAvif(raster(pixels, 1, width, height), {}, asked)
      expect(encoded.step).toMatchObject({ code: 'avif_tiles' })
    },
    240_000,
  )

  it('avif: uses a grid for large pictures, with lower tiles if memory is scarce', async () => {
    const picture = raster(photo(530, 514, 3), 3, 530, 514)
    const encoded = await encodeTiles(picture, carried, request({ options: { ...options, memoryBudget: (64 << 20) + 1_300_000 } }))
    expect(encoded.step).toMatchObject({ code: 'avif_tiles', columns: 2, rows: 3 })
    const file = fileOf(encoded)
    expect(await scoreOf(uprightRaster(picture, 6), file)).toBeGreaterThanOrEqual(LEVELS.perceptual.medium.score)
    const metadata = { ...carried, exif: withUprightOrientation(exif) }
    expect(await similarityOfGrid(uprightRaster(picture, 6), metadata, file)).toMatchObject({
      ssim: encoded.loss?.ssim,
    })
    expect(await differenceOf('avif', picture, carried, memorySource(file, ''), madeWith(encoded))).toBeUndefined()
    const other = raster(photo(530, 514, 3).reverse(), 3, 530, 514)
    expect(await differenceOf('avif', other, carried, memorySource(file, ''), madeWith(encoded))).toMatch(/SSIM/)
  })

  it.runIf(IS_THOROUGH)('avif: encodes a grid with transparency', async () => {
    const rgba = photo(900, 880, 4).map((value, i) => (i % 4 === 3 ? (i >> 4) & 255 : value))
    const picture = raster(rgba, 4, 900, 880)
    const target = { ssim: 0.5, psnrDb: 20, lowestJpegQuality: 35 }
    const encoded = await encodeTiles(picture, carried, request({ options: { ...options, memoryBudget: 72 << 20 }, target, byLuma: true }))
    expect(encoded.step).toMatchObject({ code: 'avif_tiles', columns: 2, rows: 2 })
    const file = fileOf(encoded)
    expect(await differenceOf('avif', picture, carried, memorySource(file, ''), madeWith(encoded))).toBeUndefined()
    const { alphas, grid } = readGrid(file)!
    expect(alphas).toHaveLength(4)
    using codec = await AvifCodec.open('decoder')
    const { pixels } = codec.decode(singleFile(alphas[3]!, grid.tileWidth, grid.tileHeight))!
    const upright = await wholeRgba(uprightRaster(picture, 6))
    const at = (x: number, y: number) => pixels[(y * grid.tileWidth + x) * 4]
    const was = (x: number, y: number) => upright[((y + grid.tileHeight) * grid.width + x + grid.tileWidth) * 4 + 3]
    for (const [x, y] of [
      [0, 0],
      [9, 20],
      [100, 200],
    ] as const)
      expect(Math.abs(at(x, y)! - was(x, y)!)).toBeLessThan(24)
    const clear = raster(
      rgba.map((value, i) => (i % 4 === 3 ? 255 - value : value)),
      4,
      900,
      880,
    )
    expect(await differenceOf('avif', clear, carried, memorySource(file, ''), madeWith(encoded))).toMatch(/SSIM/)
  })

  it('avif: keeps full chroma in grids of odd sizes, because decoders reject halved chroma (avif-odd-grid)', async () => {
    const target = { ssim: 0.5, psnrDb: 20, lowestJpegQuality: 35 }
    const hurried = request({ options: { ...options, memoryBudget: 80 << 20 }, target, byLuma: true })
    /** seq_profile of the AV1CodecConfigurationBox: 0 for 4:2:0, 1 for 4:4:4. */
    const profileOf = async (width: number, height: number) => {
      const file = Buffer.from(fileOf(await encodeTiles(raster(photo(width, height, 3), 3, width, height), {}, hurried)))
      return (file[file.indexOf('av1C') + 5] ?? 0) >> 5
    }
    expect([await profileOf(701, 530), await profileOf(700, 530)]).toEqual([1, 0])
    if (IS_THOROUGH) expect(await profileOf(700, 531)).toBe(1)
  })

  it('drops an opaque alpha channel', async () => {
    const rgba = photo(64, 40, 4).map((value, i) => (i % 4 === 3 ? 255 : value))
    const plain = await withoutOpaqueAlpha(raster(rgba, 4, 64, 40))
    expect([plain.channels, Buffer.compare(new Uint8Array(await wholeRgba(plain)), rgba)]).toEqual([3, 0])
    rgba[rgba.length - 1] = 254
    expect((await withoutOpaqueAlpha(raster(rgba, 4, 64, 40))).channels).toBe(4)
  })

  it('verification rejects damaged results quickly and continues with the next one', async () => {
    const picture = raster(photo(96, 70, 3), 3, 96, 70)
    const large = raster(photo(700, 530, 3), 3, 700, 530)
    const target = { ssim: 0.5, psnrDb: 20, lowestJpegQuality: 35 }
    const grid = request({ options: { ...options, memoryBudget: 80 << 20 }, target, byLuma: true })
    const files = [
      ['webp', picture, fileOf(await encodeWebp(picture, {}, request({ pristine: false })))],
      ['avif', picture, fileOf(await encodeAvif(picture, {}, request()))],
      ['avif', large, fileOf(await encodeTiles(large, {}, grid))],
      ['png', picture, fileOf(await encodeLosslessPng(picture, {}, request()))],
    ] as const
    const lossy = madeWith({ loss: { ssim: 0, psnrDb: 0, measuredAt: 'pixels' } })
    const verdict = (output: string, of: Raster, file: Uint8Array) =>
      differenceOf(output, of, {}, memorySource(file, ''), output === 'png' ? EXACTLY : lossy).catch(
        (error: unknown) => `threw ${String(error)}`,
      )
    for (const [output, of, file] of files) {
      for (const i of damagePositions(0, 6, 1)) {
        const cut = Math.floor((file.length * i) / 7)
        expect(await verdict(output, of, file.subarray(0, cut)), `${output} cut at ${cut}`).toBeTypeOf('string')
        const torn = file.slice()
        torn.fill(0x5a, cut, cut + Math.ceil(file.length / 6))
        expect(await verdict(output, of, torn), `${output} torn at ${cut}`).toBeTypeOf('string')
        const bent = file.slice()
        bent[i * 11] = (bent[i * 11] ?? 0) ^ 0x81
        await verdict(output, of, bent)
      }
      expect(await verdict(output, of, file)).toBeUndefined()
    }
  })

  it('resizes to the requested size, keeps flat areas flat, and fits boxes', async () => {
    const flat = raster(new Uint8Array(WIDTH * HEIGHT * 3).fill(77), 3)
    const strips: Uint8Array[] = []
    for await (const strip of resized(flat, 50, 40).rows()) strips.push(strip.slice())
    expect(concat(strips)).toEqual(new Uint8Array(50 * 40 * 3).fill(77))
    expect(sizeWithin(4000, 3000, { width: 1000, height: 1000 })).toEqual({ width: 1000, height: 750 })
    expect(sizeWithin(400, 300, { width: 1000, height: 1000 })).toBeUndefined()
  })

  it('reads, resets and applies orientations', async () => {
    expect(orientationOf(exif)).toBe(6)
    expect(orientationOf(withUprightOrientation(exif))).toBe(1)
    // Marks in the shape of an F: each orientation must equal the stored picture rotated by its rule (EXIF 2.32, 4.6.4.A).
    const stored = raster(new Uint8Array([1, 2, 3, 4, 5, 6]), 1, 3, 2)
    const turn = async (orientation: number) => {
      const picture = uprightRaster(stored, orientation)
      const strips: Uint8Array[] = []
      for await (const strip of picture.rows()) strips.push(strip.slice())
      return [picture.width, picture.height, ...concat(strips)]
    }
    expect(await turn(2)).toEqual([3, 2, 3, 2, 1, 6, 5, 4])
    expect(await turn(3)).toEqual([3, 2, 6, 5, 4, 3, 2, 1])
    expect(await turn(4)).toEqual([3, 2, 4, 5, 6, 1, 2, 3])
    expect(await turn(5)).toEqual([2, 3, 1, 4, 2, 5, 3, 6])
    expect(await turn(6)).toEqual([2, 3, 4, 1, 5, 2, 6, 3])
    expect(await turn(7)).toEqual([2, 3, 6, 3, 5, 2, 4, 1])
    expect(await turn(8)).toEqual([2, 3, 3, 6, 2, 5, 1, 4])
  })
})

describe('jpg to other formats', () => {
  const press = async (bytes: Uint8Array, output: OutputId) =>
    openJob(jpg, memorySource(bytes, 'a.jpg'), {}, { ...options, output }).whole(async () => memorySink(bytes.length, 'a'))

  it.each(['webp', 'avif'] as const)('%s', async (output) => {
    for (const pixels of ['gray', 'rgb', 'cmyk'] as const) {
      const rows = photo(WIDTH, HEIGHT, pixels === 'gray' ? 1 : pixels === 'cmyk' ? 4 : 3)
      const bytes = concat((await encodeRows({ width: WIDTH, height: HEIGHT, pixels, quality: 95, scans: 'sequential' }, [rows])).chunks)
      const { outcome, ...rest } = await press(bytes, output)
      expect('defect' in rest ? rest.defect : undefined).toBeUndefined()
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
      if (output === 'avif') break
    }
  })

  it('rejects conversions that would lose metadata', async () => {
    const plain = concat((await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 95 }, [photo(WIDTH, HEIGHT, 3)])).chunks)
    const iptc = concat([
      plain.subarray(0, 2),
      new Uint8Array([0xff, 0xed, 0, 16]),
      new TextEncoder().encode('Photoshop 3.0\0'),
      plain.subarray(2),
    ])
    expect((await press(iptc, 'webp')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    expect((await press(concat([plain, new Uint8Array(9)]), 'webp')).outcome).toMatchObject({ reason: 'unsupported_feature' })
    // Two XMP packets (exiv2-bug1229): some readers use the first and others the last.
    const packet = concat([
      new Uint8Array([0xff, 0xe1, 0, 34]),
      new TextEncoder().encode('http://ns.adobe.com/xap/1.0/\0<x/>'.slice(0, 32)),
    ])
    const twice = concat([plain.subarray(0, 2), packet, packet, plain.subarray(2)])
    expect((await press(twice, 'webp')).outcome).toMatchObject({ reason: 'unsupported_feature' })
    expect((await press(plain, 'png')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
    const comment = new Uint8Array([0xff, 0xfe, 0, 4, 0x68, 0x69])
    const outcome = (await press(concat([plain.subarray(0, 2), comment, plain.subarray(2)]), 'webp')).outcome
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps).join()).toContain('webp cannot store it: comment')
  })
})
