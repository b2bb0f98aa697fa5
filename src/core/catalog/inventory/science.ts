import type { OutputId } from '../outputs.ts'
import { EVERY_LEVEL, type FormatPolicy, removable } from './policy.ts'

/** JPEG-LS stores samples by pixel, so Planar Configuration becomes 0 (DICOM PS3.5, 8.2.3). */
const isPlanarConfiguration = (item: string) => item.startsWith('(0028,0006) = ')

export const SCIENCE = {
  dicom: {
    elements: removable(EVERY_LEVEL, 'stale', isPlanarConfiguration),
    group_lengths: 'kept',
    header: 'kept',
    preamble: 'kept',
  },
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
