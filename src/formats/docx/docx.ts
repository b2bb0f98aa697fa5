import type { Codec } from '../../codec/codec.ts'
import { repackRoom } from '../../containers/zip/repack.ts'
import { DOCX } from './format.ts'

export const docx: Codec = repackRoom(DOCX)
