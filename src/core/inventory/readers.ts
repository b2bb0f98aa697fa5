/** Inventory readers by format and output. A reader is loaded when the first file of its format is read. */
import type { OutputId } from '../catalog/outputs.ts'
import type { InventoryReader } from './inventory.ts'

/** Formats and outputs without an entry have no inventory. */
const READERS: { readonly [Id in OutputId]?: () => Promise<InventoryReader> } = {
  pdf: async () => (await import('./pdf.ts')).pdfInventory,
  rtf: async () => (await import('./rtf.ts')).RTF_READER,
  doc: async () => (await import('./office97.ts')).DOC_READER,
  xls: async () => (await import('./office97.ts')).XLS_READER,
  ppt: async () => (await import('./office97.ts')).PPT_READER,
  dxf: async () => (await import('./dxf.ts')).dxfInventory,
  eml: async () => (await import('./eml.ts')).emlInventory,
  svg: async () => (await import('./svg.ts')).svgInventory,
  text: async () => (await import('./text.ts')).textInventory,
  dicom: async () => (await import('./dicom.ts')).DICOM_READER,
  geotiff: async () => (await import('./tiff.ts')).TIFF_READER,
  las: async () => (await import('./las.ts')).LAS_READER,
  laz: async () => (await import('./las.ts')).LAS_READER,
  hdf5: async () => (await import('./hdf5.ts')).HDF5_READER,
  netcdf: async () => (await import('./hdf5.ts')).NETCDF_READER,
  netcdf3: async () => (await import('./netcdf3.ts')).NETCDF3_READER,
  'nii.gz': async () => (await import('./nifti.ts')).NIFTI_GZIP_READER,
  nifti: async () => (await import('./nifti.ts')).NIFTI_READER,
  tiff: async () => (await import('./tiff.ts')).TIFF_READER,
  docx: async () => (await import('./packages/ooxml.ts')).docx,
  epub: async () => (await import('./packages/epub.ts')).epub,
  kmz: async () => (await import('./packages/archive.ts')).kmz,
  odg: async () => (await import('./packages/odf.ts')).odg,
  odp: async () => (await import('./packages/odf.ts')).odp,
  ods: async () => (await import('./packages/odf.ts')).ods,
  odt: async () => (await import('./packages/odf.ts')).odt,
  ofd: async () => (await import('./packages/ofd.ts')).ofd,
  pptx: async () => (await import('./packages/ooxml.ts')).pptx,
  shapefile: async () => (await import('./packages/archive.ts')).shapefile,
  xlsx: async () => (await import('./packages/ooxml.ts')).xlsx,
  zip: async () => (await import('./packages/archive.ts')).zip,
  avif: async () => (await import('./avif.ts')).AVIF_READER,
  bmp: async () => (await import('./bmp.ts')).BMP_READER,
  heic: async () => (await import('./avif.ts')).HEIC_READER,
  gif: async () => (await import('./gif.ts')).GIF_READER,
  jpg: async () => (await import('./jpg.ts')).JPG_READER,
  jxl: async () => (await import('./jxl.ts')).JXL_READER,
  png: async () => (await import('./png.ts')).PNG_READER,
  webp: async () => (await import('./webp.ts')).WEBP_READER,
  aiff: async () => (await import('./aiff.ts')).aiff,
  avi: async () => (await import('./avi.ts')).avi,
  flv: async () => (await import('./flv.ts')).flv,
  flac: async () => (await import('./flac.ts')).flac,
  m4a: async () => (await import('./mp4.ts')).mp4,
  mkv: async () => (await import('./mkv.ts')).mkv,
  mov: async () => (await import('./mp4.ts')).mp4,
  mp3: async () => (await import('./mp3.ts')).mp3,
  mp4: async () => (await import('./mp4.ts')).mp4,
  ogg: async () => (await import('./ogg.ts')).ogg,
  opus: async () => (await import('./ogg.ts')).ogg,
  ts: async () => (await import('./ts.ts')).ts,
  wav: async () => (await import('./wav.ts')).wav,
  webm: async () => (await import('./mkv.ts')).mkv,
}

/** Readers of originals that another container is made of, whose items have the words of that container. */
const CONVERSIONS: { readonly [conversion: string]: (() => Promise<InventoryReader>) | undefined } = {
  'm4a flac': async () => (await import('./mp4/as-sound.ts')).m4aAsSound,
  'm4a mp3': async () => (await import('./mp4/as-sound.ts')).m4aAsSound,
  'm4a opus': async () => (await import('./mp4/as-sound.ts')).m4aAsSound,
  'mkv mp4': async () => (await import('./mkv/as-film.ts')).mkvAsFilm,
  'webm mp4': async () => (await import('./mkv/as-film.ts')).mkvAsFilm,
}

/** Returns the reader of a format or an output. `undefined`: it has no inventory. */
export const readerOf = async (id: OutputId): Promise<InventoryReader | undefined> => READERS[id]?.()

/** Returns the reader of an original that becomes `output`. `undefined`: its format has no inventory. */
export async function readerOfOriginal(id: OutputId, output: OutputId): Promise<InventoryReader | undefined> {
  const reader = await (CONVERSIONS[`${id} ${output}`] ?? READERS[id])?.()
  return reader && output === 'jxl' ? (await import('./jxl.ts')).asOriginalOfJxl(reader) : reader
}
