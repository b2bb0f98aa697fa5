/** How the pixels of one directory are stored: strips or tiles, their size, their compression. */
import { malformed, overBudget } from '../../codec/error.ts'
import { type Directory, find, readNumbers, readValue, TAG, type TiffFile } from './directory.ts'

/** Values of the Compression tag that are decoded here; all others are copied. */
export const COMPRESSION = {
  none: 1,
  faxRle: 2,
  faxGroup3: 3,
  faxGroup4: 4,
  lzw: 5,
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
  /** Can be decoded here, and compressed anew. */
  readonly decodable: boolean
}

/** Decoded bytes of all chunks together. */
export const rawBytes = (pixels: Omit<Pixels, 'lengths' | 'decodable'>): number =>
  pixels.tiled
    ? pixels.rowBytes * pixels.chunkHeight * pixels.planes * pixels.chunksPerPlane
    : pixels.rowBytes * pixels.height * pixels.planes

/** Rows in chunk `index` (a tile always has all of them, the last strip fewer). */
export function rowsOf(pixels: Pixels, index: number): number {
  if (pixels.tiled) return pixels.chunkHeight
  const inPlane = index % pixels.chunksPerPlane
  return Math.min(pixels.chunkHeight, pixels.height - inPlane * pixels.chunkHeight)
}

/** The picture of a directory, or undefined when it has none (Exif, GPS, a thumbnail as a JPEG blob). */
export async function readPixels(file: TiffFile, directory: Directory): Promise<Pixels | undefined> {
  const { source, littleEndian, format } = file
  const damaged = (what: string) => malformed(format, directory.offset, what)
  const numbers = async (tag: number) => {
    const entry = find(directory, tag)
    return entry && (await readNumbers(source, entry, littleEndian))
  }
  const number = async (tag: number, fallback: number) => (await numbers(tag))?.[0] ?? fallback

  const offsets = (await numbers(TAG.tileOffsets)) ?? (await numbers(TAG.stripOffsets))
  if (!offsets) return undefined
  const width = await number(TAG.imageWidth, 0)
  const height = await number(TAG.imageLength, 0)
  if (width < 1 || height < 1) throw damaged(`a picture of ${width}×${height}`)
  const tiled = find(directory, TAG.tileWidth) !== undefined
  const chunkWidth = tiled ? await number(TAG.tileWidth, 0) : width
  // RowsPerStrip is 2^32 - 1 by default: one strip.
  const chunkHeight = tiled ? await number(TAG.tileLength, 0) : Math.min(height, (await number(TAG.rowsPerStrip, height)) || height)
  if (chunkWidth < 1 || chunkHeight < 1) throw damaged(`tiles of ${chunkWidth}×${chunkHeight}`)
  const samplesPerPixel = await number(TAG.samplesPerPixel, 1)
  const planar = (await number(TAG.planarConfiguration, 1)) === 2
  if (samplesPerPixel < 1) throw damaged('no samples')
  const planes = planar ? samplesPerPixel : 1
  const across = Math.ceil(width / chunkWidth)
  const chunksPerPlane = across * Math.ceil(height / chunkHeight)
  const chunks = chunksPerPlane * planes
  if (chunks > 2_000_000) throw overBudget(`${chunks} strips or tiles`)
  if (offsets.length < chunks) throw damaged(`${offsets.length} offsets for ${chunks} strips or tiles`)

  const depths = (await numbers(TAG.bitsPerSample)) ?? Float64Array.of(1)
  const bits = depths[0] ?? 1
  const formats = (await numbers(TAG.sampleFormat)) ?? Float64Array.of(1)
  const compression = await number(TAG.compression, 1)
  const declared = await number(TAG.predictor, 1)
  const predicting = compression === COMPRESSION.lzw || isDeflate(compression) || compression === COMPRESSION.zstd
  const uniform =
    depths.every((depth) => depth === bits) && (depths.length === 1 || depths.length >= samplesPerPixel) && bits >= 1 && bits <= 64
  const mirrored = (await number(TAG.fillOrder, 1)) === 2
  const samples = planar ? 1 : samplesPerPixel
  const rows = uniform && !(await isSubsampled(file, directory))
  const pixels: Omit<Pixels, 'lengths' | 'decodable'> = {
    directory,
    width,
    height,
    tiled,
    chunkWidth,
    chunkHeight,
    planes,
    chunksPerPlane,
    samples,
    bits,
    floating: formats[0] === 3,
    rowBytes: rows ? Math.ceil((chunkWidth * samples * bits) / 8) : 0,
    compression,
    predictor: predicting ? declared : 1,
    twoDimensional: ((await number(TAG.t4Options, 0)) & 1) === 1,
    mirrored,
    offsets: offsets.subarray(0, chunks),
  }
  const lengths = await byteCounts(file, pixels, numbers)
  for (let i = 0; i < chunks; i++) {
    if (offsets[i]! + lengths[i]! > source.size) throw malformed(format, offsets[i]!, `strip or tile ${i} lies outside the file`)
  }
  return { ...pixels, lengths, decodable: rows && canDecode(pixels) }
}

