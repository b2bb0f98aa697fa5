/* Filters and deflate. Packed rows gather in bands of some 100 KB; for each band every filter strategy is tried, and the one
 * whose trial deflate (or order-0 entropy, whatever is less) is smallest wins. Filtered bands gather in segments of 1 MB,
 * which libdeflate compresses with the last 32 KB before them as a window and its statistics carried on, so that memory
 * does not depend on the picture's height. */
#include "engine.h"

struct libdeflate_compressor;
struct libdeflate_compressor *libdeflate_alloc_compressor(int level);
void libdeflate_free_compressor(struct libdeflate_compressor *);
/* libdeflate-window.patch: in[-window..0) may be referred to; *bits carries value | count << 8 from call to call. */
size_t libdeflate_segment(struct libdeflate_compressor *, const void *in, size_t n, size_t window, int is_final, void *out, size_t room,
                          unsigned *bits);
/* 0 for the level's own. `sparse`: positions inside long matches, but for one in so many (a power of two), are not searched later. */
void libdeflate_tune(struct libdeflate_compressor *, int search_depth, int nice_length, int passes, int sparse);

#define WINDOW 32768u
/* Strategies of a band, as bits of the mask: the five filters; per row the least sum of magnitudes, the least entropy, the
 * fewest distinct pairs of bytes; per row the smallest trial deflate. */
enum { LEAST_SUM = 5, LEAST_ENTROPY = 6, FEWEST_PAIRS = 7, LEAST_DEFLATE = 8, STRATEGIES = 9 };

u64 encoded_bytes;

static struct libdeflate_compressor *final_deflate, *trial_deflate, *row_deflate;
static int final_level = -1, trial_level = -1, row_level = -1, final_passes;
static u32 strategy_mask, band_target;

static bool muted, stream_started;
static u32 row_bytes, row_room;          /* of the rows now, and at most */
static u8 *band, *best_band, *row_above; /* packed rows; a filtered band */
static u32 band_room, band_rows, band_rows_max;
static u8 *segment, *compressed, *trial; /* `segment`: WINDOW bytes of history first */
static u32 segment_room, segment_bytes, segment_window, compressed_room, trial_room;
static u8 *filtered[5];
static u32 checksum;
static unsigned pending_bits;
static float *log_table; /* v * log2(v) */
#define LOGS 65536u

static void emit(const u8 *bytes, u32 count) {
  encoded_bytes += count;
  if (!muted) host_write(bytes, count);
}

static void use_level(struct libdeflate_compressor **c, int *have, int level) {
  if (*have == level) return;
  libdeflate_free_compressor(*c);
  *have = level;
  if (!(*c = libdeflate_alloc_compressor(level))) host_fail(FAIL_MEMORY, "no memory for deflate");
  libdeflate_tune(*c, 0, 0, 0, 0);
}

/* Effort of the next encode. `passes`: rounds of libdeflate's optimal parser (levels 10-12), 0 for the level's own. `sparse`:
 * the parser looks away inside long matches, which halves its time on drawings. */
EXPORT(effort) void effort(int level, int trial_lev, u32 strategies, u32 band_bytes, int passes, bool sparse) {
  if (passes != final_passes) final_level = -1; /* what is tuned stays tuned */
  use_level(&final_deflate, &final_level, level);
  final_passes = passes;
  libdeflate_tune(final_deflate, passes ? 300 : 0, passes ? 258 : 0, passes, sparse ? 8 : 0);
  use_level(&trial_deflate, &trial_level, trial_lev);
  if (!(strategies & ((1 << STRATEGIES) - 1))) strategies = 1;
  strategy_mask = strategies;
  if (strategies >> LEAST_DEFLATE & 1) use_level(&row_deflate, &row_level, 2);
  band_target = band_bytes;
}

/* ---- filters ---- */

static void apply_filter(int filter, u8 *restrict d, const u8 *restrict row, const u8 *restrict up, u32 n, u32 step) {
  const u32 head = step < n ? step : n;
  u32 i = 0;
  *d++ = filter;
  switch (filter) {
    case 0: memcpy(d, row, n); break;
    case 1:
      for (; i < head; i++) d[i] = row[i];
      for (; i < n; i++) d[i] = row[i] - row[i - step];
      break;
    case 2:
      for (; i < n; i++) d[i] = row[i] - up[i];
      break;
    case 3:
      for (; i < head; i++) d[i] = row[i] - (up[i] >> 1);
      for (; i < n; i++) d[i] = row[i] - ((row[i - step] + up[i]) >> 1);
      break;
    case 4:
      for (; i < head; i++) d[i] = row[i] - up[i];
      for (; i < n; i++) d[i] = row[i] - paeth(row[i - step], up[i], up[i - step]);
  }
}

