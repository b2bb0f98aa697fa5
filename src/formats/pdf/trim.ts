/** Entries that no viewer needs, and that may go below `high`. */
import type { Quality } from '../../codec/codec.ts'
import { type Dict, nameOf } from './objects.ts'

/** Private data of the application that wrote the file (14.5), and page thumbnails (12.3.4), which viewers make themselves. */
export function isTrimmable(dict: Dict, key: string): boolean {
  return key === 'PieceInfo' || (key === 'Thumb' && nameOf(dict.get('Type')) === 'Page')
}

/** Whether an entry is written at this level: `high` keeps everything. */
export const keepAt = (quality: Quality) => (dict: Dict, key: string) => quality === 'high' || !isTrimmable(dict, key)
