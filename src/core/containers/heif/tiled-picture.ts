/** Coded pictures of a HEIF item: one, or the tiles of a grid. */
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { HeifFields } from './boxes.ts'
import { readItem } from './item-data.ts'
import type { HeifFile, HeifProperty } from './meta.ts'
import { MAX_GRID_SIDE } from './tuning.ts'

/** Coding formats: AV1 and HEVC. */
export const CODINGS = { av01: 'av1C', hvc1: 'hvcC' } as const
export type Coding = keyof typeof CODINGS

export interface CodedTile {
  readonly id: number
  /** Content of the decoder configuration (`av1C` or `hvcC`). */
  readonly config: Uint8Array
  /** Operating point of a layered AV1 picture (`a1op`). Default: 0. */
  readonly operatingPoint: number
}

/** Picture of equal tiles in row order. A picture without a grid has one tile. */
export interface TiledPicture {
  readonly coding: Coding
  readonly width: number
  readonly height: number
  readonly columns: number
  readonly rows: number
  readonly tileWidth: number
  readonly tileHeight: number
  readonly tiles: readonly CodedTile[]
}

/** Properties that are understood or have no effect on pixels. Another one that is marked essential makes a picture unsupported. */
const KNOWN: ReadonlySet<string> = new Set([
  'ispe',
  'pixi',
  'colr',
  'pasp',
  'av1C',
  'hvcC',
  'irot',
  'imir',
  'clap',
  'auxC',
  'a1op',
  'a1lx',
  'lsel',
  'mdcv',
  'clli',
  'cclv',
  'amve',
  'rloc',
  'udes',
  'altt',
  'crtt',
  'mdft',
  'uuid',
])
const TRANSFORMS: ReadonlySet<string> = new Set(['irot', 'imir', 'clap'])
/** Value of `lsel` that selects no layer in particular (AVIF 1.1, 2.3.2.2). */
const EVERY_LAYER = 0xffff

/** @throws CodecError if a property must be understood and is not */
export function checkProperties(properties: readonly HeifProperty[]): void {
  for (const { type, essential, content } of properties) {
    if (essential && !KNOWN.has(type)) throw unsupported(message('heif_property_unknown', { type }))
    if (type === 'lsel' && content.u16(0) !== EVERY_LAYER) throw unsupported('heif_single_layer')
    if (type === 'pasp' && content.u32(0) !== content.u32(4)) throw unsupported('heif_pixels_not_square')
  }
}

/** Describes an item of pixels. @throws CodecError for items that are no picture of a supported coding */
export async function readTiledPicture(source: Source, file: HeifFile, id: number): Promise<TiledPicture> {
  const type = file.items.get(id)?.type ?? ''
  checkProperties(file.propertiesOf(id))
  if (type === 'grid') return await readGrid(source, file, id)
  const tile = tileOf(file, id)
  const { width, height } = sizeOf(file, id)
  return { coding: type as Coding, width, height, columns: 1, rows: 1, tileWidth: width, tileHeight: height, tiles: [tile] }
}

function isCoding(type: string): type is Coding {
  return Object.hasOwn(CODINGS, type)
}

function tileOf(file: HeifFile, id: number): CodedTile {
  const type = file.items.get(id)?.type ?? ''
  if (!isCoding(type)) throw unsupported(message('heif_item_type', { type }))
  const properties = file.propertiesOf(id)
  const config = properties.find((property) => property.type === CODINGS[type])?.content
  if (!config) throw malformed('heif', 0, message('heif_box_missing', { type: CODINGS[type] }))
  return { id, config: config.bytes, operatingPoint: properties.find((property) => property.type === 'a1op')?.content.u8(0) ?? 0 }
}

/** Size of an item in its `ispe` property (ISO/IEC 23008-12, 6.5.3). */
export function sizeOf(file: HeifFile, id: number): { width: number; height: number } {
  const ispe = file.propertiesOf(id).find(({ type }) => type === 'ispe')?.content
  if (!ispe) throw malformed('heif', 0, message('heif_box_missing', { type: 'ispe' }))
  const [width, height] = [ispe.u32(4), ispe.u32(8)]
  if (width === 0 || height === 0) throw malformed('heif', ispe.fileOffset, message('heif_size', { width, height }))
  return { width, height }
}

/** Ids of the tiles of a grid, in row order. */
export const tilesOf = (file: HeifFile, id: number): readonly number[] =>
  file.references.find((reference) => reference.type === 'dimg' && reference.from === id)?.to ?? []

/** Longest ImageGrid in bytes. */
const GRID_BYTES = 12

/** ImageGrid (ISO/IEC 23008-12, 6.6.2.3): rows, columns and the size of the output. */
async function readGrid(source: Source, file: HeifFile, id: number): Promise<TiledPicture> {
  const grid = new HeifFields(await readItem(source, file, id, GRID_BYTES), 0)
  const sizeBytes = (grid.length > 1 && grid.u8(1) & 1) === 1 ? 4 : 2
  if (grid.length < 4 + 2 * sizeBytes || grid.u8(0) !== 0) throw malformed('heif', 0, 'heif_grid_damaged')
  const [rows, columns] = [grid.u8(2) + 1, grid.u8(3) + 1]
  const [width, height] = [grid.unsigned(4, sizeBytes), grid.unsigned(4 + sizeBytes, sizeBytes)]
  const ids = tilesOf(file, id)
  const [first] = ids
  if (first === undefined || ids.length !== rows * columns || Math.max(rows, columns) > MAX_GRID_SIDE)
    throw malformed('heif', 0, message('heif_grid_tiles', { rows, columns, tiles: ids.length }))
  const tile = sizeOf(file, first)
  const covers = columns * tile.width >= width && rows * tile.height >= height
  const isTight = (columns - 1) * tile.width < width && (rows - 1) * tile.height < height
  if (width === 0 || height === 0 || !covers || !isTight) throw malformed('heif', 0, 'heif_grid_damaged')
  const tiles = ids.map((tileId) => checkedTile(file, tileId, tile))
  const coding = file.items.get(first)?.type as Coding
  if (ids.some((tileId) => file.items.get(tileId)?.type !== coding)) throw unsupported('heif_tiles_differ')
  return { coding, width, height, columns, rows, tileWidth: tile.width, tileHeight: tile.height, tiles }
}

function checkedTile(file: HeifFile, id: number, { width, height }: { readonly width: number; readonly height: number }): CodedTile {
  const size = sizeOf(file, id)
  if (size.width !== width || size.height !== height) throw unsupported('heif_tiles_differ')
  const properties = file.propertiesOf(id)
  checkProperties(properties)
  if (properties.some(({ type }) => TRANSFORMS.has(type))) throw unsupported('heif_tiles_differ')
  return tileOf(file, id)
}
