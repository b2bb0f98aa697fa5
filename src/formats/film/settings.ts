/** What x264 is told. */

import type { Picture } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { LARGE_FRAME_CRF } from '../../quality/levels.ts'
import type { PictureTrack } from './picture-track.ts'

/** From most to least. */
export const MEMORIES = ['most', 'usual', 'least'] as const
export type Memory = (typeof MEMORIES)[number]

/** Pictures that leave x264 no look ahead. */
export const isLarge = ({ width, height }: { width: number; height: number }) => width * height > 1280 * 736

/** What a part of a film shows. */
export interface Seen {
  /** Most of the picture stays as it is. */
  readonly still?: boolean
  /** Much of it is a smooth slope. */
  readonly smooth?: boolean
}

const PLAIN: readonly [string, string][] = [['aq-mode', '2']]
/**
 * Slopes come out as squares and blotches long before SSIM or PSNR of luma say so: the bits go to what is smooth, most of all where it
 * is dark, and to colours.
 */
const SMOOTH: readonly [string, string][] = [
  ['aq-mode', '3'],
  ['aq-strength', '1.3'],
  ['chroma-qp-offset', '-4'],
]

/** What a greater `ipratio` would spend on first frames of still pictures: 6 · log2(3 / 2), for the same quality in fewer bytes. */
const STILL_CRF = 3.5

/**
 * What memory allows for a picture size: x264's own names, over the preset. Every frame of 1080p that x264 looks ahead costs
 * 7 MB, every reference 13 MB. Levels are SSIM and PSNR, so nothing is spent on other likings (`psy`).
 */
export function settings(
  size: { width: number; height: number },
  crf: number,
  { rate, annexb }: Pick<PictureTrack, 'rate' | 'annexb'>,
  memory: Memory,
  { still = false, smooth = false }: Seen = {},
): { preset: string; crf: number; options: [string, string][] } {
  // In AVI a chunk's place is its time, so nothing may be reordered there.
  const between = (frames: number): [string, string][] => [
    ['bframes', String(annexb || memory === 'least' ? 0 : frames)],
    ['b-pyramid', 'none'],
  ]
  const common: [string, string][] = [
    ['keyint', String(Math.max(24, Math.round((rate.num / rate.den) * 8)))],
    ['sync-lookahead', '0'],
    ['psy', '0'],
    ...(smooth ? SMOOTH : PLAIN),
  ]
  if (isLarge(size) || memory === 'least') {
    // What mbtree would find out, taken for granted: much is copied from the frame that begins a group, and of pictures that are
    // still nearly all. At the same bytes and SSIM this is worth 1 dB and more.
    const factor = crf + LARGE_FRAME_CRF + (still ? STILL_CRF : 0)
    const alone: [string, string][] = [
      ['crf', String(factor)],
      ['aq-strength', smooth ? '1.0' : '0.5'],
      ['ipratio', still ? '3.0' : '2.0'],
      ['qcomp', '0.7'],
      ['rc-lookahead', '0'],
      ['mbtree', '0'],
      ['weightp', '0'],
      ['ref', '1'],
      ['subme', '7'],
      ['me', 'umh'],
      ['trellis', '1'],
    ]
    return { preset: 'faster', crf: factor, options: [...common, ...alone, ...between(memory === 'most' ? 2 : 1)] }
  }
  const ahead = memory === 'usual' ? '5' : size.width * size.height <= 1024 * 576 ? '20' : '12'
  return { preset: 'medium', crf, options: [...common, ['crf', String(crf)], ['rc-lookahead', ahead], ['ref', '2'], ...between(3)] }
}

/** Parts of one film that need other parameter sets name them by another number, so that one track can hold them all. */
export const parameterSetId = (memory: Memory, { interlaced }: Pick<Picture, 'interlaced'>, { smooth = false }: Seen = {}) =>
  MEMORIES.indexOf(memory) + MEMORIES.length * ((interlaced ? 1 : 0) + (smooth ? 2 : 0))
