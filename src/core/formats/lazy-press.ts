/** The codecs of `press.ts`, each with its code and engines loaded when it is first used. To add a codec, add it to both. */

import { FORMATS } from '../catalog/index.ts'
import { type LazyCodecs, lazyCodec } from '../model/lazy-codec.ts'

export const LAZY_PRESS_CODECS: LazyCodecs = {
  bmp: lazyCodec(FORMATS.bmp, async () => (await import('./bmp/bmp.ts')).bmp),
  data: lazyCodec(FORMATS.data, async () => (await import('./data/data.ts')).data),
  dicom: lazyCodec(FORMATS.dicom, async () => (await import('./dicom/dicom.ts')).dicom),
  docx: lazyCodec(FORMATS.docx, async () => (await import('./office/office.ts')).docx),
  dxf: lazyCodec(FORMATS.dxf, async () => (await import('./dxf/dxf.ts')).dxf),
  eml: lazyCodec(FORMATS.eml, async () => (await import('./eml/eml.ts')).eml),
  epub: lazyCodec(FORMATS.epub, async () => (await import('./epub/epub.ts')).epub),
  gif: lazyCodec(FORMATS.gif, async () => (await import('./gif/gif.ts')).gif),
  kmz: lazyCodec(FORMATS.kmz, async () => (await import('./kmz/kmz.ts')).kmz),
  jpg: lazyCodec(FORMATS.jpg, async () => (await import('./jpg/jpg.ts')).jpg),
  las: lazyCodec(FORMATS.las, async () => (await import('./las/las.ts')).las),
  laz: lazyCodec(FORMATS.laz, async () => (await import('./las/laz.ts')).laz),
  netcdf: lazyCodec(FORMATS.netcdf, async () => (await import('./hdf5/hdf5.ts')).netcdf),
  netcdf3: lazyCodec(FORMATS.netcdf3, async () => (await import('./netcdf3/netcdf3.ts')).netcdf3),
  hdf5: lazyCodec(FORMATS.hdf5, async () => (await import('./hdf5/hdf5.ts')).hdf5),
  nifti: lazyCodec(FORMATS.nifti, async () => (await import('./nifti/nifti.ts')).nifti),
  odg: lazyCodec(FORMATS.odg, async () => (await import('./odf/odf.ts')).odg),
  odp: lazyCodec(FORMATS.odp, async () => (await import('./odf/odf.ts')).odp),
  ods: lazyCodec(FORMATS.ods, async () => (await import('./odf/odf.ts')).ods),
  odt: lazyCodec(FORMATS.odt, async () => (await import('./odf/odf.ts')).odt),
  ofd: lazyCodec(FORMATS.ofd, async () => (await import('./ofd/ofd.ts')).ofd),
  pdf: lazyCodec(FORMATS.pdf, async () => (await import('./pdf/pdf.ts')).pdf),
  pptx: lazyCodec(FORMATS.pptx, async () => (await import('./office/office.ts')).pptx),
  shapefile: lazyCodec(FORMATS.shapefile, async () => (await import('./shapefile/shapefile.ts')).shapefile),
  text: lazyCodec(FORMATS.text, async () => (await import('./text/text.ts')).text),
  xlsx: lazyCodec(FORMATS.xlsx, async () => (await import('./office/office.ts')).xlsx),
  tiff: lazyCodec(FORMATS.tiff, async () => (await import('./tiff/tiff.ts')).tiff),
  geotiff: lazyCodec(FORMATS.geotiff, async () => (await import('./tiff/tiff.ts')).geotiff),
  png: lazyCodec(FORMATS.png, async () => (await import('./png/png.ts')).png),
  svg: lazyCodec(FORMATS.svg, async () => (await import('./svg/svg.ts')).svg),
  webp: lazyCodec(FORMATS.webp, async () => (await import('./webp/webp.ts')).webp),
  zip: lazyCodec(FORMATS.zip, async () => (await import('./zip/zip.ts')).zip),
}
