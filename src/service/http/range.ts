/** Byte ranges and preconditions of a download (RFC 9110, sections 13 and 14), against one strong entity tag. */

export type Range =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' }

const WHOLE: Range = { kind: 'whole' }

/** One range is served; what is not one well-formed range of bytes is ignored, as RFC 9110 14.2 allows. */
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

/** If-Match: strong comparison. true: go on. */
export function matches(header: string | undefined, tag: string): boolean {
  return header === undefined || header.trim() === '*' || tagsOf(header).includes(tag)
}

/** If-None-Match: weak comparison. true: the client has it. */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || tagsOf(header).some((other) => other.replace(/^W\//, '') === tag)
}

/** If-Range: strong comparison; a date never matches, for there is no Last-Modified. */
export const rangeStands = (header: string | undefined, tag: string) => header === undefined || header.trim() === tag
