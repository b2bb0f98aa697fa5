/**
 * Rebuilds an unusable cross-reference table. It searches the file for "n g obj"; the last object with a number wins, as in PDF readers.
 */
import { parseAt, readIndirect } from './file.ts'
import { isDigit, isSpace } from './lexer.ts'
import { Dict, latin1, nameOf, type PdfObject, PdfSyntax, Ref, Stream } from './objects.ts'
import type { BlockCache } from './ranges.ts'
import { AT_OFFSET, IN_STREAM, Xref } from './xref.ts'

const STEP_BYTES = 256 * 1024
const OVERLAP_BYTES = 64
const MAX_TRAILERS = 1000
const PROBE_BYTES = 400

/** Access to objects through the rebuilt cross-reference table. */
interface ObjectReader {
  get(number: number): Promise<PdfObject>
  dict(object: PdfObject | undefined): Promise<Dict | undefined>
  objectStream(number: number): Promise<{ readonly numbers: readonly number[] }>
}

/**
 * Rebuilds the cross-reference table by a search. `use` activates the new table, so that streams can be read with it. Returns the merged
 * trailers.
 */
export async function rebuild(ranges: BlockCache, use: (xref: Xref) => ObjectReader): Promise<Dict> {
  const xref = new Xref()
  const trailers = await search(ranges, xref)
  const reader = use(xref)
  const trailer = new Dict()
  for (const offset of trailers.reverse()) {
    const found = await parseAt(ranges, offset, (lexer) => lexer.object()).catch(syntaxAsNull)
    if (found instanceof Dict) merge(trailer, found)
  }
  const streams = await collectSpecialObjects(ranges, xref, trailer)
  if (trailer.has('Encrypt')) return trailer
  await unpack(reader, xref, streams)
  if (!(await isCatalog(reader, trailer))) {
    trailer.delete('Root')
    for (let number = 0; number < xref.size; number++) {
      const object = await reader.get(number)
      if (object instanceof Dict && nameOf(object.get('Type')) === 'Catalog') trailer.set('Root', new Ref(number, 0))
    }
  }
  return trailer
}

function merge(into: Dict, from: Dict): void {
  for (const [key, value] of from) if (!into.has(key)) into.set(key, value)
}

const isCatalog = async (reader: ObjectReader, trailer: Dict) => (await reader.dict(trailer.get('Root')))?.has('Pages') ?? false

function syntaxAsNull(error: unknown): null {
  if (error instanceof PdfSyntax) return null
  throw error
}

/** Searches all bytes once: adds objects to the table and returns the offsets after the word "trailer". */
async function search(ranges: BlockCache, xref: Xref): Promise<number[]> {
  const trailers: number[] = []
  for (let at = 0; at < ranges.size; at += STEP_BYTES) {
    const start = Math.max(0, at - OVERLAP_BYTES)
    const bytes = await ranges.read(start, at + STEP_BYTES - start)
    for (let i = 3; i < bytes.length; i++) {
      if (bytes[i] === 106 && bytes[i - 1] === 98 && bytes[i - 2] === 111) {
        const head = objectHead(bytes, i - 3)
        if (head) xref.set(head.number, AT_OFFSET, start + head.start, head.generation, true)
      } else if (bytes[i] === 114 && bytes[i - 1] === 101 && bytes[i - 6] === 116 && start + i >= at) {
        if (latin1(bytes.subarray(i - 6, i + 1)) === 'trailer' && trailers.length < MAX_TRAILERS) trailers.push(start + i + 1)
      }
    }
  }
  return trailers
}

/** Parses "n g " backwards from the position before "obj". */
function objectHead(bytes: Uint8Array, before: number): { number: number; generation: number; start: number } | undefined {
  let k = before
  const spaces = () => {
    const from = k
    while (k >= 0 && isSpace(bytes[k]!)) k--
    return from - k
  }
  const digits = (most: number): number | undefined => {
    const last = k
    while (k >= 0 && isDigit(bytes[k]!)) k--
    return last === k || last - k > most ? undefined : Number(latin1(bytes.subarray(k + 1, last + 1)))
  }
  spaces()
  const generation = digits(5)
  if (generation === undefined || spaces() === 0) return undefined
  const number = digits(8)
  return number === undefined ? undefined : { number, generation, start: k + 1 }
}

/** Returns the numbers of object streams, and merges entries of cross-reference streams and catalogs into the trailer. */
async function collectSpecialObjects(ranges: BlockCache, xref: Xref, trailer: Dict): Promise<number[]> {
  const streams: number[] = []
  for (let number = 0; number < xref.size; number++) {
    if (xref.kind(number) !== AT_OFFSET) continue
    const offset = xref.place(number)
    if (!/\/(ObjStm|XRef|Catalog)/.test(latin1(await ranges.read(offset, PROBE_BYTES)))) continue
    const object = (await readIndirect(ranges, offset).catch(syntaxAsNull))?.object
    const dict = object instanceof Stream ? object.dict : object instanceof Dict ? object : undefined
    const type = nameOf(dict?.get('Type'))
    if (type === 'ObjStm') streams.push(number)
    else if (type === 'XRef' && dict) merge(trailer, dict)
    else if (type === 'Catalog' && !trailer.has('Root')) trailer.set('Root', new Ref(number, 0))
  }
  return streams.sort((a, b) => xref.place(a) - xref.place(b))
}

/** Adds the objects of object streams to the table. An object outside of object streams that comes later in the file is newer and wins. */
async function unpack(reader: ObjectReader, xref: Xref, streams: readonly number[]): Promise<void> {
  for (const number of streams) {
    const stream = await reader.objectStream(number).catch(syntaxAsNull)
    stream?.numbers.forEach((inner, index) => {
      if (xref.kind(inner) !== AT_OFFSET || xref.place(inner) < xref.place(number)) xref.set(inner, IN_STREAM, number, index, true)
    })
  }
}
