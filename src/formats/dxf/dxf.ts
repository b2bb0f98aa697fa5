import type { Codec } from '../../codec/codec.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import { DXF } from './format.ts'

/** Drawings, ASCII or binary: byte for byte inside a companion. */
export const dxf: Codec = wrapperCodec(DXF)
