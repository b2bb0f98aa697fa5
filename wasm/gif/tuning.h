/* Tuning constants of the GIF engine. "Set by experiment": chosen on the project's GIF fixtures by result size and CPU
 * time. Single trials are not recorded. docs/contributors/measured.md and docs/decisions/gif.md have the overall
 * results. */
#ifndef GIF_TUNING_H
#define GIF_TUNING_H

/* ---- limits of memory and picture size ---- */

/* Limit for extension bytes between two frames, which are held in memory. */
#define EXTENSION_BYTES_LIMIT (4u << 20)
/* Limit for local colour tables that the recoder shrinks; further ones stay unchanged. The bookkeeping takes 2 MB. */
#define SHRUNK_TABLES_LIMIT 65536
/* Smallest width and height in pixels for SSIMULACRA 2 (score.h). */
#define SCORED_SIDE_LEAST 8
/* Largest width, and largest pixel count of a canvas, for SSIMULACRA 2. More would exceed the memory of a job
 * (docs/contributors/memory.md). gif.ts has the same limits. A tile takes twice 430 bytes per background; a Score takes
 * about 600 bytes per pixel of width. */
#define SCORED_WIDTH_LIMIT 4096
#define SCORED_PIXELS_LIMIT 4000000

/* ---- LZW table clearing ---- */

/* LZW table clearing styles: {codes after which a full table may be cleared, phrase length relative to the average
 * below which it is cleared}. Set by experiment. */
#define LZW_STYLE_VALUES {{600, .82}, {300, .95}, {2000, .9}, {0, 1e9}, {1200, .7}, {1000, .97}, {150, .99}}
#define LZW_STYLES 7
/* Weight of the newest phrase in the moving average of phrase lengths. Set by experiment. */
#define LZW_RECENT_WEIGHT .005
/* An LZW encoder is dropped if it is more than 1/8 plus 4,096 bits behind the best one. Set by experiment. */
#define LZW_BEHIND_SHIFT 3
#define LZW_BEHIND_BITS 4096
/* Length of a run of one colour from which the LZW encoder keeps a list of its run codes. Set by experiment. */
#define LZW_RUN_LEAST 8

/* ---- lossy LZW ---- */

/* Lossy LZW: tree nodes that one phrase search visits at most, and longest phrase in pixels. Set by experiment. */
#define LOSSY_SEARCH_STEPS 160
#define LOSSY_PHRASE_LIMIT 4000
/* Entries of the phrase search stack. Visiting a node pushes at most its children. */
#define LOSSY_STACK 600
/* Largest sum of squared colour distances in a phrase: .3 × tolerance per pixel, plus 1.5 × tolerance. Set by
 * experiment. */
#define LOSSY_ERROR_PER_PIXEL .3f
#define LOSSY_ERROR_ONCE 1.5f
/* A lossy LZW trial ends early if it is 1/64 plus 64 bytes behind the best plan, once a quarter of the pixels is coded.
 * Set by experiment. */
#define LOSSY_BEHIND_SHARE 64
#define LOSSY_BEHIND_BYTES 64
/* Lossy coding is given up for a frame above 15/16 byte per pixel. Set by experiment. */
#define LOSSY_PIXELS_PER_SPARED_BYTE 16

/* ---- search for the largest tolerance ---- */

/* Factor between the tolerances (squared colour distances) that the search tries. Set by experiment. */
#define TOLERANCE_STEP 1.35
/* SSIMULACRA 2 points that a tolerance step costs on average. Set by experiment. */
#define POINTS_PER_STEP 4.
/* First tolerance to try (squared distance) if the last frame's tolerance was below TOLERANCE_LOW. Set by
 * experiment. */
#define TOLERANCE_FIRST 24
#define TOLERANCE_LOW 6
/* Smallest tolerance (squared distance); below it a frame is coded exactly. */
#define TOLERANCE_LEAST 2
/* Limits of the tolerance search for a frame: number of trials, steps below and above the first tolerance. */
#define TOLERANCE_TRIALS 20
#define TOLERANCE_STEPS_DOWN 40
#define TOLERANCE_STEPS_UP 12
/* Fraction of a tolerance step. The search rounds remaining steps up by it. For the first frame, it ends when less than
 * this is left. Set by experiment. */
#define TOLERANCE_GOOD_ENOUGH .3
/* A pixel may stay unpainted if its error is within this share of the tolerance: default, and the shares that are
 * compared. Set by experiment. */
#define KEEP_SHARE_FIRST .5
#define KEEP_SHARES {.12, .5, 1.5}
#define KEEP_SHARE_COUNT 3
/* Frames for which all values of KEEP_SHARES are compared: the second, the third and then every 10th; if time is short,
 * the second and then every 40th. */
#define KEEP_SHARE_FRAMES 3
#define KEEP_SHARE_EVERY 10
#define KEEP_SHARE_EVERY_HURRIED 40
#define KEEP_SHARE_PHASE_HURRIED 20
/* If time is short, only the first two frames and then every 4th frame are searched thoroughly. */
#define EXPLORE_FRAMES 2
#define EXPLORE_EVERY 4
/* Number of LZW styles that are compared if time is short. */
#define LZW_STYLES_HURRIED 3

/* Pixels above which a frame is large. Neighbouring large frames usually have the same best LZW style. Set by
 * experiment. */
#define LARGE_FRAME 65536
/* Number of large frames that reuse the LZW style untested: 3 after more than 3 frames in a row with the same style; 7
 * after more than 8 such frames, or if time is short. Set by experiment for CPU time. */
#define STYLE_WINS_MANY 8
#define STYLE_REST_LONG 7
#define STYLE_WINS_SOME 3
#define STYLE_REST_SHORT 3
/* Interval in large frames at which a local colour table is tried although the global one was better lately. Set by
 * experiment. */
#define LOCAL_TABLE_EVERY 8

/* From 64 rows of SSIM windows on, trials measure only every 4th row (docs/decisions/measuring-similarity.md). */
#define TRIAL_ROWS 64
#define TRIAL_EVERY 4

/* Disposal "restore to previous" is used only if it saves 1/8 of the pixels plus 16. Set by experiment. */
#define RESTORE_GAIN_SHARE 8
#define RESTORE_GAIN_PIXELS 16
/* Shortest delay in hundredths of a second for merging frames. Viewers lengthen shorter delays, so that merging would
 * change the speed. */
#define MERGED_DELAY_LEAST 2

/* ---- colour differences ---- */

/* Largest squared colour distance between a pixel of a smooth area and each of its eight neighbours
 * (docs/decisions/gif.md). */
#define SMOOTH_DISTANCE 40
/* Resolution of difference levels: 16 levels per doubling of the squared distance. Pixels whose squared distance is
 * 9,216 or more must be painted. Set by experiment. */
#define LEVELS_PER_OCTAVE 16.
#define LEVEL_DISTANCES 9216
/* Areas for the colour cast: 16 × 16 pixels. Areas with fewer than 64 pixels are not compared
 * (docs/decisions/gif.md). */
#define CAST_CELL 16
#define CAST_PIXELS_LEAST 64

#endif
