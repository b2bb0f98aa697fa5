/** Dictionary entries that a result may omit: private data of other applications below level `high`, and usage rights on request. */
import type { Options } from '../../model/codec.ts'
import { type Dict, nameOf } from './objects.ts'
import { isUsageRightsEntry } from './usage-rights.ts'

export type EntryFilter = (dict: Dict, key: string) => boolean

/** True for /PieceInfo, the private data of the application that wrote the file (ISO 32000-2, 14.5). */
export const isPrivateApplicationData = (key: string): boolean => key === 'PieceInfo'

/**
 * Returns the filter for dictionary entries. Level `high` keeps all entries except unwanted usage rights. In archive files the catalog
 * keeps its private data, because PDF/A-4 allows an information dictionary only with it (ISO 19005-4, 6.1.3).
 */
export function entryFilterFor({ quality, usageRights }: Pick<Options, 'quality' | 'usageRights'>, archive: boolean): EntryFilter {
  const isWanted = (dict: Dict) => quality === 'high' || (archive && nameOf(dict.get('Type')) === 'Catalog')
  return (dict, key) => {
    if (usageRights === 'drop' && isUsageRightsEntry(dict, key)) return false
    return !isPrivateApplicationData(key) || isWanted(dict)
  }
}
