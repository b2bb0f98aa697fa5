/** Names of the kinds of an inventory in the language of the page. */
import { counted } from '../../../src/core/i18n/counted.ts'
import { INVENTORY as EN } from '../../../src/core/i18n/en/inventory.ts'
import { language, t } from '../language.ts'

const NAMES: { readonly [code: string]: string | undefined } = EN

/** Returns the name of a kind, for example `EXIF tags` for `exif_tags`. An unknown kind is shown with spaces. */
export const kindName = (kind: string): string => t(NAMES[`kind_${kind}`] ?? kind.replaceAll('_', ' '))

/** Returns a number of items with the name of their kind, for example `42 EXIF tags`. */
export const countedKind = (count: number, kind: string): string =>
  language() === 'zh' ? t('{count} {what}', { count, what: kindName(kind) }) : counted(count, kindName(kind))
