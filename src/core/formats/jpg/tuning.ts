/**
 * Tuning of JPEG files: memory of a job, when a loss is worth it, and what verification takes for another picture.
 * Where a comment names no source, the value was set by experiment on the project's fixtures.
 */

/**
 * Memory in bytes for each byte of the file. `read`: packed coefficients (1.5 to 1.9 in all files that were measured) and the result. `both`: the
 * requantised ones as well; of a progressive file while both files are compared, and while it is shown. Source: docs/contributors/memory.md, rows "JPEG".
 */
export const HELD_PER_BYTE = { read: 2.8, both: 4, bothProgressive: 5.1, shownProgressive: 7.2 }

/** Memory in bytes beside the coefficients. `read`: instance, window rows, output buffers, JavaScript; `measured`: and meters and decoders of both files. */
export const BASE_BYTES = { read: 10 * 1024 * 1024, measured: 15 * 1024 * 1024 }

/** Memory in bytes per pixel of width. `read`: rows; `measured`: and windows and meters, of which the perceptual meter takes 700. */
export const BYTES_PER_COLUMN = { read: 200, measured: 1900 }

/** Memory in bytes above which a file is streamed although the budget would allow to hold its coefficients. */
export const COMFORT_BYTES = 70 * 1024 * 1024

/** Share of the exact result below which a lossy result must come; docs/decisions/quality-levels.md: no generation is lost for nothing. */
export const WORTH_LOSING = 0.95

/** Error of the estimated share: nearer to `WORTH_LOSING`, both results are written and compared. */
export const ESTIMATE_ERROR = 0.03

/** Share of the original below which lossless coding does not come: a smaller lossy result is taken at once. */
export const LOSSLESS_BEST = { sequential: 0.75, progressive: 0.88 } as const

/** Pixels a side that SSIM needs: its window of 11 × 11 (Wang et al. 2004). */
export const SMALLEST_MEASURED = 11

/** Quality at which a wanted size keeps full chroma: from here on, finer steps bring less than finer colour. */
export const FULL_CHROMA_QUALITY = 80

/** Points of SSIMULACRA 2 above the target from which the quality was asked for by hues or a tile; full chroma is then tried. docs/decisions/quality-levels.md, "Halved chroma". */
export const SPARE_POINTS = 3

/** Points of SSIMULACRA 2 below a gentler level within which a result may still be larger than that level's. */
export const NEAR_POINTS = 2

/** PSNR in dB of two thumbnails below which they show different pictures: at 1/8 of the size quantisation noise averages out. */
export const THUMBNAIL_PSNR_DB = 27

/** Pixels a side below which pictures are compared at 1/2 of their size instead of 1/8. */
export const SMALL_SIDE = 128

/** Pixels a side of the thumbnails at which a downsampled picture and its original are compared. */
export const AFAR_PIXELS = 96

/** SSIMULACRA 2 from which two pictures are the same picture, whatever was done to one; different pictures score below zero. */
export const ALIKE_SCORE = 30

/** Memory in bytes per pixel of coefficients in steps of 1, as read and as made: noisy photographs. docs/contributors/memory.md, "JPEG of a document". */
export const PACKED_PER_PIXEL = 3

/** Memory in bytes beside the coefficients of a downsampled picture. docs/contributors/memory.md, "JPEG of a document". */
export const DOWNSAMPLE_BASE_BYTES = 16 * 1024 * 1024
