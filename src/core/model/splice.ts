import { lastStartUpTo } from '../bytes/search.ts'
import type { Source } from './codec.ts'
import { rangeStream } from './source.ts'

/** Part of a spliced file: a range of the original, or new bytes. */
export type Piece = { readonly from: number; readonly to: number } | Uint8Array

/** Length of a piece in bytes. */
export const pieceBytes = (piece: Piece): number => (piece instanceof Uint8Array ? piece.length : piece.to - piece.from)

/** Length of several pieces in bytes. */
export const piecesBytes = (pieces: readonly Piece[]): number => pieces.reduce((sum, piece) => sum + pieceBytes(piece), 0)

/** Returns a source that consists of pieces of another source and new bytes. Nothing is copied until it is read. */
export function splice(source: Source, pieces: readonly Piece[]): Source {
  const starts: number[] = []
  let size = 0
  const parts = merged(pieces)
  for (const piece of parts) {
    starts.push(size)
    size += pieceBytes(piece)
  }

  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const end = Math.min(size, offset + length)
    if (offset >= end) return new Uint8Array(0)
    let index = lastStartUpTo(starts, starts.length, offset)
    const first = await readPiece(source, parts[index]!, offset - starts[index]!, end - offset)
    if (first.length === end - offset) return first
    const whole = new Uint8Array(end - offset)
    whole.set(first)
    let filled = first.length
    while (filled < whole.length) {
      const piece = parts[++index]
      const next = piece && (await readPiece(source, piece, 0, whole.length - filled))
      // The source is shorter than a piece says, because its structure is damaged.
      if (!next || next.length === 0) return whole.subarray(0, filled)
      whole.set(next, filled)
      filled += next.length
    }
    return whole
  }
  return { name: source.name, size, read, stream: () => rangeStream(size, read) }
}

/** Joins neighbouring ranges and drops empty pieces. */
function merged(pieces: readonly Piece[]): Piece[] {
  const parts: Piece[] = []
  for (const piece of pieces) {
    const last = parts.at(-1)
    if (pieceBytes(piece) === 0) continue
    if (last && !(last instanceof Uint8Array) && !(piece instanceof Uint8Array) && last.to === piece.from)
      parts[parts.length - 1] = { from: last.from, to: piece.to }
    else parts.push(piece)
  }
  return parts
}

async function readPiece(source: Source, piece: Piece, at: number, length: number): Promise<Uint8Array> {
  // A copy, because readers of large files free the buffers they get.
  if (piece instanceof Uint8Array) return piece.slice(at, at + length)
  return await source.read(piece.from + at, Math.min(length, piece.to - piece.from - at))
}

/** Returns the pieces of a file in which some ranges are replaced. `replacements` must be in file order and must not overlap. */
export function piecesWith(
  size: number,
  replacements: readonly { readonly from: number; readonly to: number; readonly by?: Uint8Array }[],
): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const { from, to, by } of replacements) {
    if (from < at) throw new RangeError('replacements overlap')
    pieces.push({ from: at, to: from })
    if (by) pieces.push(by)
    at = to
  }
  pieces.push({ from: at, to: size })
  return pieces
}

/** Returns `changed`, or `source` itself if nothing was removed from it. */
export const sameIfUnchanged = (source: Source, changed: Source): Source => (changed.size === source.size ? source : changed)
