import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { box, latin1Bytes, words } from '../../../src/core/containers/isobmff/box.ts'
import { convertibleHeic, heic } from '../../../src/core/formats/heic/heic.ts'
import { wholeRgba } from '../../../src/core/images/raster/raster.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { type JobRequest, optionsOf } from '../../../src/core/pipeline/job.ts'
import { isEngineError } from '../../../wasm/engine-error.ts'
import { decodeHevc } from '../../../wasm/hevc/hevc.ts'
import * as file from '../../support/avif-file.ts'
import { heicOf, hevcItem, planesOf, SRGB } from '../../support/heic-file.ts'
import { hevcPicture, type TestPlanes } from '../../support/hevc-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { itemsOf } from '../../support/inventories.ts'
import { photoExif, photoXmp } from '../../support/picture-metadata.ts'
import { pressFile } from '../../support/press-file.ts'
import { damagePositions } from '../../support/thorough.ts'
import { photo } from './jpg/photo.ts'

const SIZE = { width: 96, height: 64 }
const PHOTO = photo(SIZE.width, SIZE.height, 3)
const DEPTH_URN = 'urn:mpeg:hevc:2015:auxid:2'
const GAIN_MAP_URN = 'urn:com:apple:photo:2020:aux:hdrgainmap'
const press = (bytes: Uint8Array, request: JobRequest = {}) => pressFile(heic, bytes, 'a.heic', { quality: 'medium', ...request })
const open = (bytes: Uint8Array, output: 'png' | 'avif' = 'png', memoryBudget = 96 * 1024 * 1024) =>
  convertibleHeic(memorySource(bytes, 'a.heic'), optionsOf(heic.format, {}, { output, memoryBudget }))

async function pixelsOf(bytes: Uint8Array) {
  const { raster } = await open(bytes)
  return { width: raster.width, height: raster.height, channels: raster.channels, pixels: new Uint8Array((await wholeRgba(raster)).buffer) }
}

async function unchangedBecause(bytes: Uint8Array, request: JobRequest = {}) {
  const { outcome, defect, bytes: result } = await press(bytes, request)
  expect(defect).toBeUndefined()
  expect(Buffer.compare(result, bytes)).toBe(0)
  if (outcome.kind !== 'unchanged') throw new Error('the file was compressed')
  return inEnglish(outcome) as { reason: string; detail?: string }
}

/** Chroma samples of grey, for a quarter of the pixels. */
const neutral = (pixels: number, bits: number) => new Uint16Array(pixels / 4).fill(2 ** (bits - 1))

/** Planes with neutral chroma: one value for each pixel. */
const greyPlanes = ({ width, height }: typeof SIZE, valueAt: (x: number, y: number) => number, bits: 8 | 10 = 8): TestPlanes => ({
  width,
  height,
  luma: Array.from({ length: width * height }, (_, i) => valueAt(i % width, Math.floor(i / width))),
  chroma: [neutral(width * height, bits), neutral(width * height, bits)],
  bits,
})

const METADATA = { exif: photoExif(false, 6), xmp: photoXmp() }
const withMetadata = () => {
  const profile = box('colr', latin1Bytes('prof'), latin1Bytes('an unreadable profile of some bytes'))
  return file.withMetadata(hevcItem(1, planesOf(PHOTO, SIZE), [SRGB, profile]), METADATA, 'heic')
}

