/** Adds the items of attributes: names, references, data, events, accessibility, and data of drawing programs. */
import { isEditorNamespace } from '../../catalog/inventory/svg-editors.ts'
import type { ItemCollector } from '../collector.ts'
import { urlsIn } from './css.ts'
import type { XmlElement } from './xml.ts'

export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
export const XHTML_NAMESPACE = 'http://www.w3.org/1999/xhtml'
const XLINK = 'http://www.w3.org/1999/xlink'
const INKSCAPE = 'http://www.inkscape.org/namespaces/inkscape'
const XML = 'http://www.w3.org/XML/1998/namespace'
const XMLNS = 'http://www.w3.org/2000/xmlns/'

/** Attributes for assistive technology. */
const ACCESSIBILITY = /^(?:aria-.*|role|tabindex|lang|focusable)$/
/** Attributes that decide what is shown or how the drawing reacts. `content`: the editable drawing of draw.io, on the root. */
const REPORTED = /^(?:systemLanguage|requiredFeatures|requiredExtensions|pointer-events|cursor|download|rel|hreflang|ping)$/

/** Attributes without a namespace, by name. */
export const plainAttributes = ({ attributes }: XmlElement): ReadonlyMap<string, string> =>
  new Map(attributes.flatMap(({ uri, local, value }) => (uri === '' ? [[local, value] as const] : [])))

/** Address of a link. `undefined`: none. */
export function hrefOf({ attributes }: XmlElement): string | undefined {
  const find = (namespace: string) => attributes.find(({ uri, local }) => local === 'href' && uri === namespace)?.value
  return find('') ?? find(XLINK)
}

const inkscapeAttribute = ({ attributes }: XmlElement, name: string): string | undefined =>
  attributes.find(({ uri, local }) => local === name && uri === INKSCAPE)?.value

export interface Place {
  readonly isRoot: boolean
  readonly isInMetadata: boolean
}

/** Adds the items of an element's attributes. Returns the ids to which they refer. */
export function addAttributes(element: XmlElement, plain: ReadonlyMap<string, string>, place: Place, items: ItemCollector): string[] {
  const ids: string[] = []
  if (place.isRoot) addSize(plain, items)
  const label = inkscapeAttribute(element, 'label')
  if (label && inkscapeAttribute(element, 'groupmode') === 'layer') items.add('layers', label)
  for (const token of new Set(plain.get('class')?.split(/\s+/))) if (token !== '') items.add('classes', token)
  for (const { uri, local, value } of element.attributes) {
    if (uri === '') addPlain(local, value, place, items)
    else if (uri === XML) {
      if (local === 'lang') items.add('accessibility', `lang = ${value}`)
    } else if (isEditorNamespace(uri)) items.add('editor_data', `attribute ${local}`)
    else if (uri !== XLINK && uri !== XMLNS && !place.isInMetadata) items.add('custom_xml', `{${uri}}${local} = ${value}`)
    const isHref = local === 'href' && (uri === '' || uri === XLINK)
    if (isHref) addHref(element, value, ids, items)
    else if (value.includes('url(') && !isEditorNamespace(uri)) for (const url of urlsIn(value)) addReference(url, ids, items)
  }
  return ids
}

function addPlain(name: string, value: string, { isRoot }: Place, items: ItemCollector): void {
  if (name === 'id') items.add('ids', value)
  else if (name.startsWith('on')) items.add('event_attributes', `${name} ${value}`)
  else if (name.startsWith('data-')) items.add('data_attributes', `${name} = ${value}`)
  else if (ACCESSIBILITY.test(name)) items.add('accessibility', `${name} = ${value}`)
  else if (REPORTED.test(name) || (isRoot && name === 'content')) items.add('attributes', `${name} = ${value}`)
}

/** Adds a reference to another file, or the id of a reference within the drawing to `ids`. */
export function addReference(url: string, ids: string[], items: ItemCollector): void {
  if (url.startsWith('#')) ids.push(decoded(url.slice(1)))
  else if (url !== '' && !url.startsWith('data:')) items.add('outside_references', url)
}

function addHref({ uri, local }: XmlElement, value: string, ids: string[], items: ItemCollector): void {
  if (value.startsWith('data:')) items.add('embedded_files', value.slice(5, 105).split(/[,;]/, 1)[0]!)
  else if (value.startsWith('#')) addReference(value, ids, items)
  else if (local !== 'a' && !uri.startsWith('http://creativecommons')) items.add('outside_references', value)
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

/** Adds the attributes with which other documents lay the drawing out (SVG 2, 8.2), with their default values. */
function addSize(plain: ReadonlyMap<string, string>, items: ItemCollector): void {
  const sizes = { viewBox: '', width: '100%', height: '100%', preserveAspectRatio: 'xMidYMid meet' }
  for (const [name, byDefault] of Object.entries(sizes)) {
    const words = (plain.get(name) ?? byDefault)
      .trim()
      .split(/[\s,]+/)
      .filter((word) => word !== '')
    if (words.length > 0) items.add('size', `${name} = ${words.map(rounded).join(' ')}`)
  }
}

/** Writes a number with at most two decimals and without the unit `px`. */
function rounded(word: string): string {
  const text = word.replace(/px$/, '')
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? String(Math.round(Number(text) * 100) / 100 || 0) : text
}
