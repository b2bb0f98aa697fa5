/** Pixel storage of one directory: strips or tiles, their size and their compression. */
import { type MessageOrCode, message } from '../../i18n/message.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { findEntry, readNumbers, readValue, TAG, type TiffDirectory, type TiffFile } from './directory.ts'
import { MAX_CHUNKS, MAX_FAX_BYTES, MAX_STORED_FACTOR } from './tuning.ts'

/** Values of the Compression tag that Whittle decodes. Pixels with other values are copied unchanged. */
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

export interface PixelStorage {
  readonly directory: TiffDirectory
  readonly width: number
  readonly height: number
  readonly tiled: boolean
  /** Width and height of a chunk in pixels. Strips are as wide as the picture. */
  readonly chunkWidth: number
  readonly chunkHeight: number
  /** Number of planes stored one after the other (PlanarConfiguration 2), otherwise 1. */
  readonly planes: number
  /** Number of chunks of one plane. */
  readonly chunksPerPlane: number
  /** Samples of a pixel within a plane, and bits of a sample. */
  readonly samples: number
  readonly bits: number
  readonly floating: boolean
  /** Bytes of a row of a chunk. 0 if the data has no rows of equal samples (subsampled YCbCr, mixed bit depths). */
  readonly rowBytes: number
  readonly compression: number
  /** Predictor in effect: 1 none, 2 horizontal differencing, 3 floating point. */
  readonly predictor: number
  /** True for Group 3 fax rows that refer to the row above (T4Options, bit 0). */
  readonly twoDimensional: boolean
  /** True if the bits of each byte are reversed (FillOrder 2). */
  readonly mirrored: boolean
  /** File offset and length of each chunk. Offset 0 and length 0: the chunk was never written (sparse). */
  readonly offsets: Float64Array
  readonly lengths: Float64Array
  /** JPEG stream of the tables that all strips or tiles share. `undefined`: none. */
  readonly jpegTables: Uint8Array | undefined
  /** True if Whittle can decode these pixels and compress them again. */
  readonly decodable: boolean
}

/** Decoded bytes of all chunks. */
export const decodedBytes = (pixels: StoredPixels): number =>
  pixels.tiled
    ? pixels.rowBytes * pixels.chunkHeight * pixels.planes * pixels.chunksPerPlane
    : pixels.rowBytes * pixels.height * pixels.planes

/** Rows in chunk `index`. Tiles always have all rows; the last strip may have fewer. */
export function rowsOf(pixels: StoredPixels, index: number): number {
  if (pixels.tiled) return pixels.chunkHeight
  const inPlane = index % pixels.chunksPerPlane
  return Math.min(pixels.chunkHeight, pixels.height - inPlane * pixels.chunkHeight)
}

/** Reads values of a directory's fields. */
class Fields {
  readonly #file: TiffFile
  readonly #directory: TiffDirectory

  constructor(file: TiffFile, directory: TiffDirectory) {
    this.#file = file
    this.#directory = directory
  }

