import { DXF } from '../../catalog/formats/dxf.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'

/** Drawings, ASCII or binary: byte for byte inside a companion. */
export const dxf: Codec = wrapperCodec(DXF)