describe('decoding', () => {
  it('gives the colours of the planes', async () => {
    const plain = Uint8Array.from({ length: SIZE.width * SIZE.height * 3 }, (_, i) => [200, 90, 30][i % 3]!)
    const { pixels } = await pixelsOf(heicOf(plain, SIZE))
    for (let i = 0; i < pixels.length; i++) expect(Math.abs(pixels[i]! - [200, 90, 30, 255][i % 4]!)).toBeLessThanOrEqual(2)
  })

  it.each([
    ['full range', SRGB, (value: number) => value],
    ['limited range', file.nclx(1, 13, 6, false), (value: number) => Math.max(0, Math.min(255, Math.round(((value - 16) * 255) / 219)))],
  ] as const)('gives exact grey samples in %s', async (_, colour, expected) => {
    const size = { width: 50, height: 38 }
    const planes = greyPlanes(size, (x, y) => (x * 5 + y * 3) % 256)
    const { width, height, channels, pixels } = await pixelsOf(file.heifFile({ brand: 'heic', items: [hevcItem(1, planes, [colour])] }))
    expect({ width, height, channels }).toEqual({ ...size, channels: 3 })
    for (let i = 0; i < planes.luma.length; i++) expect(pixels[4 * i]).toBe(expected(planes.luma[i]!))
  })

  it('keeps all ten bits', async () => {
    const planes = greyPlanes(SIZE, (x, y) => (y * SIZE.width + x) % 1024, 10)
    const { raster16 } = await open(file.heifFile({ brand: 'heic', items: [hevcItem(1, planes, [SRGB])] }))
    const values = new Set<number>()
    for await (const strip of raster16!.rows()) for (let i = 0; i < strip.length; i += 4) values.add(strip[i]!)
    expect(values.size).toBe(1024)
  })

  // Each tile has one grey. The grid cuts the last column and row.
  it.each([
    ['as stored', [], [10, 80, 150, 220]],
    ['irot 1', [file.irot(1)], [80, 220, 10, 150]],
    ['irot 2', [file.irot(2)], [220, 150, 80, 10]],
    ['imir 1', [file.imir(1)], [80, 10, 220, 150]],
    ['irot 3, imir 0', [file.irot(3), file.imir(0)], [220, 80, 150, 10]],
  ] as const)('shows a grid of tiles: %s', async (_, transforms, corners) => {
    const [tile, whole] = [
      { width: 48, height: 32 },
      { width: 90, height: 60 },
    ]
    const tiles = [10, 80, 150, 220].map((value, i) =>
      hevcItem(
        2 + i,
        greyPlanes(tile, () => value),
        [],
        true,
      ),
    )
    const grid = file.gridItem(1, 2, 2, whole, [SRGB, ...transforms], true)
    const { width, height, pixels } = await pixelsOf(
      file.heifFile({ brand: 'heic', items: [grid, ...tiles], references: [['dimg', 1, [2, 3, 4, 5]]] }),
    )
    const at = (x: number, y: number) => pixels[(y * width + x) * 4]
    expect([width, height].sort()).toEqual([60, 90])
    expect([at(0, 0), at(width - 1, 0), at(0, height - 1), at(width - 1, height - 1)]).toEqual(corners)
  })

  it('gives alpha, and divides colours that are multiplied by it', async () => {
    const items = [
      hevcItem(
        1,
        greyPlanes(SIZE, () => 100),
        [SRGB],
      ),
      hevcItem(
        2,
        greyPlanes(SIZE, () => 128),
        [SRGB, file.auxC('urn:mpeg:hevc:2015:auxid:1')],
        true,
      ),
    ]
    const plain = await pixelsOf(file.heifFile({ brand: 'heic', items, references: [['auxl', 2, [1]]] }))
    expect([plain.channels, plain.pixels[0], plain.pixels[3]]).toEqual([4, 100, 128])
    const multiplied = file.heifFile({
      brand: 'heic',
      items,
      references: [
        ['auxl', 2, [1]],
        ['prem', 1, [2]],
      ],
    })
    expect((await pixelsOf(multiplied)).pixels[0]).toBe(199)
  })

  it('needs more memory than the job has: over_budget before anything is decoded', async () => {
    await expect(open(heicOf(PHOTO, SIZE), 'png', 1024 * 1024)).rejects.toMatchObject({ reason: 'over_budget' })
  })
})

