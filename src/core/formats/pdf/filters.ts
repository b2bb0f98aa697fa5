/** Generic stream filters (ISO 32000-2, 7.4), in memory and as streams. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { concat } from '../../bytes/concat.ts'
import { inflateStream, inflateZlib } from '../../bytes/inflate-stream.ts'
import { message } from '../../i18n/message.ts'
import { ascii85, asciiHex, lzw, runLength } from './legacy-filters.ts'
import { Dict, Name, nameOf, numberOr, type PdfObject, PdfSyntax } from './objects.ts'
import { type RowShape, Unpredictor } from './predictor.ts'

export interface Filter {
  name: string
  parms: Dict | null
}

/** Filters that decode any data. All other filters encode images. */
export const GENERIC_FILTERS: ReadonlySet<string> = new Set([
  'FlateDecode',
  'LZWDecode',
  'ASCII85Decode',
  'ASCIIHexDecode',
  'RunLengthDecode',
])

/** Abbreviated filter names of inline images (ISO 32000-2, 8.9.7, table 92). Some writers use them in streams, too. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  Fl: 'FlateDecode',
  LZW: 'LZWDecode',
  A85: 'ASCII85Decode',
  AHx: 'ASCIIHexDecode',
  RL: 'RunLengthDecode',
  CCF: 'CCITTFaxDecode',
  DCT: 'DCTDecode',
}

/** Returns the filters of a stream from its resolved /Filter and /DecodeParms values. */
export function filterChain(filter: PdfObject, parms: PdfObject): Filter[] {
  const names = Array.isArray(filter) ? filter : filter instanceof Name ? [filter] : []
  if (names.length > 16) throw new PdfSyntax('more_than_16_filters')
  return names.map((item, index) => {
    const name = nameOf(item)
    const own = Array.isArray(parms) ? parms[index] : index === 0 ? parms : null
    return { name: ABBREVIATIONS[name] ?? name, parms: own instanceof Dict ? own : null }
  })
}

/** Replaces the filter entries of a stream dictionary with this chain. */
export function setFilters(dict: Dict, chain: readonly Filter[]): void {
  for (const key of ['Filter', 'DecodeParms', 'DP', 'F']) dict.delete(key)
  const [only] = chain
  if (!only) return
  if (chain.length === 1) {
    dict.set('Filter', Name.of(only.name))
    if (only.parms) dict.set('DecodeParms', only.parms)
    return
  }
  dict.set(
    'Filter',
    chain.map((f) => Name.of(f.name)),
  )
  if (chain.some((f) => f.parms))
    dict.set(
      'DecodeParms',
      chain.map((f) => f.parms),
    )
}

/** Row layout from /DecodeParms (ISO 32000-2, 7.4.4.4, table 8). `undefined`: no predictor. */
export function rowShape(parms: Dict | null): RowShape | undefined {
  const predictor = numberOr(parms?.get('Predictor'), 1)
  if (!parms || predictor < 2) return undefined
  return {
    predictor,
    colors: numberOr(parms.get('Colors'), 1),
    bitsPerComponent: numberOr(parms.get('BitsPerComponent'), 8),
    columns: numberOr(parms.get('Columns'), 1),
  }
}

/**
 * Decodes one filter in memory.
 * @throws PdfSyntax if the data is damaged or decodes to more than `maxBytes`.
 */
export function decodeFilter(filter: Filter, bytes: Uint8Array, maxBytes: number): Uint8Array {
  switch (filter.name) {
    case 'FlateDecode':
      return unpredict(inflate(bytes, maxBytes), filter.parms)
    case 'LZWDecode':
      return unpredict(lzw(bytes, numberOr(filter.parms?.get('EarlyChange'), 1), maxBytes), filter.parms)
    case 'ASCII85Decode':
      return ascii85(bytes)
    case 'ASCIIHexDecode':
      return asciiHex(bytes)
    case 'RunLengthDecode':
      return runLength(bytes, maxBytes)
    default:
      throw new PdfSyntax(message('filter_name', { name: filter.name }))
  }
}

function unpredict(bytes: Uint8Array, parms: Dict | null): Uint8Array {
  const shape = rowShape(parms)
  if (!shape) return bytes
  const unpredictor = new Unpredictor(shape)
  const rows = unpredictor.push(bytes)
  const rest = unpredictor.end()
  return rest.length ? concat([rows, rest]) : rows
}

/** Inflates zlib data. Truncated data returns the bytes before the cut, as PDF readers do. */
export function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return inflateZlib(bytes, maxBytes, { mayBeCut: true })
  } catch (error) {
    if (!isEngineError(error, 'deflate')) throw error
    throw new PdfSyntax(
      error.failure === 'too_large' ? message('flate_data_of_more_than_bytes', { limit: maxBytes }) : message('damaged_flate_data'),
    )
  }
}

type Flow = AsyncIterable<Uint8Array>

/**
 * Decodes one filter as a stream of chunks. Only Flate is streamed; other filters first collect their input, up to `maxGathered` bytes.
 */
export function decodeChunks(filter: Filter, input: Flow, maxBytes: number, maxGathered: number): Flow {
  if (filter.name !== 'FlateDecode') return gather(filter, input, maxBytes, maxGathered)
  const shape = rowShape(filter.parms)
  const inflated = inflateFlow(input, maxBytes)
  return shape ? unpredictFlow(inflated, shape) : inflated
}

async function* gather(filter: Filter, input: Flow, maxBytes: number, maxGathered: number): Flow {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of input) {
    length += part.length
    if (length > maxGathered) throw new PdfSyntax(message('data_over_limit', { name: filter.name }))
    parts.push(part)
  }
  yield decodeFilter(filter, concat(parts), Math.min(maxBytes, maxGathered * 4))
}

async function* unpredictFlow(input: Flow, shape: RowShape): Flow {
  const unpredictor = new Unpredictor(shape)
  for await (const part of input) {
    const rows = unpredictor.push(part)
    if (rows.length) yield rows
  }
  const rest = unpredictor.end()
  if (rest.length) yield rest
}

async function* inflateFlow(input: Flow, maxBytes: number): Flow {
  try {
    yield* inflateStream('zlib', input, maxBytes, { mayBeCut: true })
  } catch (error) {
    throw isEngineError(error, 'deflate') ? new PdfSyntax(message('engine_reports', { problem: error.message })) : error
  }
}
