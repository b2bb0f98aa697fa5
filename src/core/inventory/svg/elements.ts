/** Adds the items of the elements and attributes of a drawing, one element after another. */
import { looksGenerated } from '../../catalog/inventory/generated-ids.ts'
import { isEditorNamespace } from '../../catalog/inventory/svg-editors.ts'
import { type ItemCollector, textDigest } from '../collector.ts'
import { addClickArea, addMarkers, declaredProperties, inheritedProperties, isZero, type Properties } from './areas.ts'
import { addAttributes, hrefOf, plainAttributes, SVG_NAMESPACE, XHTML_NAMESPACE } from './attributes.ts'
import { addMetadata, type MetadataLeaf } from './metadata.ts'
import type { XmlElement, XmlHandlers } from './xml.ts'

/** Style sheet of a `style` element. */
export interface Sheet {
  readonly css: string
  /** Value of the `media` attribute. Empty: none. */
  readonly media: string
}

/** Open element. */
interface Frame {
  readonly name: string
  readonly isSvg: boolean
  readonly attributes: ReadonlyMap<string, string>
  readonly inherited: Properties
  readonly place: string
  readonly isFaint: boolean
  readonly isInDefinition: boolean
  readonly isInMetadata: boolean
  readonly isInForeignObject: boolean
  /** True in data of drawing programs, and in definitions without an id, which nothing can use. */
  readonly isUnused: boolean
  /** Ids to which an element refers that only holds others. They count if it holds something. */
  references: readonly string[]
  /** True if there is an element other than groups in it. */
  hasContent: boolean
  /** Text of the element and the elements in it. `undefined`: not needed. */
  readonly text: string[] | undefined
  readonly leaf: MetadataLeaf | undefined
  readonly element: XmlElement
}

const SHAPES = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'image', 'use'])
const HIDEABLE = new Set([...SHAPES, 'g', 'svg', 'switch', 'a'])
const AREAS = new Set(['path', 'rect', 'circle', 'ellipse', 'polyline', 'polygon', 'text'])
const MARKED = new Set(['path', 'line', 'polyline', 'polygon'])
const DEFINITIONS = new Set(['defs', 'clipPath', 'mask', 'symbol', 'pattern', 'marker'])
const CONTAINERS = new Set(['g', 'defs'])
/** Definitions that are used only by their id. */
const USED_BY_ID = new Set(['linearGradient', 'radialGradient', 'clipPath', 'filter', 'mask', 'pattern', 'marker'])
const ANIMATIONS = new Set(['animate', 'set', 'animateTransform', 'animateMotion', 'animateColor'])
const WITH_TEXT = new Set(['style', 'script', 'title', 'desc', 'text', 'foreignObject'])
/** Elements that are counted, because documents refer to them or people see them as parts. */
const COUNTED = new Set(['symbol', 'view', 'switch', 'image'])
const NO_NAME = new Set(['title', 'desc', 'metadata', 'style', 'script'])
const NOTICE = /copyright|licen[cs]e|©|\(c\)\s|spdx|all rights/i
/** Elements inside each other whose text is kept. Deeper ones are read as part of the outer ones. */
const MAX_TEXTS = 8
type Surroundings = Pick<Frame, 'inherited' | 'place' | 'isFaint' | 'isInDefinition' | 'isInMetadata' | 'isInForeignObject' | 'isUnused'>
const ROOT: Surroundings = {
  inherited: new Map(),
  place: 'elsewhere',
  isFaint: false,
  isInDefinition: false,
  isInMetadata: false,
  isInForeignObject: false,
  isUnused: false,
}

export class ElementItems implements XmlHandlers {
  readonly sheets: Sheet[] = []
  readonly #items: ItemCollector
  readonly #frames: Frame[] = []
  readonly #texts: string[][] = []

  constructor(items: ItemCollector) {
    this.#items = items
  }

