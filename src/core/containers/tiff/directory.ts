/**
 * Structure of a TIFF: chains of image file directories (IFDs), their fields, and the directories that pointer tags lead to.
 * TIFF 6.0 section 2, "TIFF Structure"; BigTIFF as libtiff documents it; Exif 2.32 section 4.6.3 for the private IFDs.
 */
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import type { ReadAhead } from './read-ahead.ts'
import { MAX_VALUES } from './tuning.ts'

/** Tag numbers that Whittle interprets, by name. */
export const TAG = {
  newSubfileType: 254,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  imageDescription: 270,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  t4Options: 292,
  freeOffsets: 288,
  freeByteCounts: 289,
  planarConfiguration: 284,
  predictor: 317,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  subIfds: 330,
  sampleFormat: 339,
  jpegTables: 347,
  jpegInterchangeFormat: 513,
  jpegInterchangeFormatLength: 514,
  jpegQTables: 519,
  jpegDcTables: 520,
  jpegAcTables: 521,
  ycbcrSubsampling: 530,
  exifIfd: 34665,
  gpsIfd: 34853,
  interoperabilityIfd: 40965,
  globalParametersIfd: 400,
  makerNote: 37500,
} as const

/** Bytes of one value by field type. TIFF 6.0 page 15; type 13 from the supplement; types 16–18 from BigTIFF. */
export const TYPE_BYTES: { readonly [type: number]: number } = {
  1: 1, // field type BYTE
  2: 1, // field type ASCII
  3: 2, // field type SHORT
  4: 4, // field type LONG
  5: 8, // field type RATIONAL
  6: 1, // field type SBYTE
  7: 1, // field type UNDEFINED
  8: 2, // field type SSHORT
  9: 4, // field type SLONG
  10: 8, // field type SRATIONAL
  11: 4, // field type FLOAT
  12: 8, // field type DOUBLE
  13: 4, // field type IFD
  16: 8, // field type LONG8
  17: 8, // field type SLONG8
  18: 8, // field type IFD8
}
const BYTE = 1
export const SHORT = 3
export const LONG = 4
export const UNDEFINED = 7
const IFD = 13
export const LONG8 = 16
const IFD8 = 18

/** A field of a directory. Its value is in `inline`, or in `byteLength` bytes at file offset `at`. */
export interface TiffField {
  readonly tag: number
  readonly type: number
  readonly count: number
  /** Bytes of the value. 0 for unknown types, whose entry is copied unchanged. */
  readonly byteLength: number
  /** File offset of the value. `undefined`: the value is inside the entry. */
  readonly at: number | undefined
  /** Value field of the entry: the padded value, or its offset. */
  readonly inline: Uint8Array
}

export interface TiffDirectory {
  readonly offset: number
  /** Fields of the directory in file order. */
  readonly entries: readonly TiffField[]
  /** Directories that each pointer tag leads to, one for each value of the tag. A value that leads to no directory has none. */
  readonly children: ReadonlyMap<number, readonly TiffDirectory[]>
  /** Next directory of the chain. Several chains may share their last directories, for example the levels of an image pyramid. */
  readonly next: TiffDirectory | undefined
}

/** Source and byte order for reading values. `format` is the format's name in error messages. */
interface TiffFacts {
  readonly source: Source
  readonly littleEndian: boolean
  readonly format: string
}

export interface TiffFile extends TiffFacts {
  readonly source: ReadAhead
  /** BigTIFF: 8-byte offsets and counts, 20-byte entries. */
  readonly big: boolean
  readonly headerBytes: number
  /** Directories of the main chain, which starts at the header. */
  readonly chain: readonly TiffDirectory[]
  /** Every directory once. Parents come before children, and children before the parent's next directory. */
  readonly all: readonly TiffDirectory[]
  /** Descriptions of links that lead to no directory. The result is written without them. */
  readonly brokenLinks: readonly string[]
}

/** Tags whose value is the offset of a directory without pictures. */
export const METADATA_POINTER_TAGS: readonly number[] = [TAG.exifIfd, TAG.gpsIfd, TAG.interoperabilityIfd, TAG.globalParametersIfd]

/** Fields of a directory without pointers that lead to no directory. */
export const fieldsWithTargets = ({ entries, children }: TiffDirectory): readonly TiffField[] =>
  entries.filter((entry) => entry.count === 0 || children.get(entry.tag)?.length !== 0)

/** True if the values of the field are offsets of directories. */
export function isPointer(entry: TiffField): boolean {
  if (entry.type === IFD || entry.type === IFD8) return true
  return (entry.tag === TAG.subIfds || METADATA_POINTER_TAGS.includes(entry.tag)) && (entry.type === LONG || entry.type === LONG8)
}

/** Reads the bytes of a value. */
export async function readValue(source: Source, entry: TiffField): Promise<Uint8Array> {
  if (entry.at === undefined) return entry.inline.subarray(0, entry.byteLength)
  return await source.read(entry.at, entry.byteLength)
}

/** Field types of counts, sizes and offsets. Readers disagree about other types: they use raw bytes, a rounded value or the default. */
const INTEGER_TYPES: readonly number[] = [BYTE, SHORT, LONG, IFD, LONG8, IFD8]

/**
 * Reads the values of an integer field. @throws CodecError (malformed) if the field has another type, (over_budget) if it has more than
 * `limit` values
 */
export async function readNumbers(file: TiffFacts, entry: TiffField, limit = MAX_VALUES): Promise<Float64Array> {
  const { source, littleEndian } = file
  if (!INTEGER_TYPES.includes(entry.type))
    throw malformed(file.format, 0, message('tag_is_no_whole_number', { tag: entry.tag, type: entry.type }))
  if (entry.count > limit) throw overBudget(message('tag_has_values', { tag: entry.tag, count: entry.count }))
  const bytes = await readValue(source, entry)
  const view = viewOf(bytes)
  const size = TYPE_BYTES[entry.type]!
  const numbers = new Float64Array(Math.floor(bytes.length / size))
  for (let i = 0; i < numbers.length; i++) {
    if (size === 1) numbers[i] = bytes[i]!
    else if (size === 2) numbers[i] = view.getUint16(i * 2, littleEndian)
    else if (size === 4) numbers[i] = view.getUint32(i * 4, littleEndian)
    else numbers[i] = Number(view.getBigUint64(i * 8, littleEndian))
  }
  return numbers
}

export const findEntry = (directory: TiffDirectory, tag: number): TiffField | undefined =>
  directory.entries.find((entry) => entry.tag === tag)

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
