/** Entries that no viewer needs, and that may go below `high`; and usage rights, where they are asked to go. */
import type { Options } from '../../codec/codec.ts'
import { type Dict, nameOf } from './objects.ts'
import { givesRights } from './usage-rights.ts'

export type Keep = (dict: Dict, key: string) => boolean

/** Private data of the application that wrote the file (14.5), and page thumbnails (12.3.4), which viewers make themselves. */
export function isTrimmable(dict: Dict, key: string): boolean {
  return key === 'PieceInfo' || (key === 'Thumb' && nameOf(dict.get('Type')) === 'Page')
}

/** Whether an entry is written: `high` keeps everything but the rights that are not wanted. */
export const keepAt =
  ({ quality, usageRights }: Pick<Options, 'quality' | 'usageRights'>): Keep =>
  (dict, key) =>
    (quality === 'high' || !isTrimmable(dict, key)) && !(usageRights === 'drop' && givesRights(dict, key))
