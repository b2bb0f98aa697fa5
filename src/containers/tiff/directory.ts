/**
 * The structure of a TIFF: header, chain of image file directories (IFDs), and the directories that hang on their tags.
 * TIFF 6.0 section 2, "TIFF Structure"; BigTIFF as libtiff documents it; Exif 2.32 section 4.6.3 for the private IFDs.
 */
import { ByteReader } from '../../bytes/reader.ts'
import type { Source } from '../../codec/codec.ts'
import { type CodecError, malformed, overBudget } from '../../codec/error.ts'
import { entryCount, ifdLayout, readField, readHeader, type TiffHeader } from './ifd.ts'
import { ReadAhead } from './read-ahead.ts'

/** Tags by name, as far as the engine looks at them. */
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
  makerNote: 37500,
} as const

/** Field types by number; `bytes` of one value. TIFF 6.0 page 15, 13 from the supplement, 16–18 BigTIFF. */
const TYPE_BYTES: { readonly [type: number]: number } = {
  1: 1, // BYTE
  2: 1, // ASCII
  3: 2, // SHORT
  4: 4, // LONG
  5: 8, // RATIONAL
  6: 1, // SBYTE
  7: 1, // UNDEFINED
  8: 2, // SSHORT
  9: 4, // SLONG
  10: 8, // SRATIONAL
  11: 4, // FLOAT
  12: 8, // DOUBLE
  13: 4, // IFD
  16: 8, // LONG8
  17: 8, // SLONG8
  18: 8, // IFD8
}
const BYTE = 1
export const SHORT = 3
export const LONG = 4
export const UNDEFINED = 7
const IFD = 13
export const LONG8 = 16
const IFD8 = 18

/** One field. Its value is `inline`, or `byteLength` bytes at `at` of the file. */
export interface Entry {
  readonly tag: number
  readonly type: number
  readonly count: number
  /** Length of the value; 0 for types we do not know, which stay as they stand in the entry. */
  readonly byteLength: number
  /** Where the value lies; undefined when it is in the entry. */
  readonly at: number | undefined
  /** The entry's value field: the value itself, padded, or its offset. */
  readonly inline: Uint8Array
}

export interface Directory {
  readonly offset: number
  /** In the order of the file. */
  readonly entries: readonly Entry[]
  /** What hangs on pointer tags: for each value of the tag the chain of directories that begins there, none where one leads nowhere. */
  readonly children: ReadonlyMap<number, readonly (readonly Directory[])[]>
}

/** What values are read with. */
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
  readonly chain: readonly Directory[]
  /** Every directory, parents before children, in the order of the file. */
  readonly all: readonly Directory[]
}

const MAX_DIRECTORIES = 20_000
const MAX_ENTRIES = 4096
const MAX_DEPTH = 6
/** Arrays of offsets and counts that are read into memory: 8 million chunks are 128 MB, too many. */
const MAX_VALUES = 2_000_000

export async function readTiff(file: Source, format: string): Promise<TiffFile> {
  const source = new ReadAhead(file)
  const bytes = await source.read(0, 16)
  const header = readHeader(bytes)
  if (!header) throw malformed(format, 0, 'no header')
  const { littleEndian, big, version } = header
  if (version !== 42 && !big) throw malformed(format, 2, `version ${version} instead of 42 or 43`)
  // BigTIFF: offset size 8 and a zero follow the version.
  if (big && (bytes.length < 16 || new ByteReader(bytes, littleEndian).u16(4) !== 8)) throw malformed(format, 4, 'no 8-byte offsets')
  const chain = await new DirectoryReader(source, header, format).chain(header.firstAt, 0, true)
  if (chain.length === 0) throw malformed(format, big ? 8 : 4, 'no image file directory')
  return { source, littleEndian, big, headerBytes: big ? 16 : 8, chain, all: flatten(chain), format }
}

function flatten(chain: readonly Directory[]): Directory[] {
  return chain.flatMap((directory) => [directory, ...[...directory.children.values()].flat().flatMap(flatten)])
}

class DirectoryReader {
  readonly #source: Source
  readonly #header: TiffHeader
  readonly #format: string
  readonly #seen = new Set<number>()

  constructor(source: Source, header: TiffHeader, format: string) {
    this.#source = source
    this.#header = header
    this.#format = format
  }

