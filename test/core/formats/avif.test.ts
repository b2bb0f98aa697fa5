import { beforeAll, describe, expect, it } from 'vitest'
import { readHeifFile } from '../../../src/core/containers/heif/meta.ts'
import { readHeifPicture } from '../../../src/core/containers/heif/picture.ts'
import { box, latin1Bytes, words } from '../../../src/core/containers/isobmff/box.ts'
import { avif, convertibleAvif } from '../../../src/core/formats/avif/avif.ts'
import type { CodedPicture } from '../../../src/core/images/avif/file.ts'
import { AvifCodec } from '../../../src/core/images/avif/libaom.ts'
import { wholeRgba } from '../../../src/core/images/raster/raster.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { type JobRequest, optionsOf } from '../../../src/core/pipeline/job.ts'
import { isEngineError } from '../../../wasm/engine-error.ts'
import * as file from '../../support/avif-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { itemsOf } from '../../support/inventories.ts'
import { photoExif, photoXmp } from '../../support/picture-metadata.ts'
import { pressFile } from '../../support/press-file.ts'
import { damagePositions } from '../../support/thorough.ts'
import { photo } from './jpg/photo.ts'

const SIZE = { width: 96, height: 64 }
const { signal } = new AbortController()
const press = (bytes: Uint8Array, request: JobRequest = {}) => pressFile(avif, bytes, 'a.avif', { quality: 'medium', ...request })
const PROFILE = latin1Bytes('an unreadable profile of some bytes')

/** Pixels of a file as Whittle decodes them, RGBA. */
async function pixelsOf(bytes: Uint8Array, output: 'avif' | 'png' = 'png') {
  const source = memorySource(bytes, 'a.avif')
  const { raster } = await convertibleAvif(source, optionsOf(avif.format, {}, { output }))
  return { width: raster.width, height: raster.height, channels: raster.channels, pixels: new Uint8Array((await wholeRgba(raster)).buffer) }
}

/** Pixels of a file as libaom and libavif decode them, without rotation. */
async function otherPixelsOf(bytes: Uint8Array) {
  using codec = await AvifCodec.open('decoder')
  const { width, height, pixels } = codec.decode(bytes)!
  return { width, height, pixels: new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length) }
}

/** Largest difference of two pictures. */
function differenceOf(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).toBe(b.length)
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0)
}

async function unchangedBecause(bytes: Uint8Array, request: JobRequest = {}) {
  const { outcome, defect, bytes: result } = await press(bytes, request)
  expect(defect).toBeUndefined()
  expect(Buffer.compare(result, bytes)).toBe(0)
  if (outcome.kind !== 'unchanged') throw new Error('the file was compressed')
  return inEnglish(outcome) as { reason: string; detail?: string }
}

let coded: CodedPicture
let grey: CodedPicture
beforeAll(async () => {
  coded = await file.codedOf(photo(SIZE.width, SIZE.height, 3), SIZE)
  grey = await file.codedOf(photo(SIZE.width, SIZE.height, 3), SIZE, 'none')
})

const single = (...more: readonly Uint8Array[]) => file.heifFile({ items: [file.codedItem(1, coded, SIZE, [...coded.colour, ...more])] })
const METADATA = { exif: photoExif(false, 6), xmp: photoXmp() }
const withMetadata = () =>
  file.withMetadata(file.codedItem(1, coded, SIZE, [...coded.colour, box('colr', latin1Bytes('prof'), PROFILE)]), METADATA)

