import { KMZ } from '../../catalog/formats/kmz.ts'
import { packageCodec } from '../../embedded/package-codec.ts'
import type { Codec } from '../../model/codec.ts'

/**
 * KMZ (OGC 12-007r2, annex C). The first .kml in the archive is the document, so the order of files stays. KML stays byte for byte;
 * pictures are recompressed under their names. Their displayed size depends on the viewer, so they are not downsampled.
 */
export const kmz: Codec = packageCodec(KMZ, { survey: async () => ({}) })
