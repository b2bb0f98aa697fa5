/* Filters and Deflate. Packed rows gather in bands of some 100 KB; every filter strategy is tried for each band, and
 * the one wins whose trial (or order-0 entropy, whichever is less) is smallest. Filtered bands gather in segments of
 * 1 MB, which libdeflate compresses with the 32 KB before them as a window and with its statistics carried on, so
 * that memory does not depend on the picture's height. */
#ifndef PNG_ENCODE_H
#define PNG_ENCODE_H
#include "filter_cost.h"
#include "filters.h"
#include "layout.h"

/* Strategies of a band, as bits of a mask: the five filters; for each row the least sum of magnitudes, the least
 * entropy, the fewest distinct pairs of bytes, or the smallest trial. */
enum { LEAST_SUM = 5, LEAST_ENTROPY = 6, FEWEST_PAIRS = 7, LEAST_DEFLATE = 8, STRATEGIES = 9 };

struct libdeflate_compressor;

/* A compressor and its level; -1: none yet. */
typedef struct {
  struct libdeflate_compressor *handle;
  int level;
} Compressor;

typedef struct {
  const Layout *layout;
  u64 bytes; /* of the result so far */
  Compressor final, trial, row_trial;
  int final_passes;
  u32 strategy_mask;
  u32 band_target; /* bytes of a band, about */
  bool muted;      /* the result is only counted */
  bool stream_started;
  u32 row_bytes; /* of a packed row */
  u8 *row_above; /* packed row above the band */
  u8 *band;      /* packed rows */
  u32 band_room, band_rows, band_rows_max;
  u8 *best_band; /* filtered */
  u8 *segment;   /* filtered rows, after WINDOW bytes of history */
  u32 segment_room, segment_bytes, segment_window;
  u8 *compressed, *trial_out;
  u32 compressed_room, trial_room;
  u8 *filtered[FILTERS]; /* one row by each filter */
  u32 checksum;
  unsigned pending_bits; /* value | count << 8, from segment to segment */
  LogTable logs;
} Encoder;

/* Effort of the next encode. `level`, `trial_level`: of libdeflate. `passes`: rounds of its optimal parser (levels
 * 10-12), 0 for the level's own. `sparse`: the parser leaves out positions inside long matches. */
typedef struct {
  int level, trial_level, passes;
  u32 strategies, band_bytes;
  bool sparse;
} Effort;

void encode_set_effort(Encoder *e, Effort effort);
/* Begins a result of that form. `muted`: its bytes are counted, not written. Ends the job without an effort. */
void encode_begin(Encoder *e, const Layout *layout, const Picture *picture, bool muted);
void encode_begin_frame(Encoder *e);
/* Begins a frame or pass of rows of `width` pixels: there is no row above. */
void encode_begin_rows(Encoder *e, u32 width);
void encode_row(Encoder *e, const u8 *packed);
/* Takes a row whose filter is chosen: its number, then the filtered bytes. */
void encode_filtered(Encoder *e, const u8 *line);
void encode_end_frame(Encoder *e);
#endif
