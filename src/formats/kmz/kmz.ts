import type { Codec } from '../../codec/codec.ts'
import { repackRoom } from '../../containers/zip/repack.ts'
import { KMZ } from './format.ts'

export const kmz: Codec = repackRoom(KMZ)
