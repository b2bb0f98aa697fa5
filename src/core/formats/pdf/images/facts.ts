/** Parsed image dictionary (ISO 32000-2, 8.9.5, table 87) with resolved references. */
import { componentsOf, familyOf } from '../colour.ts'
import type { Filter } from '../filters.ts'
import { type Dict, nameOf, numberOr, type PdfObject, Str, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'

export interface ImageFacts {
  dict: Dict
  width: number
  height: number
  bitsPerComponent: number
  /** True for a stencil mask: each one-bit sample marks where paint is applied. */
  stencil: boolean
  /** Family name of the colour space; empty if there is none, as in JPEG 2000 images with their own colour space. */
  family: string
  /** Components of a stored sample; 1 for indexed images. */
  components: number
  palette: Palette | undefined
  /** Values of /Decode. `undefined`: missing or equal to the default. */
  decode: readonly number[] | undefined
  /** True if some sample values are transparent (colour key masking, ISO 32000-2, 8.9.6.4). Any changed sample could become visible. */
  colourKey: boolean
  /** True for a JPEG 2000 image with its own opacity channel (/SMaskInData, ISO 32000-2, table 87). */
  ownMask: boolean
  /** True if the soft mask has a /Matte colour, so image and mask must not change (ISO 32000-2, 11.6.5.2). */
  matte: boolean
  chain: readonly Filter[]
  /** Length of the encoded data in bytes. */
  length: number
}

export interface Palette {
  /** Components of a palette entry: 1, 3 or 4. */
  channels: number
  /** 256 palette entries. Indices above the highest one use the highest entry (ISO 32000-2, 8.6.6.3). */
  bytes: Uint8Array
  base: PdfObject
  /** True if the palette has all entries that the colour space declares. */
  isComplete: boolean
}

const MAX_SIDE = 65_500
const MAX_PIXELS = 400_000_000

/** Parses an image dictionary. `undefined`: the image is unusable or exceeds the size limits. */
export async function imageFacts(reader: Reader, stream: Stream, chain: readonly Filter[]): Promise<ImageFacts | undefined> {
  const { dict } = stream
  const width = await reader.number(dict, 'Width', 0)
  const height = await reader.number(dict, 'Height', 0)
  const sane = Number.isInteger(width) && Number.isInteger(height) && width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE
  if (!sane || width * height > MAX_PIXELS) return undefined
  const stencil = (await reader.entry(dict, 'ImageMask')) === true
  const bitsPerComponent = stencil ? 1 : await reader.number(dict, 'BitsPerComponent', 8)
  const space = await reader.resolve(dict.get('ColorSpace'))
  const softMask = await reader.resolve(dict.get('SMask'))
  const decode = await reader.entry(dict, 'Decode')
  const components = stencil ? 1 : await componentsOf(reader, space)
  const numbers = Array.isArray(decode)
    ? await Promise.all(decode.slice(0, 64).map(async (item) => numberOr(await reader.resolve(item), Number.NaN)))
    : undefined
  const palette = await paletteOf(reader, space)
  const top = palette ? 2 ** bitsPerComponent - 1 : 1
  return {
    dict,
    width,
    height,
    bitsPerComponent,
    stencil,
    family: stencil ? '' : await familyOf(reader, space),
    components,
    palette,
    decode: numbers?.every((value, i) => value === (i % 2) * top) ? undefined : numbers,
    colourKey: Array.isArray(await reader.resolve(dict.get('Mask'))),
    ownMask: (await reader.number(dict, 'SMaskInData', 0)) !== 0,
    matte: dict.has('Matte') || (softMask instanceof Stream && softMask.dict.has('Matte')),
    chain,
    length: await reader.length(stream),
  }
}

/** Colour spaces over which an existing palette is decoded. Spot inks and Lab are excluded, because their appearance is unknown. */
export const PALETTE_BASES: ReadonlySet<string> = new Set([
  'DeviceGray',
  'DeviceRGB',
  'DeviceCMYK',
  'G',
  'RGB',
  'CMYK',
  'CalGray',
  'CalRGB',
  'ICCBased',
])

/**
 * Colour spaces over which Whittle creates a palette. Inline-image names (ISO 32000-2, 8.9.7) are not allowed as a base. CalGray and CalRGB
 * are excluded, because PDFium calibrates their palettes but not their samples.
 */
export const INDEXED_BASES: ReadonlySet<string> = new Set(['DeviceGray', 'DeviceRGB', 'DeviceCMYK', 'ICCBased'])

/** Parses the palette of an indexed colour space, [/Indexed base hival lookup] (ISO 32000-2, 8.6.6.3). */
async function paletteOf(reader: Reader, space: PdfObject): Promise<Palette | undefined> {
  if (!Array.isArray(space)) return undefined
  const family = nameOf(await reader.resolve(space[0]))
  if (family !== 'Indexed' && family !== 'I') return undefined
  const channels = await componentsOf(reader, space[1])
  const baseFamily = await familyOf(reader, await reader.resolve(space[1]))
  if ((channels !== 1 && channels !== 3 && channels !== 4) || !PALETTE_BASES.has(baseFamily)) return undefined
  const table = await reader.resolve(space[3])
  const source = table instanceof Str ? table.bytes : table instanceof Stream ? await reader.decoded(table, 4096) : undefined
  const declared = 1 + numberOr(await reader.resolve(space[2]), 255)
  const entries = source ? Math.min(256, declared, Math.floor(source.length / channels)) : 0
  if (!source || !(entries >= 1)) return undefined
  const bytes = new Uint8Array(256 * channels)
  for (let i = 0; i < 256; i++) {
    const from = Math.min(i, entries - 1) * channels
    bytes.set(source.subarray(from, from + channels), i * channels)
  }
  return { channels, bytes, base: space[1] ?? null, isComplete: entries >= declared }
}

/** Name of the image filter at the end of the filter chain; empty if the samples have only generic filters. */
export function imageFilter(facts: ImageFacts): string {
  const name = facts.chain.at(-1)?.name ?? ''
  return name === 'DCTDecode' || name === 'JPXDecode' || name === 'CCITTFaxDecode' || name === 'JBIG2Decode' ? name : ''
}
