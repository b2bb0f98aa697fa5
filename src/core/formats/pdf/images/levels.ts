import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../../catalog/floors.ts'
import { LEVELS, type PageTarget } from '../../../catalog/levels.ts'
import type { Quality } from '../../../model/codec.ts'

/**
 * Levels whose target applies at page resolution, for pictures stored finer than that. At the stored resolution, visible when zooming
 * in, such pictures only keep the floors. At level `high`, the target applies at the stored resolution.
 */
export const PAGE_RESOLUTION_LEVELS: ReadonlySet<Quality> = new Set(['medium', 'low', 'ultra'])

/**
 * Minimum scores of every picture at its stored size, and of every page at 144 dpi. They are slightly above the general floors, because
 * decoders round differently and renderers mix inks differently.
 */
export const FLOORS = { ssim: FLOOR_SSIM + 0.001, psnrDb: FLOOR_PSNR_DB + 0.05, colourPsnrDb: 25.5 }
export const CMYK_FLOORS = { ssim: FLOOR_SSIM + 0.01, psnrDb: FLOOR_PSNR_DB + 1, colourPsnrDb: 27 }

export type PictureTarget = PageTarget

export const TARGETS = LEVELS.page

/**
 * PSNR in dB at screen resolution. If a downsampled picture scores less, a full-size JPEG with a lower quality is tried as well. Hard edges
 * such as scanned text often need it.
 */
export const MIN_DOWNSAMPLED_PSNR_DB = 35
