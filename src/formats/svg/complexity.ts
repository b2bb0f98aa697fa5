/**
 * What drawing a document would cost, estimated before a renderer sees it: `use` copies what it points to, so a few lines can
 * stand for billions of elements, and some filters take as long as their parameters say. Drawing cannot be interrupted.
 */

import { startTagsOf } from './markup.ts'

/** Elements after all copies, with filters and masks counted as many. A dense drawing has tens of thousands. */
const MAX_COST = 200_000
const FILTER_COST = 1_000
const LAYER_COST = 50

interface Element {
  readonly id: string | undefined
  readonly target: string | undefined
  readonly own: number
  readonly children: Element[]
}

export function isAffordable(text: string): boolean {
  if (hasEndlessFilter(text)) return false
  const ids = new Map<string, Element>()
  const root = parse(text, ids)
  const known = new Map<Element, number>()
  const open = new Set<Element>()
  const cost = (element: Element): number => {
    const before = known.get(element)
    if (before !== undefined) return before
    if (open.has(element)) return 0 // a circle: renderers stop there
    open.add(element)
    let sum = element.own
    for (const child of element.children) sum += cost(child)
    const target = element.target === undefined ? undefined : ids.get(element.target)
    if (target) sum += cost(target)
    open.delete(element)
    sum = Math.min(sum, MAX_COST + 1)
    known.set(element, sum)
    return sum
  }
  return cost(root) <= MAX_COST
}

function parse(text: string, ids: Map<string, Element>): Element {
  const root: Element = { id: undefined, target: undefined, own: 0, children: [] }
  const stack = [root]
  for (const { tag, depth } of startTagsOf(text)) {
    stack.length = Math.min(stack.length, depth + 1)
    const id = /\sid\s*=\s*["']([^"']*)["']/.exec(tag)?.[1]
    const target = /href\s*=\s*["']\s*#([^"']*)["']/.exec(tag)?.[1]
    const filters = /\sfilter\s*[=:]|["';]\s*filter\s*:/.test(tag) ? FILTER_COST : 0
    const layers = /\b(?:mask|clip-path|opacity|mix-blend-mode)\s*[=:]/.test(tag) ? LAYER_COST : 0
    const element: Element = { id, target, own: 1 + filters + layers, children: [] }
    stack.at(-1)!.children.push(element)
    if (id !== undefined && !ids.has(id)) ids.set(id, element)
    stack.push(element)
  }
  return root
}

/** Filters whose time grows with a number in the file. */
function hasEndlessFilter(text: string): boolean {
  const above = (pattern: RegExp, limit: number) => [...text.matchAll(pattern)].some(([, value]) => !(Number(value) <= limit))
  return (
    above(/numOctaves\s*=\s*["']\s*([^"'\s]+)/g, 16) ||
    above(/<(?:[\w-]+:)?feMorphology\b[^>]*\bradius\s*=\s*["']\s*([^"'\s,]+)/g, 30) ||
    above(/<(?:[\w-]+:)?feConvolveMatrix\b[^>]*\border\s*=\s*["']\s*([^"'\s,]+)/g, 15)
  )
}
