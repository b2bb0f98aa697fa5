/** Extracts texts, numbers and root attributes of an SVG for comparison. */
import { contentsOf, type Piece, piecesOf, withoutPieces } from './markup.ts'

const NOT_PLAIN = new Set<Piece['kind']>(['comment', 'doctype'])

export const collapseWhiteSpace = (text: string): string => text.replace(/[ \t\r\n]+/g, ' ').trim()

/** Attributes of the first `svg` element. */
export function rootAttributes(text: string): Map<string, string> {
  const root = new Map<string, string>()
  const plain = withoutPieces(text, NOT_PLAIN)
  const open = /<(?:[\w-]+:)?svg\b((?:[^>"']|"[^"]*"|'[^']*')*)>/.exec(plain)
  for (const [, name = '', double, single] of (open?.[1] ?? '').matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    root.set(name, double ?? single ?? '')
  return root
}

/** Text content of text elements and foreign objects, without tags. */
export function visibleTextOf(text: string): string {
  const plain = withoutPieces(text, NOT_PLAIN)
  return ['text', 'foreignObject']
    .flatMap((name) => [...contentsOf(plain, name)])
    .map((inside) => collapseWhiteSpace(unescaped(wordsIn(inside))))
    .filter((line) => line !== '')
    .join('\n')
}

function wordsIn(markup: string): string {
  let words = ''
  for (const { kind, from, to } of piecesOf(markup)) {
    if (kind === 'text') words += markup.slice(from, to)
    if (kind === 'cdata') words += markup.slice(from + 9, to - 3)
  }
  return words
}

/** Resolves character references and the five XML entities, so that `&#65;` and `A` are equal. */
function unescaped(text: string): string {
  const named: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name) return named[name] ?? whole
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** Normalises a list of numbers, so that `1.0 2px` and `1,2` are equal. */
export function normaliseNumberList(value: string | undefined): string {
  return (value ?? '')
    .replace(/px\b/g, '')
    .trim()
    .split(/[\s,]+/)
    .map((word) => (/^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(word) ? String(Number(word)) : word))
    .join(' ')
}
