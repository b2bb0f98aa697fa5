import type { Codec } from '../../codec/codec.ts'
import { repackRoom } from '../../containers/zip/repack.ts'
import { OFD } from './format.ts'

export const ofd: Codec = repackRoom(OFD)
