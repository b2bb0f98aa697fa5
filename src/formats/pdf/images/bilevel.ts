/** Bilevel images stay exact: CCITT Group 4 instead of Flate where that is smaller. */
import { concat } from '../../../bytes/concat.ts'
import { GENERIC_FILTERS, setFilters } from '../filters.ts'
import { Dict, type PdfObject, PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { deflateBest, type Effort, type Rewritten } from '../recompress.ts'
import type { ImageFacts } from './facts.ts'
import { FaxEncoder } from './fax.ts'

/** /K −1 /Columns … /Rows … in the dictionary. */
const PARMS_BYTES = 48
/** Rows that are kept to be deflated, too; a page at 600 dpi has 4 MB. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/** Samples of one bit under generic filters only: gray, indexed or a stencil. */
export function isBilevel(facts: ImageFacts): boolean {
  return facts.bitsPerComponent === 1 && facts.components === 1 && facts.chain.every((filter) => GENERIC_FILTERS.has(filter.name))
}

export async function recodeBilevel(reader: Reader, stream: Stream, facts: ImageFacts, effort: Effort): Promise<Rewritten | undefined> {
  const rowBytes = (facts.width + 7) >> 3
  const total = rowBytes * facts.height
  const fax = new FaxEncoder(facts.width, facts.length - PARMS_BYTES)
  const { flow } = await reader.decodedPieces(stream, total + 65_536)
  const kept: Uint8Array[] = []
  let rest = new Uint8Array(0)
  let done = 0
  // More data than the picture has rows: only the rows survive in a fax, so Flate is left to the general treatment.
  let surplus = false
  for await (const piece of flow) {
    const bytes = rest.length ? concat([rest, piece]) : piece
    const whole = Math.min(bytes.length - (bytes.length % rowBytes), total - done)
    const rows = bytes.subarray(0, whole)
    if (!fax.full) fax.push(rows)
    if (total <= MAX_KEPT_BYTES) kept.push(rows.slice())
    else if (fax.full) return undefined
    done += whole
    rest = bytes.slice(whole)
    if (done < total) continue
    surplus = rest.length > 0
    rest = new Uint8Array(0)
    if (surplus) break
  }
  if (done < total) throw new PdfSyntax(`${done} of ${total} bytes of a bilevel image`)
  const coded = fax.end()
  const layout = { predictor: 15, colors: 1, bitsPerComponent: 1, columns: facts.width }
  const room = Math.min(facts.length, coded ? coded.length + PARMS_BYTES : facts.length)
  const packed = kept.length > 0 && !surplus ? deflateBest(concat(kept), layout, effort, room) : undefined
  const dict = new Dict(facts.dict)
  if (packed) {
    setFilters(dict, packed.chain)
    return { dict, data: packed.data }
  }
  if (!coded) return undefined
  const parms = new Dict([
    ['K', -1],
    ['Columns', facts.width],
    ['Rows', facts.height],
  ] as [string, PdfObject][])
  setFilters(dict, [{ name: 'CCITTFaxDecode', parms }])
  return { dict, data: coded }
}
