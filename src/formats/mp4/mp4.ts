import type { SegmentedCodec } from '../../codec/segmented.ts'
import { filmCodec } from '../film/film.ts'
import { MP4 } from './format.ts'

/** MP4 (ISO/IEC 14496-14) and its relatives by brand. */
export const mp4: SegmentedCodec = filmCodec(MP4)