describe('HEIC as itself', () => {
  // AVIF cannot store data behind the end of a file.
  it.each([
    ['AVIF', 'avif', new Uint8Array()],
    ['JPEG, if data follow its end,', 'jpg', new Uint8Array(100).fill(7)],
  ] as const)('stays unchanged and suggests %s with an estimate of the size', async (_, output, tail) => {
    const size = { width: 320, height: 240 }
    const bytes = concat([heicOf(photo(size.width, size.height, 3), size), tail])
    const { outcome } = await press(bytes)
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', suggestion: { output } })
    const { bytes: made } = await press(bytes, { output })
    expect(made.length).toBeLessThan(bytes.length)
    const { estimatedBytes } = (outcome as { suggestion: { estimatedBytes: number } }).suggestion
    expect(estimatedBytes).toBeGreaterThan(made.length / 2)
    expect(estimatedBytes).toBeLessThan(made.length * 2)
  })

  it('counts the boxes around a picture of one colour', async () => {
    const size = { width: 128, height: 128 }
    const plain = file.heifFile({
      brand: 'heic',
      items: [
        hevcItem(
          1,
          greyPlanes(size, () => 9),
          [SRGB],
        ),
      ],
    })
    const bytes = concat([plain, box('free', new Uint8Array(2000))])
    const { outcome } = await press(bytes)
    const { bytes: made } = await press(bytes, { output: 'avif' })
    expect((outcome as { suggestion: { estimatedBytes: number } }).suggestion.estimatedBytes).toBeGreaterThan(made.length * 0.6)
  })

  it.each(['low', 'medium', 'high'] as const)('has no suggestion that is not smaller (%s)', async (quality) => {
    // A picture of one colour takes few bytes in any format, so that metadata decides.
    const tiny = file.heifFile({
      brand: 'heic',
      items: [
        hevcItem(
          1,
          greyPlanes({ width: 16, height: 16 }, () => 9),
          [SRGB],
        ),
      ],
    })
    const { outcome } = await press(tiny, { quality })
    const { suggestion } = outcome as { suggestion?: { estimatedBytes: number } }
    if (suggestion) expect(suggestion.estimatedBytes).toBeLessThan(tiny.length)
  })
})

