/**
 * Inventory of everything a result must keep, whatever svgo did: names, rules, links, texts, scripts, data, layers, click areas, vertices.
 */

import { optimize } from 'svgo/browser'
import { looksGenerated } from '../../catalog/inventory/generated-ids.ts'
import { type Message, message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { declarationsOf, NOTICE, shortenCss } from './css.ts'
import type { SvgElement } from './decimals.ts'
import { hidesElement } from './drawn.ts'
import { plugin } from './guarded.ts'
import { referencesOf } from './marks.ts'
import { readPath, readPoints } from './path.ts'
import { collapseWhiteSpace, normaliseNumberList, rootAttributes, visibleTextOf } from './words.ts'

/** Number of occurrences of each value. */
type Counts = Map<string, number>

/** Kinds of content that every level keeps, with the words for messages. Comments are not included. */
const KEPT = {
  names: 'the class',
  attributes: 'the attribute',
  links: 'the link',
  titles: 'the title',
  scripts: 'the script',
  rules: 'the style sheet',
  metadata: 'the metadata',
  hidden: 'the hidden part',
  elements: 'the element',
  notices: 'the notice',
  instructions: 'the instruction',
} as const
type Kind = keyof typeof KEPT

export interface Inventory {
  readonly root: ReadonlyMap<string, string>
  /** Rendered texts of the drawing. */
  readonly words: string
  readonly ids: Counts
  readonly layers: Counts
  readonly references: ReadonlySet<string>
  readonly comments: number
  readonly corners: number
  readonly emptyMetadata: number
  readonly editorParts: number
  readonly definitions: number
  readonly kept: { readonly [K in Kind]: Counts }
}

const LIVE =
  /^(?:symbol|view|script|animate|animateTransform|animateMotion|animateColor|set|a|foreignObject|image|text|title|desc|style|switch)$/
const ATTRIBUTES =
  /^(?:on.*|data-.*|aria-.*|role|lang|xml:lang|tabindex|focusable|pointer-events|target|systemLanguage|requiredFeatures|requiredExtensions)$/
const DEFINITION = /^(?:linearGradient|radialGradient|clipPath|filter|mask|pattern|marker)$/
const EDITOR_PREFIX = /^(?:inkscape|sodipodi|sketch|serif|i|x|krita|figma|v):/
const SHAPE = /^(?:path|rect|circle|ellipse|line|polygon|polyline|text|image|use)$/

const local = (name: string): string => name.slice(name.indexOf(':') + 1)

function add(counts: Counts, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}

interface Node extends SvgElement {
  readonly value?: string
}

/**
 * Parses a document and returns its inventory.
 * @throws CodecError (malformed) if the text is not well-formed
 */
export function inventoryOf(text: string): Inventory {
  const builder = new InventoryBuilder()
  try {
    optimize(text, {
      plugins: [
        plugin('inventory', (root) => {
          builder.addNode(root as Node)
          // Nobody needs the text that svgo would write.
          root.children = []
          return null
        }),
      ],
    })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw malformed('svg', 0, message('engine_reports', { problem: error.message.split('\n')[0] ?? 'not well-formed' }))
  }
  return {
    ...builder.inventory,
    root: rootAttributes(text),
    words: visibleTextOf(text),
    corners: builder.corners,
    ...builder.counts,
  }
}

/** Inventories of a document and of its versions, each made once. */
export class Inventories {
  readonly #known = new Map<string, Inventory>()

  /** @throws CodecError (malformed) if the text is not well-formed */
  of(text: string): Inventory {
    const known = this.#known.get(text) ?? inventoryOf(text)
    this.#known.set(text, known)
    return known
  }
}

class InventoryBuilder {
  readonly counts = { comments: 0, emptyMetadata: 0, editorParts: 0, definitions: 0 }
  readonly inventory = {
    ids: new Map() as Counts,
    layers: new Map() as Counts,
    references: new Set<string>(),
    kept: Object.fromEntries(Object.keys(KEPT).map((kind) => [kind, new Map()])) as unknown as { readonly [K in Kind]: Counts },
  }
  corners = 0

  addNode(node: Node, marked = false): void {
    const { kept } = this.inventory
    if (node.type === 'comment') {
      this.counts.comments++
      if (NOTICE.test(node.value ?? '') || node.value?.startsWith('!')) add(kept.notices, collapseWhiteSpace(node.value ?? ''))
    } else if (node.type === 'instruction' && node.name !== 'xml')
      add(kept.instructions, `${node.name} ${collapseWhiteSpace(node.value ?? '')}`)
    if (node.type !== 'element' && node.type !== 'root') return
    const markedNow = node.type === 'element' ? this.#element(node, marked) : marked
    for (const child of node.children as Node[]) this.addNode(child, markedNow)
  }

  /**
   * Adds an element to the inventory.
   * @returns whether markers may be drawn on its vertices
   */
  #element(node: Node, marked: boolean): boolean {
    const { kept, ids, references } = this.inventory
    const name = local(node.name)
    for (const [attribute, value] of Object.entries(node.attributes)) this.#attribute(attribute, value)
    if (node.attributes['id'] !== undefined) add(ids, node.attributes['id'])
    for (const id of referencesOf(node)) references.add(id)
    for (const one of new Set((node.attributes['class'] ?? '').split(/\s+/))) if (one !== '') add(kept.names, one)
    if (LIVE.test(name) && !isEmptyMetadata(node)) add(kept.elements, name)
    if (DEFINITION.test(name)) this.counts.definitions++
    if (EDITOR_PREFIX.test(node.name)) this.counts.editorParts += 1 + Object.keys(node.attributes).length
    this.#content(node, name)
    const style = declarationsOf(node.attributes['style'] ?? '') ?? []
    const declared = [...style, ...Object.entries(node.attributes).map(([one, value]) => ({ name: one, value }))]
    if ((SHAPE.test(name) || name === 'g') && declared.some(hidesElement)) add(kept.hidden, name)
    const hasMarkers = marked || declared.some((one) => /^marker/.test(one.name) && one.value.includes('url('))
    if (hasMarkers) this.corners += cornersOf(node, name)
    return hasMarkers
  }

  #attribute(attribute: string, value: string): void {
    const { kept, layers } = this.inventory
    if (ATTRIBUTES.test(attribute)) add(kept.attributes, `${attribute}="${collapseWhiteSpace(value)}"`)
    if (/^(?:xlink:)?href$/.test(attribute) && !value.startsWith('#') && !value.startsWith('data:')) add(kept.links, value)
    if (/:label$/.test(attribute)) add(layers, value)
    if (EDITOR_PREFIX.test(attribute)) this.counts.editorParts++
  }

  #content(node: Node, name: string): void {
    const { kept } = this.inventory
    const text = () => textOf(node)
    if ((name === 'title' || name === 'desc') && !isEmptyMetadata(node)) add(kept.titles, collapseWhiteSpace(text()))
    else if (name === 'script') add(kept.scripts, collapseWhiteSpace(text()))
    else if (name === 'style') add(kept.rules, shortenCss(text(), false))
    else if (name === 'metadata') {
      const words = collapseWhiteSpace(text())
      const hasContent = words !== '' && words !== 'image/svg+xml'
      if (hasContent) add(kept.metadata, words)
      else this.counts.emptyMetadata++
    } else if (name === 'license' || name === 'licence') add(kept.metadata, JSON.stringify(node.attributes))
  }
}

