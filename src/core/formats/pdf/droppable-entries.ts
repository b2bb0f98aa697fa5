/** Entries that no viewer needs, and that may go below `high`; and usage rights, where they are asked to go. */
import type { Options } from '../../model/codec.ts'
import { type Dict, nameOf } from './objects.ts'
import { givesRights } from './usage-rights.ts'

export type Keep = (dict: Dict, key: string) => boolean

/** Private data of the application that wrote the file (14.5). */
export const isTrimmable = (key: string): boolean => key === 'PieceInfo'

/**
 * Whether an entry is written: `high` keeps everything but rights that are not wanted. Private data of the catalog are what lets an
 * archive have an information dictionary (ISO 19005-4, 6.1.3).
 */
export function keepAt({ quality, usageRights }: Pick<Options, 'quality' | 'usageRights'>, archive: boolean): Keep {
  const isWanted = (dict: Dict) => quality === 'high' || (archive && nameOf(dict.get('Type')) === 'Catalog')
  return (dict, key) => {
    if (usageRights === 'drop' && givesRights(dict, key)) return false
    return !isTrimmable(key) || isWanted(dict)
  }
}
