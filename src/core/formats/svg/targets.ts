import { type DrawingTarget, LEVELS } from '../../catalog/levels.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options } from '../../model/codec.ts'
import { NO_STILL_PICTURE, ofPixels, type PictureLoss, scored } from '../../model/loss.ts'
import type { Wishes } from './freedom.ts'
import type { Losses } from './inventory.ts'
import { HIGHEST_CLAIM_DB, RENDERER_MARGIN_DB } from './tuning.ts'

export type Target = DrawingTarget

/** Target scores of each level for drawings. */
export const TARGETS = LEVELS.drawing

/** Loss declared in the receipt. A drawing is no stored picture, so it has no SSIMULACRA 2 score. */
export const claimed = ({ ssim, psnrDb }: Similarity): PictureLoss =>
  scored(ofPixels({ ssim, psnrDb: Math.min(HIGHEST_CLAIM_DB, psnrDb - RENDERER_MARGIN_DB) }), NO_STILL_PICTURE)

/**
 * Settings for a document. At level `high` and for lossless results, nothing that may be referenced is removed. Inside another document,
 * nothing is removed that a step must report, because its receipt has no place for it.
 */
export function wishesOf({ quality, lossless, inner }: Pick<Options, 'quality' | 'lossless' | 'inner'>): Wishes {
  const silent = inner.depth > 0
  return { strict: quality === 'high' || lossless === true || silent, silent }
}

export function lossesOf(options: Pick<Options, 'quality' | 'lossless' | 'inner'>): Losses {
  const { strict } = wishesOf(options)
  return { ids: !strict, layers: !strict }
}
