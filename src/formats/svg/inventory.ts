/** What must still be in a result, whatever svgo did: root size, text, links, scripts, animation, ids that are referred to. */

import { contentsOf, type Piece, without } from './markup.ts'

const LIVE = [
  'symbol',
  'view',
  'script',
  'animate',
  'animateTransform',
  'animateMotion',
  'animateColor',
  'set',
  'a',
  'foreignObject',
  'image',
  'text',
  'title',
  'desc',
  'style',
]
/** Of these, svgo may merge or inline some. */
const MAY_GO = new Set(['style', 'text', 'title', 'desc', 'image', 'a'])

/** The first thing that is missing, in words; undefined when nothing is. */
export function inventoryDifference(before: string, after: string): string | undefined {
  const [old, now] = [inventory(before), inventory(after)]
  for (const name of ['width', 'height', 'viewBox', 'preserveAspectRatio']) {
    const [a, b] = [old.root.get(name), now.root.get(name)]
    if (numbers(a) !== numbers(b) && !(a === '100%' && b === undefined) && !(a === 'xMidYMid meet' && b === undefined)) {
      return `the root's ${name} was ${a} and is ${b}`
    }
  }
  for (const name of LIVE) {
    const [a, b] = [old.counts.get(name) ?? 0, now.counts.get(name) ?? 0]
    if (b < a && !MAY_GO.has(name)) return `${a} elements ${name} became ${b}`
  }
  if (old.words !== now.words) return 'the text has changed'
  for (const id of now.references) if (old.ids.has(id) && !now.ids.has(id)) return `the id ${id} is gone`
  for (const attribute of ['role', 'aria-', 'data-', 'lang']) {
    const [a, b] = [count(old.plain, attribute), count(now.plain, attribute)]
    if (b < a) return `${a} attributes ${attribute} became ${b}`
  }
  return undefined
}

const count = (text: string, attribute: string): number => text.split(new RegExp(`\\s${attribute}[\\w-]*\\s*=`)).length - 1

/** Attributes of the first `svg` element. */
export function rootAttributes(text: string): Map<string, string> {
  const root = new Map<string, string>()
  const open = /<(?:[\w-]+:)?svg\b((?:[^>"']|"[^"]*"|'[^']*')*)>/.exec(text)
  for (const [, name = '', double, single] of (open?.[1] ?? '').matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    root.set(name, double ?? single ?? '')
  return root
}

const NOT_PLAIN = new Set<Piece['kind']>(['comment', 'doctype'])

interface Inventory {
  /** Without comments and DOCTYPE. */
  readonly plain: string
  readonly root: ReadonlyMap<string, string>
  readonly counts: ReadonlyMap<string, number>
  readonly words: string
  readonly ids: ReadonlySet<string>
  readonly references: ReadonlySet<string>
}

function inventory(text: string): Inventory {
  const plain = without(text, NOT_PLAIN)
  const counts = new Map<string, number>()
  for (const [, name = ''] of plain.matchAll(/<(?:[\w-]+:)?([\w-]+)(?=[\s/>])/g)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const root = rootAttributes(plain)
  const words = [...contentsOf(plain, 'text')]
    // White space is what XML calls so: a space that does not break is text.
    .map((inside) =>
      unescaped(inside.replace(/<[^>]*>/g, ''))
        .replace(/[ \t\r\n]+/g, ' ')
        .replace(/^ | $/g, ''),
    )
    .filter((line) => line !== '')
    .join('\n')
  const ids = new Set([...plain.matchAll(/\sid\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, double, single]) => double ?? single ?? ''))
  const references = new Set(
    [...plain.matchAll(/url\(\s*(?:&quot;|["'])?#([^)'"&]+)|href\s*=\s*["']#([^"']+)["']/g)].map(([, url, href]) =>
      (url ?? href ?? '').trim(),
    ),
  )
  return { plain, root, counts, words, ids, references }
}

/** Character references and the five entities of XML, so that `&#65;` and `A` are the same. */
function unescaped(text: string): string {
  const named: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name) return named[name] ?? whole
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** `1.0 2px` and `1,2` say the same. */
function numbers(value: string | undefined): string {
  return (value ?? '')
    .replace(/px\b/g, '')
    .trim()
    .split(/[\s,]+/)
    .map((word) => (/^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(word) ? String(Number(word)) : word))
    .join(' ')
}
