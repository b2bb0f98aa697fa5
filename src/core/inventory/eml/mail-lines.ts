/** Reads a mail by lines, and bodies in large pieces up to the next line that may be a boundary. */
import { latin1Of } from '../../bytes/latin1.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import type { FileView } from '../file-view.ts'

/** Bytes of a line that are read. The rest of a longer line counts as another line. */
const MAX_LINE_BYTES = 64 * 1024
const PIECE_BYTES = 128 * 1024
const [LF, CR, DASH] = [0x0a, 0x0d, 0x2d]
const FEED_AND_DASHES = Uint8Array.of(LF, DASH, DASH)

export interface MailLine {
  /** Text in Latin-1 without its line break. */
  readonly text: string
  /** Offset of the next line. */
  readonly next: number
}

export class MailLines {
  readonly #view: FileView

  constructor(view: FileView) {
    this.#view = view
  }

  get size(): number {
    return this.#view.size
  }

  /** Returns the line at an offset. `undefined`: the mail ends there. */
  async lineAt(at: number): Promise<MailLine | undefined> {
    if (at >= this.#view.size) return undefined
    const bytes = await this.#view.bytesUpTo(at, MAX_LINE_BYTES)
    const feed = bytes.indexOf(LF)
    const length = feed < 0 ? bytes.length : feed
    const text = latin1Of(bytes.subarray(0, length > 0 && bytes[length - 1] === CR && feed >= 0 ? length - 1 : length))
    return { text, next: at + length + (feed < 0 ? 0 : 1) }
  }

  /**
   * Returns the offset of the first line at or behind `from`, a line start, that begins with `--` and that `accept` takes. The size of the
   * mail: there is none. The bytes before it go to `take`.
   */
  async findBoundary(from: number, accept: (line: string) => boolean, take: (bytes: Uint8Array) => void): Promise<number> {
    let isLineStart = true
    for (let at = from; at < this.#view.size; ) {
      const piece = await this.#view.bytesUpTo(at, PIECE_BYTES)
      const isEnd = at + piece.length === this.#view.size
      const found = boundaryIn(piece, { isLineStart, isEnd, accept })
      if (found.end > 0) take(piece.subarray(0, found.end))
      at += found.end
      if (found.isBoundary) return at
      isLineStart = piece[found.end - 1] === LF
    }
    return this.#view.size
  }
}

interface Search {
  readonly isLineStart: boolean
  /** True if the mail ends with the piece. */
  readonly isEnd: boolean
  readonly accept: (line: string) => boolean
}

/** Finds a boundary in a piece. `end`: its offset, or the number of bytes that cannot belong to one. */
function boundaryIn(piece: Uint8Array, { isLineStart, isEnd, accept }: Search): { end: number; isBoundary: boolean } {
  let start = isLineStart && piece[0] === DASH && piece[1] === DASH ? 0 : behindFeed(piece, 0)
  for (; start > 0 || (start === 0 && isLineStart); start = behindFeed(piece, start)) {
    const feed = piece.indexOf(LF, start)
    const length = (feed < 0 ? piece.length : feed) - start
    // A line that the piece cuts off is read again, unless it is too long for a boundary.
    if (feed < 0 && !isEnd && length < MAX_LINE_BYTES && start > 0) return { end: start, isBoundary: false }
    const line = latin1Of(piece.subarray(start, start + Math.min(length, MAX_LINE_BYTES)))
    if (accept(line.endsWith('\r') ? line.slice(0, -1) : line)) return { end: start, isBoundary: true }
  }
  // The line break at the end of the piece may come before a boundary.
  const isCut = !isEnd && piece.length > 2 && piece[piece.length - 1] === DASH && piece[piece.length - 2] === LF
  return { end: piece.length - Number(isCut), isBoundary: false }
}

/** Offset of the first `--` behind a line break at or behind `from`; -1: none. */
function behindFeed(bytes: Uint8Array, from: number): number {
  const feed = indexOfBytes(bytes, FEED_AND_DASHES, from)
  return feed < 0 ? -1 : feed + 1
}
