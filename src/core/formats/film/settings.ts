/** Encoder options for x264. */

import type { Picture } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { LARGE_FRAME_CRF } from '../../catalog/levels.ts'
import type { Smoothness } from './gradient-detection.ts'
import type { PictureTrack } from './picture-track.ts'
import { LOOKAHEAD_PIXELS, STATIC_SCENE_CRF, THREE_REFERENCES_PIXELS } from './tuning.ts'

/** Memory profiles, from the largest to the smallest. */
export const MEMORY_PROFILES = ['most', 'usual', 'least'] as const
export type MemoryProfile = (typeof MEMORY_PROFILES)[number]

/** True for pictures so large that memory leaves x264 no lookahead. */
export const isLarge = ({ width, height }: { width: number; height: number }) => width * height > 1280 * 736

/** Scene features of a part that change the encoder options. */
export interface SceneFeatures {
  /** True if most of the picture does not change. */
  readonly isStatic?: boolean
  /** How much of the part is a smooth gradient. `undefined`: little or nothing. */
  readonly smoothness?: Smoothness | undefined
}

const PLAIN: readonly [string, string][] = [['aq-mode', '2']]
/**
 * Options for smooth gradients. Banding appears there long before SSIM or luma PSNR drop, so smooth and dark areas and chroma get more
 * bits. `mostly` shifts more, because little else needs bits.
 */
const SMOOTH: { readonly [how in Smoothness]: readonly [string, string][] } = {
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
 * Encoder options (x264's own names) that fit in memory for a picture size. A 1080p frame costs 7 MB of lookahead and 13 MB as a
 * reference. Levels are SSIM and PSNR, so psychovisual options (`psy`) are off.
 */
export function x264Settings(
  size: { width: number; height: number },
  crf: number,
  { rate, annexb }: Pick<PictureTrack, 'rate' | 'annexb'>,
  memory: MemoryProfile,
  { isStatic: still = false, smoothness: smooth }: SceneFeatures = {},
): { preset: string; crf: number; options: [string, string][] } {
  // In AVI, the position of a chunk is its display time, so B-frames are not allowed.
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
    // Replaces mbtree, which needs lookahead: the first frame of a group is copied much, and in static scenes nearly everywhere. This
    // gains 1 dB or more at the same bytes and SSIM.
    const factor = crf + LARGE_FRAME_CRF + (still ? STATIC_SCENE_CRF : 0)
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
  const most = Math.max(12, Math.min(40, Math.floor(LOOKAHEAD_PIXELS / pixels)))
  // Three references and the B-pyramid are the preset's own defaults.
  const roomy = memory === 'most' && pixels <= THREE_REFERENCES_PIXELS
  const ahead: [string, string][] = [
    ['rc-lookahead', String(memory === 'most' ? most : 5)],
    ['ref', roomy ? '3' : '2'],
  ]
  return { preset: 'medium', crf, options: [...common, ['crf', String(crf)], ...ahead, ...between(3, roomy ? 'normal' : 'none')] }
}

const SMOOTHNESSES = [undefined, 'partly', 'mostly']

/** Parameter set id for a part. Parts with different parameter sets get different ids, so that one track can hold them all. */
export const parameterSetId = (memory: MemoryProfile, { interlaced }: Pick<Picture, 'interlaced'>, { smoothness }: SceneFeatures = {}) =>
  MEMORY_PROFILES.indexOf(memory) + MEMORY_PROFILES.length * ((interlaced ? 1 : 0) + 2 * SMOOTHNESSES.indexOf(smoothness))
