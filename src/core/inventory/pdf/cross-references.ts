/** Reads the cross-reference sections of a file: tables, streams, hybrids and incremental updates (ISO 32000-2, 7.5.4 to 7.5.8). */
import { isCodecError } from '../../model/error.ts'
import type { CachedRanges } from '../cached-ranges.ts'
import { decodedBy, fullFilterName } from './filters.ts'
import { objectAt, parsedAt } from './objects-in-file.ts'
import { Word } from './parser.ts'
import { asciiOf } from './text.ts'
import { damaged, nameText, PdfDictionary, PdfReference, PdfStream, type PdfValue } from './values.ts'
import type { XrefTable } from './xref-table.ts'

/** Bytes at the end of a file in which `startxref` is searched. */
const TAIL_BYTES = 2048
const MAX_SECTIONS = 10_000
const ENTRY_BYTES = 20
const ENTRIES_PER_READ = 3000
const MAX_STREAM_BYTES = 32 * 1024 * 1024

/** Where sections are read from, and the table that gets their entries. */
interface Target {
  readonly blocks: CachedRanges
  /** Bytes before the header. All offsets count from the header. */
  readonly base: number
  readonly table: XrefTable
}

/** Reads all sections, newest first. Returns the trailer, with the newest value of each key. */
export async function readSections(blocks: CachedRanges, base: number, table: XrefTable): Promise<PdfDictionary> {
  const target = { blocks, base, table }
  const trailer = new PdfDictionary()
  const seen = new Set<number>()
  for (let next: number | undefined = await startOfSections(blocks); next !== undefined && !seen.has(next); ) {
    if (!(next >= 0 && next + base < blocks.size)) {
      if (seen.size === 0) throw damaged(0)
      break
    }
    if (seen.add(next).size > MAX_SECTIONS) throw damaged(next)
    const { dictionary, free } = await readSection(target, next + base)
    const hybrid = dictionary.get('XRefStm')
    // PDF readers ignore a damaged cross-reference stream of a hybrid file.
    if (typeof hybrid === 'number' && !seen.has(hybrid)) {
      seen.add(hybrid)
      await readStream(target, hybrid + base).catch(ignoreDamage)
    }
    for (const number of free) table.set(number, 'free')
    for (const [key, value] of dictionary) if (!trailer.has(key)) trailer.set(key, value)
    next = offsetOf(dictionary.get('Prev'))
  }
  return trailer
}

function ignoreDamage(error: unknown): void {
  if (!isCodecError(error, 'malformed')) throw error
}

/** Some writers store the offset as a reference. */
const offsetOf = (value: PdfValue | undefined): number | undefined =>
  typeof value === 'number' ? value : value instanceof PdfReference ? value.number : undefined

async function startOfSections(blocks: CachedRanges): Promise<number> {
  const at = Math.max(0, blocks.size - TAIL_BYTES)
  const tail = asciiOf(await blocks.bytesUpTo(at, TAIL_BYTES))
  const keyword = tail.lastIndexOf('startxref')
  const offset = Number.parseInt(tail.slice(keyword + 'startxref'.length), 10)
  if (keyword < 0 || Number.isNaN(offset)) throw damaged(at)
  return offset
}

interface Section {
  readonly dictionary: PdfDictionary
  /** Objects that a table calls free. The stream of a hybrid file may still define them. */
  readonly free: readonly number[]
}

async function readSection(target: Target, at: number): Promise<Section> {
  const { blocks } = target
  const keyword = /^[\s\0]*xref/.exec(asciiOf(await blocks.bytesUpTo(at, 64)))
  if (!keyword) return { dictionary: await readStream(target, at), free: [] }
  const free: number[] = []
  for (let position = at + keyword[0].length; ; ) {
    const head = /^[\s\0]*(\d+)\s+(\d+)\s*/.exec(asciiOf(await blocks.bytesUpTo(position, 80)))
    if (!head) return { dictionary: await readTrailer(blocks, position), free }
    position = await readEntries(target, position + head[0].length, { first: Number(head[1]), count: Number(head[2]) }, free)
  }
}

async function readTrailer(blocks: CachedRanges, at: number): Promise<PdfDictionary> {
  const trailer = await parsedAt(blocks, at, (parser) => {
    const keyword = parser.token()
    if (!(keyword instanceof Word && keyword.text.startsWith('trailer'))) throw damaged(at)
    return parser.value()
  })
  if (!(trailer instanceof PdfDictionary)) throw damaged(at)
  return trailer
}

