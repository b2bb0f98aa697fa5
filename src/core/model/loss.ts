/** Measured loss of a result compared with the original. A result without a loss is lossless. */
import { minOf } from '../bytes/min-max.ts'

/** SSIM (docs/decisions/measuring-similarity.md) and PSNR of luma. If no luma sample changed, `psnrDb` is infinite. */
export interface LumaFigures {
  readonly ssim: number
  readonly psnrDb: number
}

/**
 * Place of the worst figures. `pixels`: a stored picture compared pixel by pixel, at the size of the result. `page_144dpi`: a page of a
 * document rendered at 144 dpi. `second`: one second of a film.
 */
export type MeasuredAt = 'pixels' | 'page_144dpi' | 'second'

/** Loss of the worst picture, page or second. */
export interface PictureLoss extends LumaFigures {
  /** Place of the worst figures. `undefined`: an older version stored the figures without it. */
  readonly measuredAt: MeasuredAt | undefined
  /** Mean over all frames of a film. `undefined`: not a film. */
  readonly mean?: LumaFigures
  /**
   * Lowest SSIMULACRA 2 score of all still pictures of at least 64 × 64 pixels; `NO_STILL_PICTURE` if there are none. `undefined`: a
   * picture
   * could not be scored.
   */
  readonly ssimulacra2?: number | undefined
}

/** Score of a file without still pictures: infinity, so that the minimum over several files ignores it. */
export const NO_STILL_PICTURE = Number.POSITIVE_INFINITY

/** Signal-to-noise ratio of the whole file compared with the original, over all channels. */
export interface SoundLoss {
  readonly snrDb: number
}

export interface Loss {
  readonly pictures?: PictureLoss
  readonly sound?: SoundLoss
}

/** Returns the loss of a stored picture that was compared pixel by pixel. */
export const pixelLoss = ({ ssim, psnrDb }: LumaFigures): PictureLoss => ({ ssim, psnrDb, measuredAt: 'pixels' })

/** Returns `loss` with the SSIMULACRA 2 score. `undefined`: returns `loss` unchanged. */
export const lossWithScore = (loss: PictureLoss, ssimulacra2: number | undefined): PictureLoss =>
  ssimulacra2 === undefined ? loss : { ...loss, ssimulacra2 }

/** Returns the loss of a result, as a field to spread. `{}` if neither pictures nor sound have figures. */
export function lossOf(pictures: PictureLoss | undefined, sound?: SoundLoss): { readonly loss?: Loss } {
  if (!pictures && !sound) return {}
  return { loss: { ...(pictures && { pictures }), ...(sound && { sound: { snrDb: sound.snrDb } }) } }
}

/**
 * Returns the worse value of each figure for two pictures of one file, with the place of the lower PSNR. `mean` is dropped, because it
 * would describe only one film of the file.
 */
export function worseLoss(one: PictureLoss | undefined, other: PictureLoss): PictureLoss {
  const { ssim, psnrDb } = one ?? other
  const worse = one && isWorse(one, other) ? one : other
  const scores = [one ?? other, other].map(({ ssimulacra2 }) => ssimulacra2)
  return {
    ssim: Math.min(ssim, other.ssim),
    psnrDb: Math.min(psnrDb, other.psnrDb),
    measuredAt: one && !one.measuredAt ? undefined : other.measuredAt && worse.measuredAt,
    ...(scores.every((score) => score !== undefined) && { ssimulacra2: minOf(scores) }),
  }
}

const isWorse = (a: LumaFigures, b: LumaFigures) => (a.psnrDb === b.psnrDb ? a.ssim < b.ssim : a.psnrDb < b.psnrDb)
