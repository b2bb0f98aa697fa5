/* Constants of the PNG engine that somebody chose, with their unit and where the value comes from.
 *
 * "Set by experiment": chosen by results on the project's own pictures when the feature was written; the figures of
 * each value tried were not kept. docs/decisions/png.md has what the whole gives. */
#ifndef PNG_TUNING_H
#define PNG_TUNING_H

/* ---- memory ---- */

/* Bytes. New bytes that inflate gathers before they go on, and its input buffer. Set by experiment. */
#define INFLATE_NEW_BYTES 262144u
#define INFLATE_INPUT_BYTES (1u << 17)
/* Bytes that are deflated at a time, so that memory does not depend on the picture's height. Set by experiment. */
#define SEGMENT_BYTES (1u << 20)
/* Pixels of the sample for trials: 1.5 MB. Set by experiment. */
#define SAMPLE_PIXELS (3u << 17)
/* Rows of the sample that are neighbours in the picture. Set by experiment. */
#define SAMPLE_GROUP_ROWS 32u
/* Rows that the sample holds at least, however wide the picture. Set by experiment. */
#define SAMPLE_LEAST_ROWS 16u
/* Pixels of width above which no hard blocks are kept: BLOCK rows of the picture take 2 MB at this width. */
#define HARD_BLOCKS_WIDEST 16384u
/* Slots of the histogram, half of which may be filled: 40 bytes each, 1.3 MB in all. */
#define HISTOGRAM_SLOTS (1u << 15)
/* Bits of the number of colours whose nearest entry is remembered: 32 bytes each, 1 MB in all. */
#define KNOWN_BITS 15
/* Pixels of width. The score takes some 600 bytes a pixel of width and background: 20 MB each at the first limit. Wider
 * pictures have no score, and a level that needs one is not reached. */
#define WIDEST_SCORED 32768u
#define WIDEST_SCORED_ON_GREY 8192u

/* ---- encode.c ---- */

/* libdeflate's optimal parser when rounds are asked for: search depth, match length that ends a search (RFC 1951:
 * the longest), and of positions inside long matches one in so many is searched. Set by experiment; "sparse" halves
 * the time on drawings for 0.5 % more bytes (engine.ts, `Effort.sparse`). */
#define SEARCH_DEPTH 300
#define NICE_LENGTH 258
#define SPARSE_POSITIONS 8
/* libdeflate level of the trials for each row, and rows above that give them context. Set by experiment. */
#define ROW_TRIAL_LEVEL 2
#define ROW_TRIAL_CONTEXT 4
/* Bits that a block's codes take, added to its entropy when that stands for its size. Set by experiment. */
#define BLOCK_HEADER_BITS 800

/* ---- histogram.c, quantise.c ---- */

/* Scale of the chroma axes of the colour space; luma has 1. Set by experiment. */
#define CHROMA 0.8f
/* A colour weighs its number of pixels to this power: rare colours count more, because a red button on a grey screen is
 * what people look at. Set by experiment. */
#define WEIGHT_POWER 0.6f
/* Times that a pixel in a smooth area counts: there, steps between shades are visible. Set by experiment. */
#define SMOOTH_COUNT 8
/* Bends (texture.h) that halve that. Set by experiment. */
#define SMOOTH_BENDS 4
/* Factor for colours of windows that were off too far. More, and colours of small areas displace those of large
 * ones. */
#define HEAVIER 1.6f
/* Squared distance from the palette from which a colour of such a window counts as missing. Set by experiment. */
#define MISSING_DISTANCE 2.f
/* k-means ends when a round leaves more than this share of the error, but not before this round. Set by experiment. */
#define K_MEANS_LEFT .9985
#define K_MEANS_ROUNDS 2
/* Neighbours of a palette entry that say where the palette's border is. Set by experiment. */
#define SPREAD_NEIGHBOURS 4

/* ---- hiding.c ---- */

/* Pixels to each side that must have texture. Set by experiment. */
#define REACH 8
/* Bends of one pixel that count at most: one sharp edge is no texture. Set by experiment. */
#define MOST_BEND 32
/* Bends on the calmer side at which nothing is hidden, and the range above that up to where all is. Set by
 * experiment. */
#define QUIET_BENDS (8 * REACH)
#define HIDING_BENDS (16 * REACH)
/* Of 255: what a pixel may hide more than the one above it, so that nothing is hidden right below an edge. */
#define HIDING_RISE 64

/* ---- dither.c: squared distances in the colour space ---- */

/* A colour that the palette has as nearly as this takes no error and passes none on: flat areas stay flat. */
#define EXACT_DISTANCE .4f
/* Errors that grow beyond this are of colours that no mixture of the palette gives. Set by experiment. */
#define MOST_ERROR 400.f

/* ---- near_lossless.c ---- */

/* The first filter that is tried: without a filter, a row holds all values there are. */
#define NEAR_FIRST_FILTER 1
/* Share of a step. What is less than this above half a step is rounded to nothing: zeros are cheap, and the error
 * goes on to the neighbours. The second is for hues in steps no coarser than those of luma. Set by experiment. */
#define DEAD_ZONE .15f
#define DEAD_ZONE_FINE_HUE .25f
/* Share of an error that goes on to the neighbours: nearly all in calm areas, which would drift away in steps, and
 * little more than half from the first grain on, where more becomes visible as specks. docs/decisions/png.md,
 * "Specks and narrow bands": 5 to 10 % fewer bytes and a sixth less of specks at the same score. */
#define SHARE_CALM .95f
#define SHARE_GRAINY .57f
/* Bends of eight pixels up to which an area is calm, and from which it is grainy. Set by experiment. */
#define CALM_BENDS 12
#define GRAINY_BENDS 40
/* Pixels. Runs of one colour from this length on stay exact, shorter ones below the same colour. Set by experiment. */
#define FLAT_RUN 8
/* Levels of 255: the coarsest step. */
#define COARSEST_STEP 64
/* What a row leaves of the counts of earlier rows, when values are priced in bits. Set by experiment. */
#define COUNTS_LEFT .97f
/* Counts at the start: of multiples of the step (over 1 + steps squared) and of other values; and what is added to
 * each, so that no value is without a price. Set by experiment. */
#define FIRST_COUNT 100.f
#define FIRST_COUNT_BETWEEN .1f
#define COUNT_OFFSET .05f

/* ---- trial.c, sample.c ---- */

/* Pixels each way of a hard block, as in measure.h, and how many are kept. Set by experiment. */
#define BLOCK 32u
#define HARD_BLOCKS 64
/* SSIM of the sample is measured on one row of windows in so many. Set by experiment. */
#define TRIAL_SSIM_EVERY 4
/* Pixels of the sample that are scored. Set by experiment. */
#define SCORED_PIXELS (1u << 17)
/* Colours of the sample up to which each is looked up only once: as many as 16 bits number. */
#define MOST_NUMBERED 65536u
#endif
