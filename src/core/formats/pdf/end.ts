/** Finds the end of a PDF: its last `%%EOF` (ISO 32000-1, 7.5.5). */
import { latin1Of } from '../../bytes/latin1.ts'
import type { Source } from '../../model/codec.ts'

const EOF_MARKER = '%%EOF'
const WINDOW_BYTES = 256 * 1024
/** Overlap of two search windows in bytes, longer than every searched keyword. */
const OVERLAP_BYTES = 64
/** Matches PDF objects or `startxref`. If they occur after `%%EOF`, the bytes belong to the document. */
const DOCUMENT_DATA = /\d\s+\d+\s+obj\b|startxref/
const END_OF_ARCHIVE = 'PK\x05\x06'

/**
 * Length of the PDF in bytes, without trailing data. It is the file size if only padding follows `%%EOF`, or data that may belong to the
 * document.
 */
export async function findPdfEnd(source: Source): Promise<number> {
  const end = await offsetAfterEof(source)
  let isPadding = true
  for (let at = end; at < source.size; at += WINDOW_BYTES) {
    const text = await textAt(source, at, WINDOW_BYTES + OVERLAP_BYTES)
    if (DOCUMENT_DATA.test(text) || text.includes(END_OF_ARCHIVE)) return source.size
    isPadding &&= text.replaceAll('\0', '').trim() === ''
  }
  return isPadding ? source.size : end
}

/** Offset after the last `%%EOF` and its line break. */
async function offsetAfterEof(source: Source): Promise<number> {
  for (let end = source.size; end > 0; ) {
    const from = Math.max(0, end - WINDOW_BYTES)
    const text = await textAt(source, from, end - from + EOF_MARKER.length + 1)
    const mark = text.lastIndexOf(EOF_MARKER)
    if (mark >= 0) return from + mark + EOF_MARKER.length + (/^\r?\n?/.exec(text.slice(mark + EOF_MARKER.length))?.[0].length ?? 0)
    end = from
  }
  return source.size
}

async function textAt(source: Source, at: number, length: number): Promise<string> {
  const bytes = await source.read(at, length)
  return latin1Of(bytes)
}
