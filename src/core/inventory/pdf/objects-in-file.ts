/** Reads objects at known file offsets, and finds the ends of streams. */
import { indexOfBytes } from '../../bytes/search.ts'
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { CachedRanges } from '../cached-ranges.ts'
import { END, Parser, WindowTooSmall, Word } from './parser.ts'
import { asciiOf } from './text.ts'
import { damaged, type ObjectId, PdfDictionary, PdfStream, type PdfValue } from './values.ts'

const FIRST_WINDOW_BYTES = 2 * 1024
/** Largest object without the data of its stream. */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024

/** Calls `parse` with a parser at `at`. If the window is too small, it tries again with a window eight times as large. */
export async function parsedAt<T>(blocks: CachedRanges, at: number, parse: (parser: Parser) => T): Promise<T> {
  for (let length = FIRST_WINDOW_BYTES; ; length *= 8) {
    const window = await blocks.bytesUpTo(at, length)
    try {
      return parse(new Parser(window, 0, at + window.length >= blocks.size))
    } catch (error) {
      if (!(error instanceof WindowTooSmall)) throw error
      if (length > MAX_OBJECT_BYTES) throw overBudget(message('inventory_cannot_read'))
    }
  }
}

export interface FoundObject {
  readonly id: ObjectId
  readonly value: PdfValue
  /** Length of the object in the file, in bytes, without the data of a stream. */
  readonly length: number
}

/**
 * Reads the object "number generation obj …" at `at` (ISO 32000-2, 7.3.10).
 * @throws CodecError (malformed) if there is none
 */
export function objectAt(blocks: CachedRanges, at: number): Promise<FoundObject> {
  return parsedAt(blocks, at, (parser) => {
    const [number, generation, keyword] = [parser.token(), parser.token(), parser.token()]
    const isHead = typeof number === 'number' && typeof generation === 'number' && keyword instanceof Word
    if (!isHead || !keyword.text.startsWith('obj')) throw damaged(at)
    // Some writers put no white space behind "obj".
    parser.at -= keyword.text.length - 'obj'.length
    const id = { number, generation }
    const token = parser.token()
    if (token === END || (token instanceof Word && token.text !== 'endobj')) throw damaged(at)
    const value = token instanceof Word ? null : token
    if (!(value instanceof PdfDictionary)) return { id, value, length: parser.at }
    const length = parser.at
    if (!isStream(parser)) return { id, value, length }
    parser.skipStreamLineBreak()
    return { id, value: new PdfStream(value, at + parser.at, id), length: parser.at }
  })
}

function isStream(parser: Parser): boolean {
  try {
    const word = parser.token()
    return word instanceof Word && word.text === 'stream'
  } catch (error) {
    if (error instanceof WindowTooSmall) throw error
    return false
  }
}

/** True if the stream data ends at `at`: `endstream` or `endobj` follows. */
export const streamEndsAt = async (blocks: CachedRanges, at: number): Promise<boolean> =>
  /^[\s\0]*end(stream|obj)/.test(asciiOf(await blocks.bytesUpTo(at, 24)))

const END_OF_STREAM = Uint8Array.from('endstream', (letter) => letter.charCodeAt(0))
const END_OF_OBJECT = Uint8Array.from('\nendobj', (letter) => letter.charCodeAt(0))
const SEARCH_BYTES = 64 * 1024

/** Returns the length of stream data by a search for its end, for streams with a wrong /Length. The line break before it does not count. */
export async function searchedLength(blocks: CachedRanges, dataAt: number): Promise<number> {
  for (let at = dataAt; at < blocks.size; at += SEARCH_BYTES) {
    const window = await blocks.bytesUpTo(at, SEARCH_BYTES + END_OF_STREAM.length)
    const found = indexOfBytes(window, END_OF_STREAM)
    const index = found < 0 ? indexOfBytes(window, END_OF_OBJECT) : found
    if (index < 0) continue
    const [first, second] = await blocks.bytesUpTo(at + index - 2, 2)
    const lineBreak = second === LINE_FEED ? (first === RETURN ? 2 : 1) : second === RETURN ? 1 : 0
    return Math.max(0, at + index - lineBreak - dataAt)
  }
  return Math.max(0, blocks.size - dataAt)
}

const [LINE_FEED, RETURN] = [10, 13] as const
