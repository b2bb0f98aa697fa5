/** Pictures converted to JPEG XL: lossy and lossless, metadata, verification, damaged results. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { zlibCompress } from '../../../src/core/bytes/deflate.ts'
import { indexOfBytes } from '../../../src/core/bytes/search.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { metadataOfJxl, withJxl } from '../../../src/core/images/jxl/decode.ts'
import { codePointProfile } from '../../../src/core/images/raster/code-point-profile.ts'
import type { Raster } from '../../../src/core/images/raster/raster.ts'
import { verify } from '../../../src/core/index.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { type JobRequest, optionsOf } from '../../../src/core/pipeline/job.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { inEnglish } from '../../support/in-english.ts'
import { expectNoHarm, itemsOf } from '../../support/inventories.ts'
import { latin1, photoExif, photoXmp } from '../../support/picture-metadata.ts'
import { plainPng } from '../../support/plain-png.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { photo } from './jpg/photo.ts'

const [WIDTH, HEIGHT] = [200, 136]
type ColourType = 0 | 2 | 4 | 6
const CHANNELS = { 0: 1, 2: 3, 4: 2, 6: 4 } as const

/** Samples of a photograph. Alpha falls from the left to the right. */
function samplesOf(colourType: ColourType, width: number, height: number): (x: number, y: number) => number[] {
  const pixels = photo(width, height, 3)
  const channels = CHANNELS[colourType]
  return (x, y) => {
    const at = (y * width + x) * 3
    const colours = channels < 3 ? [pixels[at]!] : [...pixels.subarray(at, at + 3)]
    return channels % 2 === 0 ? [...colours, Math.round((255 * (width - x)) / width)] : colours
  }
}

const pngOf = (colourType: ColourType, [width, height] = [WIDTH, HEIGHT], ...more: Uint8Array[]) =>
  plainPng({ width, height, colourType, bitDepth: 8 }, samplesOf(colourType, width, height), ...more)

const press = (bytes: Uint8Array, request: JobRequest = {}) => pressFile(png, bytes, 'a.png', { output: 'jxl', ...request })

/** Size, channels, samples and profile of a result. */
async function decoded(file: Uint8Array): Promise<Omit<Raster, 'rows'> & { pixels: Uint8Array; icc: Uint8Array }> {
  const found = await withJxl(memorySource(file, 'a.jxl'), 1e8, async ({ width, height, channels, rows }, icc) => {
    const strips: Uint8Array[] = []
    for await (const strip of rows()) strips.push(strip)
    return { width, height, channels, pixels: concat(strips), icc }
  })
  if (typeof found === 'string') throw new Error(found)
  return found
}