static float v_log_v(u32 v) { return v < LOGS ? log_table[v] : (float)(v * log2((double)v)); }

static void prepare_logs(void) {
  if (log_table) return;
  log_table = allocate(LOGS * sizeof(float));
  log_table[0] = 0;
  for (u32 v = 1; v < LOGS; v++) log_table[v] = (float)(v * log2((double)v));
}

static u32 sum_of_magnitudes(const u8 *d, u32 n) {
  u32 sum = 0;
  for (u32 i = 0; i < n; i++) {
    i32 v = (int8_t)d[i];
    sum += v < 0 ? -v : v;
  }
  return sum;
}

/* Bits that an order-0 coder would need. */
static u32 entropy_bits(const u8 *d, u32 n) {
  static u32 counts[4][256];
  memset(counts, 0, sizeof counts);
  u32 i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) counts[k][d[i + k]]++;
  for (; i < n; i++) counts[0][d[i]]++;
  float bits = v_log_v(n);
  for (i = 0; i < 256; i++) bits -= v_log_v(counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i]);
  return bits < 0 ? 0 : (u32)bits;
}

static u32 distinct_pairs(const u8 *d, u32 n) {
  static u8 seen[8192];
  memset(seen, 0, sizeof seen);
  u32 count = 0;
  for (u32 i = 1; i < n; i++) {
    u32 pair = d[i - 1] << 8 | d[i], bit = 1u << (pair & 7);
    count += !(seen[pair >> 3] & bit);
    seen[pair >> 3] |= bit;
  }
  return count;
}

static u32 deflated_bits(struct libdeflate_compressor *c, const u8 *d, u32 n, u32 window) {
  unsigned bits = 0;
  size_t bytes = libdeflate_segment(c, d, n, window, 0, trial, trial_room, &bits);
  return bytes ? (u32)bytes * 8 + (bits >> 8) : ~0u;
}

/* The whole band by one strategy. */
static void filter_band(int strategy, u8 *d) {
  const u8 *up = row_above;
  for (u32 y = 0; y < band_rows; y++) {
    const u8 *row = band + (size_t)y * row_bytes;
    u8 *o = d + (size_t)y * (row_bytes + 1);
    if (strategy < LEAST_SUM) {
      apply_filter(strategy, o, row, up, row_bytes, layout.filter_bytes);
    } else if (strategy == LEAST_ENTROPY && !memcmp(row, up, row_bytes)) { /* zeros by filter 2, which only a row of one value equals */
      apply_filter(row_bytes < 2 || !memcmp(row, row + 1, row_bytes - 1) ? 0 : 2, o, row, up, row_bytes, layout.filter_bytes);
    } else {
      u32 best = ~0u;
      int winner = 0;
      for (int f = 0; f < 5; f++) {
        apply_filter(f, filtered[f], row, up, row_bytes, layout.filter_bytes);
        u32 cost;
        if (strategy == LEAST_DEFLATE) {
          const u32 back = (y < 4 ? y : 4) * (row_bytes + 1);
          memcpy(o, filtered[f], row_bytes + 1);
          cost = deflated_bits(row_deflate, o - back, back + row_bytes + 1, 0);
        } else if (strategy == LEAST_SUM) {
          cost = sum_of_magnitudes(filtered[f] + 1, row_bytes);
        } else if (strategy == LEAST_ENTROPY) {
          cost = entropy_bits(filtered[f], row_bytes + 1);
        } else {
          cost = distinct_pairs(filtered[f], row_bytes + 1);
        }
        if (cost < best) {
          best = cost;
          winner = f;
        }
      }
      memcpy(o, filtered[winner], row_bytes + 1);
    }
    up = row;
  }
}

/* ---- segments ---- */

