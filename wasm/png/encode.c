#include "encode.h"

#include "checksum.h"
#include "deflate.h"
#include "tuning.h"

#define WINDOW 32768u /* largest Deflate window in bytes (RFC 1950, 2.2) */
#define EVERY_STRATEGY ((1u << STRATEGIES) - 1)

static void emit(Encoder *e, const u8 *bytes, u32 count) {
  e->bytes += count;
  if (!e->muted) host_write(bytes, count);
}

static void use_level(Compressor *c, int level) {
  if (c->handle && c->level == level) return;
  libdeflate_free_compressor(c->handle);
  c->level = level;
  if (!(c->handle = libdeflate_alloc_compressor(level))) host_fail(FAIL_MEMORY, "no memory for deflate");
  libdeflate_tune(c->handle, 0, 0, 0, 0);
}

void encode_set_effort(Encoder *e, Effort effort) {
  const int passes = effort.passes;
  if (passes != e->final_passes) e->final.level = -1; /* force a new compressor, because tuning cannot be undone */
  use_level(&e->final, effort.level);
  e->final_passes = passes;
  libdeflate_tune(e->final.handle, passes ? SEARCH_DEPTH : 0, passes ? NICE_LENGTH : 0, passes,
                  effort.sparse ? SPARSE_POSITIONS : 0);
  use_level(&e->trial, effort.trial_level);
  e->strategy_mask = effort.strategies & EVERY_STRATEGY ? effort.strategies : 1u << FILTER_NONE;
  if (e->strategy_mask >> LEAST_DEFLATE & 1) use_level(&e->row_trial, ROW_TRIAL_LEVEL);
  e->band_target = effort.band_bytes;
}

/* ---- filter strategies ---- */

static u32 deflated_bits(const Encoder *e, Compressor c, const u8 *d, u32 n, u32 window) {
  unsigned bits = 0;
  size_t bytes = libdeflate_segment(c.handle, d, n, window, 0, e->trial_out, e->trial_room, &bits);
  return bytes ? (u32)bytes * 8 + (bits >> 8) : ~0u;
}

/* Returns the cost of filtered row `y` of the band by a strategy. For LEAST_DEFLATE, the row is copied to `out`, after
 * the rows before it. */
static u32 row_cost(const Encoder *e, int strategy, const u8 *line, u8 *out, u32 y) {
  const u32 n = e->row_bytes + 1;
  switch (strategy) {
    case LEAST_SUM: return sum_of_magnitudes(line + 1, e->row_bytes);
    case LEAST_ENTROPY: return entropy_bits(&e->logs, line, n);
    case FEWEST_PAIRS: return distinct_pairs(line, n);
    default: {
      const u32 back = (y < ROW_TRIAL_CONTEXT ? y : ROW_TRIAL_CONTEXT) * n;
      memcpy(out, line, n);
      return deflated_bits(e, e->row_trial, out - back, back + n, 0);
    }
  }
}

/* Filters row `y` of the band with the cheapest filter and writes it to `out`. */
static void filter_by_cost(const Encoder *e, int strategy, const u8 *row, const u8 *up, u8 *out, u32 y) {
  u32 best = ~0u;
  int winner = 0;
  for (int f = 0; f < FILTERS; f++) {
    filter_row(f, e->filtered[f], row, up, e->row_bytes, e->layout->filter_bytes);
    const u32 cost = row_cost(e, strategy, e->filtered[f], out, y);
    if (cost < best) {
      best = cost;
      winner = f;
    }
  }
  memcpy(out, e->filtered[winner], e->row_bytes + 1);
}

/* Filters the whole band with one strategy. */
static void filter_band(const Encoder *e, int strategy, u8 *d) {
  const u8 *up = e->row_above;
  const u32 n = e->row_bytes, step = e->layout->filter_bytes;
  for (u32 y = 0; y < e->band_rows; y++) {
    const u8 *row = e->band + (size_t)y * n;
    u8 *out = d + (size_t)y * (n + 1);
    if (strategy < FILTERS) {
      filter_row(strategy, out, row, up, n, step);
    } else if (strategy == LEAST_ENTROPY && !memcmp(row, up, n)) {
      /* Filter "up" gives only zeros here. Only a row with a single value is as cheap. */
      const bool one_value = n < 2 || !memcmp(row, row + 1, n - 1);
      filter_row(one_value ? FILTER_NONE : FILTER_UP, out, row, up, n, step);
    } else {
      filter_by_cost(e, strategy, row, up, out, y);
    }
    up = row;
  }
}

/* ---- segments of the Deflate stream ---- */

