/** What the XML files of an OpenDocument package hold (OpenDocument 1.3 part 2, 4; part 3). */
import { CUSTOM_PROPERTY } from '../../catalog/metadata-of-documents.ts'
import { type AddItem, PICTURE_NAMES, withoutPictureExtension, type XmlReading } from './package.ts'
import { attributeOf, type TextReceiver, type XmlElement, type XmlVisitor } from './xml.ts'

const MANIFEST = 'META-INF/manifest.xml'

/** How to read one file. `names`: all files of the package. `key`: a digest of them. */
export function partReading(name: string, names: ReadonlySet<string>, key: string): XmlReading {
  const isMetadata = /^(?:Object \d+\/)?meta\.xml$/.test(name)
  const visitor = name === MANIFEST ? manifestVisitor : isMetadata ? metadataVisitor : contentVisitor
  return {
    key: `odf ${key}`,
    visitor: (add) => ({ ...visitor(add, names, name), comparedText: (text) => text.replace(PICTURE_NAMES, 'picture') }),
    finish(add, { digest }) {
      // These files change if metadata is removed. Their entries are items of their own.
      const isEdited = name === 'meta.xml' || name === MANIFEST
      add('texts', `${isEdited ? 'properties ' : ''}${name} = content #${digest}`)
    },
  }
}

type Reads = (add: AddItem, names: ReadonlySet<string>, holder: string) => XmlVisitor

const manifestVisitor: Reads = (add, names) => ({
  open({ local, attributes, parent }) {
    if (local === 'file-entry') {
      const element = { attributes }
      const path = named(element, 'full-path')
      const type = named(element, 'media-type')
      const isMissing = path !== '' && !path.endsWith('/') && !names.has(path)
      const shownType = /^image\/(?:png|jpeg)$/.test(type) ? 'picture' : type
      add('manifest', `${withoutPictureExtension(path)} = ${shownType} ${named(element, 'version')}${isMissing ? ', file missing' : ''}`)
    } else if (parent) add('features', `manifest ${local}`)
    return undefined
  },
})

/** Properties: the children of `office:meta`, named by themselves, or `custom` and the name of a user-defined property. */
const metadataVisitor: Reads = (add, _names, holder) => ({
  open(element) {
    const { local, attributes, parent } = element
    if (parent?.local !== 'meta') return undefined
    const label = local === 'user-defined' ? CUSTOM_PROPERTY + named(element, 'name') : local
    const where = holder === 'meta.xml' ? '' : `${holder} `
    return (text) => {
      const values = Object.entries(attributes).filter(([name]) => !name.endsWith(':name'))
      add('properties', `${where}${label} = ${[text, ...values.map(([name, value]) => `${name}=${value}`)].join(' ')}`)
    }
  },
})

/** Tracked changes (part 3, 5.5 and 9.9). */
const CHANGES = new Set('changed-region change change-start change-end'.split(' '))
const BOOKMARKS = new Set('bookmark bookmark-start reference-mark reference-mark-start'.split(' '))
const FEATURES = new Set(
  (
    'note object object-ole plugin form named-range content-validation event-listener database-range soft-page-break par seq ' +
    'conditional-format data-pilot-table sort filter scenario alphabetical-index-mark toc-mark protected'
  ).split(' '),
)

const contentVisitor: Reads = (add, names, holder) => ({
  open(element): TextReceiver | undefined {
    const { local, parent } = element
    if (FEATURES.has(local)) add('features', local)
    if (CHANGES.has(local)) add('changes', local)
    if (BOOKMARKS.has(local)) add('bookmarks', named(element, 'name'))
    addReference(add, element, names, holder)
    switch (local) {
      case 'annotation':
        return (text) => add('comments', text)
      case 'table':
        if (parent?.local === 'spreadsheet') add('sheets_and_slides', `sheet ${named(element, 'name')}`)
        break
      case 'table-cell':
        if (attributeOf(element, 'formula') !== undefined) add('formulas', 'formula')
        break
      case 'page':
        if (parent?.local === 'presentation' || parent?.local === 'drawing') add('sheets_and_slides', `slide ${named(element, 'name')}`)
        break
      case 'master-page':
      case 'presentation-page-layout':
        add('layouts', `${local} ${named(element, 'name')}`)
        break
      case 'a':
        add('links', named(element, 'href'))
        break
      case 'desc':
      case 'title':
        return /^svg:/.test(element.name) ? (text) => add('alternative_texts', text) : undefined
    }
    return undefined
  },
})

const named = (element: Pick<XmlElement, 'attributes'>, local: string): string => attributeOf(element, local) ?? ''

/** Adds a reference to a file of the package. A file that does not exist is marked, so that a lost file changes the item. */
function addReference(add: AddItem, element: XmlElement, names: ReadonlySet<string>, holder: string): void {
  const { local } = element
  const address = local === 'a' ? undefined : attributeOf(element, 'href')
  if (!address || /^[a-z][a-z0-9+.-]*:|^[#/]/i.test(address)) return
  const path = pathOf(holder, address)
  const isThere = path !== undefined && (names.has(path) || names.has(`${path}/content.xml`))
  add('relationships', `${local} ${withoutPictureExtension(address)} of ${holder}${isThere ? '' : ', file missing'}`)
}

/** Path of a relative address. `undefined`: it is no address. */
function pathOf(holder: string, address: string): string | undefined {
  const segments = holder.split('/').slice(0, -1)
  try {
    for (const segment of decodeURIComponent(address).split('/')) {
      if (segment === '..') segments.pop()
      else if (segment !== '' && segment !== '.') segments.push(segment)
    }
  } catch {
    return undefined
  }
  return segments.join('/')
}
