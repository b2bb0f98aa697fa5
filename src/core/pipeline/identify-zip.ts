/** Which of the ZIP-based formats an archive is, by the names of its entries. */

import type { FormatId } from '../catalog/index.ts'
import { FORMATS } from '../catalog/index.ts'
import { entryNames } from '../containers/zip/entry-names.ts'
import type { Source } from '../model/codec.ts'
import { extension } from './extension.ts'

const BY_NAME = ['kmz', 'ofd', 'epub', 'docx', 'xlsx', 'pptx'] as const

/** Whether the name says that the file is an archive of a known kind. */
export function isNamedArchive(source: Source): boolean {
  const named = extension(source.name)
  return BY_NAME.some((id) => (FORMATS[id].extensions as readonly string[]).includes(named))
}

export async function identifyZip(source: Source): Promise<FormatId | undefined> {
  const names = await entryNames(source)
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name))
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
  // The table of attributes and the index are optional: shapes alone can be drawn, and an index is made from them.
  if (has(/\.shp$/i)) return 'shapefile'
  // An archive that could be anything is what its name says, if that is a kind of archive: a KMZ of icons has no KML.
  const named = extension(source.name)
  return names.length > 0 ? BY_NAME.find((id) => (FORMATS[id].extensions as readonly string[]).includes(named)) : undefined
}
