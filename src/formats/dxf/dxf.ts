import type { Codec } from '../../core/model/codec.ts'
import { wrapperCodec } from '../../core/containers/wrapper/wrapper.ts'
import { DXF } from '../../core/catalog/formats/dxf.ts'

/** Drawings, ASCII or binary: byte for byte inside a companion. */
export const dxf: Codec = wrapperCodec(DXF)
