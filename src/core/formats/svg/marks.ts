/** Which elements of a tree must be left alone, and in which respect. Taken before anything is changed. */

import { declarationsOf } from './css.ts'
import type { SvgElement } from './decimals.ts'
import { isDrawnAttribute, isDrawnDeclaration, isDrawnElement, isHiding, isOutside } from './drawn.ts'

/** What others may know of an element, or what is not measured of it. */
export interface Mark {
  /** The renderer does not draw it as browsers do, or it is hidden: its numbers keep their values. */
  readonly exact: boolean
  /** Has a name, a title, a role, a handler or takes clicks in its own way: it stays an element of its own kind. */
  readonly named: boolean
  /** A marker may stand on every corner. */
  readonly marked: boolean
}

const PLAIN: Mark = { exact: false, named: false, marked: false }

const NAMES =
  /^(?:id|class|role|lang|tabindex|focusable|pointer-events|cursor|requiredFeatures|requiredExtensions|systemLanguage|on.*|data-.*|aria-.*)$|^(?!xlink:href$|xml:space$|xmlns(?::|$)).*:/
const DESCRIBING = new Set(['title', 'desc', 'metadata', 'animate', 'animateTransform', 'animateMotion', 'animateColor', 'set', 'script'])
const MARKERS = /^marker(?:-start|-mid|-end)?$/
/** `url(#a)` and `#a`. */
const REFERENCE = /url\(\s*(?:&quot;|["'])?#([^)'"&]+)|^#(.+)$/g

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
const elementsOf = (node: SvgElement): SvgElement[] => node.children.filter(({ type }) => type === 'element')

type Tag = Pick<SvgElement, 'name' | 'attributes'>

/** Of the style and of the attributes. */
const declaredBy = ({ attributes }: Tag) => [
  ...(declarationsOf(attributes['style'] ?? '') ?? []),
  ...Object.entries(attributes).map(([name, value]) => ({ name, value })),
]

/** Not drawn here as browsers draw it, or hidden until somebody shows it. */
export function isUnmeasured(tag: Tag, hidingClasses: ReadonlySet<string>, isRoot: boolean): boolean {
  const name = localName(tag.name)
  if (!isDrawnElement(name) || declaredBy(tag).some(isHiding)) return true
  if ((tag.attributes['class'] ?? '').split(/\s+/).some((one) => hidingClasses.has(one))) return true
  if (Object.entries(tag.attributes).some(([attribute, value]) => !isDrawnAttribute(attribute, value))) return true
  const style = declarationsOf(tag.attributes['style'] ?? '')
  if (!style || style.some((declaration) => !isDrawnDeclaration(declaration, isRoot))) return true
  return name !== 'a' && hrefsOf(tag).some(isOutside)
}

interface Around {
  readonly exact: boolean
  readonly marked: boolean
  readonly takesClicks: boolean
}

export class Marks {
  readonly #marks = new WeakMap<SvgElement, Mark>()
  readonly #byId = new Map<string, SvgElement>()
  readonly #references = new Map<SvgElement, string[]>()
  readonly #hidingClasses: ReadonlySet<string>

  constructor(root: SvgElement, hidingClasses: ReadonlySet<string>) {
    this.#hidingClasses = hidingClasses
    for (const node of elementsOf(root)) this.#visit(node, { exact: false, marked: false, takesClicks: false }, true)
    this.#spread()
  }

  of(node: SvgElement): Mark {
    return this.#marks.get(node) ?? PLAIN
  }

  /** May be joined with others, renamed or taken apart. */
  isLoose(node: SvgElement): boolean {
    const { exact, named } = this.of(node)
    return !exact && !named
  }

  #visit(node: SvgElement, around: Around, isRoot: boolean): void {
    const declarations = declaredBy(node)
    const attributes = Object.entries(node.attributes)
    const takesClicks = around.takesClicks || declarations.some((one) => one.name === 'pointer-events')
    const mark = {
      exact: around.exact || isUnmeasured(node, this.#hidingClasses, isRoot),
      named:
        takesClicks ||
        attributes.some(([attribute]) => NAMES.test(attribute)) ||
        elementsOf(node).some((child) => DESCRIBING.has(localName(child.name))),
      marked: around.marked || declarations.some((one) => MARKERS.test(one.name) && one.value !== 'none'),
    }
    this.#marks.set(node, mark)
    if (node.attributes['id'] !== undefined) this.#byId.set(node.attributes['id'], node)
    this.#references.set(node, referencesOf(node))
    for (const child of elementsOf(node)) this.#visit(child, { exact: mark.exact, marked: mark.marked, takesClicks }, false)
  }

  /** What an exact element refers to is drawn through it alone, or by other documents: it is as exact. */
  #spread(): void {
    const isReferred = new Set([...this.#references.values()].flat())
    const queue = [...this.#references.keys()].filter((node) => this.of(node).exact)
    for (const [id, node] of this.#byId) if (!isReferred.has(id) && isDefinition(node)) queue.push(node)
    const done = new Set<SvgElement>()
    for (let node = queue.pop(); node; node = queue.pop()) {
      if (done.has(node)) continue
      done.add(node)
      this.#marks.set(node, { ...this.of(node), exact: true })
      for (const child of elementsOf(node)) queue.push(child)
      for (const id of this.#references.get(node) ?? []) {
        const target = this.#byId.get(id)
        if (target) queue.push(target)
      }
    }
  }
}

/** Drawn where something refers to it, and nowhere else. */
const isDefinition = ({ name }: SvgElement): boolean => /^(?:symbol|marker|pattern|clipPath|mask)$/.test(localName(name))

const hrefsOf = ({ attributes }: Tag): string[] => [attributes['href'], attributes['xlink:href']].filter((href) => href !== undefined)

/** Ids that an element refers to, in any attribute. */
export function referencesOf({ attributes }: SvgElement): string[] {
  const ids: string[] = []
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'd' || name === 'points' || !value.includes('#')) continue
    for (const [, url, plain] of value.matchAll(REFERENCE)) ids.push(decoded((url ?? plain ?? '').trim()))
  }
  return ids
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
