/** Removes the document properties, the preview picture and the folder of an OOXML package (ECMA-376 part 2, 8 and 11; part 1, 22.2 and 22.3). */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import type { FormatId } from '../../catalog/index.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { isCompoundFile } from '../../containers/cfb/read.ts'
import { decodeXml, encodeXml } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { openZip, readEntry } from '../../containers/zip/read.ts'
import { withFiles } from '../../containers/zip/replace.ts'
import type { Source } from '../../model/codec.ts'
import { CONTENT_TYPES, hasAmbiguousNames, isSigned, type OoxmlDocument, openDocument } from './document.ts'
import { editContentTypes, editRelationships, type Relationship } from './parts.ts'
import { isPropertyKind, type PropertyKind, reducedProperties, withoutFolder } from './properties.ts'

/** Largest part with properties that is read. Larger parts lose all properties. */
const MAX_PROPERTIES_BYTES = 4 * 1024 * 1024
/** Largest main part of a workbook that is read. It lists the sheets, whose cells are in parts of their own. */
const MAX_WORKBOOK_BYTES = 8 * 1024 * 1024

type Changes = Map<ZipEntry, Uint8Array | 'drop'>

/**
 * Returns the package without the properties that `mode` removes, and without its preview picture. Signed packages and compound files stay
 * unchanged. Pictures inside lose their metadata when the codec compresses them.
 * @throws CodecError for damaged packages
 */
export async function withoutOfficeMetadata(source: Source, format: FormatId, mode: RemovingMode): Promise<Source> {
  if (isCompoundFile(await source.read(0, 8))) return source
  const archive = await openZip(source, format)
  if (isSigned(archive) || hasAmbiguousNames(archive)) return source
  const document = await openDocument(archive)
  const changes: Changes = new Map()
  const uses = usesOf(document)
  for (const [part, entry] of document.parts) {
    const kind = kindOf(part, uses.get(part) ?? [], document.typeOf(part))
    if (!kind || entry.opaque) continue
    const before = entry.size > MAX_PROPERTIES_BYTES ? undefined : await readEntry(archive, entry)
    const after = reducedText(kind, before, mode)
    if (after !== undefined) changes.set(entry, encodeXml(after))
  }
  if (format === 'xlsx') await dropFolder(document, changes)
  dropThumbnails(document, uses, changes)
  return changes.size > 0 ? await withFiles(archive, changes) : source
}

interface Use {
  /** Part that the relationship belongs to. Empty: the package. */
  readonly owner: string
  readonly type: string
}

/** Relationships to each part. */
function usesOf({ rels }: OoxmlDocument): Map<string, Use[]> {
  const uses = new Map<string, Use[]>()
  for (const { owner, relationships } of rels)
    for (const { part, type } of relationships) if (part) uses.set(part, [...(uses.get(part) ?? []), { owner, type }])
  return uses
}

/** Returns which properties a part holds. `undefined`: it is no part with properties, or another relationship shows that it is content. */
function kindOf(part: string, uses: readonly Use[], contentType = ''): PropertyKind | undefined {
  const isProperties = /^docprops\/[^/]*\.xml$/.test(part) || contentType.endsWith('-properties+xml')
  if (!isProperties || uses.length > 1 || uses.some(({ owner }) => owner !== '')) return undefined
  const name = uses.length > 0 ? uses[0]!.type : contentType || part
  const word = /(core|extended|custom)-?properties(?:\+xml)?$/i.exec(name)?.[1]?.toLowerCase()
  return word !== undefined && isPropertyKind(word) ? word : undefined
}

/** New text of a part. `undefined`: nothing is removed from it. A part that cannot be read loses everything. */
function reducedText(kind: PropertyKind, bytes: Uint8Array | undefined, mode: RemovingMode): string | undefined {
  try {
    return reducedProperties(kind, bytes ? decodeXml(bytes) : '', mode)
  } catch (error) {
    if (!isEngineError(error, 'xml')) throw error
    return reducedProperties(kind, '', mode)
  }
}

/** Content type of the main part of a workbook, a template or an add-in. */
const MAIN = /\.main\+xml$/i

/** Removes the folder in which the workbook was saved. A main part that cannot be read keeps it, and the inventory then rejects the result. */
async function dropFolder({ archive, parts, typeOf }: OoxmlDocument, changes: Changes): Promise<void> {
  for (const [part, entry] of parts) {
    if (!MAIN.test(typeOf(part) ?? '') || entry.opaque || entry.size > MAX_WORKBOOK_BYTES) continue
    try {
      const after = withoutFolder(decodeXml(await readEntry(archive, entry)))
      if (after !== undefined) changes.set(entry, encodeXml(after))
    } catch (error) {
      if (!isEngineError(error, 'xml')) throw error
    }
  }
}

const isThumbnail = ({ type }: Relationship) => /\/thumbnail$/i.test(type)

/** Drops the relationships of the package to preview pictures, and the pictures that nothing else refers to. */
function dropThumbnails(document: OoxmlDocument, uses: ReadonlyMap<string, readonly Use[]>, changes: Changes): void {
  const dropped = new Set<string>()
  for (const { owner, xml, entry, relationships } of document.rels) {
    if (owner !== '' || !relationships.some(isThumbnail)) continue
    for (const { part } of relationships.filter(isThumbnail))
      if (part && document.parts.has(part) && uses.get(part)?.length === 1) dropped.add(part)
    changes.set(entry, encodeXml(editRelationships(xml, owner, (relationship) => (isThumbnail(relationship) ? 'drop' : undefined))))
  }
  for (const part of dropped) changes.set(document.parts.get(part)!, 'drop')
  const types = editContentTypes(document.contentTypesXml, new Map(), dropped)
  if (types !== document.contentTypesXml) changes.set(document.parts.get(CONTENT_TYPES)!, encodeXml(types))
}
