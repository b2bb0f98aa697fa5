/** Image dictionaries of recompressed pictures, and their decoded rows. */
import { decodeFilter, type Filter, setFilters } from '../filters.ts'
import { Dict, Name, type PdfObject, Str } from '../objects.ts'
import type { ImageFacts } from './facts.ts'
import { cmykToRgb } from './inks.ts'
import type { EncodedPicture } from './jpeg.ts'
import type { DecodedPicture } from './measure.ts'
import type { PackedSamples } from './near-palette.ts'
import { unpackSamples } from './rows.ts'
import { openJpeg } from './view.ts'

type Stored = EncodedPicture & { deflated?: readonly Filter[] | undefined; packed?: PackedSamples | undefined }

/** Decodes the recompressed picture into rows. */
export async function decodeResult(coded: Stored): Promise<DecodedPicture> {
  const { width, height, channels, data, deflated, packed } = coded
  if (!deflated) return openJpeg(data)
  if (packed)
    return unpackSamples(
      [deflated.reduce((bytes, filter) => decodeFilter(filter, bytes, width * height * channels + height), data)],
      samplesOf(coded, packed),
    )
  const pixels = deflated.reduce((bytes, filter) => decodeFilter(filter, bytes, width * height * channels + height), data)
  return { width, height, channels, strips: [pixels] }
}

const samplesOf = ({ width, height, channels }: Stored, { bits, table }: PackedSamples) => ({
  width,
  height,
  bitsPerComponent: bits,
  components: table ? 1 : channels,
  palette: table && { channels, bytes: table },
})

/** Indexed colour space over the colour space of the picture, or over the base of its existing palette. */
export function indexedSpace({ dict, palette, components }: ImageFacts, table: Uint8Array): PdfObject[] {
  const channels = palette?.channels ?? components
  const base = palette?.base ?? dict.get('ColorSpace') ?? null
  return [Name.of('Indexed'), base, table.length / channels - 1, new Str(table)]
}

/** True if 255 means no ink, because /Decode inverts the samples. */
export const isInverted = ({ decode }: ImageFacts): boolean => (decode?.[0] ?? 0) > (decode?.[1] ?? 1)

/** Converts CMYK rows to RGB; returns other rows unchanged. */
export function toRgbPicture(rows: DecodedPicture, facts: ImageFacts): DecodedPicture {
  if (rows.channels !== 4) return rows
  return { ...rows, channels: 3, strips: printed(rows.strips, isInverted(facts)), isFromCmyk: true }
}

async function* printed(strips: DecodedPicture['strips'], inverted: boolean): AsyncGenerator<Uint8Array> {
  for await (const strip of strips) yield cmykToRgb(strip, inverted)
}

/** Image dictionary for the recompressed picture. */
export function imageDictionaryOf(facts: ImageFacts, coded: Stored): Dict {
  const dict = new Dict(facts.dict)
  setFilters(dict, coded.deflated ?? [{ name: 'DCTDecode', parms: null }])
  dict.set('Width', coded.width)
  dict.set('Height', coded.height)
  dict.set('BitsPerComponent', 8)
  dict.delete('SMaskInData')
  if (!dict.has('ColorSpace')) dict.set('ColorSpace', Name.of(coded.channels === 1 ? 'DeviceGray' : 'DeviceRGB'))
  if (facts.palette) {
    dict.set('ColorSpace', facts.palette.base)
    dict.delete('Decode')
  }
  if (coded.packed) dict.set('BitsPerComponent', coded.packed.bits)
  if (coded.packed?.table) dict.set('ColorSpace', indexedSpace(facts, coded.packed.table))
  return dict
}
