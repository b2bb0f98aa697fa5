/** Decodes HEIF pictures as rows of 8 or 16 bits a sample. */
import { discard } from '../../../../wasm/memories/discard.ts'
import type { YuvPicture } from '../../../../wasm/yuv/yuv-picture.ts'
import { itemBytes, readItem } from '../../containers/heif/item-data.ts'
import type { HeifFile } from '../../containers/heif/meta.ts'
import type { HeifPicture } from '../../containers/heif/picture.ts'
import type { TiledPicture } from '../../containers/heif/tiled-picture.ts'
import { MAX_ITEM_BYTES } from '../../containers/heif/tuning.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options, Source } from '../../model/codec.ts'
import { overBudget } from '../../model/error.ts'
import type { Raster } from '../raster/raster.ts'
import type { Raster16 } from '../raster/raster16.ts'
import { withAlpha } from './alpha.ts'
import { colourViewOf, formOfTiles } from './planes.ts'
import { shownRows, type TileDecoder } from './tile-rows.ts'
import { DECODER_BASE_BYTES, DECODER_MEMORY } from './tuning.ts'

export interface HeifRasters {
  readonly raster: Raster
  /** Picture with all its bits. `undefined`: samples have 8 bits. */
  readonly raster16: Raster16 | undefined
  /** Bits per sample of the coded picture. */
  readonly bits: number
}

/**
 * Opens the picture for decoding. Iteration fails with EngineError or CodecError if coded data are damaged.
 * @throws CodecError (over_budget) if the job has too little memory
 */
export function openHeifRaster(
  source: Source,
  { file, picture }: { readonly file: HeifFile; readonly picture: HeifPicture },
  decode: TileDecoder,
  options: Options,
): HeifRasters {
  const { colour, alpha, width, height } = picture
  const form = formOfTiles(colour)
  const alphaForm = alpha && formOfTiles(alpha)
  const isDeep = form.bits > 8 || (alphaForm?.bits ?? 8) > 8
  const needed = [colour, ...(alpha ? [alpha] : [])].reduce((sum, one) => sum + decodingBytes(source, file, one, picture, isDeep), 0)
  if (!fitsMemoryBudget(options, needed)) throw overBudget(message('heif_decoding_over_memory', { width, height }))
  const planes = (of: TiledPicture, grey: boolean, wide: boolean) =>
    shownRows({
      picture: of,
      view: picture.view,
      decode,
      read: (tile) => readItem(source, file, tile.id, MAX_ITEM_BYTES),
      colours: ({ info }: YuvPicture) =>
        of === alpha ? { ...LUMA, fullRange: of.coding === 'hvc1' || info.fullRange } : colourViewOf(picture.colours.nclx ?? info),
      grey,
      wide,
      signal: options.signal,
    })
  const colourChannels = form.hasChroma ? 3 : 1
  const rows = (wide: boolean) => {
    const colours = planes(colour, !form.hasChroma, wide)
    if (!alpha) return colours
    const request = { width, channels: colourChannels, wide, isPremultiplied: picture.isPremultiplied } as const
    return withAlpha(colours, planes(alpha, true, wide), request)
  }
  const channels = form.hasChroma ? (alpha ? 4 : 3) : alpha ? 2 : 1
  return {
    raster: { width, height, channels, rows: () => rows(false) },
    raster16: isDeep ? { width, height, rows: () => asRgba16(rows(true), channels) } : undefined,
    bits: form.bits,
  }
}

/** HEVC streams of alpha often declare no range, which would mean the limited one. libheif always reads all values of them. */
const LUMA = { colours: 'weighted', redWeight: 0.299, blueWeight: 0.114 } as const

/** Memory in bytes while a picture is decoded: planes of one tile, its coded bytes, and a band of rows. */
function decodingBytes(source: Source, file: HeifFile, one: TiledPicture, { view }: HeifPicture, isDeep: boolean): number {
  const form = formOfTiles(one)
  const { bytesPerPixel, planes, codedCopies } = DECODER_MEMORY[one.coding]
  const frame = one.tileWidth * one.tileHeight * (planes * form.samplesPerPixel * (form.bits > 8 ? 2 : 1) + bytesPerPixel)
  let coded = 0
  for (const { id } of one.tiles) coded = Math.max(coded, itemBytes(source, file, id))
  const channels = (form.hasChroma ? 3 : 1) * (isDeep ? 2 : 1)
  const side = view.orientation >= 5 ? view.height : view.width
  const band = one.tiles.length > 1 ? channels * side * (view.orientation >= 5 ? one.tileWidth : one.tileHeight) : 0
  return DECODER_BASE_BYTES + frame + codedCopies * coded + band
}

async function* asRgba16(rows: AsyncIterable<Uint8Array>, channels: 1 | 2 | 3 | 4): AsyncGenerator<Uint16Array> {
  const [green, blue] = channels < 3 ? [0, 0] : [1, 2]
  for await (const strip of rows) {
    const from = new Uint16Array(strip.buffer, strip.byteOffset, strip.byteLength / 2)
    const out = new Uint16Array((from.length / channels) * 4)
    for (let i = 0, to = 0; i < from.length; i += channels, to += 4) {
      out[to] = from[i]!
      out[to + 1] = from[i + green]!
      out[to + 2] = from[i + blue]!
      out[to + 3] = channels % 2 ? 65535 : from[i + channels - 1]!
    }
    yield out
    discard(new Uint8Array(out.buffer))
  }
}
