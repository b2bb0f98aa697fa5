import type { Codec } from '../../core/model/codec.ts'
import { wrapperCodec } from '../../core/containers/wrapper/wrapper.ts'
import { TEXT } from '../../core/catalog/formats/text.ts'

/** Markdown, JSON, CSV and their family, in whatever encoding: byte for byte inside a companion. */
export const text: Codec = wrapperCodec(TEXT)
