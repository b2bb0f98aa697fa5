/**
 * Tuning constants of JPEG files: memory of a job, when a lossy result is worth it, and when verification sees a different picture.
 * Constants without a source were set by experiment on the project's fixtures.
 */

/**
 * Memory in bytes per byte of the file. `read`: packed coefficients (1.5 to 1.9 in all measured files) and the result. `both`: also the
 * requantised coefficients. `bothProgressive`: both for a progressive file, while both files are compared. `shownProgressive`: while its
 * rows are decoded as well. Source: docs/contributors/memory.md, rows "JPEG".
 */
export const MEMORY_PER_FILE_BYTE = { read: 2.8, both: 4, bothProgressive: 5.1, shownProgressive: 7.2 }

/**
 * Fixed memory in bytes in addition to the coefficients. `read`: instance, window rows, output buffers, JavaScript. `measured`: also
 * meters and decoders of both files.
 */
export const BASE_BYTES = { read: 10 * 1024 * 1024, measured: 15 * 1024 * 1024 }

/**
 * Memory in bytes per pixel of picture width. `read`: rows. `measured`: also windows and meters, of which the perceptual meter takes 700.
 */
export const BYTES_PER_COLUMN = { read: 200, measured: 1900 }

/** Memory in bytes above which a file is streamed, even if the budget would allow to store its coefficients. */
export const STORED_FILE_MAX_BYTES = 70 * 1024 * 1024

/**
 * Largest ratio of a lossy result to the lossless one. Otherwise the lossless result is chosen, to avoid a generation loss for little
 * gain. Source: docs/decisions/quality-levels.md.
 */
export const LOSSY_RATIO = 0.95

/** Error of the estimated ratio. If it is closer than this to `LOSSY_RATIO`, both results are encoded and compared. */
export const ESTIMATE_ERROR = 0.03

/** Lowest ratio of a lossless result to the original. A smaller lossy result is chosen without comparison. */
export const LOSSLESS_BEST = { sequential: 0.75, progressive: 0.88 } as const

/** Smallest side in pixels that SSIM can measure: its window of 11 × 11 (Wang et al. 2004). */
export const SSIM_WINDOW_SIDE = 11

/** Quality from which a result for a target size keeps full chroma: finer steps then bring less than finer colour. */
export const FULL_CHROMA_QUALITY = 80

/** SSIMULACRA 2 points below a gentler level's target within which a result may still be larger than that level's. */
export const NEAR_POINTS = 2

/** PSNR in dB of two thumbnails below which they show different pictures. At 1/8 of the size, quantisation noise averages out. */
export const THUMBNAIL_PSNR_DB = 27

/** Side in pixels below which pictures are compared at 1/2 of their size instead of 1/8. */
export const SMALL_SIDE = 128

/** Side in pixels of the thumbnails at which a downsampled picture and its original are compared. */
export const THUMBNAIL_SIDE = 96

/** SSIMULACRA 2 score from which two files show the same picture. Different pictures score below zero. */
export const ALIKE_SCORE = 30

/**
 * Memory in bytes per pixel of the coefficients of noisy photographs in steps of 1, original and requantised. Source:
 * docs/contributors/memory.md, "JPEG of a document".
 */
export const PACKED_PER_PIXEL = 3

/**
 * Fixed memory in bytes in addition to the coefficients of a downsampled picture. Source: docs/contributors/memory.md, "JPEG of a
 * document".
 */
export const DOWNSAMPLE_BASE_BYTES = 16 * 1024 * 1024
