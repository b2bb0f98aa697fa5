/** What the XML parts of DOCX, XLSX and PPTX hold (ECMA-376 part 1). */
import { CUSTOM_PROPERTY, FOLDER_PROPERTY } from '../../catalog/metadata-of-documents.ts'
import type { AddItem, XmlReading } from './package.ts'
import { attributeOf, namespaceOf, type TextReceiver, type XmlElement, type XmlVisitor } from './xml.ts'

/** Tracked changes of a text (ECMA-376 part 1, 17.13.5). */
const CHANGES = new Set('ins del moveFrom moveTo rPrChange pPrChange sectPrChange tblPrChange cellIns cellDel numberingChange'.split(' '))
const FEATURES = new Set(
  (
    'dataValidation conditionalFormatting sheetProtection documentProtection autoFilter hyperlink sdt fldSimple instrText ' +
    'footnoteReference endnoteReference control OLEObject transition timing oMath txbxContent'
  ).split(' '),
)
/** Names in `EDITED_TAGS`. Most texts have none, and the search for them is faster. */
const EDITED_NAMES = ['srcRect', 'sldLayoutId', 'absPath']
/**
 * Tags that a result may change: the shown part of a picture, the layouts of a slide master, and the folder of a workbook. Relationships show
 * lost layouts, and the folder is a property.
 */
const EDITED_TAGS = /<\/?(?:\w+:)?(?:srcRect|sldLayoutId|absPath)\b(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/g

/** True for parts with the properties of the document: in the usual folder, or of their content type. */
export const isPropertyPart = (name: string, type: string): boolean =>
  /^docprops\/[^/]*\.xml$/i.test(name) || type.endsWith('-properties+xml')

/** How to read one part. `label`: its name in items. */
export function partReading(name: string, type: string, label: string): XmlReading {
  const holdsProperties = isPropertyPart(name, type)
  return {
    key: `ooxml ${type} ${label}`,
    visitor: (add) => ({
      ...(holdsProperties ? propertiesVisitor(add) : contentVisitor(add, type)),
      comparedText: (text) => (EDITED_NAMES.some((name) => text.includes(name)) ? text.replace(EDITED_TAGS, '') : text),
    }),
    finish(add, { root, digest }) {
      if (name.includes('customXml/')) add('custom_xml', root || name)
      add('texts', `${holdsProperties ? 'properties ' : ''}${label} = content #${digest}`)
    },
  }
}

/** Properties: the elements without children, named by themselves, or `custom` and the name of a custom property. */
function propertiesVisitor(add: AddItem): XmlVisitor {
  const parents = new Set<XmlElement>()
  return {
    open(element) {
      // The root element is no property, even if it is empty.
      const { parent } = element
      if (!parent) return undefined
      parents.add(parent)
      return (text) => {
        const isLeaf = !parents.delete(element)
        if (!isLeaf || (text === '' && Object.keys(element.attributes).length === 0)) return
        const custom = parent.attributes['name']
        add('properties', `${custom ? CUSTOM_PROPERTY + custom : element.local} = ${text}`)
      }
    },
  }
}

/** Names of all elements that `contentVisitor` reads. */
const READ = new Set([...CHANGES, ...FEATURES, ...'comment cm bookmarkStart docPr cNvPr definedName sheet sldId sld f absPath'.split(' ')])

function contentVisitor(add: AddItem, type: string): XmlVisitor {
  const isComments = /comment/i.test(type)
  let slides = 0
  return {
    open(element): TextReceiver | undefined {
      const { local, attributes } = element
      if (!READ.has(local)) return undefined
      if (FEATURES.has(local)) add('features', local)
      if (CHANGES.has(local)) addChange(add, element)
      switch (local) {
        case 'comment':
        case 'cm':
          return isComments ? (text) => add('comments', `${authorOf(element)} ${text}`) : undefined
        case 'bookmarkStart':
          add('bookmarks', attributeOf(element, 'name') ?? '')
          break
        case 'docPr':
        case 'cNvPr':
          if (attributes['descr'] || attributes['title'])
            add('alternative_texts', `${attributes['title'] ?? ''} ${attributes['descr'] ?? ''}`.trim())
          break
        case 'definedName':
          return (text) => add('defined_names', `${attributes['name'] ?? ''} = ${text}`)
        case 'sheet':
          if (attributes['sheetId']) add('sheets_and_slides', `sheet ${attributes['name'] ?? ''} ${attributes['state'] ?? 'visible'}`)
          break
        case 'sldId':
          add('sheets_and_slides', `slide ${++slides} in order = ${attributeOf(element, 'id') ?? ''} ${attributes['r:id'] ?? ''}`)
          break
        case 'sld':
          if (attributes['show'] === '0') add('sheets_and_slides', 'hidden slide')
          break
        case 'absPath':
          add('properties', `${FOLDER_PROPERTY} = ${attributes['url'] ?? ''}`)
          break
        case 'f':
          if (namespaceOf(element).includes('spreadsheetml')) add('formulas', 'formula')
          break
      }
      return undefined
    },
  }
}

function addChange(add: AddItem, element: XmlElement): void {
  const author = Object.entries(element.attributes).find(([name]) => name.endsWith(':author'))
  if (author) add('changes', `${element.local} ${author[1]}`)
}

const authorOf = (element: XmlElement): string =>
  Object.entries(element.attributes).find(([name]) => name.endsWith(':author'))?.[1] ||
  element.attributes['authorId'] ||
  element.attributes['ref'] ||
  ''
