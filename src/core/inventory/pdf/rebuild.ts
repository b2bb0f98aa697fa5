/** Rebuilds an unusable cross-reference table: searches the file for objects and trailers. The last object with a number counts. */
import { isCodecError } from '../../model/error.ts'
import type { CachedRanges } from '../cached-ranges.ts'
import { objectAt, parsedAt } from './objects-in-file.ts'
import { asciiOf } from './text.ts'
import { nameText, PdfDictionary, PdfStream } from './values.ts'
import { XrefTable } from './xref-table.ts'

const STEP_BYTES = 64 * 1024
/** Longest head of an object or keyword that two steps may share. */
const OVERLAP_BYTES = 64
const MAX_TRAILERS = 1000
/** Bytes of an object in which its /Type is searched. */
const PROBE_BYTES = 400

export interface Rebuilt {
  readonly table: XrefTable
  /** Entries of all trailers and cross-reference streams; the last one in the file counts. */
  readonly trailer: PdfDictionary
  /** Numbers of the object streams, in file order. */
  readonly objectStreams: readonly number[]
  /** Numbers of the catalogs outside of object streams. */
  readonly catalogs: readonly number[]
}

export async function rebuilt(blocks: CachedRanges): Promise<Rebuilt> {
  const table = new XrefTable()
  const trailer = new PdfDictionary()
  for (const at of (await searchFile(blocks, table)).reverse()) {
    const found = await parsedAt(blocks, at, (parser) => parser.value()).catch(damageAsNull)
    if (found instanceof PdfDictionary) addMissing(trailer, found)
  }
  return { table, trailer, ...(await special(blocks, table, trailer)) }
}

/** Returns null for a damaged object. */
export function damageAsNull(error: unknown): null {
  if (isCodecError(error, 'malformed') || error instanceof RangeError) return null
  throw error
}

function addMissing(into: PdfDictionary, from: PdfDictionary): void {
  for (const [key, value] of from) if (!into.has(key)) into.set(key, value)
}

/** Adds all objects of the file to the table. Returns the offsets behind the word `trailer`. */
async function searchFile(blocks: CachedRanges, table: XrefTable): Promise<number[]> {
  const trailers: number[] = []
  for (let at = 0; at < blocks.size; at += STEP_BYTES) {
    const start = Math.max(0, at - OVERLAP_BYTES)
    const text = asciiOf(await blocks.bytesUpTo(start, at + STEP_BYTES - start))
    for (let found = text.indexOf('obj'); found >= 0; found = text.indexOf('obj', found + 3)) {
      const first = Math.max(0, found - OVERLAP_BYTES)
      const head = /(?<!\d)(\d{1,8})[\s\0]+\d{1,5}[\s\0]*$/.exec(text.slice(first, found))
      if (head) table.set(Number(head[1]), { kind: 'file', at: start + first + head.index }, true)
    }
    for (let found = text.indexOf('trailer'); found >= 0; found = text.indexOf('trailer', found + 7)) {
      const end = start + found + 'trailer'.length
      if (end > at && trailers.at(-1) !== end && trailers.length < MAX_TRAILERS) trailers.push(end)
    }
  }
  return trailers
}

/** Finds object streams and catalogs, and adds the entries of cross-reference streams to the trailer. */
async function special(
  blocks: CachedRanges,
  table: XrefTable,
  trailer: PdfDictionary,
): Promise<Pick<Rebuilt, 'objectStreams' | 'catalogs'>> {
  const streams: { number: number; at: number }[] = []
  const catalogs: number[] = []
  for (const number of table.numbers()) {
    const place = table.place(number)
    if (place?.kind !== 'file' || !/\/(ObjStm|XRef|Catalog)/.test(asciiOf(await blocks.bytesUpTo(place.at, PROBE_BYTES)))) continue
    const value = (await objectAt(blocks, place.at).catch(damageAsNull))?.value
    const dictionary = value instanceof PdfStream ? value.dictionary : value instanceof PdfDictionary ? value : undefined
    const type = nameText(dictionary?.get('Type'))
    if (type === 'ObjStm') streams.push({ number, at: place.at })
    else if (type === 'XRef' && dictionary) addMissing(trailer, dictionary)
    else if (type === 'Catalog') catalogs.push(number)
  }
  return { objectStreams: streams.sort((a, b) => a.at - b.at).map(({ number }) => number), catalogs }
}
