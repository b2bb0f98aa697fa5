/** Parses indirect objects at known file offsets, with read windows that grow on demand, and measures streams. */

import { latin1Bytes } from '../../bytes/latin1.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import { END, Keyword, Lexer, NeedsMoreBytes } from './lexer.ts'
import { Dict, latin1, type PdfObject, PdfSyntax, Stream } from './objects.ts'
import type { BlockCache } from './ranges.ts'

const FIRST_WINDOW_BYTES = 1024
/** Maximum size of one object (without stream data) in bytes. A larger object would take about ten times its size in memory. */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024

export interface IndirectObject {
  number: number
  generation: number
  object: PdfObject
  /** File offset after the object; for a stream, the offset after its dictionary. */
  end: number
}

/** Runs `parse` on the bytes at `offset`. While the lexer needs more bytes, it tries again with a window four times as large. */
export async function parseAt<T>(ranges: BlockCache, offset: number, parse: (lexer: Lexer) => T): Promise<T> {
  for (let length = FIRST_WINDOW_BYTES; ; length *= 4) {
    const known = length === FIRST_WINDOW_BYTES ? ranges.headIndex?.at(offset) : undefined
    const bytes = known ?? (await ranges.read(offset, length))
    const whole = offset + bytes.length >= ranges.size
    try {
      return parse(new Lexer(bytes, 0, whole))
    } catch (error) {
      if (!(error instanceof NeedsMoreBytes)) throw error
      if (length >= MAX_OBJECT_BYTES) throw overBudget(message('object_of_more_than_bytes', { limit: MAX_OBJECT_BYTES }))
    }
  }
}

/** Parses an indirect object, "n g obj … endobj" (ISO 32000-2, 7.3.10). */
export function readIndirect(ranges: BlockCache, offset: number): Promise<IndirectObject> {
  return parseAt(ranges, offset, (lexer) => {
    const number = lexer.next()
    const generation = lexer.next()
    const keyword = lexer.next()
    if (typeof number !== 'number' || typeof generation !== 'number' || !(keyword instanceof Keyword) || !keyword.value.startsWith('obj')) {
      throw new PdfSyntax('no_object_here', offset)
    }
    // Some files have no white space between "obj" and the object.
    if (keyword.value.length > 3) lexer.position -= keyword.value.length - 3
    const object = lexer.next()
    if (object === END) throw new PdfSyntax('unexpected_end_of_file', offset)
    if (object instanceof Keyword) {
      if (object.value === 'endobj') return { number, generation, object: null, end: offset + lexer.position }
      throw new PdfSyntax(message('unexpected_keyword', { keyword: object.value }), offset)
    }
    if (object instanceof Dict) {
      const data = streamStart(lexer)
      if (data !== undefined) return { number, generation, object: new Stream(object, offset + data), end: offset + data }
    }
    return { number, generation, object, end: offset + lexer.position }
  })
}

/** Window position of the stream data after a dictionary (ISO 32000-2, 7.3.8.1). `undefined`: the object is no stream. */
function streamStart(lexer: Lexer): number | undefined {
  const back = lexer.position
  let keyword: unknown
  try {
    keyword = lexer.next()
  } catch (error) {
    if (error instanceof NeedsMoreBytes) throw error
  }
  if (!(keyword instanceof Keyword) || keyword.value !== 'stream') {
    lexer.position = back
    return undefined
  }
  let p = lexer.position
  // The keyword "stream" ends with CR LF or LF. Some writers add spaces or write a single CR.
  while (lexer.at(p) === 32) p++
  if (p + 2 > lexer.bytes.length && !lexer.isAtEndOfData) throw new NeedsMoreBytes()
  if (lexer.at(p) === 13) p++
  if (lexer.at(p) === 10) p++
  return p
}

const SEARCH_BYTES = 65_536
const END_STREAM = latin1Bytes('endstream')
const END_OBJECT = latin1Bytes('\nendobj')

/** True if "endstream" or "endobj" follows at `offset`. */
export async function streamEndsAt(ranges: BlockCache, offset: number): Promise<boolean> {
  return /^[\s\0]*(endstream|endobj)/.test(latin1(await ranges.read(offset, 24)))
}

/** Length in bytes of a stream whose /Length is wrong. It searches for "endstream" and excludes the line break before it. */
export async function measureStream(ranges: BlockCache, start: number): Promise<number> {
  for (let at = start; at < ranges.size; at += SEARCH_BYTES) {
    const window = await ranges.read(at, SEARCH_BYTES + 16)
    let index = indexOfBytes(window, END_STREAM)
    if (index < 0) index = indexOfBytes(window, END_OBJECT)
    if (index < 0) continue
    let end = at + index
    const before = await ranges.read(Math.max(0, end - 2), 2)
    if (before[1] === 10) {
      end--
      if (before[0] === 13) end--
    } else if (before[1] === 13) end--
    return Math.max(0, end - start)
  }
  return ranges.size - start
}
