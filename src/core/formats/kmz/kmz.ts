import { KMZ } from '../../catalog/formats/kmz.ts'
import { packageCodec } from '../../embedded/package-codec.ts'
import type { Codec } from '../../model/codec.ts'

/**
 * KMZ (OGC 12-007r2, annex C): the first .kml in the archive is the document, so the order of files stays. KML is kept
 * byte for byte, pictures are recompressed under their names; how large they are shown depends on the viewer.
 */
export const kmz: Codec = packageCodec(KMZ, { survey: async () => ({}) })