static void flush_segment(Encoder *e, bool is_final) {
  u8 *in = e->segment + WINDOW;
  u32 lead = 0;
  if (!e->stream_started) { /* zlib header (RFC 1950, 2.2): Deflate, 32 KB window, best compression */
    e->compressed[0] = 0x78;
    e->compressed[1] = 0xda;
    lead = 2;
    e->stream_started = true;
  }
  const u32 room = e->compressed_room - lead - 8;
  size_t bytes = libdeflate_segment(e->final.handle, in, e->segment_bytes, e->segment_window, is_final,
                                    e->compressed + lead, room, &e->pending_bits);
  if (!bytes) host_fail(FAIL_MISUSE, "a segment did not fit");
  bytes += lead;
  if (is_final) {
    for (int i = 0; i < 4; i++) e->compressed[bytes++] = e->checksum >> (24 - 8 * i);
  }
  emit(e, e->compressed, (u32)bytes);
  u32 keep = e->segment_bytes + e->segment_window;
  if (keep > WINDOW) keep = WINDOW;
  memmove(in - keep, in + e->segment_bytes - keep, keep);
  e->segment_window = keep;
  e->segment_bytes = 0;
}

/* Returns a position in the segment with space for `count` filtered bytes. */
static u8 *segment_end(Encoder *e, u32 count) {
  if (e->segment_bytes + count > e->segment_room) flush_segment(e, false);
  return e->segment + WINDOW + e->segment_bytes;
}

static void segment_took(Encoder *e, const u8 *bytes, u32 count) {
  e->checksum = adler32_of(e->checksum, bytes, count);
  e->segment_bytes += count;
}

static void flush_band(Encoder *e) {
  if (!e->band_rows) return;
  const u32 n = e->band_rows * (e->row_bytes + 1);
  u8 *d = segment_end(e, n);
  const bool one = !(e->strategy_mask & (e->strategy_mask - 1));
  u32 best = ~0u, window = e->segment_bytes + e->segment_window;
  if (window > WINDOW) window = WINDOW;
  for (int s = 0; s < STRATEGIES; s++) {
    if (!(e->strategy_mask >> s & 1)) continue;
    filter_band(e, s, d);
    if (one) break;
    u32 cost = deflated_bits(e, e->trial, d, n, window);
    const u32 entropy = entropy_bits(&e->logs, d, n) + BLOCK_HEADER_BITS;
    if (entropy < cost) cost = entropy;
    if (cost < best) {
      best = cost;
      memcpy(e->best_band, d, n);
    }
  }
  if (!one) memcpy(d, e->best_band, n);
  segment_took(e, d, n);
  memcpy(e->row_above, e->band + (size_t)(e->band_rows - 1) * e->row_bytes, e->row_bytes);
  e->band_rows = 0;
}

/* ---- start and end of frames ---- */

static void free_buffers(Encoder *e) {
  free(e->segment), free(e->band), free(e->best_band), free(e->compressed), free(e->trial_out), free(e->row_above);
  for (int f = 0; f < FILTERS; f++) free(e->filtered[f]);
}

void encode_begin(Encoder *e, const Layout *layout, const Picture *picture, bool muted) {
  if (!e->final.handle) host_fail(FAIL_MISUSE, "effort is not set");
  e->layout = layout;
  e->muted = muted;
  e->bytes = 0;
  log_table_prepare(&e->logs);
  const u32 widest = row_bytes_of(picture->width, layout->pixel_bits), line = widest + 1;
  /* the extra 2 * height covers the filter bytes of Adam7 passes */
  const u64 whole = (u64)line * picture->height + 2 * picture->height + 64;
  u32 band = e->band_target > line ? e->band_target : line;
  u32 segment = whole < SEGMENT_BYTES ? (u32)whole : SEGMENT_BYTES;
  if (band > segment) band = segment > line ? segment : line;
  if (segment < band) segment = band;
  free_buffers(e);
  e->band_room = band;
  e->segment_room = segment;
  e->segment = allocate(WINDOW + segment + 64);
  e->band = allocate(band + 64);
  e->best_band = allocate(band + 64);
  e->compressed_room = segment + segment / 100 + 4096;
  e->compressed = allocate(e->compressed_room);
  e->trial_room = band + band / 100 + 4096;
  const u32 row_trial = (ROW_TRIAL_CONTEXT + 1) * line + 4096;
  if (e->trial_room < row_trial) e->trial_room = row_trial;
  e->trial_out = allocate(e->trial_room);
  e->row_above = allocate_zeroed(widest + 64);
  for (int f = 0; f < FILTERS; f++) e->filtered[f] = allocate(widest + 64);
}

void encode_begin_frame(Encoder *e) {
  e->stream_started = false;
  e->segment_bytes = e->segment_window = e->band_rows = 0;
  e->pending_bits = 0;
  e->checksum = 1;
}

void encode_begin_rows(Encoder *e, u32 width) {
  flush_band(e);
  e->row_bytes = row_bytes_of(width, e->layout->pixel_bits);
  memset(e->row_above, 0, e->row_bytes);
  e->band_rows_max = e->band_room / (e->row_bytes + 1);
  if (!e->band_rows_max) e->band_rows_max = 1;
}

void encode_row(Encoder *e, const u8 *packed) {
  memcpy(e->band + (size_t)e->band_rows * e->row_bytes, packed, e->row_bytes);
  if (++e->band_rows >= e->band_rows_max) flush_band(e);
}

void encode_filtered(Encoder *e, const u8 *line) {
  const u32 n = e->row_bytes + 1;
  memcpy(segment_end(e, n), line, n);
  segment_took(e, line, n);
}

void encode_end_frame(Encoder *e) {
  flush_band(e);
  flush_segment(e, true);
}
