/** The picture that viewers show of a HEIF file: pixels, alpha, shown part, colours, metadata, and what else the file holds. */
import { latin1Of } from '../../bytes/latin1.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { coloursOf, type HeifColours } from './colours.ts'
import { readItem } from './item-data.ts'
import type { HeifFile, HeifItem } from './meta.ts'
import { readTiledPicture, type TiledPicture, tilesOf } from './tiled-picture.ts'
import { MAX_METADATA_BYTES } from './tuning.ts'
import { apertureOf, cropped, type HeifView, mirrored, rotated, shownSize } from './view.ts'

export interface HeifPicture {
  readonly colour: TiledPicture
  readonly alpha: TiledPicture | undefined
  /** Id of the item of alpha. `undefined`: none, or one for each tile. */
  readonly alphaItem: number | undefined
  /** True if colours are multiplied by alpha (ISO/IEC 23008-12, 6.10.1.2: `prem`). */
  readonly isPremultiplied: boolean
  readonly view: HeifView
  /** Size as shown. */
  readonly width: number
  readonly height: number
  readonly colours: HeifColours
  /** Ids of the metadata items that describe the picture. `undefined`: none. */
  readonly exif: number | undefined
  readonly xmp: number | undefined
  /** Names of further pictures and items, such as gain maps, which no other format stores. */
  readonly others: readonly Message[]
  /** Number of further pictures that viewers show by themselves. */
  readonly furtherPictures: number
}

/** URNs of alpha planes (ISO/IEC 23008-12, 6.10.1.2; MIAF, 7.3.5.2; HEVC's own). */
const ALPHA_TYPES: ReadonlySet<string> = new Set(['urn:mpeg:mpegB:cicp:systems:auxiliary:alpha', 'urn:mpeg:hevc:2015:auxid:1'])
export const XMP_TYPE = 'application/rdf+xml'

/** Describes the primary item. @throws CodecError (malformed, unsupported_feature) */
export async function readHeifPicture(source: Source, file: HeifFile): Promise<HeifPicture> {
  const { primary } = file
  const colour = await readTiledPicture(source, file, primary)
  const alphaIds = alphaIdsOf(file)
  const alpha = await readAlpha(source, file, colour, alphaIds)
  const view = viewOf(file, colour)
  const described = itemsDescribing(file, primary)
  const exif = described.find(({ type }) => type === 'Exif')?.id
  const xmp = described.find(({ contentType }) => contentType === XMP_TYPE)?.id
  const used = new Set([primary, ...alphaIds, ...[exif, xmp].filter((id) => id !== undefined), ...thumbnailsOf(file)])
  return {
    colour,
    alpha,
    alphaItem: alphaIds.length === 1 ? alphaIds[0] : undefined,
    isPremultiplied: file.references.some(
      ({ type, from, to }) => type === 'prem' && from === primary && alphaIds.some((id) => to.includes(id)),
    ),
    view,
    ...shownSize(view),
    colours: withTileColours(file, coloursOf(file.propertiesOf(primary)), colour),
    exif,
    xmp,
    others: othersOf(file, used),
    furtherPictures: furtherPicturesOf(file, used),
  }
}

/** A grid without colour properties has those of its first tile. */
function withTileColours(file: HeifFile, own: HeifColours, { tiles }: TiledPicture): HeifColours {
  if (own.nclx || own.icc || !tiles[0]) return own
  const { nclx, icc } = coloursOf(file.propertiesOf(tiles[0].id))
  return { ...own, nclx, icc }
}

const itemsDescribing = ({ references, items }: HeifFile, id: number): HeifItem[] =>
  references.flatMap(({ type, from, to }) => (type === 'cdsc' && to.includes(id) ? (items.get(from) ?? []) : []))

const thumbnailsOf = ({ references, primary }: HeifFile): number[] =>
  references.flatMap(({ type, from, to }) => (type === 'thmb' && to.includes(primary) ? [from] : []))

export const auxiliaryType = (file: HeifFile, id: number): string =>
  file
    .propertiesOf(id)
    .find(({ type }) => type === 'auxC')
    ?.content.textUntilZero(4) ?? ''

const alphaOf = (file: HeifFile, id: number): number[] =>
  file.references.flatMap(({ type, from, to }) =>
    type === 'auxl' && to.includes(id) && ALPHA_TYPES.has(auxiliaryType(file, from)) ? [from] : [],
  )

/** Ids of the alpha items: one of the whole picture, or one of each tile. */
function alphaIdsOf(file: HeifFile): number[] {
  const whole = alphaOf(file, file.primary)
  if (whole[0] !== undefined) return [whole[0]]
  const tiles = file.items.get(file.primary)?.type === 'grid' ? tilesOf(file, file.primary) : []
  const hasAlpha = file.references.some(({ type, from }) => type === 'auxl' && ALPHA_TYPES.has(auxiliaryType(file, from)))
  if (tiles.length === 0 || !hasAlpha) return []
  const alphaOfTile = new Map<number, number>()
  for (const { type, from, to } of file.references)
    if (type === 'auxl' && ALPHA_TYPES.has(auxiliaryType(file, from))) for (const id of to) alphaOfTile.set(id, from)
  const found = tiles.flatMap((id) => alphaOfTile.get(id) ?? [])
  return found.length === tiles.length ? found : []
}