describe('pictures to JPEG XL', () => {
  it.each([2, 6] as const)('colour type %i gets smaller at every level, the levels in order', async (colourType) => {
    const file = pngOf(colourType)
    const sizes: number[] = []
    for (const quality of ['high', 'medium', 'low'] as const) {
      const { outcome, bytes, defect } = await press(file, { quality })
      expect(defect).toBeUndefined()
      expect(outcome.kind).toBe('compressed')
      expect(await decoded(bytes)).toMatchObject({ width: WIDTH, height: HEIGHT, channels: CHANNELS[colourType] })
      sizes.push(bytes.length)
    }
    expect(sizes[0]).toBeLessThan(file.length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
  })

  it.each([2, 6] as const)('tiles of a large picture, colour type %i, reach the score', async (colourType) => {
    const { outcome, bytes, defect } = await press(pngOf(colourType, [530, 520]), { effort: 'fast' })
    expect(defect).toBeUndefined()
    if (outcome.kind !== 'compressed') throw new Error('the file is unchanged')
    expect(outcome.loss?.pictures?.ssimulacra2).toBeGreaterThan(71)
    expect(await decoded(bytes)).toMatchObject({ width: 530, height: 520 })
  })

  it.each([0, 2, 4, 6] as const)('colour type %i without loss has the same samples', async (colourType) => {
    const { outcome, bytes, defect } = await press(pngOf(colourType), { lossless: true })
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(outcome).not.toHaveProperty('loss')
    expect(inEnglish(outcome)).toMatchObject({ steps: ['encoded as lossless JPEG XL'] })
    const { pixels, channels } = await decoded(bytes)
    const samples = samplesOf(channels < 3 ? ((channels === 1 ? 0 : 4) as ColourType) : colourType, WIDTH, HEIGHT)
    const expected = Array.from({ length: WIDTH * HEIGHT }, (_, i) => samples(i % WIDTH, Math.floor(i / WIDTH))).flat()
    if (channels === CHANNELS[colourType]) expect(Buffer.compare(pixels, Uint8Array.from(expected))).toBe(0)
    else expect(pixels.filter((_, i) => i % channels !== 1 && i % channels !== 2)).toEqual(Uint8Array.from(expected))
  })

  it('a target size is kept', async () => {
    const { outcome, bytes, defect } = await press(pngOf(2), { targetSize: 6000 })
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeLessThanOrEqual(6000)
  })

  it('pictures that are too small for SSIM are lossless', async () => {
    const { outcome, defect } = await press(pngOf(2, [9, 40]))
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(outcome).not.toHaveProperty('loss')
  })
})

describe('metadata of pictures in JPEG XL', () => {
  const icc = codePointProfile({ primaries: 12, transfer: 13 })!
  const iccp = (profile: Uint8Array) => chunk('iCCP', concat([latin1('name\0\0'), zlibCompress(profile)]))
  const xmp = chunk('iTXt', concat([latin1('XML:com.adobe.xmp\0\0\0\0\0'), photoXmp()]))
  const file = pngOf(2, [WIDTH, HEIGHT], iccp(icc), chunk('eXIf', photoExif(false, 6)), xmp)

  it('profile, EXIF and XMP stay, and the pixels are upright', async () => {
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { icc_profile: 1, gps_tags: 2, xmp_properties: 3 } })
    const found = await decoded(bytes)
    expect(found).toMatchObject({ width: HEIGHT, height: WIDTH })
    expect(Buffer.compare(found.icc, icc)).toBe(0)
    expect((await metadataOfJxl(memorySource(bytes, 'a.jxl'))).xmp).toEqual(photoXmp())
    expect((await itemsOf('jxl', bytes))['exif_tags']).toMatchObject({ 'IFD0:Orientation = 1': 1 })
    await expectNoHarm('jxl', bytes, 37)
    const report = await verify(file, bytes)
    expect(report.findings.filter(({ verdict }) => verdict === 'false')).toEqual([])
  })

  it('a grey picture keeps a profile of RGB', async () => {
    const { outcome, bytes, defect } = await press(pngOf(0, [WIDTH, HEIGHT], iccp(icc)))
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(Buffer.compare((await decoded(bytes)).icc, icc)).toBe(0)
  })

  it('a profile that cannot be read is refused', async () => {
    const { outcome } = await press(pngOf(2, [WIDTH, HEIGHT], iccp(latin1('profile bytes that stay'))))
    expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})

describe('damaged JPEG XL', () => {
  it('is never verified as the picture', async () => {
    const file = pngOf(2)
    const { outcome, bytes } = await press(file, { lossless: true })
    const options = optionsOf(png.format, {}, { output: 'jxl', lossless: true })
    const isEqual = async (result: Uint8Array) => {
      const verdict = png.verify(memorySource(file, 'a.png'), memorySource(result, 'a.jxl'), outcome, options)
      return (await verdict.catch(() => ({ equal: false }))).equal
    }
    expect(await isEqual(bytes)).toBe(true)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 60, max: bytes.length - 2 }), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        expect(await isEqual(bytes.subarray(0, at))).toBe(false)
        expect(await isEqual(bytes.with(at, bytes[at]! ^ mask))).toBe(false)
      }),
      { numRuns: roundsOf(5) },
    )
  })

  it('with more pixels than allowed is refused before it is decoded', async () => {
    const { bytes } = await press(pngOf(2))
    expect(await withJxl(memorySource(bytes, 'a.jxl'), WIDTH * HEIGHT - 1, async () => 0)).toBe('too many pixels')
  })

  it('with too many layers is refused before they are decoded', async () => {
    const { bytes } = await press(
      plainPng({ width: 64, height: 64, colourType: 2, bitDepth: 8 }, (x, y) => [x, y, x ^ y]),
      { lossless: true },
    )
    const codestream = bytes.subarray(indexOfBytes(bytes, Uint8Array.of(0xff, 0x0a)))
    const [head, frame] = [codestream.subarray(0, 5), codestream.subarray(5)]
    // Frame header: a modular frame that covers the picture and is the last one.
    expect([...frame.subarray(0, 4)]).toEqual([8, 0, 1, 0])
    // The same frame as a layer: it is not the last one, and later frames may refer to it.
    const layer = frame.with(2, 2)
    const decode = (layers: number, mostPixels: number) =>
      withJxl(memorySource(concat([head, ...Array<Uint8Array>(layers).fill(layer), frame]), 'a.jxl'), mostPixels, async () => 'decoded')
    expect(await decode(7, 64 * 64)).toBe('decoded')
    expect(await decode(8, 64 * 64)).toBe('too many layers')
    expect(await decode(8, 1e6)).toBe('decoded')
    expect(await decode(200, 1e6)).toBe('too many layers')
  })
})
