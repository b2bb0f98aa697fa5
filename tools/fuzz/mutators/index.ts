/** List of all mutators, one per container. */
import type { FormatId } from '../../../src/core/catalog/index.ts'
import { withDamage } from '../edits.ts'
import type { Random } from '../random.ts'
import { DICOM_MUTATOR } from './dicom.ts'
import { GIF_MUTATOR } from './gif.ts'
import { HDF5_MUTATOR } from './hdf5.ts'
import { ISOBMFF_MUTATOR } from './isobmff.ts'
import { JPEG_MUTATOR } from './jpeg.ts'
import { LAS_MUTATOR } from './las.ts'
import { SVG_MUTATOR } from './markup.ts'
import { MIME_MUTATOR } from './mime.ts'
import type { Mutator } from './mutator.ts'
import { OFFICE97_MUTATOR } from './office97.ts'
import { PDF_MUTATOR } from './pdf.ts'
import {
  AIFF_MUTATOR,
  BMP_MUTATOR,
  DATA_MUTATOR,
  FLAC_MUTATOR,
  GZIP_MUTATOR,
  LINES_MUTATOR,
  MATROSKA_MUTATOR,
  MP3_MUTATOR,
  NETCDF3_MUTATOR,
  NIFTI_MUTATOR,
  OGG_MUTATOR,
  STREAM_MUTATOR,
} from './plain.ts'
import { PNG_MUTATOR } from './png.ts'
import { RIFF_MUTATOR } from './riff.ts'
import { RTF_MUTATOR } from './rtf.ts'
import { TIFF_MUTATOR } from './tiff.ts'
import { ZIP_MUTATOR } from './zip.ts'

export const MUTATORS: readonly Mutator[] = [
  PNG_MUTATOR,
  JPEG_MUTATOR,
  GIF_MUTATOR,
  TIFF_MUTATOR,
  ZIP_MUTATOR,
  PDF_MUTATOR,
  ISOBMFF_MUTATOR,
  RIFF_MUTATOR,
  DICOM_MUTATOR,
  HDF5_MUTATOR,
  LAS_MUTATOR,
  SVG_MUTATOR,
  MIME_MUTATOR,
  OFFICE97_MUTATOR,
  RTF_MUTATOR,
  BMP_MUTATOR,
  MP3_MUTATOR,
  FLAC_MUTATOR,
  AIFF_MUTATOR,
  OGG_MUTATOR,
  STREAM_MUTATOR,
  GZIP_MUTATOR,
  MATROSKA_MUTATOR,
  NIFTI_MUTATOR,
  DATA_MUTATOR,
  NETCDF3_MUTATOR,
  LINES_MUTATOR,
]

/** Returns a changed file, which usually still has its format. */
export function mutateFile(format: FormatId, file: Uint8Array, random: Random): Uint8Array {
  const mutator = MUTATORS.find(({ formats }) => formats.includes(format))
  if (!mutator || random.chance(0.05)) return withDamage(file, random)
  let made = file
  // An earlier change may break the structure so far that the mutator throws.
  for (let changes = random.pick([1, 1, 1, 2, 3]); changes > 0; changes--) {
    try {
      made = mutator.mutate(made, random)
    } catch {
      made = withDamage(made, random)
    }
  }
  return made
}
