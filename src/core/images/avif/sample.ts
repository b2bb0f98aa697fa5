/** Samples a large picture: a few of its tiles, on which the search for the quality runs. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { maxOf, minOf } from '../../bytes/min-max.ts'
import { log10, pow } from '../../bytes/same-math.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import type { Raster } from '../raster/raster.ts'
import { isMeasuredInBands } from '../search/perceptual-search.ts'
import { codedPictureOf, type TileGrid } from './file.ts'
import { type AvifCodec, comparePixels, discardPixels, type RgbaPixels } from './libaom.ts'
import type { AvifProbe, AvifSettings } from './scale.ts'
import { bandChannelsOf, eachBand, emptyTile, takeTile } from './tiles.ts'
import { SAMPLE_TILES } from './tuning.ts'

/** Returns whole tiles of the picture as a sample, spread evenly. */
export async function sampleOf(raster: Raster, grid: TileGrid): Promise<RgbaPixels[]> {
  const whole = Math.max(1, Math.floor(raster.height / grid.tileHeight))
  const columns = Math.max(1, Math.floor(raster.width / grid.tileWidth))
  const tiles: RgbaPixels[] = []
  const columnsByRow = new Map<number, number[]>()
  const count = isMeasuredInBands(raster) ? SAMPLE_TILES.large : SAMPLE_TILES.usual
  for (let i = 0; i < count; i++) {
    const row = Math.floor(((i + 0.5) * whole) / count)
    const column = Math.floor(((i * 0.618 + 0.3) % 1) * columns)
    columnsByRow.set(row, [...new Set([...(columnsByRow.get(row) ?? []), column])])
  }
  await eachBand(raster, grid, async (band, row) => {
    for (const column of columnsByRow.get(row) ?? []) tiles.push(takeTile(emptyTile(grid), band, column, bandChannelsOf(raster)))
  })
  return tiles
}

/** Encodes the sample tiles with these settings. Figures and scores are means; window and tile figures are those of the worst tile. */
export function probeSample(codec: AvifCodec, sample: readonly RgbaPixels[], { quality, chroma }: AvifSettings, speed: number): AvifProbe {
  let bytes = 0
  const sums = { ssim: 0, luma: 0, colour: 0 }
  const perceptualOfTiles: PerceptualFigures[] = []
  for (const tile of sample) {
    const file = codec.encode(tile, quality, speed, chroma)
    const decoded = codec.decode(file)
    if (!decoded) throw new Error('the result of the AVIF encoder cannot be decoded')
    const { similarity, perceptual } = comparePixels(tile, decoded, ['similarity', 'perceptual'])
    perceptualOfTiles.push(perceptual)
    discardPixels(decoded)
    bytes += codedPictureOf(file).frame.length
    discard(file)
    sums.ssim += similarity.ssim
    sums.luma += pow(10, -similarity.psnrDb / 10)
    sums.colour += pow(10, -similarity.psnrRgbDb / 10)
  }
  const mean = (value: number) => Math.min(99, -10 * log10(value / sample.length))
  const figures = { ssim: sums.ssim / sample.length, psnrDb: mean(sums.luma), colourPsnrDb: mean(sums.colour) }
  return { bytes, figures, perceptual: combinedFigures(perceptualOfTiles) }
}

function combinedFigures(perceptualOfTiles: readonly PerceptualFigures[]): PerceptualFigures {
  const most = (figure: 'cast' | 'steps' | 'bands' | 'specks' | 'dirt') => maxOf(perceptualOfTiles.map((one) => one[figure]))
  return {
    score: perceptualOfTiles.reduce((sum, { score = 0 }) => sum + score, 0) / perceptualOfTiles.length,
    worstTile: minOf(perceptualOfTiles.map(({ worstTile = 0 }) => worstTile)),
    cast: most('cast'),
    steps: most('steps'),
    bands: most('bands'),
    specks: most('specks'),
    dirt: most('dirt'),
  }
}
