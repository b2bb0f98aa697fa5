import type { ColourFigures } from '../../catalog/target.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'

/** Largest PSNR in dB of the figures of a search: equal samples have an infinite one. */
const MOST_PSNR_DB = 99

/** Returns the figures of a search over lossy encodings. */
export const colourFiguresOf = ({ ssim, psnrDb, psnrRgbDb }: Similarity): ColourFigures => ({
  ssim,
  psnrDb: Math.min(MOST_PSNR_DB, psnrDb),
  colourPsnrDb: Math.min(MOST_PSNR_DB, psnrRgbDb),
})
