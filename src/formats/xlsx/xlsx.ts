import type { Codec } from '../../codec/codec.ts'
import { repackRoom } from '../../containers/zip/repack.ts'
import { XLSX } from './format.ts'

export const xlsx: Codec = repackRoom(XLSX)
