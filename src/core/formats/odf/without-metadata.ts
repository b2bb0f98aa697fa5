/** Removes the metadata and the preview picture of an OpenDocument package (OpenDocument 1.3 part 3, 4.3; part 2, 3.8). */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import type { FormatId } from '../../catalog/index.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { keepsCustomProperty, keepsOdfProperty } from '../../catalog/metadata-of-documents.ts'
import { applySplices, decodeXml, encodeXml, type Splice, scanTags, type Tag } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { openZip, readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { withFiles } from '../../containers/zip/replace.ts'
import type { Source } from '../../model/codec.ts'
import { encryptionOf, findEntry, isSigned, isThumbnail, MANIFEST, METADATA, withoutDoctype } from './package.ts'
import { MAX_EDITED_BYTES } from './tuning.ts'

const EMPTY =
  '<?xml version="1.0" encoding="UTF-8"?>\n<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.2"><office:meta/></office:document-meta>'

/**
 * Returns the package without the properties that `mode` removes, and without its preview. Signed and encrypted packages stay unchanged.
 * Pictures inside lose their metadata when the codec compresses them.
 * @throws CodecError for damaged packages
 */
export async function withoutOdfMetadata(source: Source, format: FormatId, mode: RemovingMode): Promise<Source> {
  const archive = await openZip(source, format)
  if (isSigned(archive) || (await encryptionOf(archive, MAX_EDITED_BYTES)) !== 'none') return source
  const changes = new Map<ZipEntry, Uint8Array | 'drop'>()
  const properties = findEntry(archive, METADATA)
  if (properties && !properties.opaque) {
    const xml = await textOf(archive, properties)
    const reduced = xml === undefined ? EMPTY : reducedProperties(xml, mode)
    if (reduced !== xml) changes.set(properties, encodeXml(reduced))
  }
  await dropThumbnails(archive, changes)
  return changes.size > 0 ? await withFiles(archive, changes) : source
}

/** Text of a small XML file. `undefined`: it cannot be read. */
async function textOf(archive: ZipArchive, entry: ZipEntry): Promise<string | undefined> {
  if (entry.size > MAX_EDITED_BYTES) return undefined
  try {
    const xml = decodeXml(await readEntry(archive, entry))
    for (const _ of scanTags(withoutDoctype(xml)));
    return xml
  } catch (error) {
    if (isEngineError(error, 'xml')) return undefined
    throw error
  }
}

/** Drops previews that the manifest lists, with their entries in it. Without a readable manifest, they stay. */
async function dropThumbnails(archive: ZipArchive, changes: Map<ZipEntry, Uint8Array | 'drop'>): Promise<void> {
  const thumbnails = archive.entries.filter(({ name }) => isThumbnail(name))
  if (thumbnails.length === 0) return
  const manifest = findEntry(archive, MANIFEST)
  const xml = manifest && !manifest.opaque ? await textOf(archive, manifest) : undefined
  if (!manifest || xml === undefined) return
  for (const entry of thumbnails) changes.set(entry, 'drop')
  const gone: Splice[] = contentOf(xml, 'manifest')
    .children.filter(({ tag }) => tag.local === 'file-entry' && isThumbnail(tag.get('full-path') ?? ''))
    .map(({ start, end }) => ({ start, end, text: '' }))
  if (gone.length > 0) changes.set(manifest, encodeXml(applySplices(xml, gone)))
}

interface Child {
  readonly tag: Tag
  /** Range of the element in the text. */
  readonly start: number
  readonly end: number
}

interface Content {
  readonly children: readonly Child[]
  /** Range between the tags of the element. `0` to `0`: there is no such element, or it is empty. */
  readonly start: number
  readonly end: number
}

/** Returns the content of the first element with a local name. @throws EngineError if the text is not XML */
function contentOf(xml: string, parent: string): Content {
  const children: Child[] = []
  let [start, end] = [0, 0]
  /** Number of open elements inside the parent. `undefined`: outside of it. */
  let depth: number | undefined
  let first: Tag | undefined
  for (const tag of scanTags(withoutDoctype(xml))) {
    if (depth === undefined) {
      if (tag.kind === 'open' && tag.local === parent) [depth, start] = [0, tag.end]
      continue
    }
    end = tag.start
    if (tag.kind === 'close') {
      if (depth === 0) break
      if (--depth === 0 && first) children.push({ tag: first, start: first.start, end: tag.end })
    } else {
      if (depth === 0) first = tag
      if (tag.kind === 'open') depth++
      else if (depth === 0) children.push({ tag, start: tag.start, end: tag.end })
    }
  }
  return { children, start, end }
}

/** Returns the metadata file with the properties that stay, without what is between them. The same text: it has no others. */
function reducedProperties(xml: string, mode: RemovingMode): string {
  const { children, start, end } = contentOf(xml, 'meta')
  const kept = children.filter(({ tag }) =>
    tag.local === 'user-defined' ? keepsCustomProperty(mode, tag.get('name') ?? '') : keepsOdfProperty(tag.local),
  )
  if (kept.length === children.length) return xml
  return xml.slice(0, start) + kept.map((child) => xml.slice(child.start, child.end)).join('') + xml.slice(end)
}
