/* Tuning constants of the WebP engine, with unit and origin. */
#ifndef WHITTLE_WEBP_TUNING_H
#define WHITTLE_WEBP_TUNING_H

/* Hue difference between two pixels that counts as strong: differences of red and blue relative to green, added, in
 * levels of 0-255. Set by experiment on the project's fixtures; docs/decisions/webp-and-avif.md has the results. */
#define HUE_STEP 64
/* Rows per band of the sample: a multiple of the 16 rows of a macroblock (RFC 6386, section 2). Set by experiment. */
#define BAND_ROWS 64
/* The sample has at most 1/SAMPLE_SHARE of the picture's rows. Set by experiment. */
#define SAMPLE_SHARE 2
/* Pixels above which block modes are coded briefly, because those of all blocks must fit into the 512 KiB of the first
 * partition (RFC 6386, 9.7). Set by experiment. */
#define LARGE_PIXELS 100000000

#endif
