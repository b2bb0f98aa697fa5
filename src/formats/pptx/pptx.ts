import type { Codec } from '../../codec/codec.ts'
import { ooxmlRoom } from '../office/office.ts'
import { PPTX } from './format.ts'

export const pptx: Codec = ooxmlRoom(PPTX)
