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

/** Names of entries that tell a format. */
const NAMES = {
  contentTypes: /^\[content_types\]\.xml$/i,
  word: /^word\//i,
  excel: /^xl\//i,
  powerPoint: /^ppt\//i,
  ofd: /^ofd\.xml$/i,
  container: /^meta-inf\/container\.xml$/i,
  epubPackage: /\.opf$/i,
  shapes: /\.shp$/i,
  shapeIndexOrTable: /\.(shx|dbf)$/i,
  header: /\.hdr$/i,
  image: /\.img(\.gz)?$/i,
  kml: /\.kml$/i,
  content: /^content\.xml$/,
  manifest: /^meta-inf\/manifest\.xml$/i,
} as const
/** Any of `NAMES`, so that an archive with 100,000 entries is searched once. */
const ANY_NAME = new RegExp(
  Object.values(NAMES)
    .map(({ source }) => source)
    .join('|'),
  'i',
)

export async function identifyZip(source: Source): Promise<FormatId | undefined> {
  const openDocument = await openDocumentType(source)
  if (openDocument) return openDocument
  const names = await entryNames(source)
  const telling = names.filter((name) => ANY_NAME.test(name))
  const has = (kind: keyof typeof NAMES) => telling.some((name) => NAMES[kind].test(name))
  if (has('contentTypes')) {
    if (has('word')) return 'docx'
    if (has('excel')) return 'xlsx'
    if (has('powerPoint')) return 'pptx'
  }
  if (has('ofd')) return 'ofd'
  if (has('container') || (names[0] === 'mimetype' && has('epubPackage'))) return 'epub'
  if (has('shapes') && has('shapeIndexOrTable')) return 'shapefile'
  if (has('header') && has('image')) return 'nifti'
  if (has('kml')) return 'kmz'
  // A shapefile needs neither the attribute table (.dbf) nor the index (.shx), which can be rebuilt from the shapes.
  if (has('shapes')) return 'shapefile'
  // If the entries are ambiguous, the file name decides: a KMZ may contain icons and no KML.
  const named = extension(source.name)
  if (has('content') && has('manifest')) {
    // A package whose `mimetype` is missing or not in its place.
    const id = OPEN_DOCUMENT.find((each) => (FORMATS[each].extensions as readonly string[]).includes(named))
    if (id) return id
  }
  return names.length > 0 ? (BY_NAME.find((id) => (FORMATS[id].extensions as readonly string[]).includes(named)) ?? 'zip') : undefined
}
