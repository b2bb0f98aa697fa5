import { SHAPEFILE } from '../../catalog/formats/shapefile.ts'
import { repackCodec } from '../../containers/zip/repack.ts'
import type { Codec } from '../../model/codec.ts'

/** ESRI Shapefile bundles: .shp, .shx, .dbf, .prj and whatever lies beside them, byte-equal inside. */
export const shapefile: Codec = repackCodec(SHAPEFILE)
