/** Encodes, decodes and measures the tiles of an AVIF grid, one band of rows at a time. */
import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { ColourFigures } from '../../catalog/target.ts'
import { colourFiguresOf } from '../compare/colour-figures.ts'
import { PictureMeter } from '../compare/compare.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'
import type { EncodeRequest } from '../search/encode-request.ts'
import { type CodedPicture, codedPictureOf, singleFile, type TileGrid } from './file.ts'
import { type AvifCodec, discardPixels, type RgbaPixels } from './libaom.ts'
import type { AvifSettings } from './scale.ts'
import { bandChannelsOf, bandRows, DecodedBand, eachBand, emptyTile, rowOf, takeTile } from './tiles.ts'
import { LEAST_ALPHA_QUALITY } from './tuning.ts'

/** Inputs of the encoding of one AVIF grid. */
export interface GridJob {
  readonly codec: AvifCodec
  readonly raster: Raster
  readonly grid: TileGrid
  readonly carried: PictureMetadata
  readonly speed: number
  readonly request: EncodeRequest
  /** Encoder speed of alpha tiles. */
  readonly alphaSpeed: number
  /** Alpha tiles by their encoder quality, which most probes share. */
  readonly alphaTiles: Map<number, readonly CodedPicture[]>
}

export type GridFound = AvifSettings & { readonly file: Uint8Array; readonly figures: ColourFigures }

/** Encodes and measures all tiles. `isScored`: also measure the perceptual figures. */
export async function encodeAll(job: GridJob, { quality, chroma }: AvifSettings, isScored: boolean) {
  const { codec, raster, grid, speed, alphaSpeed, alphaTiles, request } = job
  const { options } = request
  const tiles: CodedPicture[] = []
  const alphas: CodedPicture[] = []
  const alphaQuality = Math.max(quality, LEAST_ALPHA_QUALITY)
  const knownAlphas = alphaTiles.get(alphaQuality)
  const tile = emptyTile(grid)
  const depth = bandChannelsOf(raster)
  const form = { width: grid.width, height: grid.height, channels: depth }
  using meter = new PictureMeter(form, ['similarity'])
  using perceptual = isScored ? new PictureMeter(form, ['perceptual']) : undefined
  using decodedBand = new DecodedBand(grid, depth)
  const coded = (into: CodedPicture[], file: Uint8Array): RgbaPixels | undefined => {
    into.push(codedPictureOf(file))
    const decoded = codec.decode(file)
    discard(file)
    return decoded
  }
  await eachBand(raster, grid, async (band, row) => {
    for (let column = 0; column < grid.columns; column++) {
      takeTile(tile, band, column, depth)
      const colours = coded(tiles, codec.encode(tile, quality, speed, chroma))
      const known = knownAlphas?.[alphas.length]
      if (depth === 4 && !known) takeTile(tile, band, column, depth, 'alpha')
      const alphaFile = known && singleFile(known, grid.tileWidth, grid.tileHeight)
      const alpha = depth === 4 ? coded(alphas, alphaFile ?? codec.encode(tile, alphaQuality, alphaSpeed, 'none')) : undefined
      if (!decodedBand.put(column, colours, alpha)) throw new Error('the result of the AVIF encoder cannot be decoded')
      await yieldToEventLoop(options.signal)
    }
    for (let y = 0; y < bandRows(grid, row); y++) {
      meter.push(rowOf(band, grid, depth, y), decodedBand.row(y))
      perceptual?.push(rowOf(band, grid, depth, y), decodedBand.row(y))
    }
    options.progress(0.2 + (0.7 * (row + 1)) / grid.rows)
  })
  discardPixels(tile)
  if (depth === 4) alphaTiles.set(alphaQuality, alphas)
  return { tiles, alphas, figures: colourFiguresOf(meter.finish().similarity), visible: perceptual?.finish().perceptual }
}
