import type { Codec } from '../../codec/codec.ts'
import { repackRoom } from '../../containers/zip/repack.ts'
import { PPTX } from './format.ts'

export const pptx: Codec = repackRoom(PPTX)
