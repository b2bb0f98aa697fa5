/** What a result lost against the upload, as it was measured; a result without a loss is lossless. */

/** Luma, against the upload: the worst frame, page or picture that was measured. Where no luma changed, `psnrDb` is infinite. */
export interface PictureLoss {
  readonly ssim: number
  readonly psnrDb: number
}

/** The signal-to-noise ratio of the whole file against the upload, all channels together. */
export interface SoundLoss {
  readonly snrDb: number
}

export interface Loss {
  readonly pictures?: PictureLoss
  readonly sound?: SoundLoss
}

/** The loss of a result whose pictures, or sound, or both were coded anew; without figures there is none. */
export function lossOf(pictures: PictureLoss | undefined, sound?: SoundLoss): { readonly loss?: Loss } {
  if (!pictures && !sound) return {}
  return { loss: { ...(pictures && { pictures: picturesOf(pictures) }), ...(sound && { sound: { snrDb: sound.snrDb } }) } }
}

const picturesOf = ({ ssim, psnrDb }: PictureLoss): PictureLoss => ({ ssim, psnrDb })

/** Of several pictures, the worst of each figure. */
export function worseLoss(one: PictureLoss | undefined, other: PictureLoss): PictureLoss {
  if (!one) return picturesOf(other)
  return { ssim: Math.min(one.ssim, other.ssim), psnrDb: Math.min(one.psnrDb, other.psnrDb) }
}
