/**
 * Writes and reads AVIF files (ISO/IEC 23008-12, ISO/IEC 23000-22) of one AV1 key frame, or of a grid of equal tiles. A grid needs only
 * the memory of one tile, whatever the size of the picture.
 */

import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { box, boxOf, halfWords, latin1Bytes, words } from '../../containers/isobmff/box.ts'
import type { KeptProperty } from '../raster/avif-form.ts'
import { type ColourSignalling, hasSameCodePoints, lightBoxes, nclxBox, signalledSequence } from '../raster/colour-signalling.ts'
import type { PictureMetadata } from '../raster/raster.ts'
import type { Chroma } from './chroma.ts'
import { boxesOf, itemLocations, viewOf } from './container.ts'
import { missingForm } from './kept-form.ts'

/** An AV1 picture and its properties, taken from the encoder's file. */
export interface CodedPicture {
  /** Complete AV1CodecConfigurationBox (`av1C`). */
  readonly config: Uint8Array
  /** Complete boxes of colour description (`colr` nclx) and channel depths (`pixi`). */
  readonly colour: readonly Uint8Array[]
  /** Bytes of the AV1 key frame. */
  readonly frame: Uint8Array
}

export interface TileGrid {
  readonly width: number
  readonly height: number
  readonly columns: number
  readonly rows: number
  readonly tileWidth: number
  readonly tileHeight: number
  /** Chroma format of the tiles. Default: that with the smallest file. */
  readonly chroma?: Chroma | undefined
}

const wrapped = (type: string, body: Uint8Array) => box(type, body)

/** Returns the coded picture of a file with one opaque picture, as libavif writes it. @throws Error for other files */
export function codedPictureOf(file: Uint8Array): CodedPicture {
  const meta = boxesOf(file).find(({ type }) => type === 'meta')
  const inner = boxesOf(meta?.body.subarray(4) ?? new Uint8Array())
  const body = (type: string) => inner.find((found) => found.type === type)?.body ?? new Uint8Array()
  const [location, ...more] = itemLocations(body('iloc'))
  const properties = boxesOf(boxesOf(body('iprp')).find(({ type }) => type === 'ipco')?.body ?? new Uint8Array())
  const config = properties.find(({ type }) => type === 'av1C')
  if (!location || more.length > 0 || !config) throw new Error('AVIF encoder output: expected one item with an av1C property')
  return {
    config: wrapped('av1C', config.body),
    colour: properties.filter(({ type }) => type === 'colr' || type === 'pixi').map(({ type, body: content }) => wrapped(type, content)),
    frame: file.slice(location.offset, location.offset + location.length),
  }
}

const ispe = (width: number, height: number) => box('ispe', words(0, width, height))

interface Item {
  readonly type: string
  readonly data: Uint8Array
  /** Property indices of the item, counted from 1; bit 7 marks essential properties. */
  readonly properties: readonly number[]
  readonly hidden: boolean
  readonly extra?: Uint8Array
}

/** Returns `coded` with the colour primaries and transfer function of `signalling`. Matrix and range stay the encoder's. */
function signalledCoded(coded: CodedPicture, signalling: ColourSignalling): CodedPicture {
  const colour = coded.colour.map((property) => (typeOf(property) === 'colr' ? nclxBox(signalling, property.subarray(8)) : property))
  return { ...coded, colour: [...colour, ...lightBoxes(signalling)] }
}

const ALPHA = box('auxC', words(0), latin1Bytes('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0'))

/** Returns an AVIF file of one key frame, with alpha as an auxiliary picture (ISO/IEC 23000-22, 7.3.5.2). `undefined`: opaque. */
export function singleFile(coded: CodedPicture, width: number, height: number, alpha?: CodedPicture): Uint8Array {
  const properties = [ispe(width, height)]
  const itemOf = ({ frame, colour, config }: CodedPicture, hidden: boolean): Item => {
    const indices = [...colour, config].map((property) => properties.push(property))
    const last = indices.length - 1
    return { type: 'av01', data: frame, properties: [1, ...indices.map((index, i) => (i === last ? 0x80 | index : index))], hidden }
  }
  const items = [itemOf(coded, false)]
  if (!alpha) return fileOf(items, properties, [])
  const depth = alpha.colour.filter((property) => typeOf(property) === 'pixi')
  items.push(itemOf({ ...alpha, colour: [...depth, ALPHA] }, false))
  return fileOf(items, properties, [box('auxl', halfWords(2, 1, 1))])
}

/**
 * Returns an AVIF file of a tile grid. Tiles are in row order; `alphas` has the same grid, or is empty for opaque pictures (ISO/IEC
 * 23000-22, 7.3.5.2).
 */
