/** What `low`, `medium` and `high` aim at for pictures (docs: "Levels"). The floors under everything are in codec/codec.ts. */
export interface Target {
  /** Mean SSIM of luma, 11×11 gaussian. */
  readonly ssim: number
  /** Luma PSNR in dB. */
  readonly psnrDb: number
  /** On smooth pictures blocks show below this (mozjpeg's scale), whatever SSIM says. */
  readonly lowestJpegQuality: number
}

export const PICTURE_LEVELS = {
  /** No difference visible at 100 %. */
  high: { ssim: 0.98, psnrDb: 38, lowestJpegQuality: 65 },
  /** None at normal viewing size. */
  medium: { ssim: 0.96, psnrDb: 35, lowestJpegQuality: 50 },
  /** The smallest that still looks clean. */
  low: { ssim: 0.93, psnrDb: 32, lowestJpegQuality: 35 },
} as const satisfies Record<string, Target>

/** The target of a level; `ultra` (documents) is as small as `low`. */
export function pictureTarget(quality: 'low' | 'medium' | 'high' | 'ultra'): Target {
  return PICTURE_LEVELS[quality === 'ultra' ? 'low' : quality]
}
