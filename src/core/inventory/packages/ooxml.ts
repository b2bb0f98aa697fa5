/** Inventories of DOCX, XLSX and PPTX (ECMA-376 part 2: packages of parts and relationships). */
import type { Source } from '../../model/codec.ts'
import type { Inventory, InventoryReader } from '../inventory.ts'
import type { ZipMember } from '../zip.ts'
import { isPropertyPart, partReading } from './ooxml-parts.ts'
import { isMissing, labelOf, OoxmlParts } from './ooxml-relationships.ts'
import { isMedia, isPicture, leafOf, PACKAGE_LIBRARIES, Package } from './package.ts'

export const docx = ooxml('docx')
export const pptx = ooxml('pptx')
export const xlsx = ooxml('xlsx')

function ooxml(format: string): InventoryReader {
  return {
    library: PACKAGE_LIBRARIES,
    read: (source, signal) => inventoryOf(format, source, signal),
  }
}

async function inventoryOf(format: string, source: Source, signal: AbortSignal): Promise<Inventory> {
  const archive = await Package.open(source, format, signal)
  await archive.addSurroundings('archive_comments')
  const parts = await OoxmlParts.read(archive)
  addRelationships(archive, parts)
  for (const member of archive.inFileOrder) if (!parts.isStructure(member)) await addPart(archive, parts, member)
  return archive.builder.build()
}

const SIGNATURES = '_xmlsignatures/'
/** Short content type of relationship parts. */
const RELATIONSHIPS = 'package.relationships+xml'
const TARGET_MISSING = ', target missing'

function addRelationships(archive: Package, parts: OoxmlParts): void {
  /** Owners of a relationship that leads nowhere. */
  const broken = new Set<string>()
  for (const relationship of parts.relationships) {
    const { owner, id, kind, external, target } = relationship
    const state = isMissing(parts, relationship) ? TARGET_MISSING : ''
    if (state) broken.add(owner)
    archive.add('relationships', `${kind} ${id} of ${labelOf(parts, owner) || 'package'}${state}`)
    if (external) archive.add('links', `${kind} ${target}`)
  }
  for (const member of archive.files) {
    if (!/\.rels$/i.test(member.name)) continue
    const owner = parts.ownerOf(member.name)
    const type = shortType(parts.typeOf(member.name))
    const what = type === RELATIONSHIPS ? 'relationships' : type
    archive.add('parts', `${what} of ${labelOf(parts, owner) || 'package'}${broken.has(owner) ? TARGET_MISSING : ''}`)
    if (member.name.startsWith(SIGNATURES)) archive.add('signatures', member.name)
  }
}

/** Kinds of parts that people know by name, by the last word of their content type. */
const LAYOUTS = ['slideLayout', 'slideMaster', 'notesMaster', 'handoutMaster']
const SHEETS = 'theme slide notesSlide worksheet chartsheet chart diagramData table pivotTable externalLink drawing'.split(' ')
const WORD = /[./+](\w+)\+xml$/
/** Embedded documents that the codecs compress (with their own inventories). */
const DOCUMENT = /(^|\/)embeddings\/[^/]+\.(docx|docm|xlsx|xlsm|pptx|pptm)$/i

async function addPart(archive: Package, parts: OoxmlParts, member: ZipMember): Promise<void> {
  const { name } = member
  const type = parts.typeOf(name)
  if (!isMedia(name)) addWords(archive, type)
  if (name.startsWith(SIGNATURES)) archive.add('signatures', name)
  const isXml = /\.(xml|vml)$/i.test(name) || isPropertyPart(name, type)
  if (!isXml || !archive.content.isReadable(member)) return addBinaryPart(archive, parts, member)
  archive.add('parts', shortType(type))
  if (isEmbedded(name, type)) archive.add('embedded_objects', name)
  if (isMacro(name, type)) archive.add('macros', leafOf(name))
  await archive.readXml(member, partReading(name, type, labelOf(parts, name)))
}

async function addBinaryPart(archive: Package, parts: OoxmlParts, member: ZipMember): Promise<void> {
  const { name } = member
  const type = parts.typeOf(name)
  const facts = await archive.describe(member)
  const content = ` ${name} = ${facts.text}`
  if (parts.isThumbnail(name)) return archive.add('media', `thumbnail${isPicture(facts.start) ? '' : content}`)
  if (isMedia(name)) return archive.addMedia(name, facts, parts.useOf(name))
  const isFont = parts.isFont(name) || name.includes('/fonts/') || /\.(odttf|fntdata)$/.test(name)
  if (isFont) archive.add('fonts', leafOf(name))
  if (isFont) archive.add('font_glyphs', `${leafOf(name)} = ${facts.text}`)
  const mayChange = DOCUMENT.test(name) || isFont || isPicture(facts.start)
  archive.add('parts', `${isPicture(facts.start) ? 'picture' : shortType(type)}${mayChange ? '' : content}${parts.useOf(name)}`)
  if (isEmbedded(name, type)) archive.add('embedded_objects', mayChange ? name : `${name} = ${facts.text}`)
  if (isMacro(name, type)) archive.add('macros', `${leafOf(name)} = ${facts.text}`)
}

const isEmbedded = (name: string, type: string) => name.includes('embeddings/') || type.includes('oleObject') || name.includes('activeX')
const isMacro = (name: string, type: string) => /vba/i.test(type) || name.endsWith('vbaProject.bin')

function addWords(archive: Package, type: string): void {
  const word = WORD.exec(type)?.[1] ?? ''
  if (LAYOUTS.includes(word)) archive.add('layouts', word)
  if (SHEETS.includes(word)) archive.add('sheets_and_slides', word)
}

const shortType = (type: string): string =>
  type.replace('application/vnd.openxmlformats-officedocument.', '').replace('application/vnd.openxmlformats-', '') || 'no type'
