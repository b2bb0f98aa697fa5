import type { Codec } from '../../codec/codec.ts'
import { ooxmlRoom } from '../../containers/ooxml/ooxml.ts'
import { XLSX } from './format.ts'

export const xlsx: Codec = ooxmlRoom(XLSX)