/** Reads the entries of a subsection, 20 bytes each. Some writers use 19 bytes, or state more entries than there are. */
async function readEntries(
  { blocks, base, table }: Target,
  start: number,
  { first, count }: { first: number; count: number },
  free: number[],
): Promise<number> {
  let [at, number] = [start, first]
  for (let left = count; left > 0; ) {
    const text = asciiOf(await blocks.bytesUpTo(at, Math.min(left, ENTRIES_PER_READ) * ENTRY_BYTES))
    const entry = /\s*(\d{10}) (\d{5}) ([nf])[ \r\n]{0,2}/y
    let used = 0
    for (let match = entry.exec(text); match && left > 0; match = entry.exec(text)) {
      used = entry.lastIndex
      const isFree = match[3] === 'f'
      // Common mistake: the table begins with the free object 0, and states 1 as its first number.
      if (at === start && number === first && first === 1 && isFree && match[2] === '65535') number = 0
      if (isFree) free.push(number)
      else if (Number(match[1]) > 0) table.set(number, { kind: 'file', at: Number(match[1]) + base })
      number++
      left--
    }
    if (used === 0 && !/^\s*trailer/.test(text)) throw damaged(at)
    if (used === 0) return at
    at += used
  }
  return at
}

/** Reads a cross-reference stream (ISO 32000-2, 7.5.8). Its dictionary is also the trailer. */
async function readStream({ blocks, base, table }: Target, at: number): Promise<PdfDictionary> {
  const { value } = await objectAt(blocks, at)
  if (!(value instanceof PdfStream)) throw damaged(at)
  const { dictionary } = value
  const widths = numbersOf(dictionary.get('W'))
  const entryBytes = widths.slice(0, 3).reduce((sum, width) => sum + width, 0)
  if (widths.length < 3 || widths.some((width) => !(width >= 0 && width <= 8)) || entryBytes === 0) throw damaged(at)
  const numbers = numbersIn(dictionary)
  const entry = new Uint8Array(entryBytes)
  let filled = 0
  for await (const piece of dataOf(blocks, value)) {
    for (const byte of piece) {
      entry[filled++] = byte
      if (filled < entryBytes) continue
      filled = 0
      const number = numbers.next()
      if (number.done) return dictionary
      table.set(number.value, placeOf(entry, widths, base))
    }
  }
  return dictionary
}

/** Decoded data of a cross-reference stream, whose entries are direct and never encrypted (ISO 32000-2, 7.5.8.2). */
function dataOf(blocks: CachedRanges, { dictionary, dataAt }: PdfStream): AsyncIterable<Uint8Array> {
  const length = dictionary.get('Length')
  if (typeof length !== 'number' || !(length >= 0 && length <= MAX_STREAM_BYTES)) throw damaged(dataAt)
  const [filter, parameters] = [dictionary.get('Filter'), dictionary.get('DecodeParms')]
  let data: AsyncIterable<Uint8Array> = blocks.pieces(dataAt, length)
  for (const [index, name] of (Array.isArray(filter) ? filter : filter ? [filter] : []).slice(0, 16).entries()) {
    const own = Array.isArray(parameters) ? parameters[index] : index === 0 ? parameters : undefined
    const known = own instanceof PdfDictionary ? own : undefined
    data = decodedBy({ name: fullFilterName(nameText(name)), parameters: known }, data, MAX_STREAM_BYTES)
  }
  return data
}

const numbersOf = (value: PdfValue | undefined): number[] =>
  Array.isArray(value) ? value.map((item) => (typeof item === 'number' ? Math.trunc(item) : -1)) : []

/** Yields the object numbers of the entries: /Index, or all numbers from 0. */
function* numbersIn(dictionary: PdfDictionary): Generator<number> {
  const size = dictionary.get('Size')
  const index = dictionary.has('Index') ? numbersOf(dictionary.get('Index')) : [0, typeof size === 'number' ? size : 0]
  for (let at = 0; at + 1 < index.length; at += 2) for (let more = 0; more < index[at + 1]!; more++) yield index[at]! + more
}

function placeOf(entry: Uint8Array, widths: readonly number[], base: number) {
  const [typeWidth, placeWidth] = [widths[0]!, widths[1]!]
  const type = typeWidth === 0 ? 1 : fieldOf(entry, 0, typeWidth)
  const place = fieldOf(entry, typeWidth, placeWidth)
  if (type === 1) return { kind: 'file', at: place + base } as const
  return type === 2 ? ({ kind: 'stream', stream: place } as const) : ('free' as const)
}

function fieldOf(entry: Uint8Array, from: number, width: number): number {
  let value = 0
  for (let at = from; at < from + width; at++) value = value * 256 + entry[at]!
  return value
}
