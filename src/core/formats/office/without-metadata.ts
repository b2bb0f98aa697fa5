/** Removes the document properties and the preview picture of an OOXML package (ECMA-376 part 2, 8 and 11; part 1, 22.2 and 22.3). */
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
import { isPropertyKind, type PropertyKind, reducedProperties } from './properties.ts'

/** Largest part with properties that is read. Larger parts lose all properties. */
const MAX_PROPERTIES_BYTES = 4 * 1024 * 1024

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
  for (const relationship of ownRelationships(document)) await reduceProperties(document, relationship, mode, changes)
  dropThumbnails(document, changes)
  return changes.size > 0 ? await withFiles(archive, changes) : source
}

/** Relationships of the package to parts that no other relationship refers to. A part with two uses may be content. */
function ownRelationships({ rels, parts }: OoxmlDocument): Relationship[] {
  const uses = new Map<string, number>()
  for (const { relationships } of rels) for (const { part } of relationships) if (part) uses.set(part, (uses.get(part) ?? 0) + 1)
  const own = rels.filter(({ owner }) => owner === '').flatMap(({ relationships }) => relationships)
  return own.filter(({ part }) => part !== undefined && parts.has(part) && uses.get(part) === 1)
}

async function reduceProperties(
  { archive, parts, typeOf }: OoxmlDocument,
  { part, type }: Relationship,
  mode: RemovingMode,
  changes: Changes,
): Promise<void> {
  const kind = /\/(core|extended|custom)-properties$/i.exec(type)?.[1]?.toLowerCase() ?? /\/(extended|custom)Properties$/.exec(type)?.[1]
  const entry = part === undefined ? undefined : parts.get(part)
  if (!kind || !isPropertyKind(kind) || !part || !entry || entry.opaque || !isPropertyPart(part, typeOf(part))) return
  const before = entry.size > MAX_PROPERTIES_BYTES ? undefined : await readEntry(archive, entry)
  const after = reducedText(kind, before, mode)
  if (after !== undefined) changes.set(entry, encodeXml(after))
}

/** True for parts with properties: in the usual folder, or of their content type. */
const isPropertyPart = (part: string, type: string | undefined) =>
  /^docprops\/[^/]*\.xml$/.test(part) || /-properties\+xml$/.test(type ?? '')

/** New text of a part. `undefined`: nothing is removed from it. A part that cannot be read loses everything. */
function reducedText(kind: PropertyKind, bytes: Uint8Array | undefined, mode: RemovingMode): string | undefined {
  try {
    return reducedProperties(kind, bytes ? decodeXml(bytes) : '', mode)
  } catch (error) {
    if (!isEngineError(error, 'xml')) throw error
    return reducedProperties(kind, '', mode)
  }
}

const isThumbnail = ({ type }: Relationship) => /\/thumbnail$/i.test(type)

/** Drops the relationships of the package to preview pictures, and the pictures that nothing else refers to. */
function dropThumbnails(document: OoxmlDocument, changes: Changes): void {
  const dropped = new Set<string>()
  for (const { part, type } of ownRelationships(document)) if (part && /\/thumbnail$/i.test(type)) dropped.add(part)
  for (const { owner, xml, entry, relationships } of document.rels) {
    if (owner !== '' || !relationships.some(isThumbnail)) continue
    changes.set(entry, encodeXml(editRelationships(xml, owner, (relationship) => (isThumbnail(relationship) ? 'drop' : undefined))))
  }
  if (dropped.size === 0) return
  for (const part of dropped) changes.set(document.parts.get(part)!, 'drop')
  const types = editContentTypes(document.contentTypesXml, new Map(), dropped)
  if (types !== document.contentTypesXml) changes.set(document.parts.get(CONTENT_TYPES)!, encodeXml(types))
}
