import { SHAPEFILE } from '../../catalog/formats/shapefile.ts'
import { repackCodec } from '../../containers/zip/repack.ts'
import type { Codec } from '../../model/codec.ts'

/** ZIP bundles of an ESRI Shapefile (.shp, .shx, .dbf, .prj and others). All files stay byte for byte. */
export const shapefile: Codec = repackCodec(SHAPEFILE)
