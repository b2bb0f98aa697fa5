/** AVIF and HEIF files for tests: encoded pictures, and containers with any items, properties and references (ISO/IEC 23008-12). */
import { concat } from '../../src/core/bytes/concat.ts'
import { box, boxOf, halfWords, latin1Bytes, words } from '../../src/core/containers/isobmff/box.ts'
import { type CodedPicture, codedPictureOf } from '../../src/core/images/avif/file.ts'
import { AvifCodec, type Chroma } from '../../src/core/images/avif/libaom.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Fastest speed, so that Whittle finds a smaller encoding. */
const SPEED = 10

/** RGB or RGBA pixels as RGBA. */
function rgbaOf(pixels: Uint8Array, { width, height }: Size): Uint8ClampedArray<ArrayBuffer> {
  const channels = pixels.length / (width * height)
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let i = 0; i < width * height; i++) for (let c = 0; c < channels; c++) rgba[4 * i + c] = pixels[channels * i + c]!
  return rgba
}

/** Encodes a picture as libavif does. */
export async function avifOf(pixels: Uint8Array, size: Size, quality = 95, chroma: Chroma = 'full'): Promise<Uint8Array> {
  using codec = await AvifCodec.open()
  return codec.encode({ pixels: rgbaOf(pixels, size), ...size }, quality, SPEED, chroma).slice()
}

/** Encodes an opaque picture of 10 bits a sample. `samples`: RGBA of 0 to 1023. */
export async function avif10Of(samples: Uint16Array<ArrayBuffer>, size: Size, quality = 95): Promise<Uint8Array> {
  using codec = await AvifCodec.open()
  return codec.encode16({ samples, ...size }, { quality, speed: SPEED, chroma: 'full', bits: 10 }).slice()
}

/** Coded picture, to put into containers. */
export const codedOf = async (pixels: Uint8Array, size: Size, chroma: Chroma = 'full', quality = 95): Promise<CodedPicture> =>
  codedPictureOf(await avifOf(pixels, size, quality, chroma))

export interface TestItem {
  readonly id: number
  readonly type: string
  readonly data: Uint8Array
  /** Complete property boxes. They are marked essential. */
  readonly properties?: readonly Uint8Array[]
  readonly hidden?: boolean
  /** Media type of a `mime` item. */
  readonly contentType?: string
  /** True: the data are in the `idat` box. */
  readonly inMeta?: boolean
  /** Number of extents that the data are split into. Default: 1. */
  readonly extents?: number
}

interface TestFile {
  readonly brand?: string
  readonly primary?: number
  readonly items: readonly TestItem[]
  /** References: type, from, to. */
  readonly references?: readonly (readonly [type: string, from: number, to: readonly number[]])[]
  /** Boxes between `meta` and `mdat`, and after `mdat`. */
  readonly middle?: readonly Uint8Array[]
  readonly after?: readonly Uint8Array[]
}

export const ispe = ({ width, height }: Size): Uint8Array => box('ispe', words(0, width, height))
export const irot = (quarters: number): Uint8Array => box('irot', Uint8Array.of(quarters))
export const imir = (axis: number): Uint8Array => box('imir', Uint8Array.of(axis))
/** Clean aperture of whole pixels: size and offset of the centre in half pixels. */
export const clap = ({ width, height }: Size, offsetX: number, offsetY: number): Uint8Array =>
  box('clap', words(width, 1, height, 1, offsetX >>> 0, 2, offsetY >>> 0, 2))
export const nclx = (primaries: number, transfer: number, matrix: number, full = true): Uint8Array =>
  box('colr', latin1Bytes('nclx'), halfWords(primaries, transfer, matrix), Uint8Array.of(full ? 0x80 : 0))
export const auxC = (urn: string): Uint8Array => box('auxC', words(0), latin1Bytes(`${urn}\0`))
export const ALPHA_URN = 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'

/** Item of a coded picture. Its colour box is left out if `colour` is given. */
export const codedItem = (id: number, coded: CodedPicture, size: Size, more: readonly Uint8Array[] = [], hidden = false): TestItem => ({
  id,
  type: 'av01',
  data: coded.frame,
  properties: [ispe(size), coded.config, ...more],
  hidden,
})

