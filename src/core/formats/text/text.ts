import { TEXT } from '../../catalog/formats/text.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'

/** Markdown, JSON, CSV and their family, in whatever encoding: byte for byte inside a companion. */
export const text: Codec = wrapperCodec(TEXT)
