/** How the pixels of one directory are stored: strips or tiles, their size, their compression. */
import { message, type Said } from '../../i18n/message.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { type Directory, find, readNumbers, readValue, TAG, type TiffFile } from './directory.ts'

/** Values of the Compression tag that are decoded here; all others are copied. */
export const COMPRESSION = {
  none: 1,
  faxRle: 2,
  faxGroup3: 3,
  faxGroup4: 4,
  lzw: 5,
  jpeg: 7,
  adobeDeflate: 8,
  deflate: 32946,
  packBits: 32773,
  zstd: 50000,
} as const

export interface Pixels {
  readonly directory: Directory
  readonly width: number
  readonly height: number
  readonly tiled: boolean
  /** Width and height of a chunk; strips are as wide as the picture. */
  readonly chunkWidth: number
  readonly chunkHeight: number
  /** Planes stored one after the other (PlanarConfiguration 2), else 1. */
  readonly planes: number
  /** Chunks of one plane. */
  readonly chunksPerPlane: number
  /** Samples of a pixel within a plane, and the bits of each. */
  readonly samples: number
  readonly bits: number
  readonly floating: boolean
  /** One row of a chunk; 0 when the data has no rows of samples (subsampled YCbCr, mixed depths). */
  readonly rowBytes: number
  readonly compression: number
  /** The predictor that is in force: 1 none, 2 horizontal differencing, 3 floating point. */
  readonly predictor: number
  /** Group 3 with rows that refer to the one above (T4Options, bit 0). */
  readonly twoDimensional: boolean
  /** Bits of each byte are mirrored (FillOrder 2). */
  readonly mirrored: boolean
  /** Where each chunk lies; offset 0 and length 0 is a chunk that was never written (sparse). */
  readonly offsets: Float64Array
  readonly lengths: Float64Array
  /** What the streams of JPEG have in common: a stream of tables. */
  readonly jpegTables: Uint8Array | undefined
  /** Can be decoded here, and compressed anew. */
  readonly decodable: boolean
}

/** Decoded bytes of all chunks together. */
export const rawBytes = (pixels: StoredPixels): number =>
  pixels.tiled
    ? pixels.rowBytes * pixels.chunkHeight * pixels.planes * pixels.chunksPerPlane
    : pixels.rowBytes * pixels.height * pixels.planes

/** Rows in chunk `index` (a tile always has all of them, the last strip fewer). */
export function rowsOf(pixels: StoredPixels, index: number): number {
  if (pixels.tiled) return pixels.chunkHeight
  const inPlane = index % pixels.chunksPerPlane
  return Math.min(pixels.chunkHeight, pixels.height - inPlane * pixels.chunkHeight)
}

/** Values of a directory's fields. */
class Fields {
  readonly #file: TiffFile
  readonly #directory: Directory

  constructor(file: TiffFile, directory: Directory) {
    this.#file = file
    this.#directory = directory
  }

