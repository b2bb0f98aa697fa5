/** What x264 is told. */

import type { Picture } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { LARGE_FRAME_CRF } from '../../catalog/levels.ts'
import type { Smooth } from './gradient-detection.ts'
import type { PictureTrack } from './picture-track.ts'
import { AHEAD_PIXELS, ROOMY_PIXELS, STILL_CRF } from './tuning.ts'

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
  readonly smooth?: Smooth | undefined
}

const PLAIN: readonly [string, string][] = [['aq-mode', '2']]
/**
 * Slopes come out as squares and blotches long before SSIM or PSNR of luma say so: the bits go to what is smooth, most of all where it
 * is dark, and to colours. Where there is much else, they would be missing there.
 */
const SMOOTH: { readonly [how in Smooth]: readonly [string, string][] } = {
  partly: [
    ['aq-mode', '3'],
    ['aq-strength', '0.8'],
    ['chroma-qp-offset', '-3'],
  ],
  mostly: [
    ['aq-mode', '3'],
    ['aq-strength', '1.3'],
    ['chroma-qp-offset', '-4'],
  ],
}

/**
 * What memory allows for a picture size: x264's own names, over the preset. Every frame of 1080p that x264 looks ahead costs
 * 7 MB, every reference 13 MB. Levels are SSIM and PSNR, so nothing is spent on other likings (`psy`).
 */
export function settings(
  size: { width: number; height: number },
  crf: number,
  { rate, annexb }: Pick<PictureTrack, 'rate' | 'annexb'>,
  memory: Memory,
  { still = false, smooth }: Seen = {},
): { preset: string; crf: number; options: [string, string][] } {
  // In AVI a chunk's place is its time, so nothing may be reordered there.
  const between = (frames: number, pyramid = 'none'): [string, string][] => [
    ['bframes', String(annexb || memory === 'least' ? 0 : frames)],
    ['b-pyramid', pyramid],
  ]
  const common: [string, string][] = [
    ['keyint', String(Math.max(24, Math.round((rate.num / rate.den) * 8)))],
    ['sync-lookahead', '0'],
    ['psy', '0'],
    ...(smooth ? SMOOTH[smooth] : PLAIN),
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
  const pixels = size.width * size.height
  const most = Math.max(12, Math.min(40, Math.floor(AHEAD_PIXELS / pixels)))
  // The preset's own.
  const roomy = memory === 'most' && pixels <= ROOMY_PIXELS
  const ahead: [string, string][] = [
    ['rc-lookahead', String(memory === 'most' ? most : 5)],
    ['ref', roomy ? '3' : '2'],
  ]
  return { preset: 'medium', crf, options: [...common, ['crf', String(crf)], ...ahead, ...between(3, roomy ? 'normal' : 'none')] }
}

const SMOOTHNESSES = [undefined, 'partly', 'mostly']

/** Parts of one film that need other parameter sets name them by another number, so that one track can hold them all. */
export const parameterSetId = (memory: Memory, { interlaced }: Pick<Picture, 'interlaced'>, { smooth }: Seen = {}) =>
  MEMORIES.indexOf(memory) + MEMORIES.length * ((interlaced ? 1 : 0) + 2 * SMOOTHNESSES.indexOf(smooth))
