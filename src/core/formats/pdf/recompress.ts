/**
 * Lossless recompression of a stream: decodes its generic filters and deflates the bytes with libdeflate, with PNG predictors where they
 * help.
 */
import { BEST_LEVEL, deflateWithin, zlibCompress } from '../../bytes/deflate.ts'
import { DEFAULT_EFFORT, type Effort } from '../../catalog/effort.ts'
import { componentsOf } from './colour.ts'
import { decodeFilter, type Filter, GENERIC_FILTERS, rowShape, setFilters } from './filters.ts'
import { Dict, nameOf, type PdfObject, type Stream } from './objects.ts'
import { Predictor, pixelBytes, type RowShape, rowBytes } from './predictor.ts'
import type { Reader } from './reader.ts'
import { QUICK_EXCESS, QUICK_LEVEL, THOROUGH_BYTES, TRIAL_BYTES } from './tuning.ts'

/** Stream dictionary and data as they will be written. */
export interface RewrittenStream {
  dict: Dict
  data: Uint8Array
  /** True if the stream must be written even if it is larger, because it also replaces other streams. */
  isShared?: boolean
}

const SMALLEST_BYTES = 24
/**
 * Maximum encoded (`MAX_STORED_BYTES`) and decoded (`MAX_DECODED_BYTES`) size of a stream that is recompressed in memory. Larger streams
 * are copied.
 */
export const MAX_STORED_BYTES = 8 * 1024 * 1024
export const MAX_DECODED_BYTES = 16 * 1024 * 1024
/** Size in bytes that a predictor adds to the stream dictionary with /DecodeParms. */
const PARMS_BYTES = 60

/**
 * Chooses the Deflate level by the length of the stream and the bytes deflated so far. Level 12 runs at about 2 MB/s, level 9 at 15 MB/s,
 * level 6 at 60 MB/s.
 */
export class DeflateEffort {
  private readonly effort: Effort
  private spent = 0

  constructor(effort: Effort = DEFAULT_EFFORT) {
    this.effort = effort
  }

  level(bytes: number): number {
    this.spent += bytes
    if (this.effort === 'best') return this.spent < 120 * 1024 * 1024 ? BEST_LEVEL : 9
    if (this.effort === 'fast') return this.spent < 120 * 1024 * 1024 ? 9 : 6
    if (this.spent < 24 * 1024 * 1024)
      return bytes <= THOROUGH_BYTES ? 12 : bytes <= 4 * THOROUGH_BYTES ? 11 : bytes <= 16 * THOROUGH_BYTES ? 10 : 9
    return this.spent < 120 * 1024 * 1024 ? 9 : 6
  }
}

/** Estimate for the lossless recompression of a stream: a fast Deflate trial now, the full effort on request. */
export interface RecompressionTrial {
  /** Size in bytes after a fast Deflate trial; at most the size of the original. */
  trialBytes: number
  finish(): Promise<RewrittenStream | undefined>
}

/**
 * Recompresses a stream. `undefined`: the result is not smaller.
 * @throws PdfSyntax if the data is damaged; the caller then copies the stream.
 */
export async function recompress(
  reader: Reader,
  stream: Stream,
  chain: Filter[],
  effort: DeflateEffort,
): Promise<RewrittenStream | undefined> {
  return (await tryRecompression(reader, stream, chain, effort))?.finish()
}

/** Maximum decoded bytes kept in memory between the fast trial and the full Deflate. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

export async function tryRecompression(
  reader: Reader,
  stream: Stream,
  chain: Filter[],
  effort: DeflateEffort,
): Promise<RecompressionTrial | undefined> {
  const length = await reader.length(stream)
  if (length < SMALLEST_BYTES || length > MAX_STORED_BYTES) return undefined
  let generic = 0
  while (generic < chain.length && GENERIC_FILTERS.has(chain[generic]!.name)) generic++
  const rest = chain.slice(generic)
  if ((chain.length > 0 && generic === 0) || rest.some((filter) => filter.name === 'Crypt')) return undefined
  const open = async (): Promise<DeflateTrial> => {
    let bytes = await reader.raw(stream, MAX_STORED_BYTES)
    for (const filter of chain.slice(0, generic)) bytes = decodeFilter(filter, bytes, MAX_DECODED_BYTES)
    return rest.length > 0
      ? finishedDeflation(withoutWrapping(bytes, rest))
      : tryDeflate(bytes, await layoutOf(reader, stream, chain), length)
  }
  const first = await open()
  let keptDeflation = first.memoryBytes <= MAX_KEPT_BYTES ? first : undefined
  return {
    trialBytes: Math.min(length, first.trialBytes),
    async finish() {
      const best = (keptDeflation ?? (await open())).finish(effort)
      keptDeflation = undefined
      if (!best || best.data.length + (best.chain[0]?.parms ? PARMS_BYTES : 0) >= length) return undefined
      const dict = new Dict(stream.dict)
      setFilters(dict, best.chain)
      return { dict, data: best.data }
    },
  }
}

/** Data prepared for Deflate, with the size of a fast trial. */
export interface DeflateTrial {
  trialBytes: number
  /** Bytes that the prepared data takes in memory. */
  memoryBytes: number
  finish(effort: DeflateEffort): DeflatedData | undefined
}

const finishedDeflation = (packed: DeflatedData): DeflateTrial => ({
  trialBytes: packed.data.length,
  memoryBytes: packed.data.length,
  finish: () => packed,
})

export interface DeflatedData {
  chain: Filter[]
  data: Uint8Array
}

/** Input of Deflate, and the filter chain that restores the stream from its output. */
interface Undeflated {
  bytes: Uint8Array
  chain: Filter[]
}

