/** Catalogue of all supported formats. `src/core/formats/press.ts` and `media.ts` list their codecs. */

import type { Format } from './format.ts'
import { AIFF } from './formats/aiff.ts'
import { AVIF } from './formats/avif.ts'
import { BMP } from './formats/bmp.ts'
import { DATA } from './formats/data.ts'
import { DICOM } from './formats/dicom.ts'
import { DXF } from './formats/dxf.ts'
import { EML } from './formats/eml.ts'
import { EPUB } from './formats/epub.ts'
import { AVI, M4A, MOV, MP4 } from './formats/film.ts'
import { FLAC } from './formats/flac.ts'
import { GIF } from './formats/gif.ts'
import { GZ } from './formats/gz.ts'
import { HDF5, NETCDF } from './formats/hdf5.ts'
import { HEIC } from './formats/heic.ts'
import { JPG } from './formats/jpg.ts'
import { KMZ } from './formats/kmz.ts'
import { LAS, LAZ } from './formats/las.ts'
import { MKV, WEBM } from './formats/mkv.ts'
import { MP3 } from './formats/mp3.ts'
import { NETCDF3 } from './formats/netcdf3.ts'
import { NIFTI } from './formats/nifti.ts'
import { ODG, ODP, ODS, ODT } from './formats/odf.ts'
import { OFD } from './formats/ofd.ts'
import { DOCX, PPTX, XLSX } from './formats/office.ts'
import { DOC, PPT, XLS } from './formats/office97.ts'
import { OGG, OPUS } from './formats/ogg.ts'
import { PDF } from './formats/pdf.ts'
import { PNG } from './formats/png.ts'
import { RTF } from './formats/rtf.ts'
import { SHAPEFILE } from './formats/shapefile.ts'
import { FLV, TS } from './formats/streams.ts'
import { SVG } from './formats/svg.ts'
import { TEXT } from './formats/text.ts'
import { GEOTIFF, TIFF } from './formats/tiff.ts'
import { WAV } from './formats/wav.ts'
import { WEBP } from './formats/webp.ts'
import { ZIP } from './formats/zip.ts'

export const FORMATS = {
  pdf: PDF,
  ofd: OFD,
  docx: DOCX,
  xlsx: XLSX,
  pptx: PPTX,
  odt: ODT,
  ods: ODS,
  odp: ODP,
  odg: ODG,
  rtf: RTF,
  doc: DOC,
  xls: XLS,
  ppt: PPT,
  jpg: JPG,
  png: PNG,
  gif: GIF,
  bmp: BMP,
  webp: WEBP,
  avif: AVIF,
  heic: HEIC,
  tiff: TIFF,
  geotiff: GEOTIFF,
  svg: SVG,
  mp4: MP4,
  mov: MOV,
  avi: AVI,
  mkv: MKV,
  webm: WEBM,
  ts: TS,
  flv: FLV,
  mp3: MP3,
  wav: WAV,
  aiff: AIFF,
  flac: FLAC,
  ogg: OGG,
  opus: OPUS,
  m4a: M4A,
  epub: EPUB,
  eml: EML,
  text: TEXT,
  dxf: DXF,
  kmz: KMZ,
  shapefile: SHAPEFILE,
  dicom: DICOM,
  nifti: NIFTI,
  las: LAS,
  laz: LAZ,
  hdf5: HDF5,
  netcdf: NETCDF,
  netcdf3: NETCDF3,
  zip: ZIP,
  gz: GZ,
  data: DATA,
} as const satisfies { readonly [id: string]: Format }

/** Format id of an input file. All text formats share one codec, so `csv`, `md` and others are extensions of `text`. */
export type FormatId = keyof typeof FORMATS
