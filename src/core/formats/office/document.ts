/** Opens an OOXML package: its parts, relationships and pictures. Nothing is changed here. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { decodeXml } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { message } from '../../i18n/message.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { contentTypes, ownerOf, partKey, type Relationship, readRelationships } from './parts.ts'
import type { DisplayedSize, PictureUses } from './usage.ts'

export const MAX_RELS_BYTES = 8 * 1024 * 1024
export const CONTENT_TYPES = '[content_types].xml'

export interface Rels {
  readonly entry: ZipEntry
  /** Part that the relationships belong to. Empty for the package. */
  readonly owner: string
  readonly xml: string
  readonly relationships: readonly Relationship[]
}

export interface OoxmlDocument {
  readonly archive: ZipArchive
  readonly parts: ReadonlyMap<string, ZipEntry>
  readonly rels: readonly Rels[]
  readonly contentTypesXml: string
  readonly typeOf: (part: string) => string | undefined
}

/**
 * True if the package has digital signatures (ECMA-376 part 2, 12). They cover the bytes of parts, so such a package is only deflated
 * again.
 */
export function isSigned(archive: ZipArchive): boolean {
  return archive.entries.some((entry) => /^_xmlsignatures\//i.test(partKey(entry.name)))
}

/**
 * True if the names of two parts differ only in case or slashes, which ECMA-376 part 2, 6.2.2.3 forbids. Readers disagree which part a
 * relationship refers to.
 */
export function hasAmbiguousNames(archive: ZipArchive): boolean {
  const files = archive.entries.filter(({ isDirectory }) => !isDirectory)
  return new Set(files.map(({ name }) => partKey(name))).size < files.length
}

/** Opens a package. @throws CodecError (malformed) if content types or relationships cannot be read */
export async function openDocument(archive: ZipArchive): Promise<OoxmlDocument> {
  const parts = new Map(archive.entries.filter((entry) => !entry.isDirectory).map((entry) => [partKey(entry.name), entry]))
  const types = parts.get(CONTENT_TYPES)
  if (!types) throw malformed(archive.format, 0, 'no_content_types_xml')
  // Part names are case-insensitive (ECMA-376 part 2, 6.2.2), but most readers accept only this spelling.
  if (types.name !== '[Content_Types].xml') throw unsupported(message('name_in_unusual_letters', { name: types.name }))
  try {
    const contentTypesXml = decodeXml(await readSmall(archive, types))
    const { typeOf } = contentTypes(contentTypesXml)
    const rels: Rels[] = []
    for (const entry of archive.physical) {
      const owner = ownerOf(entry.name)
      if (owner === undefined) continue
      const xml = decodeXml(await readSmall(archive, entry))
      rels.push({ entry, owner, xml, relationships: readRelationships(xml, owner) })
    }
    return { archive, parts, rels, contentTypesXml, typeOf }
  } catch (error) {
    if (isEngineError(error, 'xml')) throw malformed(archive.format, 0, message('relationship_part', { problem: error.message }))
    throw error
  }
}

async function readSmall(archive: ZipArchive, entry: ZipEntry): Promise<Uint8Array> {
  if (entry.opaque || entry.size > MAX_RELS_BYTES)
    throw malformed(archive.format, entry.localOffset, message('name_cannot_be_read', { name: entry.name }))
  return readEntry(archive, entry)
}

export const isImage = (relationship: Relationship) => relationship.part !== undefined && /\/image$/i.test(relationship.type)

/** Displayed sizes of a document's pictures, and pictures that must stay lossless. */
export interface PictureUsage {
  /** Largest displayed size of each picture part. Pictures of unknown size are absent. */
  readonly shown: Map<string, DisplayedSize>
  /**
   * Pictures in which a colour is replaced, mostly by transparency (a:clrChange, ECMA-376 part 1, 20.1.8.16). No sample of them may change.
   */
  readonly exact: Set<string>
}

/** Combines the uses of pictures in all texts. `usesOf`: uses in one text; `undefined`: the text cannot be read. */
export function pictureUsage(document: OoxmlDocument, usesOf: (rels: Rels) => PictureUses | undefined): PictureUsage {
  const exact = new Set<string>()
  const shown = new Map<string, DisplayedSize | 'unknown'>()
  const merge = (part: string, use: DisplayedSize | 'unknown') => {
    const before = shown.get(part)
    if (before === 'unknown' || use === 'unknown' || !before) shown.set(part, before === 'unknown' ? before : use)
    else {
      const widthInches = Math.max(before.widthInches, use.widthInches)
      shown.set(part, { widthInches, heightInches: Math.max(before.heightInches, use.heightInches) })
    }
  }
  for (const rels of document.rels) {
    const { relationships } = rels
    const images = relationships.filter(isImage)
    if (images.length === 0) continue
    const found = usesOf(rels)
    const uses = found?.finish()
    for (const { id, part } of images) {
      // If several relationships have the same id, readers disagree which one is meant.
      const isClear = relationships.filter((each) => each.id === id).length === 1
      merge(part!, (isClear && uses?.get(id)) || 'unknown')
      if (found?.recoloured.has(id)) exact.add(part!)
    }
    // If a relationship of another type also refers to a picture, its displayed size is unknown.
    for (const { part, type } of relationships) if (part && shown.has(part) && !/\/image$/i.test(type)) merge(part, 'unknown')
  }
  const known = new Map<string, DisplayedSize>()
  for (const [part, use] of shown) if (use !== 'unknown') known.set(part, use)
  return { shown: known, exact }
}
