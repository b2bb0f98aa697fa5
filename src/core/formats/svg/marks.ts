/** Marks elements that plugins must not change, and in which respect. Marks are set before anything changes. */

import { declarationsOf } from './css.ts'
import type { SvgElement } from './decimals.ts'
import { hidesElement, isExternalLink, isRenderedAttribute, isRenderedDeclaration, isRenderedElement } from './drawn.ts'

/** Reasons to keep an element: something may refer to it, or its rendering is not measured. */
export interface ElementMark {
  /** True if the renderer differs from browsers for this element, or if it is hidden. Its numbers keep their values. */
  readonly keepsNumbers: boolean
  /** True if the element has a name, title, role, event handler or click behaviour. It keeps its element name and stays separate. */
  readonly isReferable: boolean
  /** True if a marker may be drawn on each vertex. */
  readonly mayHaveMarkers: boolean
}

const PLAIN: ElementMark = { keepsNumbers: false, isReferable: false, mayHaveMarkers: false }

const NAMES =
  /^(?:id|class|role|lang|tabindex|focusable|pointer-events|cursor|requiredFeatures|requiredExtensions|systemLanguage|on.*|data-.*|aria-.*)$|^(?!xlink:href$|xml:space$|xmlns(?::|$)).*:/
const DESCRIBING = new Set(['title', 'desc', 'metadata', 'animate', 'animateTransform', 'animateMotion', 'animateColor', 'set', 'script'])
const MARKERS = /^marker(?:-start|-mid|-end)?$/
/** Matches references such as `url(#a)` and `#a`. */
const REFERENCE = /url\(\s*(?:&quot;|["'])?#([^)'"&]+)|^#(.+)$/g

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
const elementsOf = (node: SvgElement): SvgElement[] => node.children.filter(({ type }) => type === 'element')

type Tag = Pick<SvgElement, 'name' | 'attributes'>

/** Declarations from the `style` attribute and from presentation attributes. */
const declaredBy = ({ attributes }: Tag) => [
  ...(declarationsOf(attributes['style'] ?? '') ?? []),
  ...Object.entries(attributes).map(([name, value]) => ({ name, value })),
]

/** True if the renderer differs from browsers for this element, or if the element is hidden until something shows it. */
export function isUnmeasured(tag: Tag, hidingClasses: ReadonlySet<string>, isRoot: boolean): boolean {
  const name = localName(tag.name)
  if (!isRenderedElement(name) || declaredBy(tag).some(hidesElement)) return true
  if ((tag.attributes['class'] ?? '').split(/\s+/).some((one) => hidingClasses.has(one))) return true
  if (Object.entries(tag.attributes).some(([attribute, value]) => !isRenderedAttribute(attribute, value))) return true
  const style = declarationsOf(tag.attributes['style'] ?? '')
  if (!style || style.some((declaration) => !isRenderedDeclaration(declaration, isRoot))) return true
  return name !== 'a' && hrefsOf(tag).some(isExternalLink)
}

interface Inherited {
  readonly exact: boolean
  readonly marked: boolean
  readonly takesClicks: boolean
}

export class ElementMarks {
  readonly #marks = new WeakMap<SvgElement, ElementMark>()
  readonly #byId = new Map<string, SvgElement>()
  readonly #references = new Map<SvgElement, string[]>()
  readonly #hidingClasses: ReadonlySet<string>

  constructor(root: SvgElement, hidingClasses: ReadonlySet<string>) {
    this.#hidingClasses = hidingClasses
    for (const node of elementsOf(root)) this.#visit(node, { exact: false, marked: false, takesClicks: false }, true)
    this.#spread()
  }

  of(node: SvgElement): ElementMark {
    return this.#marks.get(node) ?? PLAIN
  }

  /** True if the element may be joined with others, renamed or split. */
  mayChange(node: SvgElement): boolean {
    const { keepsNumbers: exact, isReferable: named } = this.of(node)
    return !exact && !named
  }

  #visit(node: SvgElement, inherited: Inherited, isRoot: boolean): void {
    const declarations = declaredBy(node)
    const attributes = Object.entries(node.attributes)
    const takesClicks = inherited.takesClicks || declarations.some((one) => one.name === 'pointer-events')
    const mark: ElementMark = {
      keepsNumbers: inherited.exact || isUnmeasured(node, this.#hidingClasses, isRoot),
      isReferable:
        takesClicks ||
        attributes.some(([attribute]) => NAMES.test(attribute)) ||
        elementsOf(node).some((child) => DESCRIBING.has(localName(child.name))),
      mayHaveMarkers: inherited.marked || declarations.some((one) => MARKERS.test(one.name) && one.value !== 'none'),
    }
    this.#marks.set(node, mark)
    if (node.attributes['id'] !== undefined) this.#byId.set(node.attributes['id'], node)
    this.#references.set(node, referencesOf(node))
    for (const child of elementsOf(node)) this.#visit(child, { exact: mark.keepsNumbers, marked: mark.mayHaveMarkers, takesClicks }, false)
  }

  /**
   * Marks everything that an exact element refers to as exact. Unreferenced definitions are exact, too, because only other documents draw
   * them.
   */
  #spread(): void {
    const isReferred = new Set([...this.#references.values()].flat())
    const queue = [...this.#references.keys()].filter((node) => this.of(node).keepsNumbers)
    for (const [id, node] of this.#byId) if (!isReferred.has(id) && isDefinition(node)) queue.push(node)
    const done = new Set<SvgElement>()
    for (let node = queue.pop(); node; node = queue.pop()) {
      if (done.has(node)) continue
      done.add(node)
      this.#marks.set(node, { ...this.of(node), keepsNumbers: true })
      for (const child of elementsOf(node)) queue.push(child)
      for (const id of this.#references.get(node) ?? []) {
        const target = this.#byId.get(id)
        if (target) queue.push(target)
      }
    }
  }
}

/** True for elements that are drawn only where something refers to them. */
const isDefinition = ({ name }: SvgElement): boolean => /^(?:symbol|marker|pattern|clipPath|mask)$/.test(localName(name))

const hrefsOf = ({ attributes }: Tag): string[] => [attributes['href'], attributes['xlink:href']].filter((href) => href !== undefined)

/** Returns the ids that the attributes of an element refer to. */
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
