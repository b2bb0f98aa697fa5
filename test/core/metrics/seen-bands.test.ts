/** Tests the perceptual search of large pictures, which are only measured in bands. */
import { expect, it } from 'vitest'
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import type { Raster } from '../../../src/core/images/raster/raster.ts'
import {
  lowestPerceptualQuality,
  perceptualFiguresOf,
  type QualityScale,
  withFewProbes,
} from '../../../src/core/images/search/perceptual-search.ts'

const WIDTH = 128
const HEIGHT = 1100
const ROW = WIDTH * 3

const grey = (value: (x: number, y: number) => number) =>
  Uint8Array.from({ length: ROW * HEIGHT }, (_, i) => value(Math.floor((i % ROW) / 3), Math.floor(i / ROW)))
const wave = (x: number, y: number) => 128 + Math.round(60 * Math.sin(x / 9) * Math.cos(y / 7))
const PICTURE = grey(wave)

/** Returns the picture as strips of `rows` rows. */
function strips(pixels: Uint8Array, rows: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(HEIGHT / rows) }, (_, i) => pixels.subarray(i * rows * ROW, (i + 1) * rows * ROW))
}

const REFERENCE: Raster = {
  width: WIDTH,
  height: HEIGHT,
  channels: 3,
  async *rows() {
    yield* strips(PICTURE, 100)
  },
}

const off = (isOff: (y: number) => boolean) =>
  strips(
    grey((x, y) => wave(x, y) + (isOff(y) && x % 2 ? 24 : 0)),
    37,
  )
/** Measures bands of 256 rows: the first band, then every second one. */
const inBands = (isOff: (y: number) => boolean) => perceptualFiguresOf(REFERENCE, off(isOff), (WIDTH * HEIGHT) / 2)

it('measuring in bands detects errors inside the bands only', async () => {
  expect(await inBands((y) => y >= 256 && y < 512)).toMatchObject({ score: 100, worstTile: 100 })
  expect((await inBands((y) => y >= 600 && y < 664)).worstTile).toBeLessThan(60)
  expect((await inBands((y) => y >= 1024)).worstTile).toBeLessThan(60) // the last band is incomplete
})

it('an error in the whole picture has the same score in bands, within one point', async () => {
  const everywhere = await perceptualFiguresOf(
    REFERENCE,
    off(() => true),
  )
  const bands = await inBands(() => true)
  expect(Math.abs((bands.score ?? 0) - (everywhere.score ?? 0))).toBeLessThan(1)
  expect(Math.abs((bands.worstTile ?? 0) - (everywhere.worstTile ?? 0))).toBeLessThan(2)
})

const EVENLY: QualityScale = {
  lowest: 1,
  highest: 97,
  coarseness: (quality) => 100 - quality,
  qualityOf: (coarseness) => 100 - coarseness,
  pointsPerCoarseness: 1,
  mostProbes: 3,
  mostAskedByWindows: 2,
}

/** Returns the qualities that the search encodes, for a picture with the given scores. */
async function qualitiesMade(scale: QualityScale, scoreAt: (quality: number) => number): Promise<number[]> {
  const encoded: number[] = []
  const make = async (quality: number) => {
    encoded.push(quality)
    return { ssim: 1, psnrDb: 60, colourPsnrDb: 60 }
  }
  const look = async () => ({ score: scoreAt(encoded.at(-1)!), worstTile: 100, cast: 0, steps: 0, bands: 0, specks: 0, dirt: 0 })
  await lowestPerceptualQuality({ encode: make, perceptualFigures: look, bytes: () => encoded.at(-1)! }, LEVELS.perceptual.low, scale, {
    quality: 50,
  })
  return encoded
}

it('a search in bands accepts a score up to four points above the target', async () => {
  const scoreAt = (quality: number) => quality + 13
  expect(await qualitiesMade(EVENLY, scoreAt)).toEqual([50, 48])
  expect(await qualitiesMade(withFewProbes(EVENLY), scoreAt)).toEqual([50])
})

it('a search in bands does not end with a quality far above the target', async () => {
  // The score rises slowly at first, so that the two lower probes extrapolate too far, and steeply afterwards.
  const scoreAt = (quality: number) => (quality < 55 ? 57 + (quality - 50) * 0.28 : 58.4 + (quality - 55) * 1.5)
  expect(await qualitiesMade(withFewProbes(EVENLY), scoreAt)).toEqual([50, 55, 66, 57])
})

it('a search in bands probes midway between two extrapolations', async () => {
  // The score falls ever faster towards lower qualities, so that the two upper probes extrapolate below the target.
  const scoreAt = (quality: number) => (quality < 70 ? 60 - (70 - quality) * 0.9 : 60 + (quality - 70) * 0.2)
  const scale = { ...withFewProbes(EVENLY), pointsPerCoarseness: 0.4, mostProbes: 6, closePoints: 2 }
  expect(await qualitiesMade(scale, scoreAt)).toEqual([50, 97, 89, 81, 79])
})

it('a search respects its limit of encodings', async () => {
  const twice = { ...EVENLY, mostProbes: 1, mostMisses: 2, aimPoints: 1.5 }
  expect(await qualitiesMade(twice, (quality) => quality + 5)).toEqual([50, 57])
  expect(await qualitiesMade(twice, (quality) => quality / 2 + 25)).toEqual([50, 62])
  expect(await qualitiesMade(twice, (quality) => quality + 40)).toEqual([50])
})

it('a search takes larger steps if small ones do not raise the score', async () => {
  const scoreAt = (quality: number) => (quality < 55 ? 59.5 - (quality - 50) / 100 : 60 + (quality - 55) / 2)
  expect(await qualitiesMade(EVENLY, scoreAt)).toEqual([50, 51, 53, 57])
})
