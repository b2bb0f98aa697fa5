/** What a result lost against the upload, as it was measured; a result without a loss is lossless. */
import { leastOf } from '../bytes/min-max.ts'

/** SSIM by the definition (docs/decisions/measuring-similarity.md) and PSNR, of luma; where no luma changed, `psnrDb` is infinite. */
export interface LumaFigures {
  readonly ssim: number
  readonly psnrDb: number
}

/**
 * Where the worst figures were found. `pixels`: in a stored picture, pixel for pixel, against the upload's, reduced to its size
 * where it was reduced. `page_144dpi`: on a page of a document drawn at 144 dpi. `second`: in a second of a film.
 */
export type MeasuredAt = 'pixels' | 'page_144dpi' | 'second'

/** Against the upload: the worst picture, page or second that was measured. */
export interface PictureLoss extends LumaFigures {
  /** Undefined where the figures were measured in another way, in what was stored before receipts said so. */
  readonly measuredAt: MeasuredAt | undefined
  /** Of a film, over all of its frames. */
  readonly mean?: LumaFigures
  /** Of the worst still picture of at least 64 × 64, on colour, `NO_STILL_PICTURE` without any; undefined: one was not measured. */
  readonly ssimulacra2?: number | undefined
}

/** The worst score of none. */
export const NO_STILL_PICTURE = Number.POSITIVE_INFINITY

/** The signal-to-noise ratio of the whole file against the upload, all channels together. */
export interface SoundLoss {
  readonly snrDb: number
}

export interface Loss {
  readonly pictures?: PictureLoss
  readonly sound?: SoundLoss
}

/** The loss of a stored picture that was measured pixel for pixel. */
export const ofPixels = ({ ssim, psnrDb }: LumaFigures): PictureLoss => ({ ssim, psnrDb, measuredAt: 'pixels' })

/** The same once its pictures have been scored, or are known not to be scored. */
export const scored = (loss: PictureLoss, ssimulacra2: number | undefined): PictureLoss =>
  ssimulacra2 === undefined ? loss : { ...loss, ssimulacra2 }

/** The loss of a result whose pictures, or sound, or both were coded anew; without figures there is none. */
export function lossOf(pictures: PictureLoss | undefined, sound?: SoundLoss): { readonly loss?: Loss } {
  if (!pictures && !sound) return {}
  return { loss: { ...(pictures && { pictures }), ...(sound && { sound: { snrDb: sound.snrDb } }) } }
}

/**
 * Of several pictures in a file, the worst of each figure, and the place of the one whose PSNR is lower. Films among them have no
 * mean there: it would be of a part of the file.
 */
export function worseLoss(one: PictureLoss | undefined, other: PictureLoss): PictureLoss {
  const { ssim, psnrDb } = one ?? other
  const worse = one && isWorse(one, other) ? one : other
  const scores = [one ?? other, other].map(({ ssimulacra2 }) => ssimulacra2)
  return {
    ssim: Math.min(ssim, other.ssim),
    psnrDb: Math.min(psnrDb, other.psnrDb),
    measuredAt: one && !one.measuredAt ? undefined : other.measuredAt && worse.measuredAt,
    ...(scores.every((score) => score !== undefined) && { ssimulacra2: leastOf(scores) }),
  }
}

const isWorse = (a: LumaFigures, b: LumaFigures) => (a.psnrDb === b.psnrDb ? a.ssim < b.ssim : a.psnrDb < b.psnrDb)
