/**
 * Splits the text of an SVG in one linear pass: comments, CDATA sections, instructions, DOCTYPE, tags and text. A regular expression would
 * be quadratic for many unterminated comments. Nothing is validated: an unterminated piece extends to the end of the text.
 */
export interface Piece {
  readonly kind: 'text' | 'tag' | 'comment' | 'cdata' | 'instruction' | 'doctype'
  readonly from: number
  readonly to: number
}

export function* piecesOf(text: string): Generator<Piece> {
  for (let from = 0; from < text.length; ) {
    const piece = pieceAt(text, from)
    yield piece
    from = piece.to
  }
}

function pieceAt(text: string, from: number): Piece {
  const until = (kind: Piece['kind'], end: string, behind: number): Piece => {
    const at = text.indexOf(end, behind)
    return { kind, from, to: at < 0 ? text.length : at + end.length }
  }
  if (text[from] !== '<') {
    const next = text.indexOf('<', from)
    return { kind: 'text', from, to: next < 0 ? text.length : next }
  }
  if (text.startsWith('<!--', from)) return until('comment', '-->', from + 4)
  if (text.startsWith('<![CDATA[', from)) return until('cdata', ']]>', from + 9)
  if (text.startsWith('<?', from)) return until('instruction', '?>', from + 2)
  if (text.startsWith('<!', from)) return { kind: 'doctype', from, to: endOf(text, from, true) }
  return { kind: 'tag', from, to: endOf(text, from, false) }
}

/** Offset after the closing `>`, ignoring quoted text and the internal subset of a DOCTYPE. */
function endOf(text: string, from: number, mayHaveSubset: boolean): number {
  let inSubset = false
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at]
    if (character === '>' && !inSubset) return at + 1
    if (mayHaveSubset && (character === '[' || character === ']')) inSubset = character === '['
    if (character === '"' || character === "'") {
      at = text.indexOf(character, at + 1)
      if (at < 0) break
    }
  }
  return text.length
}

/** Yields each start tag, from `<` to `>`, and the number of open elements around it. */
export function* startTagsOf(text: string): Generator<{ tag: string; depth: number }> {
  let depth = 0
  for (const { kind, from, to } of piecesOf(text)) {
    if (kind !== 'tag') continue
    if (text[from + 1] === '/') depth = Math.max(0, depth - 1)
    else {
      yield { tag: text.slice(from, to), depth }
      if (text[to - 2] !== '/') depth++
    }
  }
}

/** Returns the text without pieces of these kinds. */
export function withoutPieces(text: string, kinds: ReadonlySet<Piece['kind']>): string {
  let rest = ''
  for (const { kind, from, to } of piecesOf(text)) if (!kinds.has(kind)) rest += text.slice(from, to)
  return rest
}

/** Yields the text between each `<name>` and the next `</name>`, with any namespace prefix. */
export function* contentsOf(text: string, name: string): Generator<string> {
  let start: number | undefined
  for (const { kind, from, to } of piecesOf(text)) {
    if (kind !== 'tag') continue
    const closing = text[from + 1] === '/'
    const local = /^[^\s/>]*/.exec(text.slice(from + 1 + Number(closing), Math.min(to, from + 80)))?.[0].replace(/^[\w-]+:/, '')
    if (local !== name) continue
    if (closing && start !== undefined) {
      yield text.slice(start, from)
      start = undefined
    } else if (!closing && text[to - 2] !== '/') start ??= to
  }
}
