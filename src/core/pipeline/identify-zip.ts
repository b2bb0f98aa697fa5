/** Recognises ZIP-based formats by the names of the archive's entries. */

import { latin1Of } from '../bytes/latin1.ts'
import type { FormatId } from '../catalog/index.ts'
import { FORMATS } from '../catalog/index.ts'
import { entryNames } from '../containers/zip/entry-names.ts'
import { LOCAL_BYTES } from '../containers/zip/records.ts'
import type { Source } from '../model/codec.ts'
import { extension } from './extension.ts'

const BY_NAME = ['kmz', 'ofd', 'epub', 'docx', 'xlsx', 'pptx'] as const
const OPEN_DOCUMENT = ['odt', 'ods', 'odp', 'odg'] as const

/** True if the file extension belongs to a supported ZIP-based format. */
export function isNamedArchive(source: Source): boolean {
  const named = extension(source.name)
  return [...BY_NAME, ...OPEN_DOCUMENT, 'zip' as const].some((id) => (FORMATS[id].extensions as readonly string[]).includes(named))
}

/** Local header of the entry `mimetype` and its content, without extra fields (OpenDocument 1.3 part 2, 3.3). */
const MIMETYPE_BYTES = 128
/** Kinds of documents by the word in their media type. Templates and master documents have a longer one. */
const OPEN_DOCUMENT_TYPES: readonly (readonly [pattern: RegExp, id: FormatId])[] = [
  [/^text(?:-template|-master|-master-template|-web)?$/, 'odt'],
  [/^spreadsheet(?:-template)?$/, 'ods'],
  [/^presentation(?:-template)?$/, 'odp'],
  [/^graphics(?:-template)?$/, 'odg'],
]

/** Recognises an OpenDocument package by its first entry. `undefined`: it has another one. */
async function openDocumentType(source: Source): Promise<FormatId | undefined> {
  const head = latin1Of(await source.read(0, MIMETYPE_BYTES))
  const type = /^mimetypeapplication\/vnd\.oasis\.opendocument\.([a-z-]+)/.exec(head.slice(LOCAL_BYTES))?.[1]
  return type === undefined ? undefined : OPEN_DOCUMENT_TYPES.find(([pattern]) => pattern.test(type))?.[1]
}

/** Names that tell a format. An archive may have 100,000 others. */
const TELLING =
  /^(?:\[content_types\]\.xml|ofd\.xml|content\.xml|meta-inf\/(?:container|manifest)\.xml)$|^(?:word|xl|ppt)\/|\.(?:opf|shp|shx|dbf|hdr|img|img\.gz|kml)$/i

export async function identifyZip(source: Source): Promise<FormatId | undefined> {
  const openDocument = await openDocumentType(source)
  if (openDocument) return openDocument
  const names = await entryNames(source)
  const telling = names.filter((name) => TELLING.test(name))
  const has = (pattern: RegExp) => telling.some((name) => pattern.test(name))
  if (has(/^\[content_types\]\.xml$/i)) {
    if (has(/^word\//i)) return 'docx'
    if (has(/^xl\//i)) return 'xlsx'
    if (has(/^ppt\//i)) return 'pptx'
  }
  if (has(/^ofd\.xml$/i)) return 'ofd'
  if (has(/^meta-inf\/container\.xml$/i) || (names[0] === 'mimetype' && has(/\.opf$/i))) return 'epub'
  if (has(/\.shp$/i) && has(/\.(shx|dbf)$/i)) return 'shapefile'
  if (has(/\.hdr$/i) && has(/\.img(\.gz)?$/i)) return 'nifti'
  if (has(/\.kml$/i)) return 'kmz'
  // A shapefile needs neither the attribute table (.dbf) nor the index (.shx), which can be rebuilt from the shapes.
  if (has(/\.shp$/i)) return 'shapefile'
  // If the entries are ambiguous, the file name decides: a KMZ may contain icons and no KML.
  const named = extension(source.name)
  if (has(/^content\.xml$/) && has(/^meta-inf\/manifest\.xml$/i)) {
    // A package whose `mimetype` is missing or not in its place.
    const id = OPEN_DOCUMENT.find((each) => (FORMATS[each].extensions as readonly string[]).includes(named))
    if (id) return id
  }
  return names.length > 0 ? (BY_NAME.find((id) => (FORMATS[id].extensions as readonly string[]).includes(named)) ?? 'zip') : undefined
}
