/** Codecs that the Worker `whittle-press` runs. To add a codec to the Worker, add it to `PRESS_CODECS`. */

import type { FormatId } from '../catalog/index.ts'
import { EN } from '../i18n/en.ts'
import { setEnglishTexts } from '../i18n/message.ts'
import type { Codec } from '../model/codec.ts'
import { avif } from './avif/avif.ts'
import { bmp } from './bmp/bmp.ts'
import { data } from './data/data.ts'
import { dicom } from './dicom/dicom.ts'
import { dxf } from './dxf/dxf.ts'
import { eml } from './eml/eml.ts'
import { epub } from './epub/epub.ts'
import { gif } from './gif/gif.ts'
import { gz } from './gz/gz.ts'
import { hdf5, netcdf } from './hdf5/hdf5.ts'
import { jpg } from './jpg/jpg.ts'
import { kmz } from './kmz/kmz.ts'
import { las } from './las/las.ts'
import { laz } from './las/laz.ts'
import { netcdf3 } from './netcdf3/netcdf3.ts'
import { nifti } from './nifti/nifti.ts'
import { odg, odp, ods, odt } from './odf/odf.ts'
import { ofd } from './ofd/ofd.ts'
import { docx, pptx, xlsx } from './office/office.ts'
import { doc } from './office97/doc.ts'
import { ppt, xls } from './office97/office97.ts'
import { pdf } from './pdf/pdf.ts'
import { png } from './png/png.ts'
import { rtf } from './rtf/rtf.ts'
import { shapefile } from './shapefile/shapefile.ts'
import { svg } from './svg/svg.ts'
import { text } from './text/text.ts'
import { geotiff, tiff } from './tiff/tiff.ts'
import { webp } from './webp/webp.ts'
import { zip } from './zip/zip.ts'

setEnglishTexts(EN)

export const PRESS_CODECS: { readonly [Id in FormatId]?: Codec } = {
  avif,
  bmp,
  data,
  dicom,
  docx,
  dxf,
  eml,
  epub,
  gif,
  gz,
  kmz,
  jpg,
  las,
  laz,
  netcdf,
  netcdf3,
  hdf5,
  nifti,
  odg,
  odp,
  ods,
  odt,
  ofd,
  pdf,
  pptx,
  rtf,
  doc,
  xls,
  ppt,
  shapefile,
  text,
  xlsx,
  tiff,
  geotiff,
  png,
  svg,
  webp,
  zip,
}