  has(tag: number): boolean {
    return findEntry(this.#directory, tag) !== undefined
  }

  async numbers(tag: number): Promise<Float64Array | undefined> {
    const entry = findEntry(this.#directory, tag)
    return entry && (await readNumbers(this.#file, entry))
  }

  /**
   * Returns the value of a field, or `fallback` if it is missing. @throws CodecError (malformed) if it has several values, because readers
   * disagree which one counts
   */
  async number(tag: number, fallback: number): Promise<number> {
    const numbers = await this.numbers(tag)
    if (!numbers) return fallback
    const [first] = numbers
    // TIFF 5.0 and earlier stored the compression once for each sample.
    const alike = tag === TAG.compression && numbers.every((number) => number === first)
    if (first === undefined || (numbers.length > 1 && !alike))
      throw this.malformed(message('tag_has_values', { tag, count: numbers.length }))
    return first
  }

  malformed(what: MessageOrCode): Error {
    return malformed(this.#file.format, this.#directory.offset, what)
  }
}

/** Reads the pixel storage of a directory. `undefined`: the directory has no pixels (Exif, GPS, a JPEG thumbnail). */
export async function readPixels(file: TiffFile, directory: TiffDirectory): Promise<PixelStorage | undefined> {
  const fields = new Fields(file, directory)
  checkChunkTags(fields)
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
  // Blank tiles may share their bytes. Hostile files could make a tile to decode out of each 8 bytes, so sharing is limited.
  if (stored > MAX_STORED_FACTOR * file.source.size)
    throw overBudget(message('strips_or_tiles_of_bytes_in_file', { stored, fileSize: file.source.size }))
  return { ...pixels, lengths, decodable: rows && canDecode(pixels) && !(compression === COMPRESSION.jpeg && photometric === YCBCR) }
}

/** @throws CodecError (malformed) if tags of tiles and of strips are mixed, because readers disagree which ones count */
function checkChunkTags(fields: Fields): void {
  for (const [tile, strip] of [
    [TAG.tileOffsets, TAG.stripOffsets],
    [TAG.tileByteCounts, TAG.stripByteCounts],
  ] as const) {
    if (!fields.has(tile)) continue
    if (fields.has(strip)) throw fields.malformed(message('tile_tag_beside_strip_tag', { tile, strip }))
    if (!fields.has(TAG.tileWidth)) throw fields.malformed(message('tile_tag_among_strips', { tile }))
  }
}

/** Pixel storage without chunk lengths. */
type StoredPixels = Omit<PixelStorage, 'lengths' | 'decodable'>

/** Reads how the picture is split into strips or tiles. */
async function readChunks(fields: Fields, offsets: number) {
  const width = await fields.number(TAG.imageWidth, 0)
  const height = await fields.number(TAG.imageLength, 0)
  if (width < 1 || height < 1) throw fields.malformed(message('picture_of', { width, height }))
  const tiled = fields.has(TAG.tileWidth)
  const chunkWidth = tiled ? await fields.number(TAG.tileWidth, 0) : width
  // The default of RowsPerStrip is 2^32 - 1, which means one strip.
  const rowsPerStrip = tiled ? 0 : (await fields.number(TAG.rowsPerStrip, height)) || height
  const chunkHeight = tiled ? await fields.number(TAG.tileLength, 0) : Math.min(height, rowsPerStrip)
  if (chunkWidth < 1 || chunkHeight < 1) throw fields.malformed(message('tiles_of', { width: chunkWidth, height: chunkHeight }))
  const samplesPerPixel = await fields.number(TAG.samplesPerPixel, 1)
  const configuration = await fields.number(TAG.planarConfiguration, 1)
  // Readers accept another PlanarConfiguration while samples are uncompressed, and refuse it once they are compressed.
  if (configuration !== 1 && configuration !== 2) throw fields.malformed(message('planar_configuration', { configuration }))
  const planar = configuration === 2
  if (samplesPerPixel < 1) throw fields.malformed('no_samples')
  const planes = planar ? samplesPerPixel : 1
  const chunksPerPlane = Math.ceil(width / chunkWidth) * Math.ceil(height / chunkHeight)
  const chunks = chunksPerPlane * planes
  if (chunks > MAX_CHUNKS) throw overBudget(message('strips_or_tiles', { chunks }))
  // If there are more offsets than chunks, some readers take the rest for more planes. Whittle would drop their data.
  if (offsets !== chunks) throw fields.malformed(message('offsets_for_strips_or_tiles', { offsets, chunks }))
  return { width, height, tiled, chunkWidth, chunkHeight, samplesPerPixel, planes, chunksPerPlane }
}

/** Reads depth and format of the samples. `uniform`: all samples of a pixel have the same depth, which rows and predictors require. */
async function readSamples(fields: Fields, samplesPerPixel: number) {
  const depths = (await fields.numbers(TAG.bitsPerSample)) ?? Float64Array.of(1)
  const bits = depths[0] ?? 1
  const formats = (await fields.numbers(TAG.sampleFormat)) ?? Float64Array.of(1)
  const alike = depths.every((depth) => depth === bits) && (depths.length === 1 || depths.length >= samplesPerPixel)
  return { bits, floating: formats[0] === 3, uniform: alike && bits >= 1 && bits <= 64 }
}

export const isFax = (compression: number): boolean =>
  compression === COMPRESSION.faxRle || compression === COMPRESSION.faxGroup3 || compression === COMPRESSION.faxGroup4

export const isDeflate = (compression: number): boolean => compression === COMPRESSION.adobeDeflate || compression === COMPRESSION.deflate

function canDecode(pixels: StoredPixels): boolean {
  if (!(Object.values(COMPRESSION) as number[]).includes(pixels.compression)) return false
  // Readers agree about reversed bits only for samples smaller than a byte.
  if (pixels.mirrored && pixels.bits >= 8) return false
  if (pixels.compression === COMPRESSION.jpeg) return pixels.bits === 8 && [1, 3, 4].includes(pixels.samples) && !pixels.floating
  if (isFax(pixels.compression)) return pixels.bits === 1 && pixels.samples === 1 && decodedBytes(pixels) <= MAX_FAX_BYTES
  if (pixels.predictor === 1) return true
  if (pixels.predictor === 2) return [8, 16, 32, 64].includes(pixels.bits)
  return pixels.predictor === 3 && pixels.floating && [16, 24, 32, 64].includes(pixels.bits)
}

/** True if chroma is subsampled (TIFF 6.0 section 21). Such pixels are stored in blocks with several luma samples, not in rows. */
async function isSubsampled(fields: Fields): Promise<boolean> {
  const [horizontal = 2, vertical = 2] = (await fields.numbers(TAG.ycbcrSubsampling)) ?? []
  return horizontal !== 1 || vertical !== 1
}

/** PhotometricInterpretation of YCbCr. */
const YCBCR = 6
/** Limit for the shared JPEG tables: four quantisation tables and four pairs of complete Huffman tables fit. */
const MAX_TABLES_BYTES = 16 * 1024

async function tablesOf(file: TiffFile, directory: TiffDirectory): Promise<Uint8Array | undefined> {
  const entry = findEntry(directory, TAG.jpegTables)
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
    // A single uncompressed strip may have byte count 0. Old writers left it to the reader.
    if (!(chunks === 1 && lengths[0] === 0 && pixels.compression === 1 && pixels.offsets[0] !== 0)) return lengths
  } else if (counts || pixels.compression !== COMPRESSION.none || pixels.rowBytes === 0) {
    throw fields.malformed(message('byte_counts_for_strips_or_tiles', { counts: counts?.length ?? 0, chunks }))
  }
  return Float64Array.from({ length: chunks }, (_, i) => pixels.rowBytes * rowsOf(pixels, i))
}

/** Reads the first 4096 bytes of a text field as Latin-1. Used to detect formats that are based on TIFF. */
export async function textOf(file: TiffFile, directory: TiffDirectory, tag: number): Promise<string> {
  const entry = findEntry(directory, tag)
  if (!entry || entry.byteLength === 0) return ''
  return new TextDecoder('latin1').decode(
    (await readValue(file.source, { ...entry, byteLength: Math.min(entry.byteLength, 4096) })).subarray(0, 4096),
  )
}
