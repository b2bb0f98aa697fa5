/** What each level asks of pictures and sound. */
import type { Quality } from '../../codec/codec.ts'

export interface Level {
  /** x264's constant rate factor to start from. */
  readonly crf: number
  /** Mean luma figures of a part; below them it is encoded again with a lower rate factor. */
  readonly ssim: number
  readonly psnrDb: number
  /** AAC bits per second for each channel, for sound that came in uncompressed. */
  readonly aacPerChannel: number
  /** LAME's `-V` for such sound in AVI. */
  readonly mp3: number
}

const LEVELS: { readonly [level in Quality]: Level } = {
  low: { crf: 29, ssim: 0.93, psnrDb: 32, aacPerChannel: 48_000, mp3: 6 },
  medium: { crf: 25, ssim: 0.96, psnrDb: 35, aacPerChannel: 72_000, mp3: 4 },
  high: { crf: 20, ssim: 0.98, psnrDb: 38, aacPerChannel: 112_000, mp3: 2 },
  ultra: { crf: 29, ssim: 0.93, psnrDb: 32, aacPerChannel: 48_000, mp3: 6 },
}

export const levelOf = (quality: Quality): Level => LEVELS[quality]

/** The worst 1 % of a part's frames must stay above the house's floors, with a little to spare. */
export const WORST_SSIM = 0.905
export const WORST_PSNR_DB = 30.3