describe('decoding', () => {
  it.each(['full', 'halved', 'none'] as const)('gives the pixels of another decoder (chroma %s)', async (chroma) => {
    const bytes = await file.avifOf(photo(SIZE.width, SIZE.height, 3), SIZE, 60, chroma)
    const [own, other] = [await pixelsOf(bytes), await otherPixelsOf(bytes)]
    expect(differenceOf(own.pixels, other.pixels)).toBeLessThanOrEqual(1)
  })

  it('gives alpha, and odd sizes with halved chroma', async () => {
    const size = { width: 51, height: 37 }
    const bytes = await file.avifOf(photo(size.width, size.height, 4), size, 60, 'halved')
    const [own, other] = [await pixelsOf(bytes), await otherPixelsOf(bytes)]
    expect(own.channels).toBe(4)
    expect(differenceOf(own.pixels, other.pixels)).toBeLessThanOrEqual(1)
  })

  it.each([
    [1, true],
    [1, false],
    [6, false],
    [9, true],
  ])('respects nclx: matrix %i, full range %s', async (matrix, isFull) => {
    const depths = coded.colour.filter((one) => Buffer.from(one).includes('pixi'))
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, SIZE, [file.nclx(1, 13, matrix, isFull), ...depths])] })
    const [own, other] = [await pixelsOf(bytes), await otherPixelsOf(bytes)]
    expect(differenceOf(own.pixels, other.pixels)).toBeLessThanOrEqual(1)
  })

  it('keeps all ten bits', async () => {
    const samples = Uint16Array.from({ length: SIZE.width * SIZE.height * 4 }, (_, i) => (i % 4 === 3 ? 1023 : (i * 5) % 1024))
    const source = memorySource(await file.avif10Of(samples, SIZE, 100), 'a.avif')
    const { raster16 } = await convertibleAvif(source, optionsOf(avif.format, {}, { output: 'png' }))
    const values = new Set<number>()
    for await (const strip of raster16!.rows()) for (const value of strip) values.add(value)
    expect(values.size).toBeGreaterThan(600)
  })

  // Corners of the picture: top left, top right, bottom left, bottom right.
  it.each([
    ['irot 1', [file.irot(1)], 'BDAC'],
    ['irot 2', [file.irot(2)], 'DCBA'],
    ['irot 3', [file.irot(3)], 'CADB'],
    ['imir 0', [file.imir(0)], 'CDAB'],
    ['imir 1', [file.imir(1)], 'BADC'],
    ['irot 1, imir 0', [file.irot(1), file.imir(0)], 'ACBD'],
    ['irot 3, imir 0', [file.irot(3), file.imir(0)], 'DBCA'],
    ['clap, irot 1', [file.clap({ width: 64, height: 32 }, 16, -8), file.irot(1)], 'BDAC'],
  ] as const)('shows %s', async (_, transforms, corners) => {
    const cornered = await corneredPicture()
    const whole = await pixelsOf(file.heifFile({ items: [file.codedItem(1, cornered, SIZE, [...cornered.colour, ...transforms])] }))
    const swaps = transforms[0]![7] === 't'.charCodeAt(0) && transforms.some((one) => one[8] === 1 || one[8] === 3)
    expect(cornersOf(whole)).toBe(corners)
    if (swaps && transforms.length === 1) expect([whole.width, whole.height]).toEqual([SIZE.height, SIZE.width])
    // A grid of four tiles shows the same.
    const tile = { width: 48, height: 32 }
    const tiles = await Promise.all(['A', 'B', 'C', 'D'].map((corner) => plainTile(corner, tile)))
    const grid = await pixelsOf(
      file.heifFile({
        items: [
          file.gridItem(1, 2, 2, SIZE, [...tiles[0]!.colour, ...transforms], true),
          ...tiles.map((one, i) => file.codedItem(2 + i, one, tile, [], true)),
        ],
        references: [['dimg', 1, [2, 3, 4, 5]]],
      }),
    )
    expect([grid.width, grid.height]).toEqual([whole.width, whole.height])
    expect(cornersOf(grid)).toBe(corners)
  })

  it('divides colours that are multiplied by alpha', async () => {
    const half = new Uint8Array(SIZE.width * SIZE.height * 3).fill(100)
    const alpha = await file.codedOf(new Uint8Array(SIZE.width * SIZE.height * 3).fill(128), SIZE, 'none', 100)
    const colour = await file.codedOf(half, SIZE, 'full', 100)
    const bytes = file.heifFile({
      items: [file.codedItem(1, colour, SIZE, colour.colour), file.codedItem(2, alpha, SIZE, [file.auxC(file.ALPHA_URN)], true)],
      references: [
        ['auxl', 2, [1]],
        ['prem', 1, [2]],
      ],
    })
    const { pixels } = await pixelsOf(bytes)
    expect(Math.abs(pixels[0]! - 199)).toBeLessThanOrEqual(2)
    expect(Math.abs(pixels[3]! - 128)).toBeLessThanOrEqual(1)
  })
})

const COLOURS: { readonly [corner: string]: readonly [number, number, number] } = {
  A: [250, 20, 20],
  B: [20, 250, 20],
  C: [20, 20, 250],
  D: [250, 250, 250],
}

const plainTile = (corner: string, { width, height }: { width: number; height: number }) =>
  file.codedOf(
    Uint8Array.from({ length: width * height * 3 }, (_, i) => COLOURS[corner]![i % 3]!),
    { width, height },
  )

/** Picture with another colour in each quarter. */
const corneredPicture = () =>
  file.codedOf(
    Uint8Array.from({ length: SIZE.width * SIZE.height * 3 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % SIZE.width, Math.floor(i / 3 / SIZE.width)]
      return COLOURS['ABCD'[(x < SIZE.width / 2 ? 0 : 1) + (y < SIZE.height / 2 ? 0 : 2)]!]![i % 3]!
    }),
    SIZE,
  )

