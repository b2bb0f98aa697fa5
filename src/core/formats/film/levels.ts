/** What each level asks of pictures and sound. */
import { type FilmSound, type FrameTarget, LEVELS, type Quality } from '../../catalog/levels.ts'

export interface Level extends FrameTarget, FilmSound {}

export const levelOf = (quality: Quality): Level => ({ ...LEVELS.frame[quality], ...LEVELS.filmSound[quality] })

/** The worst second and the worst 1 % of a part's frames must stay above the service's floors, with a little to spare. */
export const WORST_SSIM = 0.905
export const WORST_PSNR_DB = 30.3

/** No factor is gentler. */
export const MIN_CRF = 14