static void flush_segment(bool is_final) {
  u8 *in = segment + WINDOW;
  u32 lead = 0;
  if (!stream_started) { /* RFC 1950, 2.2: deflate, 32 KB window, best compression */
    compressed[0] = 0x78;
    compressed[1] = 0xda;
    lead = 2;
    stream_started = true;
  }
  size_t bytes = libdeflate_segment(final_deflate, in, segment_bytes, segment_window, is_final, compressed + lead,
                                    compressed_room - lead - 8, &pending_bits);
  if (!bytes) host_fail(FAIL_MISUSE, "a segment did not fit");
  bytes += lead;
  if (is_final) {
    for (int i = 0; i < 4; i++) compressed[bytes++] = checksum >> (24 - 8 * i);
  }
  emit(compressed, (u32)bytes);
  u32 keep = segment_bytes + segment_window;
  if (keep > WINDOW) keep = WINDOW;
  memmove(in - keep, in + segment_bytes - keep, keep);
  segment_window = keep;
  segment_bytes = 0;
}

static void flush_band(void) {
  if (!band_rows) return;
  const u32 n = band_rows * (row_bytes + 1);
  if (segment_bytes + n > segment_room) flush_segment(false);
  u8 *d = segment + WINDOW + segment_bytes;
  const bool one = !(strategy_mask & (strategy_mask - 1));
  u32 best = ~0u, window = segment_bytes + segment_window;
  if (window > WINDOW) window = WINDOW;
  for (int s = 0; s < STRATEGIES; s++) {
    if (!(strategy_mask >> s & 1)) continue;
    filter_band(s, d);
    if (one) break;
    u32 cost = deflated_bits(trial_deflate, d, n, window), entropy = entropy_bits(d, n) + 800;
    if (entropy < cost) cost = entropy;
    if (cost < best) {
      best = cost;
      memcpy(best_band, d, n);
    }
  }
  if (!one) memcpy(d, best_band, n);
  checksum = adler32_of(checksum, d, n);
  segment_bytes += n;
  memcpy(row_above, band + (size_t)(band_rows - 1) * row_bytes, row_bytes);
  band_rows = 0;
}

/* ---- frames ---- */

void encode_begin(bool mute) {
  if (!final_deflate) host_fail(FAIL_MISUSE, "effort is not set");
  muted = mute;
  encoded_bytes = 0;
  prepare_logs();
  const u32 widest = row_bytes_of(source.width, layout.pixel_bits);
  const u64 whole = (u64)(widest + 1) * source.height + 2 * source.height + 64; /* Adam7 adds filter bytes */
  u32 band_wanted = band_target > widest + 1 ? band_target : widest + 1;
  u32 segment_wanted = whole < (1u << 20) ? (u32)whole : 1u << 20;
  if (band_wanted > segment_wanted) band_wanted = segment_wanted > widest + 1 ? segment_wanted : widest + 1;
  if (segment_wanted < band_wanted) segment_wanted = band_wanted;
  free(segment), free(band), free(best_band), free(compressed), free(trial), free(row_above);
  for (int f = 0; f < 5; f++) free(filtered[f]);
  band_room = band_wanted;
  segment_room = segment_wanted;
  segment = allocate(WINDOW + segment_room + 64);
  band = allocate(band_room + 64);
  best_band = allocate(band_room + 64);
  compressed_room = segment_room + segment_room / 100 + 4096;
  compressed = allocate(compressed_room);
  trial_room = band_room + band_room / 100 + 4096;
  if (trial_room < 5 * (widest + 1) + 4096) trial_room = 5 * (widest + 1) + 4096;
  trial = allocate(trial_room);
  row_above = zeroed(widest + 64);
  row_room = widest;
  for (int f = 0; f < 5; f++) filtered[f] = allocate(widest + 64);
}

void encode_frame(u32 width, u32 height) {
  (void)width, (void)height;
  stream_started = false;
  segment_bytes = segment_window = band_rows = 0;
  pending_bits = 0;
  checksum = 1;
}

void encode_rows_begin(u32 width) {
  flush_band();
  row_bytes = row_bytes_of(width, layout.pixel_bits);
  memset(row_above, 0, row_bytes);
  band_rows_max = band_room / (row_bytes + 1);
  if (!band_rows_max) band_rows_max = 1;
}

void encode_row(const u8 *packed) {
  memcpy(band + (size_t)band_rows * row_bytes, packed, row_bytes);
  if (++band_rows >= band_rows_max) flush_band();
}

void encode_filtered(const u8 *line) {
  const u32 n = row_bytes + 1;
  if (segment_bytes + n > segment_room) flush_segment(false);
  memcpy(segment + WINDOW + segment_bytes, line, n);
  checksum = adler32_of(checksum, line, n);
  segment_bytes += n;
}

void encode_frame_end(void) {
  flush_band();
  flush_segment(true);
}
