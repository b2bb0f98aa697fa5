/** Texts of messages about files in Simplified Chinese. A code that is missing here stays English. */
import type { EN } from './en.ts'
import { AUDIT } from './zh/audit.ts'
import { COMMON } from './zh/common.ts'
import { DOCUMENTS } from './zh/documents.ts'
import { FILM } from './zh/film.ts'
import { HEIF } from './zh/heif.ts'
import { INVENTORY } from './zh/inventory.ts'
import { PDF } from './zh/pdf.ts'
import { PICTURES } from './zh/pictures.ts'
import { SCIENCE } from './zh/science.ts'
import { SOUND } from './zh/sound.ts'
import { SVG } from './zh/svg.ts'
import { TIFF } from './zh/tiff.ts'

export const ZH = {
  ...AUDIT,
  ...COMMON,
  ...DOCUMENTS,
  ...FILM,
  ...HEIF,
  ...INVENTORY,
  ...PDF,
  ...PICTURES,
  ...SCIENCE,
  ...SOUND,
  ...SVG,
  ...TIFF,
} as const satisfies { readonly [Code in keyof typeof EN]?: string }
