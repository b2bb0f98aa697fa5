/*
 * Constants of the JPEG engine that somebody chose, with their unit and where the value comes from.
 *
 * "Set by experiment": chosen by results on the project's own pictures when the feature was written; the figures of
 * each value tried were not kept. docs/decisions/jpeg.md has what the whole gives.
 */
#ifndef WHITTLE_JPEG_TUNING_H
#define WHITTLE_JPEG_TUNING_H

/* ---- limits of what comes in ---- */

/* A progressive file repeats the picture in every scan; 10 is usual, hostile files have thousands. */
#define SCANS_MAX 128
/* Pixels times scans: 200 scans of a phone's picture (13 megapixels), 26 of a hundred megapixels. */
#define PIXELS_VISITED_MAX 2.6e9
/* Segments between scans. Set by judgement: pictures have none, or a few. */
#define LATE_MAX 256
/* Samples of a plane of a progressive file up to which all its rows stay unpacked, as every scan goes over them: 2.4
 * MB. */
#define WHOLE_SAMPLES_MAX 1.2e6

/* ---- requantise.c ---- */

/*
 * Steps at quality 50, for luma and for chroma: mozjpeg's tables tuned for MS-SSIM (its index 3, alike in both),
 * bent by tools/bench/jpeg-tables.ts until photographs took the fewest bytes for a score of SSIMULACRA 2.1. Finer
 * where gradients and hues are, and at the highest frequencies, which the trellis leaves out where they are noise;
 * coarser in between.
 */
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
/* Weight of errors against bits, where mozjpeg has 1: eyes miss what the trellis saves by leaving out. Found with
 * the tables. */
#define ERROR_WEIGHT 2.3f
/* Blocks of the widest plane in a sampled row. Set by experiment. */
#define SAMPLE_BLOCKS 128
/* Planes of up to so many block rows are not sampled but taken whole. Set by experiment. */
#define WHOLE_BLOCK_ROWS 32
/* Rows after which prices are made again, the first two times and then each time; and rows after which old counts are
 * halved. Set by experiment. */
#define FIRST_REPRICE_ROWS 4
#define SECOND_REPRICE_ROWS 8
#define REPRICE_ROWS 16
#define FORGET_ROWS 128

/* ---- smooth.c ---- */

/* Levels: standard deviation up to which a block has no texture. Sensor noise is below it. Set by experiment. */
#define NOISE 3.0f
/* Eighths of a level: means of blocks differ by no more in a flat colour; and by more between two areas. Set by
 * experiment. */
#define FLAT_RANGE 4
#define EDGE_RANGE 320
/* Share of a picture's places that makes a plane smooth. Set by experiment. */
#define SMOOTH_SHARE 0.02
/* The largest step of DC in smooth planes: 8 is one level. Finer ones are rounded by decoders, and halves always
 * upwards, which tints. And that of the two lowest frequencies, where the table's is below FINE_BELOW (quality 70
 * and better in luma). */
#define STEP_MAX 8
#define STEP_FINE 4
#define FINE_BELOW 12

/* ---- trellis.c ---- */

/* Levels of DC that are tried for a block. Set by experiment. */
#define DC_CANDIDATES 5
/* Weight of an error of DC in a smooth block, and of the lowest frequencies where they are noise. Set by experiment. */
#define SMOOTH_WEIGHT 4
#define NOISE_WEIGHT 0.5f
/* A gradient has the same sign in nearly all blocks around, noise has not: blocks to each side, and the share of
 * them. Set by experiment. */
#define GRADIENT_REACH 4
#define GRADIENT_AGREEMENT 0.75f
/* Targets for a block at the ends of the scale. Four more would save another 0.5 % of the bytes, in 1.6 times the
 * time. */
#define OVERSHOOT_ROUNDS 4

/* ---- overshoot.c: levels ---- */

/* Samples so near to white or black count as such. Set by experiment. */
#define END_TOLERANCE 1.0f
/* What is nearer to an end than a step of DC, or this, may as well be lifted beyond it; and by how much at most, as
 * in mozjpeg. */
#define LIFTED_MOST 16
#define LIFT_MOST 31
/* Further beyond an end even what is not visible is an error: decoders have no more bits. Set by experiment. */
#define BEYOND_MOST 64

/* ---- decimate.c ---- */

/* Planes of up to so many block rows are measured whole. Set by experiment. */
#define DECIMATE_WHOLE_ROWS 16

/* ---- script.c, scans.c ---- */

/* Blocks of each plane from which a script is chosen. Set by experiment. */
#define SCRIPT_BLOCKS 1500
/* Bits that may be left for later scans, as in mozjpeg for luma. */
#define LOW_MAX 3
/* Places of the zigzag after which a band may end: mozjpeg's. */
static const uint8_t BAND_CUTS[] = {2, 5, 8, 12, 18};
/* Symbols that are noted down while they are counted: 1 MB. */
#define NOTES_MAX (256 * 1024)
/* Bytes of a scan that are handed to the host at a time. */
#define LANE_BYTES 65536

#endif