/**
 * Handles an image filter that is wrapped in generic filters. JPEG and JPEG 2000 lose the wrapping; fax data may stay smaller with Flate.
 */
function withoutWrapping(bytes: Uint8Array, rest: Filter[]): DeflatedData {
  if (rest[0]!.name === 'DCTDecode' || rest[0]!.name === 'JPXDecode') return { chain: rest, data: bytes }
  const packed = deflateWithin('zlib', bytes, bytes.length - 32)
  return packed ? { chain: [{ name: 'FlateDecode', parms: null }, ...rest], data: packed } : { chain: rest, data: bytes }
}

/** Deflates data with and without a row predictor and returns the smaller result. `undefined`: neither is smaller than `budget` bytes. */
export function deflateBest(
  bytes: Uint8Array,
  layout: RowShape | undefined,
  effort: DeflateEffort,
  budget: number,
): DeflatedData | undefined {
  return tryDeflate(bytes, layout, budget).finish(effort)
}

/** Row layout of a stream. Images also have a number of rows; data after the last row is not visible. */
type Layout = RowShape & { readonly rows?: number }

/** True if the data ends with an incomplete row. A row predictor would lose that row. */
const hasIncompleteRow = (bytes: Uint8Array, row: number, rows = Number.POSITIVE_INFINITY) =>
  bytes.length % row > 0 && Math.floor(bytes.length / row) < rows

/** Prepares data for Deflate: a fast trial first, with and without a row predictor. `finish` deflates at full effort. */
export function tryDeflate(bytes: Uint8Array, layout: Layout | undefined, budget: number): DeflateTrial {
  const withoutPredictor: Undeflated = { bytes, chain: [{ name: 'FlateDecode', parms: null }] }
  const row = layout ? rowBytes(layout) : 0
  const long = bytes.length > TRIAL_BYTES
  if (!layout || row < 2 || bytes.length < row * 4 || hasIncompleteRow(bytes, row, layout.rows)) {
    const trialBytes = long ? zlibCompress(bytes, QUICK_LEVEL).length : bytes.length
    const finish = (effort: DeflateEffort) => {
      const data = trialBytes > budget * QUICK_EXCESS && long ? undefined : deflateWithin('zlib', bytes, budget, effort.level(bytes.length))
      return data && { chain: withoutPredictor.chain, data }
    }
    return { trialBytes: trialBytes, memoryBytes: bytes.length, finish }
  }
  const predicted = new Predictor(row, pixelBytes(layout)).rows(bytes.subarray(0, bytes.length - (bytes.length % row)))
  const withPredictor: Undeflated = { bytes: predicted, chain: [{ name: 'FlateDecode', parms: predictorParms(layout) }] }
  const [rows, plain] = [zlibCompress(predicted, QUICK_LEVEL).length, zlibCompress(bytes, QUICK_LEVEL).length]
  const trialBytes = Math.min(rows, plain)
  if (!long)
    return {
      trialBytes: trialBytes,
      memoryBytes: bytes.length * 2,
      finish: (effort) => smallerOf(withoutPredictor, withPredictor, effort, budget),
    }
  const chosen = rows < plain ? withPredictor : withoutPredictor
  const finish = (effort: DeflateEffort) => {
    const data =
      trialBytes > budget * QUICK_EXCESS ? undefined : deflateWithin('zlib', chosen.bytes, budget, effort.level(chosen.bytes.length))
    return data && { chain: chosen.chain, data }
  }
  return { trialBytes: trialBytes, memoryBytes: chosen.bytes.length, finish }
}

/** Deflates both variants, with and without row predictor, at full effort. `undefined`: neither is smaller than `budget` bytes. */
function smallerOf(
  withoutPredictor: Undeflated,
  withPredictor: Undeflated,
  effort: DeflateEffort,
  budget: number,
): DeflatedData | undefined {
  const level = effort.level(withoutPredictor.bytes.length)
  const byRow = deflateWithin('zlib', withPredictor.bytes, budget, level)
  const plain = deflateWithin('zlib', withoutPredictor.bytes, byRow ? byRow.length + PARMS_BYTES : budget, level)
  if (plain) return { chain: withoutPredictor.chain, data: plain }
  return byRow && { chain: withPredictor.chain, data: byRow }
}

/** /DecodeParms for a PNG predictor (ISO 32000-2, 7.4.4.4, table 8), without default values. */
export function predictorParms(layout: RowShape): Dict {
  const entries: [string, PdfObject][] = [['Predictor', 15]]
  if (layout.colors !== 1) entries.push(['Colors', layout.colors])
  if (layout.bitsPerComponent !== 8) entries.push(['BitsPerComponent', layout.bitsPerComponent])
  entries.push(['Columns', layout.columns])
  return new Dict(entries)
}

/** Row layout of the decoded bytes: from the image dictionary, or from the predictor of the source. */
async function layoutOf(reader: Reader, stream: Stream, chain: readonly Filter[]): Promise<Layout | undefined> {
  const { dict } = stream
  if (nameOf(await reader.entry(dict, 'Subtype')) === 'Image') {
    const mask = (await reader.entry(dict, 'ImageMask')) === true
    const columns = await reader.number(dict, 'Width', 0)
    const bitsPerComponent = mask ? 1 : await reader.number(dict, 'BitsPerComponent', 8)
    const colors = mask ? 1 : await componentsOf(reader, dict.get('ColorSpace'))
    const sane = columns >= 1 && columns < 1 << 20 && colors >= 1 && colors <= 32 && [1, 2, 4, 8, 16].includes(bitsPerComponent)
    return sane ? { predictor: 15, colors, bitsPerComponent, columns, rows: await reader.number(dict, 'Height', 0) } : undefined
  }
  const shape = rowShape(chain[0]?.parms ?? null)
  return shape && { ...shape, predictor: 15 }
}
