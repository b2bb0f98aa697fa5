/** GeoKeys (GeoTIFF 1.1, section 7.1) and GDAL's metadata as items. */
import { SaxesParser } from 'saxes'
import { latin1Of } from '../../bytes/latin1.ts'
import type { ItemCollector } from '../collector.ts'
import type { FileView } from '../file-view.ts'
import { isInside, numbersOf, type TiffEntry, type TiffHeader } from '../tiff-directory.ts'
import { TAG } from './tags.ts'

const MAX_KEYS = 1024
const MAX_DOUBLES = 4096
const MAX_TEXT_BYTES = 1 << 20
const NUMBERS_PER_KEY = 4

const NAMES: { readonly [key: number]: string } = {
  1024: 'GTModelType',
  1025: 'GTRasterType',
  1026: 'GTCitation',
  2048: 'GeodeticCRS',
  2049: 'GeodeticCitation',
  2050: 'GeodeticDatum',
  2052: 'GeogLinearUnits',
  2054: 'GeogAngularUnits',
  2056: 'Ellipsoid',
  3072: 'ProjectedCRS',
  3073: 'ProjectedCitation',
  3074: 'Projection',
  3075: 'ProjMethod',
  3076: 'ProjLinearUnits',
  4096: 'VerticalCRS',
  4099: 'VerticalUnits',
}

export interface Fields {
  readonly view: FileView
  readonly header: TiffHeader
  readonly entryOf: (tag: number) => TiffEntry | undefined
}

/** Adds one item for each GeoKey. A key refers to a number, or to a part of the lists of doubles or texts. */
export async function addGeoKeys({ view, header, entryOf }: Fields, page: string, items: ItemCollector): Promise<void> {
  const numbers = async (tag: number, most: number) => {
    const entry = entryOf(tag)
    return entry ? numbersOf(view, header, entry, most) : []
  }
  const [, , , count = 0, ...keys] = await numbers(TAG.geoKeyDirectory, NUMBERS_PER_KEY * (MAX_KEYS + 1))
  if (count === 0) return
  const doubles = await numbers(TAG.geoDoubles, MAX_DOUBLES)
  const text = await shortText(view, entryOf(TAG.geoText))
  for (let i = 0; i < Math.min(count, MAX_KEYS) * NUMBERS_PER_KEY && i + 3 < keys.length; i += NUMBERS_PER_KEY) {
    const [key = 0, place = 0, length = 0, value = 0] = keys.slice(i, i + NUMBERS_PER_KEY)
    let shown = String(value)
    if (place === TAG.geoDoubles) shown = doubles.slice(value, value + length).join(' ')
    else if (place === TAG.geoText) shown = text.slice(value, value + length).replace(/[|\0]+$/, '')
    items.add('geography', `${page} ${NAMES[key] ?? 'GeoKey'} (${key}) = ${shown}`)
  }
}

async function shortText(view: FileView, entry: TiffEntry | undefined): Promise<string> {
  if (!entry || !isInside(view, entry) || entry.byteLength > MAX_TEXT_BYTES) return ''
  return latin1Of(await view.bytes(entry.valueAt, entry.byteLength))
}

/** Adds one item for each `<Item>` of GDAL's XML metadata. A text that is no XML is an item of the tag only. */
export async function addGdalMetadata({ view, entryOf }: Fields, page: string, items: ItemCollector): Promise<void> {
  const xml = (await shortText(view, entryOf(TAG.gdalMetadata))).replace(/\0+$/, '')
  if (xml === '') return
  const found: string[] = []
  let [name, value] = ['', '']
  const parser = new SaxesParser()
  parser.on('opentag', ({ attributes }) => {
    const { name: key = '', ...others } = attributes
    ;[name, value] = [[key, ...Object.entries(others).map(([other, text]) => `${other} ${text}`)].join(', '), '']
  })
  parser.on('text', (text) => {
    value += text
  })
  parser.on('closetag', (tag) => {
    if (tag.name === 'Item') found.push(`${page} ${name} = ${value}`)
  })
  try {
    parser.write(xml).close()
  } catch {
    return
  }
  for (const item of found) items.add('properties', item)
}