/** Fax: decoded when a picture of up to this many bytes has nothing unusual in it. */
const MAX_FAX_BYTES = 64 * 1024 * 1024

export const isFax = (compression: number): boolean =>
  compression === COMPRESSION.faxRle || compression === COMPRESSION.faxGroup3 || compression === COMPRESSION.faxGroup4

export const isDeflate = (compression: number): boolean => compression === COMPRESSION.adobeDeflate || compression === COMPRESSION.deflate

function canDecode(pixels: Omit<Pixels, 'lengths' | 'decodable'>): boolean {
  if (!(Object.values(COMPRESSION) as number[]).includes(pixels.compression)) return false
  // Readers agree on mirrored bits only for samples smaller than a byte.
  if (pixels.mirrored && pixels.bits >= 8) return false
  if (isFax(pixels.compression)) return pixels.bits === 1 && pixels.samples === 1 && rawBytes(pixels) <= MAX_FAX_BYTES
  if (pixels.predictor === 1) return true
  if (pixels.predictor === 2) return [8, 16, 32, 64].includes(pixels.bits)
  return pixels.predictor === 3 && pixels.floating && [16, 24, 32, 64].includes(pixels.bits)
}

/** TIFF 6.0 section 21: the chroma of a YCbCr picture may be stored in blocks with several lumas; then there are no rows. */
async function isSubsampled(file: TiffFile, directory: Directory): Promise<boolean> {
  const photometric = find(directory, TAG.photometric)
  if (!photometric || (await readNumbers(file.source, photometric, file.littleEndian))[0] !== 6) return false
  const entry = find(directory, TAG.ycbcrSubsampling)
  const [horizontal = 2, vertical = 2] = entry ? await readNumbers(file.source, entry, file.littleEndian) : []
  return horizontal !== 1 || vertical !== 1
}

async function byteCounts(
  file: TiffFile,
  pixels: Omit<Pixels, 'lengths' | 'decodable'>,
  numbers: (tag: number) => Promise<Float64Array | undefined>,
): Promise<Float64Array> {
  const chunks = pixels.offsets.length
  const counts = (await numbers(TAG.tileByteCounts)) ?? (await numbers(TAG.stripByteCounts))
  if (counts && counts.length >= chunks) {
    const lengths = counts.subarray(0, chunks)
    // A single uncompressed strip may say 0: old writers left it to the reader.
    if (!(chunks === 1 && lengths[0] === 0 && pixels.compression === 1 && pixels.offsets[0] !== 0)) return lengths
  } else if (counts || pixels.compression !== COMPRESSION.none || pixels.rowBytes === 0) {
    throw malformed(file.format, pixels.directory.offset, `${counts?.length ?? 0} byte counts for ${chunks} strips or tiles`)
  }
  return Float64Array.from(
    { length: chunks },
    (_, i) => pixels.rowBytes * rowsOf({ ...pixels, lengths: new Float64Array(), decodable: false }, i),
  )
}

/** The first bytes of a text field, for telling apart what hides behind TIFF. */
export async function textOf(file: TiffFile, directory: Directory, tag: number): Promise<string> {
  const entry = find(directory, tag)
  if (!entry || entry.byteLength === 0) return ''
  return new TextDecoder('latin1').decode(
    (await readValue(file.source, { ...entry, byteLength: Math.min(entry.byteLength, 4096) })).subarray(0, 4096),
  )
}