export function gridFile(
  grid: TileGrid,
  tiles: readonly CodedPicture[],
  alphas: readonly CodedPicture[],
  { icc, exif, xmp, signalling, form }: PictureMetadata,
): Uint8Array {
  const colour = signalling ? signalledCoded(sharedBy(tiles), signalling) : sharedBy(tiles)
  const frameOf = ({ frame }: CodedPicture) => (signalling ? signalledSequence(frame, signalling) : frame)
  const profile = icc ? [box('colr', latin1Bytes('prof'), icc)] : []
  const properties: Uint8Array[] = []
  const add = (...added: readonly Uint8Array[]) => added.map((property) => properties.push(property))
  const [tileSize] = add(ispe(grid.tileWidth, grid.tileHeight)) as [number]
  const colours = add(...colour.colour)
  const [config] = add(colour.config) as [number]
  const [size] = add(ispe(grid.width, grid.height)) as [number]
  const profiles = add(...profile)
  // ImageGrid (ISO/IEC 23008-12, 6.6.2.3): version, flags, rows minus one, columns minus one, output size.
  const descriptor = concat([new Uint8Array([0, 0, grid.rows - 1, grid.columns - 1]), halfWords(grid.width, grid.height)])
  const kept = (properties: readonly KeptProperty[] = []) =>
    properties.map(({ box: property, essential }) => (add(property)[0] ?? 0) | (essential ? 0x80 : 0))
  const gridOf = (coded: readonly CodedPicture[], whole: number[], each: number[], hidden: boolean): Item[] => [
    { type: 'grid', data: descriptor, properties: whole, hidden },
    ...coded.map((one) => ({ type: 'av01', data: hidden ? one.frame : frameOf(one), properties: each, hidden: true })),
  ]
  const items = gridOf(tiles, [size, ...colours, ...profiles, ...kept(form?.properties)], [tileSize, ...colours, 0x80 | config], false)
  const derived = [box('dimg', halfWords(1, tiles.length, ...tiles.map((_, i) => i + 2)))]
  if (alphas.length > 0) {
    const alpha = sharedBy(alphas)
    // Alpha gets the channel depth (`pixi`) but no colour properties, which do not apply to it.
    const kinds = add(...alpha.colour.filter((property) => typeOf(property) === 'pixi'), ALPHA)
    const [alphaConfig] = add(alpha.config) as [number]
    const first = items.length + 1
    for (const one of gridOf(alphas, [size, ...kinds, ...kept(form?.alphaProperties)], [tileSize, ...kinds, 0x80 | alphaConfig], true))
      items.push(one)
    derived.push(box('dimg', halfWords(first, alphas.length, ...alphas.map((_, i) => first + 1 + i))))
    derived.push(box('auxl', halfWords(first, 1, 1)))
  }
  // The 4-byte field exif_tiff_header_offset precedes the TIFF header (ISO/IEC 23008-12, A.2.1).
  const block = form?.exif ?? exif
  if (block) items.push({ type: 'Exif', data: concat([words(0), block]), properties: [], hidden: true })
  if (xmp) items.push({ type: 'mime', data: xmp, properties: [], hidden: true, extra: latin1Bytes('application/rdf+xml\0') })
  const described = items.flatMap(({ type }, i) => (type === 'Exif' || type === 'mime' ? [box('cdsc', halfWords(i + 1, 1, 1))] : []))
  return fileOf(items, properties, [...derived, ...described])
}

const typeOf = (property: Uint8Array) => latin1Of(property.subarray(4, 8))

/** Returns the properties that all tiles share. @throws Error if their decoder configurations differ */
function sharedBy(tiles: readonly CodedPicture[]): CodedPicture {
  const [first] = tiles
  if (!first || tiles.some(({ config }) => !equalBytes(config, first.config)))
    throw new Error('AVIF tiles have different decoder configurations (av1C)')
  return first
}

