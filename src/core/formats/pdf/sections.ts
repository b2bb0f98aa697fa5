/**
 * Parses cross-reference sections: tables (ISO 32000-2, 7.5.4), streams (7.5.8), hybrids (7.5.8.4) and the chain of incremental updates
 * (7.5.6).
 */
import { message } from '../../i18n/message.ts'
import { parseAt, readIndirect } from './file.ts'
import { decodeFilter, filterChain } from './filters.ts'
import { Keyword } from './lexer.ts'
import { Dict, latin1, numberOr, type PdfObject, PdfSyntax, Ref, Stream } from './objects.ts'
import type { BlockCache } from './ranges.ts'
import { AT_OFFSET, FREE, IN_STREAM, type Xref } from './xref.ts'

const TAIL_BYTES = 2048
const ENTRY_BYTES = 20
const ENTRIES_A_READ = 3000
const MAX_SECTIONS = 10_000
const MAX_XREF_STREAM_BYTES = 32 * 1024 * 1024

/** Source of cross-reference sections, and the table that receives their entries. `base`: number of bytes before "%PDF-". */
interface Reading {
  ranges: BlockCache
  base: number
  xref: Xref
}

interface Section {
  trailer: Dict
  /** Numbers of objects that a table marks as free. The cross-reference stream of a hybrid file may still define them. */
  free: number[]
}

/** File offset of the newest cross-reference section, from "startxref" (ISO 32000-2, 7.5.5). */
export async function findStart(ranges: BlockCache): Promise<number> {
  const length = Math.min(ranges.size, TAIL_BYTES)
  const tail = latin1(await ranges.read(ranges.size - length, length))
  const index = tail.lastIndexOf('startxref')
  const offset = index < 0 ? Number.NaN : Number.parseInt(tail.slice(index + 9), 10)
  if (!Number.isFinite(offset)) throw new PdfSyntax('startxref_expected', ranges.size - length)
  return offset
}

/**
 * Reads the whole chain of cross-reference sections into `xref`. Returns the trailer with the newest entry of each key. `base`: number of
 * bytes before "%PDF-".
 */
export async function readChain(ranges: BlockCache, start: number, base: number, xref: Xref): Promise<Dict> {
  const reading: Reading = { ranges, base, xref }
  const trailer = new Dict()
  const visitedOffsets = new Set<number>()
  let next: number | undefined = start
  while (next !== undefined) {
    if (!(next >= 0) || next + base >= ranges.size) {
      if (visitedOffsets.size === 0) throw new PdfSyntax('cross_reference_section_outside_file', next)
      break
    }
    if (visitedOffsets.has(next)) break
    if (visitedOffsets.size >= MAX_SECTIONS)
      throw new PdfSyntax(message('more_than_cross_reference_sections', { limit: MAX_SECTIONS }), next)
    visitedOffsets.add(next)
    const section = await readSection(reading, next + base)
    const hybrid = section.trailer.get('XRefStm')
    if (typeof hybrid === 'number' && !visitedOffsets.has(hybrid)) {
      visitedOffsets.add(hybrid)
      // Some hybrid files have a damaged cross-reference stream, which PDF readers ignore.
      await readStream(reading, hybrid + base).catch(ignoreSyntax)
    }
    for (const number of section.free) xref.set(number, FREE, 0, 0)
    for (const [key, value] of section.trailer) if (!trailer.has(key)) trailer.set(key, value)
    const previous = section.trailer.get('Prev')
    next = typeof previous === 'number' ? previous : previous instanceof Ref ? previous.number : undefined
  }
  return trailer
}

function ignoreSyntax(error: unknown): void {
  if (!(error instanceof PdfSyntax)) throw error
}

async function readSection(reading: Reading, offset: number): Promise<Section> {
  const { ranges } = reading
  const probe = latin1(await ranges.read(offset, 64))
  const lead = /^[\s\0]*xref/.exec(probe)
  if (!lead) return { trailer: await readStream(reading, offset), free: [] }
  const free: number[] = []
  let at = offset + lead[0].length
  for (;;) {
    const subsection = /^[\s\0]*(\d+)\s+(\d+)\s*/.exec(latin1(await ranges.read(at, 80)))
    if (!subsection) break
    const [numbers, first, count] = subsection
    at = await readEntries(reading, at + numbers.length, { first: Number(first), count: Number(count) }, free)
  }
  const trailer = await parseAt(ranges, at, (lexer) => {
    const keyword = lexer.next()
    if (!(keyword instanceof Keyword) || !keyword.value.startsWith('trailer')) throw new PdfSyntax('trailer_expected', at)
    return lexer.object()
  })
  if (!(trailer instanceof Dict)) throw new PdfSyntax('trailer_dictionary_expected', at)
  return { trailer, free }
}

