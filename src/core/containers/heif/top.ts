/** Boxes at the top level of a HEIF file, read by ranges. */
import { latin1Of } from '../../bytes/latin1.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { typeAt, u32At, u64At } from '../isobmff/box.ts'
import { MAX_BOXES } from './tuning.ts'

export interface HeifTop {
  /** Major brand, then the compatible brands. */
  readonly brands: readonly string[]
  readonly hasTracks: boolean
  /** Content of the `meta` box. `undefined`: none. */
  readonly meta: { readonly offset: number; readonly length: number } | undefined
  /** Types of boxes that hold something besides the picture, such as `uuid`. */
  readonly otherBoxes: readonly string[]
  /** Offsets of the `uuid` boxes. */
  readonly uuidBoxes: readonly number[]
  /** Offset where the last box ends. */
  readonly end: number
}

/** Longest `ftyp` box in bytes. It has four bytes a brand. */
const MAX_BRAND_BYTES = 4096

/** Types of boxes at the top level. Other bytes end the file's own data, so that they count as trailing data. */
const TOP_TYPES: ReadonlySet<string> = new Set([
  'ftyp',
  'meta',
  'mdat',
  'free',
  'skip',
  'uuid',
  'moov',
  'moof',
  'mfra',
  'sidx',
  'styp',
  'wide',
  'pdin',
  'imda',
  'meco',
])
/** Boxes that hold the picture, or nothing. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(['ftyp', 'meta', 'mdat', 'free', 'skip', 'wide', 'pdin', 'imda'])

/** @throws CodecError (malformed) if a box leaves the file, or if there are two `meta` boxes */
export async function readHeifTop(source: Source, signal: AbortSignal): Promise<HeifTop> {
  let [brands, hasTracks, at, count]: [readonly string[], boolean, number, number] = [[], false, 0, 0]
  let meta: HeifTop['meta']
  const [otherBoxes, uuidBoxes]: [string[], number[]] = [[], []]
  while (at + 8 <= source.size) {
    if (++count > MAX_BOXES) throw overBudget('too_many_boxes')
    if (count % 64 === 0) signal.throwIfAborted()
    const header = await source.read(at, 16)
    const type = typeAt(header, 4)
    if (!TOP_TYPES.has(type)) break
    const short = u32At(header, 0)
    const isWide = short === 1 && header.length === 16
    const size = isWide ? u64At(header, 8) : short === 0 ? source.size - at : short
    const headerBytes = isWide ? 16 : 8
    if (size < headerBytes || size > source.size - at)
      throw malformed('heif', at, message('heif_box_does_not_fit', { type, size, left: source.size - at }))
    if (type === 'ftyp') brands = await brandsIn(source, at + headerBytes, size - headerBytes)
    if (type === 'uuid') uuidBoxes.push(at)
    if (type === 'moov') hasTracks = true
    else if (!PLAIN_TYPES.has(type)) otherBoxes.push(type)
    if (type === 'meta') {
      if (meta) throw malformed('heif', at, 'heif_second_meta')
      meta = { offset: at + headerBytes, length: size - headerBytes }
    }
    at += size
  }
  return { brands, hasTracks, meta, otherBoxes, uuidBoxes, end: at }
}

async function brandsIn(source: Source, at: number, length: number): Promise<string[]> {
  const bytes = await source.read(at, Math.min(length, MAX_BRAND_BYTES))
  const brands: string[] = []
  // The minor version follows the major brand.
  for (let i = 0; i + 4 <= bytes.length; i += 4) if (i !== 4) brands.push(latin1Of(bytes.subarray(i, i + 4)))
  return brands
}