/** Item of a tile grid (ISO/IEC 23008-12, 6.6.2.3). */
export const gridItem = (
  id: number,
  columns: number,
  rows: number,
  size: Size,
  more: readonly Uint8Array[] = [],
  inMeta = false,
): TestItem => ({
  id,
  type: 'grid',
  data: concat([Uint8Array.of(0, 0, rows - 1, columns - 1), halfWords(size.width, size.height)]),
  properties: [ispe(size), ...more],
  inMeta,
})

export const exifItem = (id: number, exif: Uint8Array): TestItem => ({ id, type: 'Exif', data: concat([words(0), exif]), hidden: true })
export const xmpItem = (id: number, xmp: Uint8Array): TestItem => ({
  id,
  type: 'mime',
  data: xmp,
  contentType: 'application/rdf+xml',
  hidden: true,
})

/** File with one picture, its item 1, and with EXIF in three extents and XMP. */
export const withMetadata = (picture: TestItem, metadata: { exif: Uint8Array; xmp: Uint8Array }, brand = 'avif'): Uint8Array =>
  heifFile({
    brand,
    items: [picture, { ...exifItem(2, metadata.exif), extents: 3 }, xmpItem(3, metadata.xmp)],
    references: [
      ['cdsc', 2, [1]],
      ['cdsc', 3, [1]],
    ],
  })

/** Writes a file. The first item is the primary one unless `primary` is given. */
export function heifFile({
  brand = 'avif',
  items,
  primary = items[0]!.id,
  references = [],
  middle = [],
  after = [],
}: TestFile): Uint8Array {
  const properties = [...new Set(items.flatMap((item) => item.properties ?? []))]
  const ftyp = box('ftyp', latin1Bytes(brand), words(0), latin1Bytes(`${brand}mif1miaf`))
  const idat = concat(items.filter(({ inMeta }) => inMeta).map(({ data }) => data))
  const mdat = concat(items.filter(({ inMeta }) => !inMeta).map(({ data }) => data))
  const metaAt = (dataAt: number) => {
    let [inFile, inMetaAt] = [dataAt, 0]
    const places = items.map(({ id, data, inMeta, extents = 1 }) => {
      const start = inMeta ? inMetaAt : inFile
      if (inMeta) inMetaAt += data.length
      else inFile += data.length
      const step = Math.ceil(data.length / extents)
      const parts = Array.from({ length: extents }, (_, i) => words(start + i * step, Math.min(step, data.length - i * step)))
      return concat([halfWords(id, inMeta ? 1 : 0, 0, extents), ...parts])
    })
    const entries = items.map(({ id, type, hidden, contentType }) =>
      box('infe', words((2 << 24) | (hidden ? 1 : 0)), halfWords(id, 0), latin1Bytes(`${type}\0${contentType ? `${contentType}\0` : ''}`)),
    )
    const associations = items.map(({ id, properties: own = [] }) =>
      concat([halfWords(id), Uint8Array.of(own.length, ...own.map((one) => 0x80 | (properties.indexOf(one) + 1)))]),
    )
    return boxOf('meta', [
      words(0),
      box('hdlr', words(0, 0), latin1Bytes('pict'), new Uint8Array(13)),
      box('pitm', words(0), halfWords(primary)),
      boxOf('iloc', [words(1 << 24), Uint8Array.of(0x44, 0), halfWords(items.length), ...places]),
      boxOf('iinf', [words(0), halfWords(items.length), ...entries]),
      ...(references.length > 0
        ? [boxOf('iref', [words(0), ...references.map(([type, from, to]) => box(type, halfWords(from, to.length, ...to)))])]
        : []),
      box('iprp', boxOf('ipco', properties), boxOf('ipma', [words(0, items.length), ...associations])),
      ...(idat.length > 0 ? [box('idat', idat)] : []),
    ])
  }
  const gap = middle.reduce((sum, one) => sum + one.length, 0)
  const meta = metaAt(ftyp.length + metaAt(0).length + gap + 8)
  return concat([ftyp, meta, ...middle, box('mdat', mdat), ...after])
}
