/** Byte ranges and preconditions of a download (RFC 9110, sections 13 and 14), with one strong entity tag. */

export type Range =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' }

const WHOLE: Range = { kind: 'whole' }

/** Parses a single byte range. Other or malformed ranges are ignored, as RFC 9110, 14.2 allows. */
export function parseRange(header: string | undefined, size: number): Range {
  const match = /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i.exec(header ?? '')
  if (!match) return WHOLE
  const [, from, to, suffix] = match
  if (from === undefined) {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to ? Math.min(Number(to), size - 1) : size - 1
  if (to && Number(to) < first) return WHOLE
  return first >= size ? { kind: 'unsatisfiable' } : { kind: 'part', first, last }
}

const tagsOf = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? []

/** Evaluates If-Match with strong comparison. True: continue with the request. */
export function ifMatchPasses(header: string | undefined, tag: string): boolean {
  return header === undefined || header.trim() === '*' || tagsOf(header).includes(tag)
}

/** Evaluates If-None-Match with weak comparison. True: the client already has the result. */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || tagsOf(header).some((other) => other.replace(/^W\//, '') === tag)
}

/** Evaluates If-Range with strong comparison. A date never matches, because results have no Last-Modified. */
export const ifRangeMatches = (header: string | undefined, tag: string) => header === undefined || header.trim() === tag
