/** Objects out of a file at known offsets: windows that grow, indirect objects, stream lengths. */
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import { END, Keyword, Lexer, NeedMore } from './lexer.ts'
import { Dict, latin1, type PdfObject, PdfSyntax, Stream } from './objects.ts'
import type { Ranges } from './ranges.ts'

const FIRST_WINDOW_BYTES = 1024
/** A single object (not stream) above this is a table of some kind that would cost ten times its size in memory. */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024

export interface Indirect {
  number: number
  generation: number
  object: PdfObject
  /** Where the object (a stream's dictionary) ends. */
  end: number
}

/** Runs `parse` on a window at `offset`, larger and larger while the lexer asks for more. */
export async function parseAt<T>(ranges: Ranges, offset: number, parse: (lexer: Lexer) => T): Promise<T> {
  for (let length = FIRST_WINDOW_BYTES; ; length *= 4) {
    const known = length === FIRST_WINDOW_BYTES ? ranges.heads?.at(offset) : undefined
    const bytes = known ?? (await ranges.read(offset, length))
    const whole = offset + bytes.length >= ranges.size
    try {
      return parse(new Lexer(bytes, 0, whole))
    } catch (error) {
      if (!(error instanceof NeedMore)) throw error
      if (length >= MAX_OBJECT_BYTES) throw overBudget(message('object_of_more_than_bytes', { limit: MAX_OBJECT_BYTES }))
    }
  }
}

/** "n g obj … endobj" (7.3.10). */
export function readIndirect(ranges: Ranges, offset: number): Promise<Indirect> {
  return parseAt(ranges, offset, (lexer) => {
    const number = lexer.next()
    const generation = lexer.next()
    const keyword = lexer.next()
    if (typeof number !== 'number' || typeof generation !== 'number' || !(keyword instanceof Keyword) || !keyword.value.startsWith('obj')) {
      throw new PdfSyntax('no_object_here', offset)
    }
    // "obj" glued to what follows it.
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

/** After a dictionary: where the bytes of its stream begin (7.3.8.1), if it has one. */
function streamStart(lexer: Lexer): number | undefined {
  const back = lexer.position
  let keyword: unknown
  try {
    keyword = lexer.next()
  } catch (error) {
    if (error instanceof NeedMore) throw error
  }
  if (!(keyword instanceof Keyword) || keyword.value !== 'stream') {
    lexer.position = back
    return undefined
  }
  let p = lexer.position
  // CR LF or LF; other writers leave spaces or a single CR.
  while (lexer.at(p) === 32) p++
  if (p + 2 > lexer.bytes.length && !lexer.whole) throw new NeedMore()
  if (lexer.at(p) === 13) p++
  if (lexer.at(p) === 10) p++
  return p
}

const SEARCH_BYTES = 65_536

/** Whether "endstream" (or at least "endobj") follows at `offset`. */
export async function streamEndsAt(ranges: Ranges, offset: number): Promise<boolean> {
  return /^[\s\0]*(endstream|endobj)/.test(latin1(await ranges.read(offset, 24)))
}

/** Length of a stream whose /Length is wrong: up to its "endstream", without the end of line before it. */
export async function measureStream(ranges: Ranges, start: number): Promise<number> {
  for (let at = start; at < ranges.size; at += SEARCH_BYTES) {
    const window = Buffer.from(await ranges.read(at, SEARCH_BYTES + 16))
    let index = window.indexOf('endstream')
    if (index < 0) index = window.indexOf('\nendobj')
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
