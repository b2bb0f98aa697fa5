/**
 * Tuning of PNG files: which results are made and compared.
 * Where a comment names no source, the value was set by experiment on the project's fixtures.
 */

/** Bytes of a candidate as a multiple of the smallest, at most, that a second Deflate can make the smallest: rows gain some hundredths, rarely a fifth. */
export const MOST_WON = 1.3

/** Share of another estimate on the same sample below which a plan is smaller for certain. */
export const CLEARLY_SMALLER = { exact: 0.6, lossy: 0.8 }

/** Plans that are made, the smallest estimates first. */
export const MOST_FINISHED = { small: 4, usual: 3 }

/** Estimated bytes up to which a result is made once, in memory, and dropped where it misses the target. */
export const MOST_HELD_BYTES = 12 * 1024 * 1024

/** Bytes up to which a plan between two others is made, too. */
export const MOST_REMADE_BYTES = 2 * 1024 * 1024

/** Share of the bytes below which fewer colours are worth the look. docs/decisions/png.md, "Against pngquant". */
export const WORTH_FEWER_COLOURS = 0.96

/** Bytes of rows up to which exact forms are made and compared: no estimate tells small drawn pictures apart. */
export const SMALL_BYTES = 96 * 1024

/** Pixels of a picture up to which exact forms are made where the result has at most `FEW_BYTES` (images/png/tuning.ts). */
export const FEW_PIXELS = 128 * 1024

/** Colours up to which the same holds. */
export const FEW_COLOURS = 16
