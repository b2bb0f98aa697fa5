import { TEXT } from '../../catalog/formats/text.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'

/** Markdown, JSON, CSV and similar text in any encoding: compressed byte-exact in a wrapper (`.zst`, `.br`, `.gz`). */
export const text: Codec = wrapperCodec(TEXT)
