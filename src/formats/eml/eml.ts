import type { Codec } from '../../codec/codec.ts'
import { companionCodec } from '../companion.ts'
import { EML } from './format.ts'

/** Mail, byte for byte inside a companion: DKIM, S/MIME and PGP signatures survive. */
export const eml: Codec = companionCodec(EML)
