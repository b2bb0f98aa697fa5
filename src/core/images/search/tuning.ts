/**
 * Tuning of the searches over encoder settings that all codecs share. Points are of SSIMULACRA 2.1; docs/decisions/quality-levels.md has the reasons.
 * Where a comment names no source, the value was set by experiment on the project's fixtures.
 */

// Search for a score.

/** Points above the target below which a lower quality gains nothing. */
export const CLOSE_POINTS = 1.2

/** Points above the target that the next probe aims at: a miss takes one more probe. */
export const AIM_POINTS = 0.5

/** Probes until one reaches the target. */
export const MOST_MISSES = 4

/** Points below the target from which a probe says on which side it is and no more: noise falls apart within a few steps. */
export const FAR_POINTS = 30

/** Further probes after a probe that was far. */
export const PROBES_FROM_AFAR = 2

/** Qualities that luma rules out, and that are not probed, at most. */
export const MOST_RULED_OUT = 4

/** Points above the target that cost about 25 % more bytes, and are worth further probes. */
export const WIDE_POINTS = 8

/** SSIM, and dB of PSNR, that one step of quality, or one point of the score, brings. */
export const LUMA_PER_POINT = { ssim: 0.0015, psnrDb: 0.15 }

/** Steps of quality that the search goes up at most where the last ones brought nothing. */
export const MOST_STEPS = 8

/** Points that casts and steps change by where they grow by a factor of e. */
export const POINTS_PER_WINDOW = 11

/** Pixels that a probe measures: 0.1 to 0.2 s a megapixel; of a larger picture bands. docs/decisions/quality-levels.md, "Above 50 megapixels". */
export const MOST_MEASURED_PIXELS = 50e6

/** Score below which a result is refused at any level: 50 annoys slightly on the scale of SSIMULACRA 2. */
export const LEAST_SCORE = 50

/** Points above another form of the picture below which this form will not be smaller in the end. */
export const BETTER_POINTS = 1

// Targets of palettes and near-lossless rows.

/** Points that the worst tile may be below the score. docs/decisions/quality-levels.md, "What levels mean of JPEG". */
export const TILE_BELOW = 20

/** Share of the specks of palettes that near-lossless rows may have: their dots are sparse. */
export const NEAR_SPECKS = 0.6

/** Points of the score that change about as much as one dB. */
export const POINTS_PER_DB = 3

/** Share by which a cast may be larger between windows, which are measured every five pixels. */
export const CAST_BETWEEN = 0.08

/** Bytes of a reduced picture up to which it stays in memory, so that the search does not decode the large one for every step. */
export const KEPT_BYTES = 4 * 1024 * 1024
