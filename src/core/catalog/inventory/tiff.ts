import type { OutputId } from '../outputs.ts'
import type { FormatPolicy } from './policy.ts'

const KEPT = {
  exif_tags: 'kept',
  further_pictures: 'kept',
  geo_keys: 'kept',
  geography: 'kept',
  gps_tags: 'kept',
  icc_profile: 'kept',
  layers: 'kept',
  maker_notes: 'kept',
  overviews: 'kept',
  pages: 'kept',
  properties: 'kept',
  sub_directories: 'kept',
  tags: 'kept',
  trailing_bytes: 'kept',
  xmp_properties: 'kept',
} as const satisfies FormatPolicy

export const TIFF = { geotiff: KEPT, tiff: KEPT } as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
