/* Filters and Deflate. Rows are collected in bands of about 100 KB, and every filter strategy is tried for each band.
 * The strategy with the smallest size wins; its size is a trial compression or the order-0 entropy, whichever is less.
 * Filtered bands are collected in segments of 1 MB. libdeflate compresses a segment with the previous 32 KB as window
 * and keeps its statistics, so that memory does not depend on the picture's height. */
#ifndef PNG_ENCODE_H
#define PNG_ENCODE_H
#include "filter_cost.h"
#include "filters.h"
#include "layout.h"

/* Filter strategies of a band, as bit numbers of a mask. 0-4: one of the five filters for all rows. Others choose a
 * filter per row: least sum of magnitudes, least entropy, fewest distinct byte pairs, or smallest trial compression. */
enum { LEAST_SUM = 5, LEAST_ENTROPY = 6, FEWEST_PAIRS = 7, LEAST_DEFLATE = 8, STRATEGIES = 9 };

struct libdeflate_compressor;

/* libdeflate compressor and its level; -1: not created yet. */
typedef struct {
  struct libdeflate_compressor *handle;
  int level;
} Compressor;

typedef struct {
  const Layout *layout;
  u64 bytes; /* bytes of the output so far */
  Compressor final, trial, row_trial;
  int final_passes;
  u32 strategy_mask;
  u32 band_target; /* approximate size of a band in bytes */
  bool muted;      /* output bytes are counted, not written */
  bool stream_started;
  u32 row_bytes; /* bytes of a packed row */
  u8 *row_above; /* packed row before the band's first row */
  u8 *band;      /* packed rows of the band */
  u32 band_room, band_rows, band_rows_max;
  u8 *best_band; /* filtered rows of the best strategy so far */
  u8 *segment;   /* filtered rows, preceded by WINDOW bytes of history */
  u32 segment_room, segment_bytes, segment_window;
  u8 *compressed, *trial_out;
  u32 compressed_room, trial_room;
  u8 *filtered[FILTERS]; /* one buffer per filter, for one filtered row */
  u32 checksum;
  unsigned pending_bits; /* incomplete last byte of a segment: value | count << 8 */
  LogTable logs;
} Encoder;

/* Compression effort of the next encode. `level`, `trial_level`: libdeflate levels. `passes`: rounds of libdeflate's
 * optimal parser (levels 10-12); 0: the level's default. `sparse`: skip most positions inside long matches. */
typedef struct {
  int level, trial_level, passes;
  u32 strategies, band_bytes;
  bool sparse;
} Effort;

void encode_set_effort(Encoder *e, Effort effort);
/* Starts an output with the given layout. `muted`: bytes are counted, not written. Fails if encode_set_effort was not
 * called. */
void encode_begin(Encoder *e, const Layout *layout, const Picture *picture, bool muted);
void encode_begin_frame(Encoder *e);
/* Starts a frame or Adam7 pass with rows of `width` pixels. Its first row has no row above. */
void encode_begin_rows(Encoder *e, u32 width);
void encode_row(Encoder *e, const u8 *packed);
/* Encodes a row that is filtered already: filter number, then filtered bytes. */
void encode_filtered(Encoder *e, const u8 *line);
void encode_end_frame(Encoder *e);
#endif
