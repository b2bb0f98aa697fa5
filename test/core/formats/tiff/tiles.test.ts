import { describe, expect, test } from 'vitest'
import { geotiff, tiff } from '../../../../src/core/formats/tiff/tiff.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob, optionsOf } from '../../../../src/core/pipeline/job.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { randomNumbers } from '../../../support/random-numbers.ts'
import { buildTiff, type Picture, readDirectories, readPicture, rowBytes, type Shape } from './build-tiff.ts'

function optionsFor(memoryBudget = 96 * 1024 * 1024): Options {
  return optionsOf(geotiff.format, {}, { memoryBudget })
}

async function packed(file: Uint8Array, { codec = geotiff, options = optionsFor() } = {}) {
  const packing = await openJob(codec, memorySource(file, 'a.tif'), {}, options).whole(async () => memorySink(file.length, 'a.tif'))
  expect(packing).not.toHaveProperty('defect')
  const { outcome, result } = packing
  const bytes = await readAll(result!)
  return { outcome, bytes, directory: readDirectories(bytes)[0]! }
}

/** Six-bit noise from left to right, nearly the same in every row. Rows are longer than Deflate's window. */
function streaks(picture: Picture): Picture & { pixels: Uint8Array } {
  const [row, random] = [rowBytes(picture), randomNumbers(7)]
  const first = Uint8Array.from({ length: row }, () => random() * 64)
  const pixels = new Uint8Array(row * picture.height * (picture.planar ? picture.samples : 1))
  for (let i = 0; i < pixels.length; i++) pixels[i] = first[i % row]! + (i % 4999 === 0 ? 1 : 0)
  return { ...picture, pixels }
}

const WIDE: Picture = { width: 34_013, height: 11, bits: 8, samples: 1, rowsPerStrip: 2 }
const STRIP_TAGS = [273, 278, 279]
const TILE_TAGS = [322, 323, 324, 325]
const tagsAmong = (fields: ReadonlyMap<number, unknown>, tags: readonly number[]) => [...fields.keys()].filter((tag) => tags.includes(tag))

describe('GeoTIFF in tiles, if rows are longer than the Deflate window', () => {
  test.each<[string, Partial<Picture>, Shape?]>([
    ['one sample', {}],
    ['one strip, LZW, differenced', { rowsPerStrip: 11, compression: 5, predictor: 2 }],
    ['colour, big-endian', { samples: 3, width: 11_503 }, { littleEndian: false }],
    ['16 bits, BigTIFF', { bits: 16, width: 17_001 }, { big: true }],
    ['planes', { samples: 2, planar: true }],
    ['floats', { bits: 32, floating: true, width: 8_511, samples: 1 }],
    ['large tiles', { tile: [34_016, 16] }],
  ])('%s: keeps all samples and writes no strip fields', async (_, over, shape) => {
    const picture = streaks({ ...WIDE, ...over })
    const { outcome, bytes, directory } = await packed(buildTiff([picture], shape))
    const step = `${picture.tile ? 'tiles' : 'strips'} rewritten as tiles of 256 × 16 pixels`
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.arrayContaining([step]) })
    expect(Buffer.compare(readPicture(bytes, directory, picture), picture.pixels)).toBe(0)
    expect(bytes.length).toBeLessThan(picture.pixels.length * 0.25)
    expect(tagsAmong(directory.fields, STRIP_TAGS)).toEqual([])
    expect(tagsAmong(directory.fields, TILE_TAGS)).toEqual(TILE_TAGS)
    expect([...directory.fields.keys()]).toEqual([...directory.fields.keys()].sort((a, b) => a - b))
    expect(directory.numbers(324).length).toBe(Math.ceil(picture.width / 256) * (picture.planar ? picture.samples : 1))
  })

  test('replaces small tiles by larger ones, no larger than the picture', async () => {
    const picture = streaks({ width: 200, height: 90, bits: 8, samples: 1, tile: [16, 16] })
    const { outcome, bytes, directory } = await packed(buildTiff([picture]))
    expect(inEnglish(outcome)).toMatchObject({ steps: expect.arrayContaining(['tiles rewritten as tiles of 208 × 96 pixels']) })
    expect(Buffer.compare(readPicture(bytes, directory, picture), picture.pixels)).toBe(0)
  })

  test.each<[string, Picture, Shape?, Parameters<typeof packed>[1]?]>([
    ['a plain TIFF, whose readers may know strips alone', streaks(WIDE), {}, { codec: tiff }],
    ['a picture with missing strips', { ...streaks(WIDE), sparse: [0] }],
    ['samples that are not whole bytes', streaks({ ...WIDE, bits: 4, width: 68_026 })],
    ['a row of tiles that does not fit into memory', streaks(WIDE), {}, { options: optionsFor(2 * 1024 * 1024) }],
    ['a picture no wider than a tile', streaks({ ...WIDE, width: 256, height: 300 })],
  ])('keeps strips: %s', async (_, picture, shape, how) => {
    const { directory } = await packed(buildTiff([picture], shape), how)
    expect(tagsAmong(directory.fields, TILE_TAGS)).toEqual([])
  })

  test('keeps the tiles of a cloud optimized file', async () => {
    const { directory } = await packed(buildTiff([streaks({ width: 200, height: 90, bits: 8, samples: 1, tile: [16, 16] })], { cog: true }))
    expect([directory.number(322), directory.number(323)]).toEqual([16, 16])
  })

  test('verifies another strip or tile layout sample by sample', async () => {
    const picture = streaks(WIDE)
    const { outcome, bytes } = await packed(buildTiff([picture]))
    const verdict = (like: Picture) =>
      geotiff.verify(memorySource(buildTiff([like]), 'a.tif'), memorySource(bytes, 'a.tif'), outcome, optionsFor())
    expect(await verdict(picture)).toEqual({ equal: true })
    for (const at of [0, 34_012, 34_013 * 10, picture.pixels.length - 1]) {
      const pixels = picture.pixels.slice()
      pixels[at]! ^= 1
      expect(await verdict({ ...picture, pixels })).toMatchObject({ equal: false, difference: expect.stringContaining('plane 0 differs') })
    }
    expect(await verdict({ ...picture, sparse: [3] })).toMatchObject({ equal: false })
  })
})
