/** Bytes before the header and behind the end of a PDF (ISO 32000-2, 7.5.1 and 7.5.5). */
import type { Source } from '../../model/codec.ts'
import { asciiOf } from './text.ts'

/** Bytes at the end of a file in which almost all files have their last mark. */
const FIRST_WINDOW_BYTES = 1024
const WINDOW_BYTES = 64 * 1024
/** Longest keyword that two windows may share. */
const OVERLAP_BYTES = 64
const END_MARK = '%%EOF'
/** Parts of a PDF. Where they follow the last end mark, they belong to the document. */
const DOCUMENT_PART = /\d\s+\d+\s+obj\b|startxref/
const BLANK = /^[\s\0]*$/

/**
 * Returns the length of the document in bytes, without the bytes behind its last end mark. It is the length of the file if only white space
 * follows the mark, or parts of a document.
 */
export async function endOfDocument(source: Source): Promise<number> {
  const end = await endOfLastMark(source)
  let isBlank = true
  for (let at = end; at < source.size; at += WINDOW_BYTES) {
    const text = asciiOf(await source.read(at, Math.min(WINDOW_BYTES + OVERLAP_BYTES, source.size - at)))
    if (DOCUMENT_PART.test(text)) return source.size
    isBlank &&= BLANK.test(text)
  }
  return isBlank ? source.size : end
}

/** Offset behind the last end mark and its line break. Without a mark, the length of the file. */
async function endOfLastMark(source: Source): Promise<number> {
  let window = FIRST_WINDOW_BYTES
  for (let end = source.size; end > 0; end -= window) {
    if (end < source.size) window = WINDOW_BYTES
    const at = Math.max(0, end - window)
    const text = asciiOf(await source.read(at, Math.min(end + END_MARK.length + 2, source.size) - at))
    const mark = text.lastIndexOf(END_MARK)
    if (mark < 0) continue
    const lineBreak = /^\r?\n?/.exec(text.slice(mark + END_MARK.length))?.[0] ?? ''
    return at + mark + END_MARK.length + lineBreak.length
  }
  return source.size
}
