/* Tuning constants of the JPEG engine, with unit and origin. "Set by experiment": chosen by results on the project's
 * own pictures when the feature was written. Figures for single values were not kept; docs/decisions/jpeg.md has the
 * overall results. */
#ifndef WHITTLE_JPEG_TUNING_H
#define WHITTLE_JPEG_TUNING_H

/* ---- limits of the input ---- */

/* Largest number of scans. Each scan of a progressive file covers the whole picture; 10 scans are usual, malicious
 * files have thousands. */
#define SCANS_MAX 128
/* Limit of pixels times scans: 200 scans at 13 megapixels, 26 scans at 100 megapixels. */
#define PIXELS_VISITED_MAX 2.6e9
/* Largest number of segments between scans. Set by judgement: usual files have none or a few. */
#define LATE_MAX 256
/* Largest plane of a progressive file, in samples, whose rows stay unpacked, because every scan reads all of them: 2.4
 * MB. */
#define WHOLE_SAMPLES_MAX 1.2e6

/* ---- requantise.c ---- */

/* Quantisation steps at quality 50, for luma and for chroma. Based on mozjpeg's tables tuned for MS-SSIM (index 3),
 * adjusted by tools/bench/jpeg-tables.ts for the fewest bytes at equal SSIMULACRA 2.1 on photographs. Finer for
 * gradients and hues, and at the highest frequencies, where the trellis removes noise; coarser in between. */
static const unsigned int BASE_TABLES[2][64] = {
    {
        10, 20, 22, 26, 35, 45, 54, 61, 20, 22, 29, 39, 47, 48, 50, 52, 22, 29, 35, 44, 57, 70,
        81, 87, 26, 39, 44, 54, 64, 75, 83, 88, 35, 47, 57, 64, 73, 81, 86, 88, 45, 48, 70, 75,
        81, 86, 88, 86, 54, 50, 81, 83, 86, 88, 86, 81, 61, 52, 87, 88, 88, 86, 81, 74,
    },
    {
        9,   14,  16,  20,  31, 52, 87,  149, 14,  16,  20,  30,  43,  56,  84,  132, 16,  20,  26,  37,   56, 90,
        147, 244, 20,  30,  37, 51, 74,  113, 179, 293, 31,  43,  56,  74,  104, 154, 235, 374, 52,  56,   90, 113,
        154, 219, 325, 500, 87, 84, 147, 179, 235, 325, 469, 702, 149, 132, 244, 293, 374, 500, 702, 1019,
    },
};
/* Weight of errors relative to bits; mozjpeg has 1. Optimised together with the tables for SSIMULACRA 2.1. */
#define ERROR_WEIGHT 2.3f
/* Number of blocks of the widest plane in a sampled row. Set by experiment. */
#define SAMPLE_BLOCKS 128
/* Planes with up to this many block rows are not sampled but processed completely. Set by experiment. */
#define WHOLE_BLOCK_ROWS 32
/* Number of rows after which symbol prices are updated: the first time, the second time, and later. Old counts are
 * halved every REPRICE_ROWS rows. Set by experiment. */
#define FIRST_REPRICE_ROWS 4
#define SECOND_REPRICE_ROWS 8
#define REPRICE_ROWS 16
#define FORGET_ROWS 128

/* ---- smooth.c ---- */

/* Largest standard deviation, in grey levels, of a block without texture. Sensor noise is below it. Set by
 * experiment. */
#define NOISE 3.0f
/* Differences of block means in eighths of a grey level: at most FLAT_RANGE within one flat colour, more than EDGE_RANGE
 * between two areas. Set by experiment. */
#define FLAT_RANGE 4
#define EDGE_RANGE 320
/* Share of smooth places (squares of about 16 pixels) from which a plane counts as smooth, 0 to 1. Set by
 * experiment. */
#define SMOOTH_SHARE 0.02
/* Largest step of DC and the two lowest frequencies in smooth planes; a DC of 8 is one grey level. Finer DC steps gain
 * nothing: decoders round, always upwards at .5, which causes a tint. The two lowest frequencies get STEP_FINE if the
 * table's step is below FINE_BELOW (luma quality 70 or better). */
#define STEP_MAX 8
#define STEP_FINE 4
#define FINE_BELOW 12

/* ---- trellis.c ---- */

/* Number of DC levels that are tried for a block. Set by experiment. */
#define DC_CANDIDATES 5
/* Error weight of DC in a smooth block, and of the lowest frequencies if they are noise. Set by experiment. */
#define SMOOTH_WEIGHT 4
#define NOISE_WEIGHT 0.5f
/* Distinguishes gradients from noise: a gradient has the same sign in nearly all neighbouring blocks. Blocks on each
 * side, and share with the same sign. Set by experiment. */
#define GRADIENT_REACH 4
#define GRADIENT_AGREEMENT 0.75f
/* Number of target blocks tried for a block with white or black samples. Four more would save another 0.5 % of the
 * bytes and take 1.6 times the time. */
#define OVERSHOOT_ROUNDS 4

/* ---- overshoot.c: grey levels ---- */

/* Samples within this many levels of white or black count as white or black. Set by experiment. */
#define END_TOLERANCE 1.0f
/* Samples within min(DC step, LIFTED_MOST) levels of white or black may be moved beyond the range, by at most LIFT_MOST
 * levels as in mozjpeg. */
#define LIFTED_MOST 16
#define LIFT_MOST 31
/* Limit in levels beyond white or black from which even an invisible excess counts as error, because decoders have no
 * more bits. Set by experiment. */
#define BEYOND_MOST 64

/* ---- cut.c ---- */

/* Rows of pixels in a band: eight blocks, so that bands end between MCU rows. Lower bands have more edges, and higher
 * ones spread less. */
#define CUT_BAND 64
/* Smallest number of bands in a cut. */
#define CUT_LEAST_BANDS 3
/* Largest ratio between the packed bytes of the bands and those of as many rows of the whole picture, in either
 * direction. Beyond it, the cut has too much or too little of the detail. */
#define CUT_MOST_RATIO 1.5

/* ---- decimate.c ---- */

/* Planes with up to this many block rows are measured completely. Set by experiment. */
#define DECIMATE_WHOLE_ROWS 16

/* ---- script.c, scans.c ---- */

/* Number of blocks of each plane that are sampled to choose a scan script. Set by experiment. */
#define SCRIPT_BLOCKS 1500
/* Largest number of low-order bits deferred to later scans; mozjpeg uses the same for luma. */
#define LOW_MAX 3
/* Zigzag positions after which a spectral band may end; the same as in mozjpeg. */
static const uint8_t BAND_CUTS[] = {2, 5, 8, 12, 18};
/* Number of symbols that can be recorded during counting: 1 MB. */
#define NOTES_MAX (256 * 1024)
/* Bytes of a scan that are passed to the host at a time. */
#define LANE_BYTES 65536

#endif
