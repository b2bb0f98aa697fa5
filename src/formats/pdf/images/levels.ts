import type { Quality } from '../../../codec/codec.ts'
import { LEVELS, type PageTarget } from '../../../quality/levels.ts'

/**
 * Pictures that are stored finer than the level's resolution reach the target at that resolution; as they are stored, for
 * those who zoom in, they keep the floors. At other levels the target holds for them as they are stored.
 */
export const AIMS_AT_PAGE: ReadonlySet<Quality> = new Set(['medium', 'low', 'ultra'])

/** What every picture keeps as it is stored, compared with the upload's at the same size. */
export const FLOORS = { ssim: 0.9, psnrDb: 30 }

export type Target = PageTarget

export const TARGETS = LEVELS.page

/** Resolution at which reduced pictures are compared with the original: a page on a screen at 100 %. */
export const SCREEN_DOTS_PER_INCH = 72
/**
 * Hard edges (scanned text) suffer from being reduced, and take fewer bytes as a coarser JPEG of full size: what was a JPEG
 * is tried at full size, too, unless being reduced keeps this PSNR in dB, as a screen shows it.
 */
export const SOFT_PSNR_DB = 35
/** Above this, a figure measured at another size than it is shown at says nothing, dB. */
export const MOST_PSNR_DB = 40
/** Reducing by less than this blurs more than it saves. */
export const SMALLEST_REDUCTION = 1.25
/** A lossy step must pay: it has to be this much smaller than what can be had without loss. */
export const LOSSY_GAIN = 0.92
