/** Names of the kinds of an inventory in the language of the console. */

import { counted } from '../../src/core/i18n/counted.ts'
import { INVENTORY as EN } from '../../src/core/i18n/en/inventory.ts'
import { INVENTORY as ZH } from '../../src/core/i18n/zh/inventory.ts'
import { language, t } from './language.ts'

/** Returns the name of a kind, for example `EXIF tags` for `exif_tags`. A kind of a newer service is shown with spaces. */
export function kindName(kind: string): string {
  const names: { readonly [code: string]: string | undefined } = language() === 'zh' ? ZH : EN
  return names[`kind_${kind}`] ?? kind.replaceAll('_', ' ')
}

/** Returns a number of items with the name of their kind, for example `42 EXIF tags`. The number stays on the line of its noun. */
export const countedKind = (count: number, name: string): string =>
  language() === 'zh' ? t('{count} {what}', { count, what: name }) : counted(count, name).replace(' ', '\u00a0')