/** True for the empty `dc:title` that Inkscape writes. It is removed with its metadata if they hold nothing else. */
const isEmptyMetadata = (node: Node): boolean => node.name.startsWith('dc:') && textOf(node).trim() === ''

const textOf = (node: Node): string =>
  node.type === 'text' || node.type === 'cdata' ? (node.value ?? '') : (node.children ?? []).map((child) => textOf(child as Node)).join('')

function cornersOf({ attributes }: SvgElement, name: string): number {
  if (name === 'path') return readPath(attributes['d'] ?? '')?.length ?? 0
  return /^poly/.test(name) ? (readPoints(attributes['points'] ?? '')?.length ?? 0) / 2 : 0
}

/** What a level may remove in addition to comments and data of drawing programs. */
export interface AllowedLosses {
  readonly ids: boolean
  readonly layers: boolean
}

/** Describes the first item that is missing in the result. `undefined`: nothing is missing. */
export function findMissingItem(original: Inventory, result: Inventory, allowed: AllowedLosses): string | undefined {
  for (const name of ['width', 'height', 'viewBox', 'preserveAspectRatio']) {
    const [a, b] = [original.root.get(name), result.root.get(name)]
    if (
      normaliseNumberList(a) !== normaliseNumberList(b) &&
      !(a === '100%' && b === undefined) &&
      !(a === 'xMidYMid meet' && b === undefined)
    ) {
      return `the root's ${name} was ${a} and is ${b}`
    }
  }
  if (original.words !== result.words) return 'the text has changed'
  for (const id of result.references) if (original.ids.has(id) && !result.ids.has(id)) return `the id ${id} is gone`
  for (const [id, count] of original.ids)
    if ((result.ids.get(id) ?? 0) < count && !(allowed.ids && looksGenerated(id))) return `the id ${id.slice(0, 40)} is gone`
  if (!allowed.layers)
    for (const [label] of original.layers) if (!result.layers.has(label)) return `the label ${label.slice(0, 40)} is gone`
  if (result.corners < original.corners) return `the number of vertices with markers changed from ${original.corners} to ${result.corners}`
  for (const kind of Object.keys(KEPT) as Kind[])
    for (const [value, count] of original.kept[kind])
      if ((result.kept[kind].get(value) ?? 0) < count) return `${KEPT[kind]} ${value.slice(0, 40)} is gone`
  return undefined
}

type One = 'comment_removed' | 'id_removed' | 'label_removed' | 'definition_removed'
type Many = 'comments_removed' | 'ids_removed' | 'labels_removed' | 'definitions_removed'

/** Receipt steps that report removed items. */
export function removedItemSteps(original: Inventory, result: Inventory): Message[] {
  const removedCount = (a: Counts, b: Counts) => [...a].reduce((sum, [value, count]) => sum + Math.max(0, count - (b.get(value) ?? 0)), 0)
  const countedStep = (count: number, one: One, more: Many) => (count > 1 ? [message(more, { count })] : count === 1 ? [message(one)] : [])
  return [
    ...countedStep(original.comments - result.comments, 'comment_removed', 'comments_removed'),
    ...countedStep(removedCount(original.ids, result.ids), 'id_removed', 'ids_removed'),
    ...countedStep(removedCount(original.layers, result.layers), 'label_removed', 'labels_removed'),
    ...countedStep(original.definitions - result.definitions, 'definition_removed', 'definitions_removed'),
    ...(original.emptyMetadata > result.emptyMetadata ? [message('metadata_without_content_removed')] : []),
    ...(original.editorParts > result.editorParts ? [message('data_of_drawing_programs_removed')] : []),
  ]
}
