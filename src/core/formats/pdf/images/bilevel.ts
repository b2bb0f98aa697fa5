/** Lossless recompression of bilevel images as CCITT Group 4, JBIG2 or Flate, whichever is smallest. */

import { FaxEncoder } from '../../../bytes/ccitt/encode.ts'
import { concat } from '../../../bytes/concat.ts'
import { message } from '../../../i18n/message.ts'
import { type Filter, GENERIC_FILTERS, setFilters } from '../filters.ts'
import { Dict, numberOr, type PdfObject, PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type DeflateEffort, deflateBest, type RewrittenStream } from '../recompress.ts'
import { FAX_GAIN } from '../tuning.ts'
import type { ImageFacts } from './facts.ts'
import { decodeFax } from './fax-decode.ts'
import { Jbig2Encoder } from './jbig2.ts'
import { imageDataChunks } from './rows.ts'

/** Dictionary bytes for the /K, /Columns and /Rows parameters of a fax stream. */
const PARMS_BYTES = 48
/** Maximum size in bytes of the rows kept in memory for Flate. A page at 600 dpi has 4 MB. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024
const MAX_FAX_BYTES = 16 * 1024 * 1024
const STRIP_BYTES = 256 * 1024
const DEFAULT_COLUMNS = 1728

/** True if an image has one bit per pixel (grey, indexed or stencil) and is stored with generic filters or as CCITT Group 4. */
export function isBilevel(facts: ImageFacts): boolean {
  if (facts.bitsPerComponent !== 1 || facts.components !== 1) return false
  return facts.chain.every((filter) => GENERIC_FILTERS.has(filter.name)) || isGroup4(facts)
}

/** True if an image is CCITT Group 4 with parameters that `fax-decode.ts` supports (ISO 32000-2, 7.4.6, table 11). */
function isGroup4(facts: ImageFacts): boolean {
  const last = facts.chain.at(-1)
  if (last?.name !== 'CCITTFaxDecode' || !facts.chain.slice(0, -1).every((filter) => GENERIC_FILTERS.has(filter.name))) return false
  const { parms } = last
  const rows = numberOr(parms?.get('Rows'), 0)
  return (
    numberOr(parms?.get('K'), 0) < 0 &&
    parms?.get('EncodedByteAlign') !== true &&
    parms?.get('EndOfLine') !== true &&
    numberOr(parms?.get('Columns'), DEFAULT_COLUMNS) === facts.width &&
    (rows === 0 || rows >= facts.height)
  )
}

/** Yields the packed rows of a bilevel image in strips. */
export async function decodeBilevelStrips(reader: Reader, stream: Stream, facts: ImageFacts): Promise<AsyncIterable<Uint8Array>> {
  if (isGroup4(facts)) return faxFlow(reader, stream, facts)
  const { flow } = await reader.decodedPieces(stream, ((facts.width + 7) >> 3) * facts.height + 65_536)
  return flow
}

async function* faxFlow(reader: Reader, stream: Stream, facts: ImageFacts): AsyncGenerator<Uint8Array> {
  if (facts.length > MAX_FAX_BYTES) throw new PdfSyntax('fax_over_limit')
  const parts: Uint8Array[] = []
  for await (const piece of imageDataChunks(reader, stream, facts)) parts.push(piece)
  // /BlackIs1 inverts the decoded samples. It does not change the coding.
  const mask = facts.chain.at(-1)?.parms?.get('BlackIs1') === true ? 255 : 0
  let strip: Uint8Array[] = []
  let bytes = 0
  for (const row of decodeFax(concat(parts), facts.width, facts.height)) {
    if (mask) for (let i = 0; i < row.length; i++) row[i] = row[i]! ^ mask
    strip.push(row)
    bytes += row.length
    if (bytes < STRIP_BYTES) continue
    yield concat(strip)
    strip = []
    bytes = 0
  }
  yield concat(strip)
}

export async function recodeBilevel(
  reader: Reader,
  stream: Stream,
  facts: ImageFacts,
  effort: DeflateEffort,
): Promise<RewrittenStream | undefined> {
  const fromFax = isGroup4(facts)
  const rowBytes = (facts.width + 7) >> 3
  const total = rowBytes * facts.height
  const budget = fromFax ? Math.floor(facts.length * FAX_GAIN) : facts.length
  const fax = fromFax ? undefined : new FaxEncoder(facts.width, budget - PARMS_BYTES)
  const jbig2 = new Jbig2Encoder(facts.width, budget)
  const keptRows: Uint8Array[] = []
  const keep = !fromFax && total <= MAX_KEPT_BYTES
  let rest = new Uint8Array(0)
  let done = 0
  // True if the stream has more data than the image has rows. A fax stream would keep only the rows, so generic recompression handles this
  // case.
  let hasExtraData = false
  for await (const piece of await decodeBilevelStrips(reader, stream, facts)) {
    const bytes = rest.length ? concat([rest, piece]) : piece
    const whole = Math.min(bytes.length - (bytes.length % rowBytes), total - done)
    const rows = bytes.subarray(0, whole)
    if (fax && !fax.full) fax.push(rows)
    if (!jbig2.full) jbig2.push(rows)
    if (keep) keptRows.push(rows.slice())
    else if ((fax?.full ?? true) && jbig2.full) return undefined
    done += whole
    rest = bytes.slice(whole)
    if (done < total) continue
    hasExtraData = rest.length > 0
    rest = new Uint8Array(0)
    if (hasExtraData) break
  }
  if (done < total) throw new PdfSyntax(message('bilevel_image_cut_short', { done, bytes: total }))
  const coded = smallest(facts, fax?.end(), jbig2.end())
  const layout = { predictor: 15, colors: 1, bitsPerComponent: 1, columns: facts.width }
  const least = Math.min(budget, coded?.size ?? budget)
  const packed = keptRows.length > 0 && !hasExtraData ? deflateBest(concat(keptRows), layout, effort, least) : undefined
  const dict = new Dict(facts.dict)
  if (packed) {
    setFilters(dict, packed.chain)
    return { dict, data: packed.data }
  }
  if (!coded) return undefined
  setFilters(dict, [coded.filter])
  return { dict, data: coded.data }
}

/** Encodes packed one-bit rows as CCITT Group 4 or JBIG2, whichever is smaller. `undefined`: neither is smaller than `budget` bytes. */
export function encodeBilevelRows(facts: ImageFacts, rows: Uint8Array, budget: number) {
  const fax = new FaxEncoder(facts.width, budget - PARMS_BYTES)
  const jbig2 = new Jbig2Encoder(facts.width, budget)
  fax.push(rows)
  jbig2.push(rows)
  return smallest(facts, fax.end(), jbig2.end())
}

function smallest(facts: ImageFacts, fax: Uint8Array | undefined, jbig2: Uint8Array | undefined) {
  if (jbig2 && !(fax && fax.length + PARMS_BYTES <= jbig2.length)) {
    const filter: Filter = { name: 'JBIG2Decode', parms: null }
    return { data: jbig2, size: jbig2.length, filter }
  }
  if (!fax) return undefined
  const parms = new Dict([
    ['K', -1],
    ['Columns', facts.width],
    ['Rows', facts.height],
  ] as [string, PdfObject][])
  return { data: fax, size: fax.length + PARMS_BYTES, filter: { name: 'CCITTFaxDecode', parms } satisfies Filter }
}