  async chain(first: number, depth: number, follow: boolean): Promise<Directory[]> {
    const directories: Directory[] = []
    for (let at = first; at !== 0; ) {
      if (this.#seen.has(at)) throw malformed(this.#format, at, 'a directory that was read before (a loop)')
      if (this.#seen.size >= MAX_DIRECTORIES) throw overBudget(`more than ${MAX_DIRECTORIES} directories`)
      this.#seen.add(at)
      const found = await this.#directory(at, depth)
      // Some writers end the chain with a link to anything; readers show what is in front of it.
      if (!found && directories.length === 0 && depth === 0) throw this.#malformed(at, 'no directory')
      if (!found) break
      const { directory, next } = found
      directories.push(directory)
      at = follow ? next : 0
    }
    return directories
  }

  /** @returns undefined where no directory begins: none of no entries, or of so many */
  async #directory(at: number, depth: number): Promise<{ directory: Directory; next: number } | undefined> {
    const { countBytes, entryBytes, offsetBytes } = ifdLayout(this.#header)
    // One read for the usual directory; the rest only when there are many entries.
    let head = await this.#source.read(at, countBytes + 64 * entryBytes + offsetBytes)
    if (head.length < countBytes) throw this.#malformed(at, 'the directory lies outside the file')
    const count = entryCount(this.#reader(head), this.#header)
    if (count === 0 || count > MAX_ENTRIES) return undefined
    const length = countBytes + count * entryBytes + offsetBytes
    if (head.length < length) head = await this.#source.read(at, length)
    if (head.length < length - offsetBytes) throw this.#malformed(at, 'the directory is cut off')
    const reader = this.#reader(head)
    const entries: Entry[] = []
    const children = new Map<number, Directory[][]>()
    const tags = new Set<number>()
    for (let i = 0; i < count; i++) {
      const entry = this.#entry(reader, at, countBytes + i * entryBytes)
      // Some readers take the first of two, some the last.
      if (tags.size === tags.add(entry.tag).size) throw this.#malformed(at, `tag ${entry.tag} stands there twice`)
      entries.push(entry)
      if (isPointer(entry) && !children.has(entry.tag)) children.set(entry.tag, await this.#children(entry, depth))
    }
    // Some writers leave out the last link; a file that ends here has no further directory.
    const next = head.length < length ? 0 : this.#offset(reader, length - offsetBytes)
    return { directory: { offset: at, entries, children }, next }
  }

  #entry(reader: ByteReader, directoryAt: number, at: number): Entry {
    const { tag, type, count, valueAt } = readField(reader, this.#header, at)
    const { offsetBytes } = ifdLayout(this.#header)
    const byteLength = (TYPE_BYTES[type] ?? 0) * count
    const inline = reader.bytes.slice(valueAt, valueAt + offsetBytes)
    if (byteLength <= offsetBytes) return { tag, type, count, byteLength, at: undefined, inline }
    const offset = this.#offset(reader, valueAt)
    if (offset + byteLength > this.#source.size) throw this.#malformed(directoryAt + at, `the value of tag ${tag} lies outside the file`)
    return { tag, type, count, byteLength, at: offset, inline }
  }

  async #children(entry: Entry, depth: number): Promise<Directory[][]> {
    if (depth >= MAX_DEPTH) throw overBudget(`directories nested deeper than ${MAX_DEPTH}`)
    const offsets = await readNumbers(
      { source: this.#source, littleEndian: this.#header.littleEndian, format: this.#format },
      entry,
      MAX_DIRECTORIES,
    )
    const chains: Directory[][] = []
    // Only SubIFDs may be chained among themselves; an Exif directory stands alone.
    for (const offset of offsets) chains.push(await this.chain(offset, depth + 1, entry.tag === TAG.subIfds))
    if (chains.every((chain) => chain.length > 0)) return chains
    // Pictures may be behind the others.
    if (!METADATA.includes(entry.tag) || chains.length > 1) throw this.#malformed(entry.at ?? 0, `tag ${entry.tag} leads to no directory`)
    return []
  }

  #reader(bytes: Uint8Array): ByteReader {
    return new ByteReader(bytes, this.#header.littleEndian)
  }

  #offset(reader: ByteReader, at: number): number {
    return this.#header.big ? reader.u64(at) : reader.u32(at)
  }

  #malformed(at: number, what: string): CodecError {
    return malformed(this.#format, at, what)
  }
}

/** Tags whose value is the offset of a directory without pictures. */
const METADATA: readonly number[] = [TAG.exifIfd, TAG.gpsIfd, TAG.interoperabilityIfd]

/** The fields of a directory, without pointers that lead nowhere: the result has no use for them. */
export const meaningful = ({ entries, children }: Directory): readonly Entry[] =>
  entries.filter((entry) => entry.count === 0 || children.get(entry.tag)?.length !== 0)

/** Tags whose values are offsets of directories. */
function isPointer(entry: Entry): boolean {
  if (entry.type === IFD || entry.type === IFD8) return true
  return (entry.tag === TAG.subIfds || METADATA.includes(entry.tag)) && (entry.type === LONG || entry.type === LONG8)
}

/** The bytes of a value. */
export async function readValue(source: Source, entry: Entry): Promise<Uint8Array> {
  if (entry.at === undefined) return entry.inline.subarray(0, entry.byteLength)
  return await source.read(entry.at, entry.byteLength)
}

/** Types of counts, sizes and offsets. Readers differ in what they make of any other: its bytes, a rounded value, the default. */
const INTEGER_TYPES: readonly number[] = [BYTE, SHORT, LONG, IFD, LONG8, IFD8]

/** The values of an integer field. @throws malformed where the field is of another type */
export async function readNumbers(file: TiffFacts, entry: Entry, limit = MAX_VALUES): Promise<Float64Array> {
  const { source, littleEndian } = file
  if (!INTEGER_TYPES.includes(entry.type)) throw malformed(file.format, 0, `tag ${entry.tag} is no whole number, but of type ${entry.type}`)
  if (entry.count > limit) throw overBudget(`tag ${entry.tag} has ${entry.count} values`)
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

export const find = (directory: Directory, tag: number): Entry | undefined => directory.entries.find((entry) => entry.tag === tag)

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
