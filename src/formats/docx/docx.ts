import type { Codec } from '../../codec/codec.ts'
import { ooxmlRoom } from '../office/office.ts'
import { DOCX } from './format.ts'

export const docx: Codec = ooxmlRoom(DOCX)
