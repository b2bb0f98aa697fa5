import { equalBytes } from '../../../bytes/equal.ts'
import type { Element, MatroskaFile } from './scan.ts'

/** A file, one of its elements, and the cluster in front of it. */
export type Side = readonly [file: MatroskaFile, element: Element, previous: Element | undefined]

interface Range {
  readonly bodyAt: number
  readonly end: number
}

/** Compares the bytes of two ranges. */
export async function rangeDifference(a: MatroskaFile, one: Range, b: MatroskaFile, other: Range): Promise<string | undefined> {
  const length = one.end - one.bodyAt
  if (length !== other.end - other.bodyAt) return 'a length changed'
  let at = other.bodyAt
  for await (const piece of a.reader.pieces(one.bodyAt, length)) {
    if (!equalBytes(piece, await b.reader.bytes(at, piece.length))) return 'a body changed'
    at += piece.length
  }
  return undefined
}
