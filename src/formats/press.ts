/** The codecs of `whittle-press`. A room's line is its membership. */
import type { Codec } from '../codec/codec.ts'
import type { FormatId } from './format.ts'
import { las } from './las/las.ts'
import { laz } from './laz/laz.ts'
import { pdf } from './pdf/pdf.ts'

export const PRESS_CODECS: { readonly [Id in FormatId]?: Codec } = {
  las,
  laz,
  pdf,
}
