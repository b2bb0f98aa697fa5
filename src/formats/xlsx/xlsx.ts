import type { Codec } from '../../codec/codec.ts'
import { ooxmlRoom } from '../office/office.ts'
import { XLSX } from './format.ts'

export const xlsx: Codec = ooxmlRoom(XLSX)