/** Assembles an AVIF file from items, numbered from 1; the first item is the primary picture. */
function fileOf(items: readonly Item[], properties: readonly Uint8Array[], references: readonly Uint8Array[]): Uint8Array {
  const ftyp = box('ftyp', latin1Bytes('avif'), words(0), latin1Bytes('avifmif1miaf'))
  const metaOf = (dataAt: number): Uint8Array => {
    let at = dataAt
    const places = items.map(({ data }, i) => {
      const entry = concat([halfWords(i + 1, 0, 1), words(at, data.length)])
      at += data.length
      return entry
    })
    const infe = items.map(({ type, hidden, extra }, i) =>
      box(
        'infe',
        new Uint8Array([2, 0, 0, hidden ? 1 : 0]),
        halfWords(i + 1, 0),
        latin1Bytes(type),
        new Uint8Array(1),
        extra ?? new Uint8Array(),
      ),
    )
    const associations = items.flatMap((item, i) =>
      item.properties.length > 0 ? [concat([halfWords(i + 1), new Uint8Array([item.properties.length, ...item.properties])])] : [],
    )
    return box(
      'meta',
      words(0),
      box('hdlr', words(0, 0), latin1Bytes('pict'), new Uint8Array(13)),
      box('pitm', words(0), halfWords(1)),
      boxOf('iloc', [words(0), new Uint8Array([0x44, 0]), halfWords(items.length), ...places]),
      boxOf('iinf', [words(0), halfWords(items.length), ...infe]),
      ...(references.length > 0 ? [box('iref', words(0), ...references)] : []),
      box('iprp', box('ipco', ...properties), boxOf('ipma', [words(0, associations.length), ...associations])),
    )
  }
  const meta = metaOf(ftyp.length + metaOf(0).length + 8)
  return concat([
    ftyp,
    meta,
    boxOf(
      'mdat',
      items.map(({ data }) => data),
    ),
  ])
}

interface ReadGrid {
  readonly grid: TileGrid
  readonly tiles: readonly CodedPicture[]
  /** Alpha tiles, one for each colour tile; empty for opaque pictures. */
  readonly alphas: readonly CodedPicture[]
  has(type: string): boolean
  /** Returns the name of the first metadata that `carried` has and the file lacks. `undefined`: nothing is missing. */
  missing(carried: PictureMetadata): string | undefined
}

/** Returns the grid and tiles of a file that `gridFile` wrote. `undefined`: another kind of file. */
export function readGrid(file: Uint8Array): ReadGrid | undefined {
  const meta = boxesOf(file).find(({ type }) => type === 'meta')
  const inner = boxesOf(meta?.body.subarray(4) ?? new Uint8Array())
  const body = (type: string) => inner.find((found) => found.type === type)?.body ?? new Uint8Array()
  const places = itemLocations(body('iloc'))
  const types = boxesOf(body('iinf').subarray(6)).map((entry) => latin1Of(entry.body.subarray(8, 12)))
  const [descriptor] = places
  if (!descriptor || types[0] !== 'grid') return undefined
  const properties = boxesOf(boxesOf(body('iprp')).find(({ type }) => type === 'ipco')?.body ?? new Uint8Array())
  const all = (type: string) => properties.filter((property) => property.type === type).map((property) => property.body)
  const [tile, whole] = all('ispe').map(viewOf)
  const [config, alphaConfig] = all('av1C')
  const [depth, alphaDepth] = all('pixi')
  if (!tile || !whole || !config) return undefined
  const grid: TileGrid = {
    width: whole.getUint32(4),
    height: whole.getUint32(8),
    rows: (file[descriptor.offset + 2] ?? 0) + 1,
    columns: (file[descriptor.offset + 3] ?? 0) + 1,
    tileWidth: tile.getUint32(4),
    tileHeight: tile.getUint32(8),
  }
  const second = types.indexOf('grid', 1)
  const profiles = all('colr')
  const colour = [
    ...profiles.filter((colr) => colr[0] === 0x6e).map((colr) => wrapped('colr', colr)),
    ...(depth ? [wrapped('pixi', depth)] : []),
  ]
  const coded = (from: number, to: number, kind: Uint8Array, more: readonly Uint8Array[]): CodedPicture[] =>
    places
      .slice(from, to)
      .filter((_, i) => types[from + i] === 'av01')
      .map(({ offset, length }) => ({ config: wrapped('av1C', kind), colour: more, frame: file.subarray(offset, offset + length) }))
  const has = (type: string) => (type === 'prof' ? profiles.some((colr) => colr[0] === 0x70) : types.includes(type))
  return {
    grid,
    tiles: coded(1, second < 0 ? places.length : second, config, colour),
    alphas: second < 0 || !alphaConfig || !alphaDepth ? [] : coded(second + 1, places.length, alphaConfig, [wrapped('pixi', alphaDepth)]),
    has,
    missing(carried) {
      const { icc, exif, xmp, signalling } = carried
      if (exif && !has('Exif')) return 'EXIF'
      if (xmp && !has('mime')) return 'XMP'
      if (icc && !has('prof')) return 'the ICC profile'
      const lost = missingForm(file, carried)
      if (lost || !signalling) return lost
      if (!profiles.some((colr) => colr[0] === 0x6e && hasSameCodePoints(colr, signalling))) return 'the colour signalling'
      const expected = lightBoxes(signalling).map((one) => one.subarray(8))
      const there = [...all('mdcv'), ...all('clli')]
      return expected.every((one) => there.some((found) => equalBytes(one, found))) ? undefined : 'the light levels'
    },
  }
}