describe('HEIC as another format', () => {
  it.each(['jpg', 'png', 'webp', 'avif'] as const)('keeps metadata as %s', async (output) => {
    const { outcome, defect, bytes } = await press(withMetadata(), { output, quality: 'low' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { exif_tags: expect.any(Number), icc_profile: 1, xmp_properties: 3 } })
    expect(await itemsOf(output, bytes)).toMatchObject({ exif_tags: { 'IFD0:Orientation = 1': 1 } })
  })

  it('keeps EXIF that has no offset in front of it', async () => {
    const items = [hevcItem(1, planesOf(PHOTO, SIZE), [SRGB]), { ...file.exifItem(2, METADATA.exif), data: METADATA.exif }]
    const bytes = file.heifFile({ brand: 'heic', items, references: [['cdsc', 2, [1]]] })
    const { outcome, defect } = await press(bytes, { output: 'jpg', quality: 'low' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { exif_tags: expect.any(Number) } })
  })

  it('turns pixels upright and reports the rotation as removed', async () => {
    const { outcome, defect, bytes } = await press(heicOf(PHOTO, SIZE, [file.irot(1)]), { output: 'png' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ removed: [{ kind: 'rotation', count: 1 }] })
    expect([bytes[19], bytes[23]]).toEqual([SIZE.height, SIZE.width])
  })

  it('names depth and gain maps that the output cannot store', async () => {
    const bytes = file.heifFile({
      brand: 'heic',
      items: [
        hevcItem(1, planesOf(PHOTO, SIZE), [SRGB]),
        hevcItem(
          2,
          greyPlanes(SIZE, (x) => x),
          [file.auxC(DEPTH_URN)],
          true,
        ),
        hevcItem(
          3,
          greyPlanes(SIZE, (_, y) => y),
          [file.auxC(GAIN_MAP_URN)],
          true,
        ),
      ],
      references: [
        ['auxl', 2, [1]],
        ['auxl', 3, [1]],
      ],
    })
    const { outcome, defect } = await press(bytes, { output: 'jpg' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({
      removed: expect.arrayContaining([{ kind: 'further_pictures', count: 2, why: 'output_cannot_store' }]),
    })
    expect(JSON.stringify(inEnglish(outcome))).toContain(GAIN_MAP_URN)
  })

  it('refuses several pictures, sequences and pictures of other codings, and names them', async () => {
    const album = file.heifFile({ brand: 'heic', items: [1, 2].map((id) => hevcItem(id, planesOf(PHOTO, SIZE), [SRGB])) })
    expect(await unchangedBecause(album, { output: 'jpg' })).toMatchObject({ detail: expect.stringContaining('1 further images') })
    const item = hevcItem(1, planesOf(PHOTO, SIZE), [SRGB])
    const film = file.heifFile({ brand: 'hevc', items: [item], after: [box('moov', words(0))] })
    expect(await unchangedBecause(film, { output: 'jpg' })).toMatchObject({ reason: 'unsupported_feature' })
    const other = file.heifFile({ brand: 'mif1', items: [{ ...item, type: 'avc1' }] })
    expect(await unchangedBecause(other, { output: 'jpg' })).toMatchObject({ detail: expect.stringContaining('`avc1`') })
  })

  it('stays unchanged with content credentials', async () => {
    const uuid = Uint8Array.of(0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81)
    const bytes = file.heifFile({ brand: 'heic', items: [hevcItem(1, planesOf(PHOTO, SIZE))], after: [box('uuid', uuid, words(1))] })
    expect(await unchangedBecause(bytes, { output: 'jpg' })).toMatchObject({ reason: 'signed' })
  })
})

describe('hostile HEIC', () => {
  it('is refused at every length, without another error', async () => {
    const bytes = withMetadata()
    for (const length of damagePositions(0, bytes.length, 900)) {
      const { outcome, defect } = await press(bytes.subarray(0, length), { output: 'png' })
      expect(defect).toBeUndefined()
      expect(outcome.kind).toBe('unchanged')
    }
  })

  it('with changed bytes in its boxes or its decoder configuration ends as an outcome', async () => {
    const bytes = withMetadata()
    for (const at of damagePositions(0, Buffer.from(bytes).indexOf('mdat'), 3)) {
      const damaged = bytes.slice()
      damaged[at] = damaged[at]! ^ 0xff
      await decoded(damaged)
    }
  })

  it.each([
    ['a tile that refers to the grid itself', [['dimg', 1, [1, 1, 1, 1]]]],
    ['too few tiles', [['dimg', 1, [2]]]],
  ] as const)('grid: %s', async (_, references) => {
    const tile = hevcItem(
      2,
      greyPlanes({ width: 48, height: 32 }, () => 9),
      [],
      true,
    )
    const bytes = file.heifFile({ brand: 'heic', items: [file.gridItem(1, 2, 2, SIZE), tile], references })
    expect(await unchangedBecause(bytes, { output: 'png' })).toMatchObject({ reason: expect.stringMatching(/malformed|unsupported/) })
  })

  it.each([
    ['smaller than the frame', { width: 32, height: 32 }, /malformed|over_budget/],
    ['larger than the frame', { width: 128, height: 64 }, /malformed/],
    ['huge', { width: 60_000, height: 60_000 }, /over_budget/],
  ])('with a lying size is no picture: %s', async (_, size, reason) => {
    const item = hevcItem(1, planesOf(PHOTO, SIZE))
    const [, ...others] = item.properties!
    const bytes = file.heifFile({ brand: 'heic', items: [{ ...item, properties: [file.ispe(size), ...others] }] })
    expect(await unchangedBecause(bytes, { output: 'png' })).toMatchObject({ reason: expect.stringMatching(reason) })
  })

  it('decoder: damaged, empty and too large pictures are errors of the engine', () => {
    const { config, coded } = hevcPicture(planesOf(PHOTO, SIZE))
    const failureOf = (bytes: Uint8Array, most = SIZE.width * SIZE.height) => {
      try {
        using picture = decodeHevc(bytes, config, most)
        return picture.info.width
      } catch (error) {
        return isEngineError(error, 'hevc') ? error.failure : error
      }
    }
    expect(failureOf(coded)).toBe(SIZE.width)
    expect(failureOf(coded, 64)).toEqual(expect.any(String))
    for (const length of [0, 3, 4, 40]) expect(failureOf(coded.subarray(0, length))).toEqual(expect.any(String))
  })
})

/** Decodes a hostile file. Throws anything but the expected errors. */
async function decoded(bytes: Uint8Array): Promise<void> {
  try {
    await pixelsOf(bytes)
  } catch (error) {
    if (!(error instanceof CodecError) && !isEngineError(error, 'hevc')) throw error
  }
}

describe('identification', () => {
  it.each(['heic', 'heix', 'hevc', 'mif1', 'msf1', 'miaf', 'jpeg'])('%s', async (brand) => {
    const bytes = file.heifFile({
      brand,
      items: [
        hevcItem(
          1,
          greyPlanes(SIZE, () => 0),
        ),
      ],
    })
    expect((await identify(memorySource(bytes, 'a.bin')))?.id).toBe('heic')
  })

  it('names the compact form, which has no `meta` box', async () => {
    const bytes = new Uint8Array([...box('ftyp', latin1Bytes('mif3heic')), ...box('mini', new Uint8Array(40))])
    expect((await identify(memorySource(bytes, 'a.heif')))?.id).toBe('heic')
    expect(await unchangedBecause(bytes)).toMatchObject({ reason: 'unsupported_feature', detail: expect.stringContaining('mini') })
  })
})