/** Parses the entries "oooooooooo ggggg n" of one subsection: 20 bytes each, or 19 from non-conforming writers. */
async function readEntries(
  { ranges, base, xref }: Reading,
  start: number,
  { first, count }: { first: number; count: number },
  free: number[],
): Promise<number> {
  let at = start
  let shift = 0
  for (let done = 0; done < count; ) {
    const requestedCount = Math.min(count - done, ENTRIES_A_READ)
    const text = latin1(await ranges.read(at, requestedCount * ENTRY_BYTES))
    const entry = /\s*(\d{10}) (\d{5}) ([nf])[ \r\n]{0,2}/y
    let used = 0
    let parsedCount = 0
    for (; parsedCount < requestedCount; parsedCount++) {
      entry.lastIndex = used
      const match = entry.exec(text)
      if (!match) break
      used = entry.lastIndex
      const place = Number(match[1])
      const generation = Number(match[2])
      // Common error: the table starts with the free entry 0 but declares its first number as 1.
      if (done + parsedCount === 0 && first === 1 && match[3] === 'f' && generation === 65_535) shift = -1
      const number = first + shift + done + parsedCount
      if (match[3] === 'f') free.push(number)
      else if (place > 0) xref.set(number, AT_OFFSET, place + base, generation)
    }
    if (parsedCount === 0) {
      // Some subsections declare more entries than they contain.
      if (/^\s*trailer/.test(text)) break
      throw new PdfSyntax('cross_reference_entry_expected', at)
    }
    at += used
    done += parsedCount
  }
  return at
}

/** Parses a cross-reference stream (ISO 32000-2, 7.5.8). Returns its dictionary, which is also the trailer. */
async function readStream({ ranges, base, xref }: Reading, offset: number): Promise<Dict> {
  const { object } = await readIndirect(ranges, offset)
  if (!(object instanceof Stream)) throw new PdfSyntax('cross_reference_stream_expected', offset)
  const { dict } = object
  const widths = integers(dict.get('W'))
  const [typeWidth = 0, placeWidth = 0, extraWidth = 0] = widths
  const entry = typeWidth + placeWidth + extraWidth
  if (widths.length < 3 || widths.some((w) => w < 0 || w > 8) || entry === 0) throw new PdfSyntax('unusable_w_entry', offset)
  const length = numberOr(dict.get('Length'), -1)
  if (length < 0 || length > MAX_XREF_STREAM_BYTES) throw new PdfSyntax('unusable_length_entry', offset)
  let data = await ranges.read(object.offset, length)
  for (const filter of filterChain(dict.get('Filter') ?? null, dict.get('DecodeParms') ?? null)) {
    data = decodeFilter(filter, data, MAX_XREF_STREAM_BYTES)
  }
  const index = dict.has('Index') ? integers(dict.get('Index')) : [0, numberOr(dict.get('Size'), 0)]
  let at = 0
  const field = (width: number): number => {
    let value = 0
    for (let i = 0; i < width; i++) value = value * 256 + data[at++]!
    return value
  }
  for (let pair = 0; pair + 1 < index.length; pair += 2) {
    for (let i = 0; i < index[pair + 1]! && at + entry <= data.length; i++) {
      const type = typeWidth ? field(typeWidth) : 1
      const place = field(placeWidth)
      const extra = field(extraWidth)
      const number = index[pair]! + i
      if (type === 1) xref.set(number, AT_OFFSET, place + base, extra)
      else if (type === 2) xref.set(number, IN_STREAM, place, extra)
      else xref.set(number, FREE, 0, 0)
    }
  }
  return new Dict(dict)
}

const integers = (object: PdfObject | undefined): number[] =>
  Array.isArray(object) ? object.map((item) => (typeof item === 'number' ? Math.trunc(item) : -1)) : []
