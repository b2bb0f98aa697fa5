/**
 * Tuning constants of the searches that all picture codecs share. Points are those of SSIMULACRA 2.1. Reasons:
 * docs/decisions/quality-levels.md. Constants without a source were set by experiment on the project's fixtures.
 */

// Constants of the search for a perceptual score.

/** Score points above the target below which a lower quality saves nothing. */
export const CLOSE_POINTS = 1.2

/** Score points above the target that the next probe aims at, because a miss costs one more probe. */
export const AIM_POINTS = 0.5

/** Most perceptual probes of a search until one reaches the target. */
export const MOST_MISSES = 4

/** Score points below the target from which a probe only shows its side of the target: noise collapses within a few quality steps. */
export const FAR_POINTS = 30

/** Extra probes that a search may make after a probe that was `FAR_POINTS` below the target. */
export const EXTRA_PROBES_AFTER_FAR = 2

/** Extra probes that a search may make for a score that the caller asked for, which can be far from the usual quality of every level. */
export const EXTRA_PROBES_OF_WANTED_SCORE = 3

/**
 * Search at the effort `fast`. `closePoints`: points above the target below which a lower quality is not worth a probe; three are about 10 %
 * of the bytes. `widePoints`: points above the target from which a third probe is made. `aimPoints`: as `AIM_POINTS`.
 */
export const FAST_SEARCH = { closePoints: 2, widePoints: 4, aimPoints: 0.7, mostProbes: 2 }

/** Search at the effort `best`: it goes on to the last quality step, which is 0.3 to 0.7 points. */
export const BEST_SEARCH = { closePoints: 0.15, extraProbes: 6 }

/** Most qualities in a search that are rejected by luma figures, without a perceptual probe. */
export const MOST_RULED_OUT = 4

/** Score points above the target that cost about 25 % more bytes, so that further probes are worth their time. */
export const WIDE_POINTS = 8

/** SSIM, and PSNR in dB, that one quality step or one score point corresponds to. */
export const LUMA_PER_POINT = { ssim: 0.0015, psnrDb: 0.15 }

/** Most quality steps that the search goes up on a plateau. */
export const MOST_STEPS = 8

/** Score points that correspond to a factor of e in colour casts and steps. */
export const POINTS_PER_WINDOW = 11

/**
 * Most pixels that a probe measures, at 0.1 to 0.2 s a megapixel; larger pictures are measured in bands. Source:
 * docs/decisions/quality-levels.md, "Above 50 megapixels".
 */
export const MOST_MEASURED_PIXELS = 50e6

/** Score below which a result is rejected at any level. On the scale of SSIMULACRA 2, 50 is slightly annoying. */
export const LEAST_SCORE = 50

/** Lead in score points that one chroma format needs over the other at the same quality; with less, its file will not be smaller. */
export const LEAST_LEAD_POINTS = 1

// Constants of the targets of palettes and near-lossless rows.

/**
 * Score points by which the worst tile may be below the picture's score. Source: docs/decisions/quality-levels.md, "What levels mean of
 * JPEG".
 */
export const TILE_ALLOWANCE_POINTS = 20

/** Ratio of the specks allowed in near-lossless rows to those allowed in palettes, because near-lossless dots are sparse. */
export const NEAR_SPECKS = 0.6

/** Score points that correspond to about 1 dB of PSNR. */
export const POINTS_PER_DB = 3

/** Ratio by which a colour cast may be larger between measured windows, which are five pixels apart. */
export const CAST_BETWEEN_WINDOWS = 0.08
