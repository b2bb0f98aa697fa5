/* Constants of the engine. "Set by experiment" means: chosen on the project's GIF fixtures by the bytes of the results
 * and their CPU time. The single trials are not on record; docs/contributors/measured.md and docs/decisions/gif.md have what
 * all constants together give. */
#ifndef GIF_TUNING_H
#define GIF_TUNING_H

/* ---- limits ---- */

/* Bytes of extensions between two frames. Bounds the memory for them. */
#define EXTENSION_BYTES_LIMIT (4u << 20)
/* Local colour tables that can be made smaller without a canvas; the other ones stay as they are. Their notes take
 * 2 MB. */
#define SHRUNK_TABLES_LIMIT 65536
/* Pixels each way: SSIMULACRA 2 refuses smaller pictures (score.h). */
#define SCORED_SIDE_LEAST 8
/* Pixels of width and of the canvas: more would take more memory than a job has (docs/contributors/memory.md). gif.ts has
 * the same limits. A kept tile takes 430 bytes for each background, twice; a Score takes about 600 bytes a pixel of
 * width. */
#define SCORED_WIDTH_LIMIT 4096
#define SCORED_PIXELS_LIMIT 4000000

/* ---- LZW table clearing ---- */

/* {codes after which a full table may be cleared, share of the average phrase length below which it is}. Set by
 * experiment. */
#define LZW_STYLE_VALUES {{600, .82}, {300, .95}, {2000, .9}, {0, 1e9}, {1200, .7}, {1000, .97}, {150, .99}}
#define LZW_STYLES 7
/* Weight of the newest phrase in the moving average of phrase lengths. Set by experiment. */
#define LZW_RECENT_WEIGHT .005
/* An encoder that is this many bits behind the best one is dropped: an eighth of them, and 4,096. Set by
 * experiment. */
#define LZW_BEHIND_SHIFT 3
#define LZW_BEHIND_BITS 4096
/* Symbols of one colour in a row from which on the encoder keeps a list of its runs. Set by experiment. */
#define LZW_RUN_LEAST 8

/* ---- lossy LZW ---- */

/* Nodes of the phrase tree that one search visits, and longest phrase in pixels. Set by
 * experiment. */
#define LOSSY_SEARCH_STEPS 160
#define LOSSY_PHRASE_LIMIT 4000
/* Entries of the search stack; a node pushes at most its children. */
#define LOSSY_STACK 600
/* Sum of squared distances that a phrase may have: shares of the tolerance for each pixel, and once. Set by
 * experiment. */
#define LOSSY_ERROR_PER_PIXEL .3f
#define LOSSY_ERROR_ONCE 1.5f
/* A trial ends early if, after a quarter of the marks, it is 1/64 and 64 bytes behind its rival. Set by experiment. */
#define LOSSY_BEHIND_SHARE 64
#define LOSSY_BEHIND_BYTES 64
/* A frame that takes more than 15/16 of a byte for each pixel is not worth a tolerance. Set by experiment. */
#define LOSSY_PIXELS_PER_SPARED_BYTE 16

/* ---- search for the largest tolerance ---- */

/* Factor between tolerances that are tried (squared distances). Set by experiment. */
#define TOLERANCE_STEP 1.35
/* Points of SSIMULACRA 2 that such a step costs, about. Set by experiment. */
#define POINTS_PER_STEP 4.
/* Tolerance of the first trial if the frame before had less than the second value. Set by experiment. */
#define TOLERANCE_FIRST 24
#define TOLERANCE_LOW 6
/* Below this tolerance a frame is coded exactly. */
#define TOLERANCE_LEAST 2
/* Trials for one frame; steps below and above the first tolerance. */
#define TOLERANCE_TRIALS 20
#define TOLERANCE_STEPS_DOWN 40
#define TOLERANCE_STEPS_UP 12
/* The first frame's search ends when the next step would only fit to this share. Set by experiment. */
#define TOLERANCE_GOOD_ENOUGH .3
/* Shares of the tolerance that decide which pixels may stay as they are shown: at first, and those that are
 * compared. Set by experiment. */
#define KEEP_SHARE_FIRST .5
#define KEEP_SHARES {.12, .5, 1.5}
#define KEEP_SHARE_COUNT 3
/* Frames at the beginning, and then every how many frames, are compared with all shares: in general and in a hurry. */
#define KEEP_SHARE_FRAMES 3
#define KEEP_SHARE_EVERY 10
#define KEEP_SHARE_EVERY_HURRIED 40
#define KEEP_SHARE_PHASE_HURRIED 20
/* In a hurry, this many frames at the beginning and then every n-th one are searched thoroughly. */
#define EXPLORE_FRAMES 2
#define EXPLORE_EVERY 4
/* LZW styles that are compared in a hurry. */
#define LZW_STYLES_HURRIED 3

/* Pixels above which neighbouring frames are taken to agree on the style. Set by experiment for CPU time. */
#define LARGE_FRAME 65536
/* Large frames whose style is taken over: after more than `WINS_…` agreements in a row. Set by experiment for CPU
 * time. */
#define STYLE_WINS_MANY 8
#define STYLE_REST_LONG 7
#define STYLE_WINS_SOME 3
#define STYLE_REST_SHORT 3
/* Every how many large frames a local colour table is tried though none has won lately. Set by experiment. */
#define LOCAL_TABLE_EVERY 8

/* Rows of windows from which on trials measure SSIM in every fourth row only (docs/decisions/measuring-similarity.md). */
#define TRIAL_ROWS 64
#define TRIAL_EVERY 4

/* "Restore to previous" must save an eighth of the pixels and 16 of them. Set by experiment. */
#define RESTORE_GAIN_SHARE 8
#define RESTORE_GAIN_PIXELS 16
/* Hundredths of a second: viewers stretch shorter delays, so that frames of such files are not merged. */
#define MERGED_DELAY_LEAST 2

/* ---- colours ---- */

/* Squared distance to each of the eight neighbours that a pixel in a smooth area keeps (docs/decisions/gif.md). */
#define SMOOTH_DISTANCE 40
/* Steps of a distance for each factor of two; distances from `LEVEL_DISTANCES` on never stay. Set by experiment. */
#define LEVELS_PER_OCTAVE 16.
#define LEVEL_DISTANCES 9216
/* Pixels each way of the areas whose mean colour is compared, and pixels below which an area is not
 * (docs/decisions/gif.md). */
#define CAST_CELL 16
#define CAST_PIXELS_LEAST 64

#endif
