import type { Codec } from '../../codec/codec.ts'
import { ooxmlRoom } from '../../containers/ooxml/ooxml.ts'
import { PPTX } from './format.ts'

export const pptx: Codec = ooxmlRoom(PPTX)
