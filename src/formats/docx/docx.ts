import type { Codec } from '../../codec/codec.ts'
import { ooxmlRoom } from '../../containers/ooxml/ooxml.ts'
import { DOCX } from './format.ts'

export const docx: Codec = ooxmlRoom(DOCX)
