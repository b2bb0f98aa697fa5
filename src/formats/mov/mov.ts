import type { SegmentedCodec } from '../../codec/segmented.ts'
import { filmCodec } from '../film/film.ts'
import { MOV } from './format.ts'

/** QuickTime movies. */
export const mov: SegmentedCodec = filmCodec(MOV)
