import { type DrawingTarget, LEVELS } from '../../catalog/levels.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options } from '../../model/codec.ts'
import { lossWithScore, NO_STILL_PICTURE, type PictureLoss, pixelLoss } from '../../model/loss.ts'
import type { ChangeOptions } from './freedom.ts'
import type { AllowedLosses } from './inventory.ts'
import { HIGHEST_CLAIM_DB, RENDERER_MARGIN_DB } from './tuning.ts'

export type SvgTarget = DrawingTarget

/** Target scores of each level for drawings. */
export const TARGETS = LEVELS.drawing

/** Loss declared in the receipt. A drawing is no stored picture, so it has no SSIMULACRA 2 score. */
export const declaredLoss = ({ ssim, psnrDb }: Similarity): PictureLoss =>
  lossWithScore(pixelLoss({ ssim, psnrDb: Math.min(HIGHEST_CLAIM_DB, psnrDb - RENDERER_MARGIN_DB) }), NO_STILL_PICTURE)

/**
 * Settings for a document. At level `high` and for lossless results, nothing that may be referenced is removed. Inside another document,
 * nothing is removed that a step must report, because its receipt has no place for it.
 */
export function changeOptionsFor({ quality, lossless, inner }: Pick<Options, 'quality' | 'lossless' | 'inner'>): ChangeOptions {
  const silent = inner.depth > 0
  return { strict: quality === 'high' || lossless === true || silent, keepsEditorData: silent }
}

export function allowedLossesFor(options: Pick<Options, 'quality' | 'lossless' | 'inner'>): AllowedLosses {
  const { strict } = changeOptionsFor(options)
  return { ids: !strict, layers: !strict }
}
