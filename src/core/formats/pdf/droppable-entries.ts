/**
 * Dictionary entries that a result may omit: private data of other applications below level `high`, usage rights on request, and metadata on
 * request.
 */
import type { Options } from '../../model/codec.ts'
import { type Dict, nameOf } from './objects.ts'
import { isUsageRightsEntry } from './usage-rights.ts'

export type EntryFilter = (dict: Dict, key: string) => boolean

/** True for /PieceInfo, the private data of the application that wrote the file (ISO 32000-2, 14.5). */
export const isPrivateApplicationData = (key: string): boolean => key === 'PieceInfo'

const PAGE_METADATA: ReadonlySet<string> = new Set(['Thumb', 'LastModified'])

/** True for the preview and the date of a page (ISO 32000-2, table 31). A damaged page may lack its type. */
export const isPageMetadata = (dict: Dict, key: string): boolean =>
  PAGE_METADATA.has(key) && (nameOf(dict.get('Type')) === 'Page' || (!dict.has('Type') && dict.has('Parent')))

/**
 * Returns the filter for dictionary entries. Level `high` keeps all entries that the options do not remove. In archive files the catalog
 * keeps its private data, because PDF/A-4 allows an information dictionary only with it (ISO 19005-4, 6.1.3).
 */
export function entryFilterFor(
  { quality, usageRights, metadata }: Pick<Options, 'quality' | 'usageRights' | 'metadata'>,
  archive: boolean,
): EntryFilter {
  const isWanted = (dict: Dict) => metadata === undefined && (quality === 'high' || (archive && nameOf(dict.get('Type')) === 'Catalog'))
  return (dict, key) => {
    if (usageRights === 'drop' && isUsageRightsEntry(dict, key)) return false
    if (metadata !== undefined && isPageMetadata(dict, key)) return false
    return !isPrivateApplicationData(key) || isWanted(dict)
  }
}
