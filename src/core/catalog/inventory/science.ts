import type { OutputId } from '../outputs.ts'
import { EVERY_LEVEL, type FormatPolicy, removable } from './policy.ts'

/** JPEG-LS stores samples by pixel, so Planar Configuration becomes 0 (DICOM PS3.5, 8.2.3). */
const isPlanarConfiguration = (item: string) => item.startsWith('(0028,0006) = ')

/** LAZ holds everything of LAS. LASzip adds a record of its own. */
const POINT_CLOUD = {
  dimensions: 'kept',
  header: 'kept',
  points: 'kept',
  records: 'kept',
  trailing_bytes: 'kept',
} as const satisfies FormatPolicy

const VOLUME = { header: 'kept', records: 'kept', trailing_bytes: 'kept' } as const satisfies FormatPolicy

/** Everything in an HDF5 file but the way in which values are stored. */
const HIERARCHY = {
  attributes: 'kept',
  comments: 'kept',
  datasets: 'kept',
  dimensions: 'kept',
  groups: 'kept',
  header: 'kept',
  links: 'kept',
  trailing_bytes: 'kept',
  user_block: 'kept',
} as const satisfies FormatPolicy

export const SCIENCE = {
  dicom: {
    elements: removable(EVERY_LEVEL, 'stale', isPlanarConfiguration),
    group_lengths: 'kept',
    header: 'kept',
    preamble: 'kept',
  },
  hdf5: HIERARCHY,
  las: POINT_CLOUD,
  laz: POINT_CLOUD,
  netcdf: HIERARCHY,
  netcdf3: { attributes: 'kept', datasets: 'kept', dimensions: 'kept', records: 'kept' },
  'nii.gz': VOLUME,
  nifti: { ...VOLUME, archive_comments: 'kept', members: 'kept' },
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
