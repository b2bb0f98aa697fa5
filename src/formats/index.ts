/** Every format of the service, as facts. The codecs are listed where they run: `src/press.ts`, `src/media.ts`. */

import { BMP } from './bmp/format.ts'
import { DICOM } from './dicom/format.ts'
import { DXF } from './dxf/format.ts'
import { EML } from './eml/format.ts'
import { EPUB } from './epub/format.ts'
import { AVI, MOV, MP4 } from './film/format.ts'
import type { Format } from './format.ts'
import { GIF } from './gif/format.ts'
import { HDF5, NETCDF } from './hdf5/format.ts'
import { JPG } from './jpg/format.ts'
import { KMZ } from './kmz/format.ts'
import { LAS, LAZ } from './las/format.ts'
import { MP3 } from './mp3/format.ts'
import { NETCDF3 } from './netcdf3/format.ts'
import { NIFTI } from './nifti/format.ts'
import { OFD } from './ofd/format.ts'
import { DOCX, PPTX, XLSX } from './office/format.ts'
import { PDF } from './pdf/format.ts'
import { PNG } from './png/format.ts'
import { SHAPEFILE } from './shapefile/format.ts'
import { SVG } from './svg/format.ts'
import { TEXT } from './text/format.ts'
import { GEOTIFF, TIFF } from './tiff/format.ts'
import { WAV } from './wav/format.ts'

export const FORMATS = {
  pdf: PDF,
  ofd: OFD,
  docx: DOCX,
  xlsx: XLSX,
  pptx: PPTX,
  jpg: JPG,
  png: PNG,
  gif: GIF,
  bmp: BMP,
  tiff: TIFF,
  geotiff: GEOTIFF,
  svg: SVG,
  mp4: MP4,
  mov: MOV,
  avi: AVI,
  mp3: MP3,
  wav: WAV,
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
} as const satisfies { readonly [id: string]: Format }

/** Formats as they come in. The text family shares one codec, so its members are extensions of `text`. */
export type FormatId = keyof typeof FORMATS