function cornersOf({ width, height, pixels }: { width: number; height: number; pixels: Uint8Array }): string {
  const at = (x: number, y: number) => {
    const from = (y * width + x) * 4
    const distance = (corner: string) => COLOURS[corner]!.reduce((sum, value, c) => sum + Math.abs(value - pixels[from + c]!), 0)
    return ['A', 'B', 'C', 'D'].toSorted((a, b) => distance(a) - distance(b))[0]!
  }
  return [at(1, 1), at(width - 2, 1), at(1, height - 2), at(width - 2, height - 2)].join('')
}

describe('AVIF as itself', () => {
  it('becomes smaller with figures above the floors and levels in order', async () => {
    const bytes = await file.avifOf(photo(120, 88, 3), { width: 120, height: 88 }, 97)
    const sizes: number[] = []
    for (const quality of ['high', 'medium', 'low'] satisfies Quality[]) {
      const { outcome, bytes: result, defect } = await press(bytes, { quality })
      expect(defect).toBeUndefined()
      sizes.push(result.length)
      if (outcome.kind === 'compressed') expect(outcome.loss?.pictures?.ssimulacra2).toBeGreaterThan(50)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(sizes[2]!).toBeLessThan(bytes.length)
  })

  it('keeps EXIF, XMP and the profile', async () => {
    const bytes = withMetadata()
    const { outcome, bytes: result, defect } = await press(bytes, { quality: 'low' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { icc_profile: 1, exif_tags: expect.any(Number), xmp_properties: 3 } })
    expect(await itemsOf('avif', result)).toMatchObject({ exif_tags: { 'IFD0:Orientation = 1': 1 } })
  })

  it('keeps ten bits, and says so', async () => {
    const samples = Uint16Array.from({ length: SIZE.width * SIZE.height * 4 }, (_, i) =>
      i % 4 === 3 ? 1023 : Math.round(512 + 400 * Math.sin(i / 900) * Math.cos(i / 77)),
    )
    const bytes = await file.avif10Of(samples, SIZE, 97)
    const { outcome, bytes: result, defect } = await press(bytes, { quality: 'low' })
    expect(defect).toBeUndefined()
    expect(JSON.stringify(inEnglish(outcome))).toContain('10 bits per sample kept')
    const { raster16 } = await convertibleAvif(memorySource(result, 'a.avif'), optionsOf(avif.format, {}, { output: 'png' }))
    expect(raster16).toBeDefined()
  })

  it('has no lossless result', async () => {
    expect(await unchangedBecause(single(), { lossless: true })).toMatchObject({ reason: 'no_gain' })
  })

  it('stays unchanged with a gain map, a depth map or a film, and names them', async () => {
    const map = file.heifFile({
      items: [
        file.codedItem(1, coded, SIZE, coded.colour),
        file.codedItem(2, grey, SIZE, [file.auxC('urn:mpeg:mpegB:cicp:systems:auxiliary:depth')], true),
        { id: 3, type: 'tmap', data: new Uint8Array(30), properties: [file.ispe(SIZE)] },
      ],
      references: [['auxl', 2, [1]]],
    })
    const { reason, detail } = await unchangedBecause(map)
    expect(reason).toBe('unsupported_feature')
    expect(detail).toContain('1 × urn:mpeg:mpegB:cicp:systems:auxiliary:depth')
    expect(detail).toContain('1 × tmap')
    const film = file.heifFile({ brand: 'avis', items: [file.codedItem(1, coded, SIZE, coded.colour)], after: [box('moov', words(0))] })
    expect(await unchangedBecause(film)).toMatchObject({ reason: 'unsupported_feature', detail: expect.stringContaining('sequence') })
    const { outcome, defect } = await press(map, { output: 'jpg' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({
      kind: 'compressed',
      removed: expect.arrayContaining([{ kind: 'further_pictures', count: 2, why: 'output_cannot_store' }]),
    })
  })

  it('of several pictures stays unchanged in every format', async () => {
    const album = file.heifFile({ items: [1, 2, 3].map((id) => file.codedItem(id, coded, SIZE, coded.colour)) })
    expect(await unchangedBecause(album, { output: 'jpg' })).toMatchObject({ detail: expect.stringContaining('2 further images') })
  })

  it('stays unchanged with content credentials', async () => {
    const credentials = box(
      'uuid',
      Uint8Array.of(0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81),
      words(1),
    )
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, SIZE, coded.colour)], after: [credentials] })
    expect(await unchangedBecause(bytes)).toMatchObject({ reason: 'signed' })
  })
})

