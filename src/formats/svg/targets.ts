import type { Quality } from '../../codec/codec.ts'

export interface Target {
  readonly ssim: number
  readonly psnrDb: number
}

/** What a level asks of the drawing, 640 pixels wide. */
export const TARGETS: { readonly [Level in Quality]: Target } = {
  high: { ssim: 0.99, psnrDb: 40 },
  medium: { ssim: 0.97, psnrDb: 36 },
  low: { ssim: 0.95, psnrDb: 33 },
  ultra: { ssim: 0.95, psnrDb: 33 },
}

/** Renderers differ among themselves: less is claimed than was measured, and beyond this nothing can be told. */
export const RENDERER_MARGIN_DB = 1.5
export const HIGHEST_CLAIM_DB = 45