  open(element: XmlElement): void {
    const parent = this.#frames.at(-1)
    if (parent?.leaf) parent.leaf.hasElements = true
    const frame = this.#frameOf(element, parent ?? ROOT)
    const { attributes, isInMetadata, isUnused, isSvg, name } = frame
    this.#frames.push(frame)
    if (frame.text) this.#texts.push(frame.text)
    const ids = addAttributes(element, attributes, { isRoot: !parent, isInMetadata }, this.#items)
    if (isSvg && CONTAINERS.has(name)) frame.references = ids
    else {
      frame.hasContent = true
      if (!isUnused) for (const id of ids) this.#items.add('references', id)
    }
    if (frame.isSvg) this.#addSvgElement(frame)
    else this.#addOther(frame)
  }

  close(): void {
    const frame = this.#frames.pop()!
    const parent = this.#frames.at(-1)
    if (frame.hasContent && parent) parent.hasContent = true
    if (frame.hasContent && !frame.isUnused) for (const id of frame.references) this.#items.add('references', id)
    if (frame.text) this.#texts.pop()
    if (frame.leaf) addMetadata(frame.element, frame.leaf, this.#items)
    if (frame.isSvg && frame.text) this.#addText(frame, frame.text.join(''))
  }

  text(text: string): void {
    for (const parts of this.#texts) parts.push(text)
    const leaf = this.#frames.at(-1)?.leaf
    if (leaf && !leaf.hasElements) leaf.text += text
  }

  comment(text: string): void {
    this.#items.add(NOTICE.test(text) || text.startsWith('!') ? 'notices' : 'comments', text)
  }

  instruction(target: string, body: string): void {
    const href = /href\s*=\s*['"]([^'"]*)/.exec(body)?.[1] ?? ''
    if (target === 'xml-stylesheet') this.#items.add('style_sheets', `xml-stylesheet ${href}`)
    else if (target !== 'xml') this.#items.add('elements', `instruction ${target} ${body}`)
  }

  #frameOf(element: XmlElement, parent: Surroundings): Frame {
    const { uri, local: name } = element
    const attributes = plainAttributes(element)
    const isSvg = uri === SVG_NAMESPACE || uri === ''
    const declared = declaredProperties(attributes)
    const isInMetadata = parent.isInMetadata || (isSvg && name === 'metadata')
    const needsText = isSvg && WITH_TEXT.has(name) && this.#texts.length < MAX_TEXTS
    return {
      name,
      isSvg,
      attributes,
      element,
      inherited: inheritedProperties(parent.inherited, declared),
      place: placeOf(element, attributes) ?? parent.place,
      isFaint: parent.isFaint || isZero(declared.get('opacity')),
      isInDefinition: parent.isInDefinition || (isSvg && DEFINITIONS.has(name)),
      isInMetadata,
      isInForeignObject: parent.isInForeignObject || (isSvg && name === 'foreignObject'),
      isUnused: parent.isUnused || isEditorNamespace(uri) || (isSvg && USED_BY_ID.has(name) && !attributes.has('id')),
      references: [],
      hasContent: false,
      text: needsText ? [] : undefined,
      leaf: isInMetadata ? { text: '', hasElements: false } : undefined,
    }
  }

  #addSvgElement(frame: Frame): void {
    const { name, attributes, element, inherited } = frame
    const items = this.#items
    if (!NO_NAME.has(name)) items.add('element_names', name)
    if (COUNTED.has(name)) items.add('elements', name)
    if (name === 'link') items.add('style_sheets', `link ${hrefOf(element) ?? ''}`)
    if (name === 'a') {
      const target = attributes.get('target') ?? ''
      items.add('links', `${hrefOf(element) ?? ''}${target === '' ? '' : ` target=${target}`}`)
    }
    if (ANIMATIONS.has(name)) {
      const [begin, dur] = [attributes.get('begin') ?? '0', attributes.get('dur') ?? '']
      const all = [...attributes]
        .filter(([one]) => one !== 'id')
        .sort()
        .map(([one, value]) => `${one}=${value.replace(/\s+/g, ' ').trim()}`)
      items.add('animations', `${name} ${attributes.get('attributeName') ?? ''} begin=${begin} dur=${dur} = #${textDigest(all.join('\n'))}`)
    }
    if (HIDEABLE.has(name) && declaredProperties(attributes).get('display') === 'none') {
      const id = attributes.get('id') ?? ''
      items.add('hidden_parts', looksGenerated(id) ? name : `${name} ${id}`)
    }
    if (AREAS.has(name) && !frame.isInDefinition) addClickArea(frame, items)
    if (MARKED.has(name) && inherited.size > 0) addMarkers(frame, items)
  }

  #addOther({ name, element, isInMetadata, isInForeignObject }: Frame): void {
    const { uri } = element
    if (isEditorNamespace(uri)) this.#items.add('editor_data', `element ${name}`)
    else if (uri === XHTML_NAMESPACE && name === 'link') this.#items.add('style_sheets', `link ${hrefOf(element) ?? ''}`)
    else if (!isInMetadata && !isInForeignObject) this.#items.add('custom_xml', `{${uri}}${name}`)
  }

  #addText({ name, element, attributes }: Frame, text: string): void {
    const items = this.#items
    const words = text.replace(/\s+/g, ' ').trim()
    if (name === 'style') this.sheets.push({ css: text, media: attributes.get('media') ?? '' })
    else if (name === 'script') items.add('scripts', hrefOf(element) ?? `script #${textDigest(text.trim())}`)
    else if (name === 'foreignObject') items.add('foreign_objects', `foreignObject ${words}`)
    else if (name === 'text' && words !== '') items.add('texts', words)
    else if ((name === 'title' || name === 'desc') && words !== '') items.add('titles', `${name}: ${words}`)
  }
}

/** Where an area is: in a link, or in an element with event attributes. `undefined`: where its parent is. */
function placeOf(element: XmlElement, attributes: ReadonlyMap<string, string>): string | undefined {
  if (element.local === 'a') return `in a link to ${hrefOf(element) ?? ''}`
  for (const name of attributes.keys()) if (name.startsWith('on')) return 'with an event attribute'
  return undefined
}
