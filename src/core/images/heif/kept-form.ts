/** Form of an AVIF file, which a smaller AVIF keeps: coding of colours, and properties that decoders apply to the coded picture. */
import type { PlanesInfo } from '../../../../wasm/yuv/yuv-picture.ts'
import type { Nclx } from '../../containers/heif/colours.ts'
import { readItem } from '../../containers/heif/item-data.ts'
import type { HeifFile } from '../../containers/heif/meta.ts'
import type { HeifPicture } from '../../containers/heif/picture.ts'
import { MAX_ITEM_BYTES } from '../../containers/heif/tuning.ts'
import { box } from '../../containers/isobmff/box.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { overBudget, unsupported } from '../../model/error.ts'
import type { AvifForm, ColourCoding, KeptProperty } from '../raster/avif-form.ts'
import { colourViewOf, formOfTiles } from './planes.ts'
import { decodedTile, type TileDecoder } from './tile-rows.ts'

/** Picture as coded: whole, and neither rotated nor mirrored. */
export const asCoded = (picture: HeifPicture): HeifPicture => {
  const { width, height } = picture.colour
  return { ...picture, width, height, view: { x: 0, y: 0, width, height, orientation: 1 } }
}

/** @throws CodecError (unsupported_feature) if the encoder has no such colours */
export async function keptFormOf(
  source: Source,
  { file, picture }: { readonly file: HeifFile; readonly picture: HeifPicture },
  decode: TileDecoder,
): Promise<Omit<AvifForm, 'exif'>> {
  return {
    coding: codingOf(picture.colours.nclx ?? (await codedColours(source, file, picture, decode))),
    isGrey: !formOfTiles(picture.colour).hasChroma,
    properties: keptProperties(file, file.primary),
    alphaProperties: picture.alphaItem === undefined ? [] : keptProperties(file, picture.alphaItem),
  }
}

function codingOf({ primaries, transfer, matrix, fullRange }: Nclx): ColourCoding {
  const { colours, redWeight, blueWeight } = colourViewOf({ primaries, matrix, fullRange })
  // The sequence header of identity in sRGB stands for full range (AV1, 5.5.2).
  if (colours === 'ycgco' || (colours === 'identity' && !fullRange)) throw unsupported(message('heif_matrix', { matrix }))
  return { primaries, transfer, matrix, fullRange, redWeight, blueWeight }
}

/** Code points of the bitstream, which apply if no property names others. */
async function codedColours(source: Source, file: HeifFile, { colour }: HeifPicture, decode: TileDecoder): Promise<PlanesInfo> {
  const read = (tile: { readonly id: number }) => readItem(source, file, tile.id, MAX_ITEM_BYTES)
  using decoded = await decodedTile({ picture: colour, decode, read }, colour.tiles[0]!)
  return decoded.info
}

const KEPT: ReadonlySet<string> = new Set(['irot', 'imir', 'clap', 'pasp'])
/** Most properties of one item that are kept, and most bytes of one. Real files have one of each type, with at most 32 bytes. */
const MOST_KEPT = 16
const MOST_KEPT_BYTES = 64

function keptProperties(file: HeifFile, id: number): KeptProperty[] {
  const found = file.propertiesOf(id).filter(({ type }) => KEPT.has(type))
  if (found.length > MOST_KEPT || found.some(({ content }) => content.length > MOST_KEPT_BYTES))
    throw overBudget(message('heif_too_many_entries', { limit: MOST_KEPT }))
  return found.map(({ type, content, essential }) => ({ box: box(type, content.bytes), essential }))
}
