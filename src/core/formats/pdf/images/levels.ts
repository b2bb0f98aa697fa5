import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../../catalog/floors.ts'
import { LEVELS, type PageTarget } from '../../../catalog/levels.ts'
import type { Quality } from '../../../model/codec.ts'

/**
 * Pictures that are stored finer than the level's resolution reach the target at that resolution; as they are stored, for
 * those who zoom in, they keep the floors. At other levels the target holds for them as they are stored.
 */
export const AIMS_AT_PAGE: ReadonlySet<Quality> = new Set(['medium', 'low', 'ultra'])

/**
 * What every picture keeps as it is stored, compared with the upload's at the same size, and every page at 144 dpi: a little
 * above the floors of everything, as decoders round differently, and renderers mix inks differently.
 */
export const FLOORS = { ssim: FLOOR_SSIM + 0.001, psnrDb: FLOOR_PSNR_DB + 0.05, colourPsnrDb: 25.5 }
export const INK_FLOORS = { ssim: FLOOR_SSIM + 0.01, psnrDb: FLOOR_PSNR_DB + 1, colourPsnrDb: 27 }

export type Target = PageTarget

export const TARGETS = LEVELS.page

/**
 * Hard edges (scanned text) suffer from being reduced, and take fewer bytes as a coarser JPEG of full size: what was a JPEG
 * is tried at full size, too, unless being reduced keeps this PSNR in dB, as a screen shows it.
 */
export const SOFT_PSNR_DB = 35
