/**
 * Limits that distinguish data pictures from ordinary pictures. Samples are 0 to 255 or 0 to 65535. Source of all limits:
 * docs/decisions/data-pictures.md.
 */

/** Number of pixels below which pictures are not examined: a label mask cannot be told from an icon. */
export const LEAST_PIXELS = 32 * 32

/**
 * Range of 16-bit values below which a grey picture is data. Photographs fill more than half of the range; depths in millimetres and
 * 12-bit sensor values do not.
 */
export const NARROW_RANGE = 32_768

/** Number of distinct values from which regular intervals mean data, such as disparities times 256 or 12-bit values times 16. */
export const LEAST_REGULAR = 8

/** Number of values that 8 bits can represent. A flat picture with fewer values is as smooth as data. */
export const EIGHT_BITS = 256

/**
 * Median residual below which 16-bit grey is smooth: an 8-bit step and its double. Unit: twice the distance from the mean of both
 * neighbours, divided by 16.
 */
export const SMOOTH_RESIDUAL = (2 * 257) / 16

/**
 * Limits of label masks: flat areas without antialiasing. `least`, `most`: number of colours; `isolated`: isolated pixels per change;
 * `pixelsPerChange`: pixels per change of colour, at least; `step`: lower quartile of the changes, in units of 4 levels; `darkest`:
 * highest grey value of a mask that looks black.
 */
export const LABELS = { least: 3, most: 256, isolated: 0.1, pixelsPerChange: 10, step: 24 / 4, darkest: 64 }

/**
 * Limits of normal maps. `share`: vectors of length 1; `directions`: share of pixels that are vectors; `spread`: standard deviation of x
 * and y; `colours`: number of colours; `flat`: limits for a nearly flat surface, by its mean z.
 */
export const NORMALS = { share: 0.9, directions: 0.1, spread: 0.03, colours: 64, flat: { upright: 0.98, spread: 0.012 } }

/**
 * Limits of numbers that are split into bytes. `pairs`: share of neighbours with different low bytes; `near`: share of them with similar
 * numbers; `wraps`, `nearWraps`: share of overflows of the low byte, and of those with similar numbers; `lowEntropy`, `highEntropy`:
 * entropy in bits of the low byte (at least) and the high byte (at most).
 */
export const CODE = { pairs: 0.05, near: 0.85, wraps: 0.01, nearWraps: 0.75, lowEntropy: 6.5, highEntropy: 5 }

/** Number of distinct colours up to which the statistics count them. */
export const MOST_COLOURS = 256

/** Approximate number of pixels that are read, in blocks of rows spread evenly over the picture. */
export const SAMPLED_PIXELS = 600_000

/** Rows of a block that the statistics read; the rows between blocks are skipped. */
export const BLOCK_ROWS = 8

/**
 * Lowest correlation of a channel with its cube coordinate. Graded tables still follow the original cube; photographs of such a size do
 * not.
 */
export const LEAST_CORRELATION = 0.75

/** Colours per side of the largest colour lookup cube in common use. */
export const MOST_CUBE_SIDE = 65
