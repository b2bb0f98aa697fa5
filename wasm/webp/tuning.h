/* Constants of the WebP engine that somebody chose, with their unit and where the value comes from. */
#ifndef WHITTLE_WEBP_TUNING_H
#define WHITTLE_WEBP_TUNING_H

/* Levels of 255: difference of red and of blue against green, together, from which two pixels have hues that are far
 * apart. Set by experiment on the project's fixtures; docs/decisions/webp-and-avif.md has what the choice gives. */
#define HUE_STEP 64
/* Rows of a band of the sample: a multiple of the 16 rows of a macroblock (RFC 6386, section 2). Set by experiment. */
#define BAND_ROWS 64
/* The sample must be at most one row in so many. Set by experiment. */
#define SAMPLE_SHARE 2
/* Pixels. The modes of all blocks must fit into the 512 KiB of the first partition (RFC 6386, 9.7): above this size
 * they are kept short. Set by experiment. */
#define LARGE_PIXELS 100000000

#endif
