/**
 * Tuning constants of conversions: attempts to reach the floors, and tolerance of the verification. Constants without a source were set by
 * experiment on the project's fixtures.
 */

/** Lowest PSNR in dB over all RGB channels that a converted picture may have. */
export const LEAST_RGB_PSNR_DB = 25.5

/** Most encodings of a picture until its decoded result reaches the target. */
export const MOST_ATTEMPTS = 4

/** PSNR in dB that the next attempt demands above the measured shortfall. */
export const EXTRA_PSNR_DB = 0.5

/** Shortfall of PSNR in dB for which no further attempt is made. */
export const TOLERATED_PSNR_DB = 0.1

/**
 * Number of pixels up to which the result of a gentler level may be smaller, because sizes vary more than levels differ. Further encodings
 * are cheap.
 */
export const SMALL_PIXELS = 128 * 128

/**
 * SSIMULACRA 2 points below a gentler level's target within which a small result may still be larger than that level's. Four points are
 * about 15 % of the bytes.
 */
export const NEAR_POINTS = 4

/** Tolerance between the figures of an outcome and those that verification measures: SSIM, and PSNR in dB. */
export const CLAIM_TOLERANCE = { ssim: 0.002, psnrDb: 0.1 }

/** Share of the memory budget that the decoded picture of a rendition may take. A larger one is decoded again for every reading. */
export const RETAINED_RENDITION_SHARE = 0.25
