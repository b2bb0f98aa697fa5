import { DXF } from '../../catalog/formats/dxf.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'

/** DXF drawings, ASCII or binary: compressed byte-exact in a wrapper (`.zst`, `.br`, `.gz`). */
export const dxf: Codec = wrapperCodec(DXF)
