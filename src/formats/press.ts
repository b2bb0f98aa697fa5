/** The codecs of `whittle-press`. A room's line is its membership. */
import type { Codec } from '../codec/codec.ts'
import { dxf } from './dxf/dxf.ts'
import { eml } from './eml/eml.ts'
import type { FormatId } from './format.ts'
import { las } from './las/las.ts'
import { laz } from './laz/laz.ts'
import { netcdf3 } from './netcdf3/netcdf3.ts'
import { nifti } from './nifti/nifti.ts'
import { pdf } from './pdf/pdf.ts'
import { text } from './text/text.ts'

export const PRESS_CODECS: { readonly [Id in FormatId]?: Codec } = {
  dxf,
  eml,
  las,
  laz,
  nifti,
  pdf,
  netcdf3,
  text,
}
