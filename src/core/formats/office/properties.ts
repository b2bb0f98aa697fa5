/** Writes parts with document properties again, with only the properties that stay. */

import type { RemovingMode } from '../../catalog/metadata.ts'
import { keepsCustomProperty, keepsOfficeProperty } from '../../catalog/metadata-of-documents.ts'
import { applySplices, escapeXml, scanTags, type Tag, unescapeXml } from '../../containers/xml/scan.ts'

/** Kinds of parts with properties (ECMA-376 part 2, 8; part 1, 22.2 and 22.3). */
const KINDS = ['core', 'extended', 'custom'] as const
export type PropertyKind = (typeof KINDS)[number]
export const isPropertyKind = (text: string): text is PropertyKind => (KINDS as readonly string[]).includes(text)

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
const CORE = 'http://schemas.openxmlformats.org/package/2006/metadata/core-properties'
const DUBLIN_CORE = 'http://purl.org/dc/elements/1.1/'
/** Namespaces in the two variants of ECMA-376. */
const VARIANTS = {
  transitional: 'http://schemas.openxmlformats.org/officeDocument/2006',
  strict: 'http://purl.oclc.org/ooxml/officeDocument',
}
const NAMESPACES = {
  transitional: { extended: 'extended-properties', custom: 'custom-properties', values: 'docPropsVTypes' },
  strict: { extended: 'extendedProperties', custom: 'customProperties', values: 'docPropsVTypes' },
}

/** Child of the root element. `text`: its text, or the text of its only child. `undefined`: it has more elements. */
interface Property {
  readonly name: string
  readonly tag: Tag
  readonly text: string | undefined
  /** Range of the element in the part. */
  readonly start: number
  readonly end: number
}

/**
 * Returns a part with the properties that `mode` keeps. `undefined`: it has no others and no comments, so it may stay.
 * @throws EngineError if the text is not XML
 */
export function reducedProperties(kind: PropertyKind, xml: string, mode: RemovingMode): string | undefined {
  const properties = childrenOf(xml)
  const kept = properties.filter(({ name, tag, text }) => {
    if (text === undefined) return false
    return kind === 'custom' ? keepsCustomProperty(mode, tag.get('name') ?? '') : keepsOfficeProperty(name)
  })
  if (kept.length === properties.length && isEmptyRoot(withoutElements(xml, kept))) return undefined
  const isStrict = xml.includes(VARIANTS.strict)
  return DECLARATION + writers[kind](kept, isStrict ? 'strict' : 'transitional')
}

/**
 * Returns a part without the folder in which a workbook was saved ([MS-XLSX], `absPath`). Excel writes it again when it saves the file.
 * `undefined`: there is none. @throws EngineError if the text is not XML
 */
export function withoutFolder(xml: string): string | undefined {
  const tags = [...scanTags(xml)].filter(({ local }) => local === 'absPath')
  if (tags.length === 0) return undefined
  return applySplices(
    xml,
    tags.map(({ start, end }) => ({ start, end, text: '' })),
  )
}

const withoutElements = (xml: string, properties: readonly Property[]) =>
  applySplices(
    xml,
    properties.map(({ start, end }) => ({ start, end, text: '' })),
  )

/** True if a text is one element without content, after its declaration. */
const isEmptyRoot = (xml: string) => /^\uFEFF?(?:<\?xml[^<>]*\?>)?\s*<[^<>!?]+>\s*(?:<\/[^<>]+>\s*)?$/.test(xml)

const escaped = (text: string | undefined) => escapeXml(text ?? '')

const writers: { readonly [Kind in PropertyKind]: (kept: readonly Property[], variant: keyof typeof VARIANTS) => string } = {
  core: (kept) => {
    const titles = kept.map(({ text }) => `<dc:title>${escaped(text)}</dc:title>`).slice(0, 1)
    return `<cp:coreProperties xmlns:cp="${CORE}" xmlns:dc="${DUBLIN_CORE}">${titles.join('')}</cp:coreProperties>`
  },
  extended: (kept, variant) => {
    const namespace = `${VARIANTS[variant]}/${NAMESPACES[variant].extended}`
    return `<Properties xmlns="${namespace}">${kept.map(({ name, text }) => `<${name}>${escaped(text)}</${name}>`).join('')}</Properties>`
  },
  custom: (kept, variant) => {
    const { custom, values } = NAMESPACES[variant]
    const written = kept.map(({ tag, text }, index) => {
      const id = `fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="${index + 2}" name="${escaped(tag.get('name'))}"`
      return `<property ${id}><vt:lpwstr>${escaped(text)}</vt:lpwstr></property>`
    })
    return `<Properties xmlns="${VARIANTS[variant]}/${custom}" xmlns:vt="${VARIANTS[variant]}/${values}">${written.join('')}</Properties>`
  },
}

/** Returns the children of the root element. @throws EngineError if the text is not XML */
function childrenOf(xml: string): Property[] {
  const found: Property[] = []
  const open: Tag[] = []
  let elements = 0
  let innermost = ''
  for (const tag of scanTags(xml)) {
    if (tag.kind === 'close') {
      const opened = open.pop()
      if (opened && open.length >= 1 && innermost === '' && elements <= 2) innermost = xml.slice(opened.end, tag.start)
      if (opened && open.length === 1) found.push(propertyOf(opened, elements <= 2 ? plainText(innermost) : undefined, tag.end))
      continue
    }
    if (open.length === 1) [elements, innermost] = [0, '']
    elements++
    if (tag.kind === 'open') open.push(tag)
    else if (open.length === 1) found.push(propertyOf(tag, '', tag.end))
  }
  return found
}

const propertyOf = (tag: Tag, text: string | undefined, end: number): Property => ({ name: tag.local, tag, text, start: tag.start, end })

/** Text without references. `undefined`: it has comments or CDATA sections. */
const plainText = (text: string): string | undefined => (text.includes('<') ? undefined : unescapeXml(text))
