/** English texts of all messages about files. They define the codes and the parameters of each. */
import { AUDIT } from './en/audit.ts'
import { COMMON } from './en/common.ts'
import { DOCUMENTS } from './en/documents.ts'
import { FILM } from './en/film.ts'
import { HEIF } from './en/heif.ts'
import { INVENTORY } from './en/inventory.ts'
import { PDF } from './en/pdf.ts'
import { PICTURES } from './en/pictures.ts'
import { SCIENCE } from './en/science.ts'
import { SOUND } from './en/sound.ts'
import { SVG } from './en/svg.ts'
import { TIFF } from './en/tiff.ts'

export const EN = {
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
} as const