async function readAlpha(source: Source, file: HeifFile, colour: TiledPicture, ids: readonly number[]): Promise<TiledPicture | undefined> {
  const [first] = ids
  if (first === undefined) return undefined
  const one = await readTiledPicture(source, file, first)
  if (ids.length === 1 && colour.tiles.length >= 1) {
    if (one.width !== colour.width || one.height !== colour.height) throw unsupported('heif_alpha_of_another_size')
    return one
  }
  if (one.tileWidth !== colour.tileWidth || one.tileHeight !== colour.tileHeight || one.tiles.length !== 1)
    throw unsupported('heif_tiles_differ')
  const tiles = []
  for (const id of ids) {
    const { tiles: coded, width, height, coding } = await readTiledPicture(source, file, id)
    if (width !== one.width || height !== one.height || coding !== one.coding || coded.length !== 1) throw unsupported('heif_tiles_differ')
    tiles.push(coded[0]!)
  }
  return { ...colour, coding: one.coding, tiles }
}

/** Applies crop, rotation and mirroring in the order of their association (ISO/IEC 23008-12, 6.5.1). */
function viewOf(file: HeifFile, { width, height }: TiledPicture): HeifView {
  let view: HeifView = { x: 0, y: 0, width, height, orientation: 1 }
  for (const { type, content } of file.propertiesOf(file.primary)) {
    if (type === 'irot') view = rotated(view, content.u8(0) & 3)
    else if (type === 'imir') view = mirrored(view, content.u8(0) & 1)
    else if (type === 'clap') view = cropped(view, apertureOf(content, shownSize(view)))
  }
  return view
}

/** Names of items that are not part of the picture, its metadata or its thumbnails, and of the tiles of neither. */
function othersOf(file: HeifFile, used: ReadonlySet<number>): Message[] {
  const tiles = new Set(file.references.flatMap(({ type, from, to }) => (type === 'dimg' && used.has(from) ? to : [])))
  const counts = new Map<string, number>()
  for (const item of file.items.values()) {
    if (used.has(item.id) || tiles.has(item.id) || isTile(file, item.id)) continue
    const name = auxiliaryType(file, item.id) || item.contentType || item.type
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const type of file.otherBoxes) counts.set(type, (counts.get(type) ?? 0) + 1)
  const found = [...counts].map(([name, count]) => message('heif_item_named', { name, count }))
  if (file.hasTracks) found.push(message('heif_sequence'))
  return found
}

/** Types of items that show pixels. */
const SHOWN: ReadonlySet<string> = new Set(['av01', 'hvc1', 'grid', 'iden', 'iovl'])
const REFERRING: ReadonlySet<string> = new Set(['auxl', 'thmb'])

/** Counts pictures that are not hidden, and no alternative, part, auxiliary picture or thumbnail of another one. */
function furtherPicturesOf(file: HeifFile, used: ReadonlySet<number>): number {
  const parts = partsOf(file)
  const attached = new Set(file.references.flatMap(({ type, from }) => (REFERRING.has(type) ? [from] : [])))
  for (const { ids } of file.groups) if (ids.includes(file.primary)) for (const id of ids) attached.add(id)
  let count = 0
  for (const { id, type, hidden } of file.items.values())
    if (SHOWN.has(type) && !hidden && !used.has(id) && !parts.has(id) && !attached.has(id)) count++
  return count
}

/** True if the item is a tile or a part of another item. */
function isTile(file: HeifFile, id: number): boolean {
  return file.items.get(id)?.hidden === true && partsOf(file).has(id)
}

const parts = new WeakMap<HeifFile, ReadonlySet<number>>()

function partsOf(file: HeifFile): ReadonlySet<number> {
  const known = parts.get(file) ?? new Set(file.references.flatMap(({ type, to }) => (type === 'dimg' ? to : [])))
  parts.set(file, known)
  return known
}

/** Returns EXIF from its TIFF header on (ISO/IEC 23008-12, A.2.1). Some writers leave out the four bytes that tell where the header is. */
export async function readExif(source: Source, file: HeifFile, id: number): Promise<Uint8Array> {
  const data = await readItem(source, file, id, MAX_METADATA_BYTES)
  if (/^(?:II\*\0|MM\0\*)/.test(latin1Of(data.subarray(0, 4)))) return data
  const skipped = data.length < 4 ? Number.POSITIVE_INFINITY : new DataView(data.buffer, data.byteOffset).getUint32(0)
  if (4 + skipped > data.length) throw malformed('heif', 0, 'heif_exif_damaged')
  return data.subarray(4 + skipped)
}

export const readXmp = (source: Source, file: HeifFile, id: number): Promise<Uint8Array> => readItem(source, file, id, MAX_METADATA_BYTES)
