/** Recognises ZIP-based formats by the names of the archive's entries. */

import type { FormatId } from '../catalog/index.ts'
import { FORMATS } from '../catalog/index.ts'
import { entryNames } from '../containers/zip/entry-names.ts'
import type { Source } from '../model/codec.ts'
import { extension } from './extension.ts'

const BY_NAME = ['kmz', 'ofd', 'epub', 'docx', 'xlsx', 'pptx'] as const

/** True if the file extension belongs to a supported ZIP-based format. */
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
  // A shapefile needs neither the attribute table (.dbf) nor the index (.shx), which can be rebuilt from the shapes.
  if (has(/\.shp$/i)) return 'shapefile'
  // If the entries are ambiguous, the file name decides: a KMZ may contain icons and no KML.
  const named = extension(source.name)
  return names.length > 0 ? BY_NAME.find((id) => (FORMATS[id].extensions as readonly string[]).includes(named)) : undefined
}
