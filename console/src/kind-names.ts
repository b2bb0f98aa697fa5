/** Names of the kinds of an inventory in the language of the console. */
import { INVENTORY as EN } from '../../src/core/i18n/en/inventory.ts'
import { INVENTORY as ZH } from '../../src/core/i18n/zh/inventory.ts'
import { language } from './language.ts'

/** Returns the name of a kind, for example `EXIF tags` for `exif_tags`. A kind of a newer service is shown with spaces. */
export function kindName(kind: string): string {
  const names: { readonly [code: string]: string | undefined } = language() === 'zh' ? ZH : EN
  return names[`kind_${kind}`] ?? kind.replaceAll('_', ' ')
}