describe('AVIF as another format', () => {
  it.each(['jpg', 'png', 'webp'] as const)('keeps metadata as %s', async (output) => {
    const bytes = withMetadata()
    const { outcome, defect, bytes: result } = await press(bytes, { output, quality: 'low' })
    expect(defect).toBeUndefined()
    if (outcome.kind === 'unchanged') return expect(outcome.reason).toBe('no_gain')
    expect(await itemsOf(output, result)).toMatchObject({ exif_tags: { 'IFD0:Orientation = 1': 1 }, icc_profile: expect.anything() })
  })

  it('gives a JPEG of a wide gamut its profile, and a PNG its code points', async () => {
    const wide = await file.avifOf(photo(240, 160, 3), { width: 240, height: 160 }, 100)
    const at = Buffer.from(wide).indexOf('nclx')
    wide.set([0, 12, 0, 13], at + 4)
    const jpg = await press(wide, { output: 'jpg' })
    expect(jpg.defect).toBeUndefined()
    expect(jpg.outcome.kind).toBe('compressed')
    expect(await itemsOf('jpg', jpg.bytes)).toMatchObject({ icc_profile: expect.anything() })
  })

  it('refuses HDR for formats that cannot store it', async () => {
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, SIZE, [file.nclx(9, 16, 9)])] })
    expect(await unchangedBecause(bytes, { output: 'jpg' })).toMatchObject({
      detail: 'jpg cannot store HDR (BT.2020 PQ); use `format=avif`',
    })
  })
})

describe('hostile AVIF', () => {
  it('is refused at every length, without another error', async () => {
    const bytes = withMetadata()
    for (const length of damagePositions(0, bytes.length, 40)) {
      const { outcome, defect } = await press(bytes.subarray(0, length), { output: 'png' }).catch((error: unknown) => {
        throw new Error(`cut at ${length}`, { cause: error })
      })
      expect(defect).toBeUndefined()
      expect(outcome.kind).toBe('unchanged')
    }
  })

  it('with changed bytes in its boxes ends as an outcome', async () => {
    const bytes = withMetadata()
    const metaEnd = Buffer.from(bytes).indexOf('mdat')
    for (const at of damagePositions(0, metaEnd, 3)) {
      const damaged = bytes.slice()
      damaged[at] = damaged[at]! ^ 0xff
      await decoded(damaged)
    }
  })

  it.each([
    ['a tile that refers to the grid itself', [['dimg', 1, [1, 1, 1, 1]]]],
    ['too few tiles', [['dimg', 1, [2]]]],
    ['tiles that do not exist', [['dimg', 1, [2, 3, 4, 99]]]],
  ] as const)('grid: %s', async (_, references) => {
    const tile = { width: 48, height: 32 }
    const one = await plainTile('A', tile)
    const bytes = file.heifFile({
      items: [file.gridItem(1, 2, 2, SIZE), ...[2, 3, 4].map((id) => file.codedItem(id, one, tile, [], true))],
      references,
    })
    await expect(openPicture(bytes)).rejects.toBeInstanceOf(CodecError)
  })

  it('with a lying size is malformed, and decodes no larger frame', async () => {
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, { width: 32, height: 32 }, coded.colour)] })
    expect(await unchangedBecause(bytes, { output: 'png' })).toMatchObject({ reason: expect.stringMatching(/malformed|over_budget/) })
  })

  it('with a huge size is over_budget before anything is decoded', async () => {
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, { width: 60_000, height: 60_000 }, coded.colour)] })
    expect(await unchangedBecause(bytes)).toMatchObject({ reason: 'over_budget' })
  })

  it('with millions of extents of no bytes is over_budget', async () => {
    const bytes = file.heifFile({ items: [file.codedItem(1, coded, SIZE, coded.colour)] })
    const at = Buffer.from(bytes).indexOf('iloc')
    bytes[at + 8] = 0
    // 65,535 items of 65,535 extents, which take no bytes.
    bytes.set([0xff, 0xff], at + 10)
    await expect(openPicture(bytes)).rejects.toBeInstanceOf(CodecError)
  })
})

async function openPicture(bytes: Uint8Array) {
  const source = memorySource(bytes, 'a.avif')
  return await readHeifPicture(source, await readHeifFile(source, signal))
}

/** Decodes a hostile file. Throws anything but the expected errors. */
async function decoded(bytes: Uint8Array): Promise<void> {
  try {
    await pixelsOf(bytes)
  } catch (error) {
    if (!(error instanceof CodecError) && !isEngineError(error, 'dav1d')) throw error
  }
}

describe('identification', () => {
  it.each([
    ['avif', 'avif'],
    ['avis', 'avif'],
  ])('%s', async (brand, id) => {
    const bytes = file.heifFile({ brand, items: [file.codedItem(1, coded, SIZE)] })
    expect((await identify(memorySource(bytes, 'a.bin')))?.id).toBe(id)
  })
})
