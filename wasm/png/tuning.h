/* Tuning constants of the PNG engine, with unit and origin. "Set by experiment": chosen by results on the project's own
 * pictures when the feature was written. Figures for single values were not kept; docs/decisions/png.md has the overall
 * results. */
#ifndef PNG_TUNING_H
#define PNG_TUNING_H

/* ---- memory limits ---- */

/* Bytes that inflate collects before it passes them on, and size of its input buffer. Set by experiment. */
#define INFLATE_NEW_BYTES 262144u
#define INFLATE_INPUT_BYTES (1u << 17)
/* Bytes that are deflated at a time, so that memory does not depend on the picture's height. Set by experiment. */
#define SEGMENT_BYTES (1u << 20)
/* Pixels of the sample for trials (1.5 MB). Set by experiment. */
#define SAMPLE_PIXELS (3u << 17)
/* Adjacent rows per group of the sample. Set by experiment. */
#define SAMPLE_GROUP_ROWS 32u
/* Smallest number of rows in the sample, for any picture width. Set by experiment. */
#define SAMPLE_LEAST_ROWS 16u
/* Largest picture width in pixels for hard blocks: BLOCK rows take 2 MB at this width. */
#define HARD_BLOCKS_WIDEST 16384u
/* Hash slots of the colour histogram, at most half of them filled: 40 bytes each, 1.3 MB in all. */
#define HISTOGRAM_SLOTS (1u << 15)
/* log2 of the number of colours whose nearest palette entry is cached: 32 bytes each, 1 MB in all. */
#define KNOWN_BITS 15
/* Largest width in pixels for SSIMULACRA 2. The score takes about 600 bytes per pixel of width and background: 20 MB at
 * the first limit. Wider pictures have no score and cannot reach a level that requires one. */
#define WIDEST_SCORED 32768u
#define WIDEST_SCORED_ON_GREY 8192u

/* ---- encode.c ---- */

/* Parameters of libdeflate's optimal parser: search depth, match length that ends a search (258 is the longest, RFC
 * 1951), and interval of searched positions inside long matches. Set by experiment. "Sparse" halves the time on
 * drawings and costs 0.5 % more bytes (engine.ts, `Effort.sparse`). */
#define SEARCH_DEPTH 300
#define NICE_LENGTH 258
#define SPARSE_POSITIONS 8
/* libdeflate level of trials for each row, and number of rows above that serve as context. Set by experiment. */
#define ROW_TRIAL_LEVEL 2
#define ROW_TRIAL_CONTEXT 4
/* Estimated bits for a Deflate block's code tables, added if its entropy is used as its size. Set by experiment. */
#define BLOCK_HEADER_BITS 800

/* ---- histogram.c, quantise.c ---- */

/* Weight of the chroma axes of the colour space; luma has 1. Set by experiment. */
#define CHROMA 0.8f
/* Exponent for the weight of a colour: its pixel count to this power. It raises rare colours, because a red button on a
 * grey screen attracts attention. Set by experiment. */
#define WEIGHT_POWER 0.6f
/* Weight of a pixel in a smooth area, where steps between shades are visible. Set by experiment. */
#define SMOOTH_COUNT 8
/* Bends (texture.h) at which the weight SMOOTH_COUNT is halved. Set by experiment. */
#define SMOOTH_BENDS 4
/* Weight factor for colours of windows whose error is too large. With more, colours of small areas displace those of
 * large ones. */
#define HEAVIER 1.6f
/* Squared distance to the palette above which a colour of a bad window gets more weight. Set by experiment. */
#define MISSING_DISTANCE 2.f
/* k-means ends if a round leaves more than this share of the error, but not before round K_MEANS_ROUNDS. Set by
 * experiment. */
#define K_MEANS_LEFT .9985
#define K_MEANS_ROUNDS 2
/* Number of nearest entries that decide whether a palette entry is at the border of the palette. Set by experiment. */
#define SPREAD_NEIGHBOURS 4

/* ---- hiding.c ---- */

/* Pixels on each side of a pixel that must have texture to mask errors. Set by experiment. */
#define REACH 8
/* Largest bend (texture.h) that counts for one pixel, because one sharp edge is no texture. Set by experiment. */
#define MOST_BEND 32
/* Sum of bends (texture.h) on the calmer side up to which no error is masked, and the range above that up to full
 * masking. Set by experiment. */
#define QUIET_BENDS (8 * REACH)
#define HIDING_BENDS (16 * REACH)
/* Largest increase of masking (0-255) from one row to the next, so that errors right below an edge stay visible. */
#define HIDING_RISE 64

/* ---- remap.c, dithering: squared distances in the colour space ---- */

/* Colours whose squared distance to the palette is at most this take no diffused error and pass none on, so that flat
 * areas stay flat. */
#define EXACT_DISTANCE .4f
/* Squared error limit in dithering. Larger errors come from colours that no mixture of palette entries can give. Set by
 * experiment. */
#define MOST_ERROR 400.f

/* ---- near_lossless.c ---- */

/* First filter that near-lossless rows try. Filter 0 (none) is skipped, because unfiltered rows have too many distinct
 * values. */
#define NEAR_FIRST_FILTER 1
/* Dead zone as a fraction of a step: values less than .5 plus this fraction are rounded to zero. Zeros are cheap, and
 * the error is spread to neighbours. The second value is for hue steps equal to the luma step. Set by experiment. */
#define DEAD_ZONE .15f
#define DEAD_ZONE_FINE_HUE .25f
/* Share of an error that is passed to neighbours. Calm areas pass on nearly all, to avoid drifting into steps; grainy
 * areas little more than half, to avoid specks. Gives 5 to 10 % fewer bytes and a sixth fewer specks at the same score
 * (docs/decisions/png.md, "Specks and narrow bands"). */
#define SHARE_CALM .95f
#define SHARE_GRAINY .57f
/* Sum of bends (texture.h) of eight pixels up to which an area is calm, and from which it is grainy. Set by
 * experiment. */
#define CALM_BENDS 12
#define GRAINY_BENDS 40
/* Length in pixels from which runs of one colour stay exact; shorter runs stay exact only below the same colour. Set by
 * experiment. */
#define FLAT_RUN 8
/* Largest near-lossless step in levels of 0-255. */
#define COARSEST_STEP 64
/* Decay per row of the value counts that give the cost of a filtered value in bits. Set by experiment. */
#define COUNTS_LEFT .97f
/* Initial counts of filtered values: of multiples of the step (divided by (1 + steps)^2), and of other values.
 * COUNT_OFFSET is added to each count, so that every value has a finite cost. Set by experiment. */
#define FIRST_COUNT 100.f
#define FIRST_COUNT_BETWEEN .1f
#define COUNT_OFFSET .05f

/* ---- trial.c, sample.c ---- */

/* Side of a hard block in pixels (as in measure.h), and number of blocks that are kept. Set by experiment. */
#define BLOCK 32u
#define HARD_BLOCKS 64
/* Trials measure SSIM on every n-th row of windows. Set by experiment. */
#define TRIAL_SSIM_EVERY 4
/* Pixels of the sample that are scored by SSIMULACRA 2. Set by experiment. */
#define SCORED_PIXELS (1u << 17)
/* Largest number of distinct colours in the sample that numbered.c handles: as many as 16-bit numbers allow. */
#define MOST_NUMBERED 65536u
#endif