  has(tag: number): boolean {
    return find(this.#directory, tag) !== undefined
  }

  async numbers(tag: number): Promise<Float64Array | undefined> {
    const entry = find(this.#directory, tag)
    return entry && (await readNumbers(this.#file, entry))
  }

  /** The one value of a field, or `fallback` where it is missing. Of several, readers take the first, or none of them. */
  async number(tag: number, fallback: number): Promise<number> {
    const numbers = await this.numbers(tag)
    if (!numbers) return fallback
    const [first] = numbers
    // TIFF 5.0 and before had the compression of each sample.
    const alike = tag === TAG.compression && numbers.every((number) => number === first)
    if (first === undefined || (numbers.length > 1 && !alike))
      throw this.malformed(message('tag_has_values', { tag, count: numbers.length }))
    return first
  }

  malformed(what: Said): Error {
    return malformed(this.#file.format, this.#directory.offset, what)
  }
}

/** The picture of a directory, or undefined when it has none (Exif, GPS, a thumbnail as a JPEG blob). */
export async function readPixels(file: TiffFile, directory: Directory): Promise<Pixels | undefined> {
  const fields = new Fields(file, directory)
  refuseMixedChunks(fields)
  const offsets = (await fields.numbers(TAG.tileOffsets)) ?? (await fields.numbers(TAG.stripOffsets))
  if (!offsets) return undefined
  const chunks = await readChunks(fields, offsets.length)
  const samples = await readSamples(fields, chunks.samplesPerPixel)
  const photometric = await fields.number(TAG.photometric, 0)
  const rows = samples.uniform && !(photometric === YCBCR && (await isSubsampled(fields)))
  const perPixel = chunks.planes > 1 ? 1 : chunks.samplesPerPixel
  const compression = await fields.number(TAG.compression, 1)
  const declared = await fields.number(TAG.predictor, 1)
  const predicting = compression === COMPRESSION.lzw || isDeflate(compression) || compression === COMPRESSION.zstd
  const { width, height, tiled, chunkWidth, chunkHeight, planes, chunksPerPlane } = chunks
  const pixels: StoredPixels = {
    directory,
    width,
    height,
    tiled,
    chunkWidth,
    chunkHeight,
    planes,
    chunksPerPlane,
    samples: perPixel,
    bits: samples.bits,
    floating: samples.floating,
    rowBytes: rows ? Math.ceil((chunkWidth * perPixel * samples.bits) / 8) : 0,
    compression,
    predictor: predicting ? declared : 1,
    twoDimensional: ((await fields.number(TAG.t4Options, 0)) & 1) === 1,
    mirrored: (await fields.number(TAG.fillOrder, 1)) === 2,
    jpegTables: compression === COMPRESSION.jpeg ? await tablesOf(file, directory) : undefined,
    offsets: offsets.subarray(0, chunksPerPlane * planes),
  }
  const lengths = await byteCounts(fields, pixels)
  let stored = 0
  for (let i = 0; i < lengths.length; i++) {
    const offset = offsets[i]!
    if (offset + lengths[i]! > file.source.size)
      throw malformed(file.format, offset, message('strip_or_tile_lies_outside_file', { index: i }))
    stored += lengths[i]!
  }
  // Blank tiles may share their bytes. So many do not: eight bytes of the file are a tile to decode.
  if (stored > MOST_SHARED * file.source.size)
    throw overBudget(message('strips_or_tiles_of_bytes_in_file', { stored, fileSize: file.source.size }))
  return { ...pixels, lengths, decodable: rows && canDecode(pixels) && !(compression === COMPRESSION.jpeg && photometric === YCBCR) }
}

/** Tags of tiles in a picture of strips, or of both for one thing: readers take one or the other. */
function refuseMixedChunks(fields: Fields): void {
  for (const [tile, strip] of [
    [TAG.tileOffsets, TAG.stripOffsets],
    [TAG.tileByteCounts, TAG.stripByteCounts],
  ] as const) {
    if (!fields.has(tile)) continue
    if (fields.has(strip)) throw fields.malformed(message('tile_tag_beside_strip_tag', { tile, strip }))
    if (!fields.has(TAG.tileWidth)) throw fields.malformed(message('tile_tag_among_strips', { tile }))
  }
}

/** The picture before it is known how long its chunks are. */
type StoredPixels = Omit<Pixels, 'lengths' | 'decodable'>

/** How the picture is cut into strips or tiles. */
async function readChunks(fields: Fields, offsets: number) {
  const width = await fields.number(TAG.imageWidth, 0)
  const height = await fields.number(TAG.imageLength, 0)
  if (width < 1 || height < 1) throw fields.malformed(message('picture_of', { width, height }))
  const tiled = fields.has(TAG.tileWidth)
  const chunkWidth = tiled ? await fields.number(TAG.tileWidth, 0) : width
  // RowsPerStrip is 2^32 - 1 by default: one strip.
  const rowsPerStrip = tiled ? 0 : (await fields.number(TAG.rowsPerStrip, height)) || height
  const chunkHeight = tiled ? await fields.number(TAG.tileLength, 0) : Math.min(height, rowsPerStrip)
  if (chunkWidth < 1 || chunkHeight < 1) throw fields.malformed(message('tiles_of', { width: chunkWidth, height: chunkHeight }))
  const samplesPerPixel = await fields.number(TAG.samplesPerPixel, 1)
  const configuration = await fields.number(TAG.planarConfiguration, 1)
  // Packed anew, such a picture is refused by readers that show its plain samples.
  if (configuration !== 1 && configuration !== 2) throw fields.malformed(message('planar_configuration', { configuration }))
  const planar = configuration === 2
  if (samplesPerPixel < 1) throw fields.malformed('no_samples')
  const planes = planar ? samplesPerPixel : 1
  const chunksPerPlane = Math.ceil(width / chunkWidth) * Math.ceil(height / chunkHeight)
  const chunks = chunksPerPlane * planes
  if (chunks > MAX_CHUNKS) throw overBudget(message('strips_or_tiles', { chunks }))
  // Where there are more, some readers take the others for further planes; what they lead to would be gone.
  if (offsets !== chunks) throw fields.malformed(message('offsets_for_strips_or_tiles', { offsets, chunks }))
  return { width, height, tiled, chunkWidth, chunkHeight, samplesPerPixel, planes, chunksPerPlane }
}

const MAX_CHUNKS = 2_000_000
/** How often the bytes of a file may be decoded. */
const MOST_SHARED = 4

/** `uniform`: all samples of a pixel have the same depth, which there are predictors and rows for. */
async function readSamples(fields: Fields, samplesPerPixel: number) {
  const depths = (await fields.numbers(TAG.bitsPerSample)) ?? Float64Array.of(1)
  const bits = depths[0] ?? 1
  const formats = (await fields.numbers(TAG.sampleFormat)) ?? Float64Array.of(1)
  const alike = depths.every((depth) => depth === bits) && (depths.length === 1 || depths.length >= samplesPerPixel)
  return { bits, floating: formats[0] === 3, uniform: alike && bits >= 1 && bits <= 64 }
}

/** Fax: decoded when a picture of up to this many bytes has nothing unusual in it. */
const MAX_FAX_BYTES = 64 * 1024 * 1024

export const isFax = (compression: number): boolean =>
  compression === COMPRESSION.faxRle || compression === COMPRESSION.faxGroup3 || compression === COMPRESSION.faxGroup4

export const isDeflate = (compression: number): boolean => compression === COMPRESSION.adobeDeflate || compression === COMPRESSION.deflate

function canDecode(pixels: StoredPixels): boolean {
  if (!(Object.values(COMPRESSION) as number[]).includes(pixels.compression)) return false
  // Readers agree on mirrored bits only for samples smaller than a byte.
  if (pixels.mirrored && pixels.bits >= 8) return false
  if (pixels.compression === COMPRESSION.jpeg) return pixels.bits === 8 && [1, 3, 4].includes(pixels.samples) && !pixels.floating
  if (isFax(pixels.compression)) return pixels.bits === 1 && pixels.samples === 1 && rawBytes(pixels) <= MAX_FAX_BYTES
  if (pixels.predictor === 1) return true
  if (pixels.predictor === 2) return [8, 16, 32, 64].includes(pixels.bits)
  return pixels.predictor === 3 && pixels.floating && [16, 24, 32, 64].includes(pixels.bits)
}

/** TIFF 6.0 section 21: the chroma of a YCbCr picture may be stored in blocks with several lumas; then there are no rows. */
async function isSubsampled(fields: Fields): Promise<boolean> {
  const [horizontal = 2, vertical = 2] = (await fields.numbers(TAG.ycbcrSubsampling)) ?? []
  return horizontal !== 1 || vertical !== 1
}

/** PhotometricInterpretation. */
const YCBCR = 6
/** Four tables of each kind, with every code. */
const MAX_TABLES_BYTES = 16 * 1024

async function tablesOf(file: TiffFile, directory: Directory): Promise<Uint8Array | undefined> {
  const entry = find(directory, TAG.jpegTables)
  if (!entry) return undefined
  if (entry.byteLength > MAX_TABLES_BYTES)
    throw malformed(file.format, directory.offset, message('bytes_of_jpeg_tables', { bytes: entry.byteLength }))
  return (await readValue(file.source, entry)).slice()
}

async function byteCounts(fields: Fields, pixels: StoredPixels): Promise<Float64Array> {
  const chunks = pixels.offsets.length
  const counts = (await fields.numbers(TAG.tileByteCounts)) ?? (await fields.numbers(TAG.stripByteCounts))
  if (counts && counts.length >= chunks) {
    const lengths = counts.subarray(0, chunks)
    // A single uncompressed strip may say 0: old writers left it to the reader.
    if (!(chunks === 1 && lengths[0] === 0 && pixels.compression === 1 && pixels.offsets[0] !== 0)) return lengths
  } else if (counts || pixels.compression !== COMPRESSION.none || pixels.rowBytes === 0) {
    throw fields.malformed(message('byte_counts_for_strips_or_tiles', { counts: counts?.length ?? 0, chunks }))
  }
  return Float64Array.from({ length: chunks }, (_, i) => pixels.rowBytes * rowsOf(pixels, i))
}

/** The first bytes of a text field, for telling apart what hides behind TIFF. */
export async function textOf(file: TiffFile, directory: Directory, tag: number): Promise<string> {
  const entry = find(directory, tag)
  if (!entry || entry.byteLength === 0) return ''
  return new TextDecoder('latin1').decode(
    (await readValue(file.source, { ...entry, byteLength: Math.min(entry.byteLength, 4096) })).subarray(0, 4096),
  )
}
