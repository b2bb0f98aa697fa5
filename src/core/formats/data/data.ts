import { DATA } from '../../catalog/formats/data.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'

/** Files of any other type: packed byte for byte in a wrapper (`.zst`, `.br`, `.gz`). */
export const data: Codec = wrapperCodec(DATA)
