import type { Codec } from '../../model/codec.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import { DXF } from '../../catalog/formats/dxf.ts'

/** Drawings, ASCII or binary: byte for byte inside a companion. */
export const dxf: Codec = wrapperCodec(DXF)
