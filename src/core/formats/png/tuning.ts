/**
 * Tuning constants of PNG files: limits of files, which candidate results are encoded and compared, and the tolerance of the verification. Constants without a source were set by experiment on
 * the project's fixtures.
 */

/**
 * Largest ratio to the smallest candidate's size at which a second Deflate can still make a candidate the smallest. It saves some percent,
 * rarely a fifth.
 */
export const MOST_REDEFLATE_RATIO = 1.3

/** Ratio of two estimates from the same sample below which a plan is certainly smaller. */
export const CLEARLY_SMALLER = { exact: 0.6, lossy: 0.8 }

/** Most lossy plans that are encoded, smallest estimates first. */
export const MOST_ENCODED_PLANS = { small: 4, usual: 3 }

/** Estimated size in bytes up to which a result is encoded once, in memory, and dropped if it misses the target. */
export const IN_MEMORY_RESULT_BYTES = 12 * 1024 * 1024

/** Result size in bytes up to which a third palette is tried, between one that missed the target and one that reached it. */
export const MOST_REMADE_BYTES = 2 * 1024 * 1024

/** Ratio of sizes below which fewer colours are worth their lower quality. Source: docs/decisions/png.md, "Against pngquant". */
export const FEWER_COLOURS_RATIO = 0.96

/** Bytes of rows up to which lossless forms are encoded and compared, because estimates of small drawings are too coarse. */
export const SMALL_BYTES = 96 * 1024

/** Number of pixels up to which lossless forms are encoded if the lossy result has at most `FEW_BYTES` (images/png/tuning.ts). */
export const FEW_PIXELS = 128 * 1024

/** Number of colours up to which lossless forms are always encoded. */
export const FEW_COLOURS = 16

/** Most pixels of all frames of a PNG animation together. */
export const MOST_FRAME_PIXELS = 400_000_000

/** Memory in bytes in addition to a gathered interlaced picture: the encoding engine and rows in transit. */
export const GATHERING_BASE_BYTES = 24 * 1024 * 1024

/** Most chunks and frames of a file. Each costs some hundred bytes of memory in addition; a long animation has thousands. */
export const MOST_ITEMS = 20_000

/** Bytes passed to an engine in one call, which expand to at most 4 MB of rows. */
export const ENGINE_CALL_BYTES = 4096

/** Bytes of PNG rows after which the reader lets other tasks run. */
export const ROW_BYTES_PER_YIELD = 2 * 2 ** 20

/** Least ratio of row bytes to file bytes that is assumed when the work is estimated. */
export const LEAST_EXPANSION = 4

/** Encoding exponents near that of sRGB, 1/2.2. Outside of this range, SSIM and PSNR of samples do not reflect what viewers show. */
export const USUAL_GAMMA = { from: 0.4, to: 0.5 }

/**
 * Tolerance between the figures of an outcome and those that verification measures (SSIM, PSNR in dB). The search measures at 8 bits and
 * adds in another order.
 */
export const CLAIM_TOLERANCE = { ssim: 0.0001, psnrDb: 0.01 }
