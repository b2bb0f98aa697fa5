/** What the package documents and pages of an EPUB hold. */
import type { AddItem } from './package.ts'
import { attributeOf, namespaceOf, type TextReceiver, type XmlElement, type XmlVisitor } from './xml.ts'

const DUBLIN_CORE = 'http://purl.org/dc/elements/1.1/'

/** Metadata, manifest, spine and guide (EPUB 3.3, clause 5). */
export function packageDocumentVisitor(add: AddItem): XmlVisitor {
  let inSpine = 0
  return {
    open(element): TextReceiver | undefined {
      const { local, attributes } = element
      if (namespaceOf(element) === DUBLIN_CORE) return (text) => add('properties', `${local} = ${text}`)
      if (local === 'meta') {
        const label = `${attributes['property'] || attributes['name'] || ''} ${attributes['refines'] ?? ''}`
        return (text) => add('properties', `${label} = ${attributes['content'] || text}`)
      }
      if (local === 'item') add('manifest', manifestItem(attributes))
      else if (local === 'itemref')
        add('spine', `${inSpine++} = ${attributes['idref'] ?? ''} ${attributes['linear'] ?? ''} ${attributes['properties'] ?? ''}`)
      else if (local === 'spine') add('features', `direction ${attributes['page-progression-direction'] || 'default'}`)
      else if (local === 'reference') add('navigation', `guide ${attributes['type'] ?? ''} ${attributes['title'] ?? ''}`)
      return undefined
    },
  }
}

function manifestItem(attributes: Readonly<Record<string, string>>): string {
  const type = attributes['media-type'] ?? ''
  const isPicture = type.startsWith('image/') && !type.includes('svg')
  const words = [
    attributes['id'],
    isPicture ? 'picture' : type,
    attributes['properties'],
    attributes['fallback'] && 'fallback',
    attributes['media-overlay'] && 'overlay',
  ]
  return words.filter(Boolean).join(' ')
}

const FEATURES = new Set(['audio', 'video', 'script', 'math', 'iframe', 'form'])

/** Navigation, alternative texts, ids, links and features of pages (XHTML), and the NCX of EPUB 2. */
export function pageVisitor(add: AddItem, name: string): XmlVisitor {
  const isPage = /\.(xhtml|html?)$/i.test(name)
  const points = new Map<XmlElement, { label?: string; address: string }>()
  const open = (element: XmlElement): TextReceiver | undefined => {
    const { local, attributes, parent } = element
    const point = parent && points.get(parent)
    if (local === 'navPoint') {
      points.set(element, { address: '' })
      return () => {
        const { label, address } = points.get(element)!
        points.delete(element)
        add('navigation', label === undefined ? 'navPoint' : `${label} to ${address}`)
      }
    }
    if (local === 'content' && point) point.address ||= attributes['src'] ?? ''
    if (local === 'pageTarget') add('navigation', `page ${attributes['value'] ?? ''}`)
    else if (FEATURES.has(local)) add('features', local)
    else if (local === 'img' && attributes['alt']) add('alternative_texts', attributes['alt'])
    else if (local !== 'nav' && isPage && attributes['id']) add('ids', `id in ${name}`)
    if (local === 'navLabel' && point) return (text) => void (point.label ??= text)
    return local === 'a' ? openLink(add, element) : undefined
  }
  return { open }
}

/** Adds links to other sites, and links of a table of contents or of landmarks with their text. */
function openLink(add: AddItem, element: XmlElement): TextReceiver | undefined {
  const address = element.attributes['href'] ?? ''
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) add('links', address)
  let nav = element.parent
  while (nav && nav.local !== 'nav') nav = nav.parent
  if (!nav) return undefined
  const kind = typeOf(nav) ?? nav.attributes['role'] ?? 'nav'
  return (text) => add('navigation', `${kind}: ${text} to ${address}`)
}

/** Value of `epub:type`. */
const typeOf = (element: XmlElement): string | undefined =>
  element.attributes['type'] === undefined ? attributeOf(element, 'type') : undefined
