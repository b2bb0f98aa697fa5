import type { Codec } from '../../core/model/codec.ts'
import { repackCodec } from '../../core/containers/zip/repack.ts'
import { SHAPEFILE } from '../../core/catalog/formats/shapefile.ts'

/** ESRI Shapefile bundles: .shp, .shx, .dbf, .prj and whatever lies beside them, byte-equal inside. */
export const shapefile: Codec = repackCodec(SHAPEFILE)
