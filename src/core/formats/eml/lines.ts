/** Splits a text into lines in one pass over its chunks. */

import { latin1Of } from '../../bytes/latin1.ts'
import { MAX_LINE_HEAD_BYTES } from './tuning.ts'

export interface Line {
  readonly start: number
  /** Offset where the next line begins. */
  readonly end: number
  /** Bytes of the line break: 2, 1, or 0 at the end of the text. */
  readonly breakBytes: number
  /** The line as Latin-1, without its break. Only the first `MAX_LINE_HEAD_BYTES` bytes of a longer line. */
  readonly head: string
}

/** Calls `take` for each line until it returns false. */
export async function eachLine(chunks: AsyncIterable<Uint8Array>, take: (line: Line) => boolean): Promise<void> {
  let at = 0 // `at`: offset of the current chunk in the text
  let start = 0
  let head = ''
  let last = 0
  for await (const bytes of chunks) {
    let from = 0
    for (let newline = bytes.indexOf(0x0a); newline >= 0; newline = bytes.indexOf(0x0a, from)) {
      const carriage = at + newline > start && (newline > 0 ? bytes[newline - 1] : last) === 0x0d
      head += latin1Of(bytes.subarray(from, Math.min(newline, from + MAX_LINE_HEAD_BYTES - head.length)))
      if (carriage && head.length === at + newline - start) head = head.slice(0, -1)
      from = newline + 1
      if (!take({ start, end: at + from, breakBytes: carriage ? 2 : 1, head })) return
      start = at + from
      head = ''
    }
    head += latin1Of(bytes.subarray(from, from + MAX_LINE_HEAD_BYTES - head.length))
    at += bytes.length
    last = bytes.at(-1) ?? last
  }
  if (at > start) take({ start, end: at, breakBytes: 0, head })
}
