#include "trellis.h"

#include <wasm_simd128.h>

#include "dct.h"
#include "overshoot.h"
#include "tuning.h"

#define DC_CANDIDATES 5
#define LEVEL_MAX 1023 /* largest AC magnitude: ten bits (T.81, table F.2) */

static inline int bits_of(uint32_t value) { return value ? 32 - __builtin_clz(value) : 0; }
static inline uint32_t magnitude(int value) { return value < 0 ? -value : value; }

/* ---- Huffman symbols: counts and prices ---- */

void counts_start(Counts *counts) {
  for (int i = 0; i < 16; i++) counts->dc[i] = i < 12;
  for (int i = 0; i < 256; i++) {
    const int size = i & 15;
    counts->ac[i] = i == 0 || i == 0xF0 || (size >= 1 && size <= 10);
  }
}

void counts_add(Counts *counts, int *previous_dc, JBLOCKROW blocks, uint32_t width) {
  for (uint32_t x = 0; x < width; x++) {
    const JCOEF *block = blocks[x];
    counts->dc[bits_of(magnitude(block[0] - *previous_dc))]++;
    *previous_dc = block[0];
    int last = 0;
    for (uint64_t mask = zigzag_mask(block); mask; mask &= mask - 1) {
      const int i = __builtin_ctzll(mask);
      int run = i - 1 - last;
      for (; run > 15; run -= 16) counts->ac[0xF0]++;
      counts->ac[run << 4 | bits_of(magnitude(block[jpeg_natural_order[i]]))]++;
      last = i;
    }
    if (last < DCTSIZE2 - 1) counts->ac[0]++;
  }
}

static float log2_total(const uint32_t *count, int symbols) {
  double total = 0;
  for (int i = 0; i < symbols; i++) total += count[i];
  return log2f(total);
}

/* Computes symbol prices of an ideal entropy coder, to which Huffman codes come close. Prices include the value bits
 * that follow the symbol. */
void prices_from(Prices *prices, const Counts *counts) {
  const float dc = log2_total(counts->dc, 16), ac = log2_total(counts->ac, 256);
  for (int i = 0; i < 16; i++) prices->dc[i] = counts->dc[i] ? dc - log2f(counts->dc[i]) + i : 32;
  for (int s = 0; s < 16; s++) prices->least[s] = 32;
  for (int i = 0; i < 256; i++) {
    const int size = i & 15;
    prices->ac[i] = counts->ac[i] ? fmaxf(ac - log2f(counts->ac[i]), 1) + size : 32;
    if (prices->ac[i] < prices->least[size]) prices->least[size] = prices->ac[i];
  }
}

double counts_bits(const Counts *counts) {
  const float dc = log2_total(counts->dc, 16), ac = log2_total(counts->ac, 256);
  double bits = 0;
  for (int i = 0; i < 16; i++)
    if (counts->dc[i]) bits += counts->dc[i] * (dc - log2f(counts->dc[i]) + i);
  for (int i = 0; i < 256; i++)
    if (counts->ac[i]) bits += counts->ac[i] * (fmaxf(ac - log2f(counts->ac[i]), 1) + (i & 15));
  return bits;
}

/* ---- quantisation levels ---- */

static void ratios(const Plane *plane, float *ratio) {
  for (int k = 0; k < DCTSIZE2; k++) ratio[k] = (float)plane->read_step[k] / plane->made_step[k];
}

/* Rounds to the nearest level, halves away from zero. */
static inline v128_t nearest(v128_t scaled) {
  const v128_t sign = wasm_v128_and(scaled, wasm_f32x4_splat(-0.0f));
  const v128_t bounded =
      wasm_f32x4_pmin(wasm_f32x4_pmax(scaled, wasm_f32x4_splat(-LEVEL_MAX)), wasm_f32x4_splat(LEVEL_MAX));
  return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_add(bounded, wasm_v128_or(wasm_f32x4_splat(0.5f), sign)));
}

static inline void round_scaled(const float *scaled, JCOEF *out) {
  for (int k = 0; k < DCTSIZE2; k += 8) {
    const v128_t low = nearest(wasm_v128_load(scaled + k)), high = nearest(wasm_v128_load(scaled + k + 4));
    wasm_v128_store(out + k, wasm_i16x8_narrow_i32x4(low, high));
  }
}

/* Converts a block to units of the output step, and rounds its levels. */
static inline void round_block(const JCOEF *in, const float *ratio, float *scaled, JCOEF *out) {
  for (int k = 0; k < DCTSIZE2; k += 8) {
    const v128_t levels = wasm_v128_load(in + k);
    const v128_t low = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(levels));
    const v128_t high = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(levels));
    wasm_v128_store(scaled + k, wasm_f32x4_mul(low, wasm_v128_load(ratio + k)));
    wasm_v128_store(scaled + k + 4, wasm_f32x4_mul(high, wasm_v128_load(ratio + k + 4)));
  }
  round_scaled(scaled, out);
}

void quantise_round(const Plane *plane, JBLOCKROW in, JBLOCKROW out, uint32_t width) {
  float ratio[DCTSIZE2], scaled[DCTSIZE2];
  ratios(plane, ratio);
  for (uint32_t x = 0; x < width; x++) round_block(in[x], ratio, scaled, out[x]);
}

/* Returns λ of the block. Higher AC energy masks errors, so that λ decreases. The constants are mozjpeg's. */
static inline float lambda_of(float error_weight, float energy) {
  return error_weight * 27554.5f /* 2^14.75 */ / (1448.155f /* 2^10.5 */ + energy * (1 / 63.0f));
}

/* Finds the AC levels of one block; `out` initially has the rounded levels. A path goes from one non-zero value to the
 * next. `saved`: cost up to a value, minus the cost of setting everything to zero. */
static void search_block(const float *scaled, float block_lambda, const float *weight, const Prices *prices,
                         JCOEF *out) {
  uint64_t mask = zigzag_mask(out);
  if (!mask) return;
  float saved[DCTSIZE2], least_saved[DCTSIZE2];
  uint8_t position[DCTSIZE2], from[DCTSIZE2];
  JCOEF level[DCTSIZE2];
  int count = 1, best = 0;
  saved[0] = least_saved[0] = 0;
  position[0] = 0;
  float best_cost = prices->ac[0];
  for (; mask; mask &= mask - 1, count++) {
    const int i = __builtin_ctzll(mask), k = jpeg_natural_order[i];
    const float lambda = block_lambda * weight[k];
    const float exact = fabsf(scaled[k]), at_zero = lambda * exact * exact;
    /* Candidates: the nearest level, and the largest level with one bit less (none if that is zero). */
    const int rounded = magnitude(out[k]), size = bits_of(rounded), lower = (1 << (size - 1)) - 1;
    const float near_error = lambda * (rounded - exact) * (rounded - exact);
    const float lower_error = lower ? lambda * (lower - exact) * (lower - exact) : 1e30f;
    const float least_near = prices->least[size] + near_error, least_lower = prices->least[size - 1] + lower_error;
    const float least = least_near < least_lower ? least_near : least_lower;
    float cost = 1e30f;
    int n = count - 1;
    do {
      const int run = i - 1 - position[n];
      const float before = saved[n] + (run >> 4) * prices->ac[0xF0];
      const float *price = prices->ac + ((run & 15) << 4) + size;
      const float near = before + price[0] + near_error, less = before + price[-1] + lower_error;
      const int is_near = near <= less;
      const float sum = is_near ? near : less;
      if (sum < cost) {
        cost = sum;
        from[count] = n;
        level[count] = is_near ? rounded : lower;
      }
    } while (--n >= 0 && least_saved[n] + least < cost); /* no earlier non-zero position can give a lower cost */
    position[count] = i;
    saved[count] = cost - at_zero;
    least_saved[count] = least_saved[count - 1] < saved[count] ? least_saved[count - 1] : saved[count];
    const float end = saved[count] + (i < DCTSIZE2 - 1 ? prices->ac[0] : 0);
    if (end < best_cost) {
      best_cost = end;
      best = count;
    }
  }
  for (int n = count - 1; n > 0; n--) {
    const int k = jpeg_natural_order[position[n]];
    if (n != best) {
      out[k] = 0;
      continue;
    }
    out[k] = scaled[k] < 0 ? -level[n] : level[n];
    best = from[n];
  }
}

/* ---- blocks with white or black samples ---- */

static float ac_bits(const JCOEF *block, const Prices *prices) {
  float bits = 0;
  int last = 0;
  for (uint64_t mask = zigzag_mask(block); mask; mask &= mask - 1) {
    const int i = __builtin_ctzll(mask);
    int run = i - 1 - last;
    for (; run > 15; run -= 16) bits += prices->ac[0xF0];
    bits += prices->ac[run << 4 | bits_of(magnitude(block[jpeg_natural_order[i]]))];
    last = i;
  }
  return last < DCTSIZE2 - 1 ? bits + prices->ac[0] : bits;
}

/* Search state of a block: the best levels so far, with the lowest bits + λ · squared error of the decoded samples. */
typedef struct {
  const Plane *plane;
  const Prices *prices;
  const float *shown, *weight;
  float lambda, cost, dc; /* `dc`: target DC for these levels, in units of the step */
  JCOEF level[DCTSIZE2];
} Search;

#define NOTHING_YET 1e30f

/* Starts with levels near `scaled` and repeats the search with new targets while the cost decreases. */
static void follow(Search *s, const float *scaled) {
  float target[DCTSIZE2];
  JCOEF level[DCTSIZE2], before[DCTSIZE2];
  memcpy(target, scaled, sizeof target);
  for (int round = 0; round < OVERSHOOT_ROUNDS; round++) {
    round_scaled(target, level);
    search_block(target, s->lambda, s->weight, s->prices, level);
    if (round && !memcmp(before, level, sizeof level)) return;
    memcpy(before, level, sizeof level);
    const float error = shown_error(s->shown, s->plane->made_step, s->weight, level, target);
    const float cost = ac_bits(level, s->prices) + s->lambda * error;
    if (cost >= s->cost || (s->cost < NOTHING_YET && overflows_fast_transform(level, s->plane->made_step))) continue;
    s->cost = cost;
    s->dc = target[0];
    memcpy(s->level, level, sizeof level);
  }
}

/* Searches from the block's own coefficients and from samples far beyond the range; keeps the cheaper result. */
static void search_shown(Search *s, const float *own) {
  float lifted[DCTSIZE2];
  s->cost = NOTHING_YET;
  follow(s, own);
  lifted_beyond(s->shown, s->plane->made_step, lifted);
  follow(s, lifted);
}

/* Search state of DC levels in a row of blocks. DC is coded as difference to the left, so that the whole row is one
 * path. */
typedef struct {
  float cost[DC_CANDIDATES];
  uint8_t from[DC_CANDIDATES];
  int16_t level[DC_CANDIDATES];
} DcStep;

static void dc_step(DcStep *step, const DcStep *left, float scaled, int rounded, float lambda, const Prices *prices) {
  for (int c = 0; c < DC_CANDIDATES; c++) {
    int level = rounded + c - DC_CANDIDATES / 2;
    level = level > LEVEL_MAX ? LEVEL_MAX : level < -LEVEL_MAX ? -LEVEL_MAX : level;
    float least = 1e30f;
    for (int l = 0; l < DC_CANDIDATES; l++) {
      const float cost = left ? left->cost[l] + prices->dc[bits_of(magnitude(level - left->level[l]))]
                              : prices->dc[bits_of(magnitude(level))];
      if (cost >= least) continue;
      least = cost;
      step->from[c] = l;
    }
    step->level[c] = level;
    step->cost[c] = least + lambda * (level - scaled) * (level - scaled);
  }
}

/* Sets the error weight of each coefficient. Outside smooth areas, steps refined for smooth areas get the weight of the
 * original steps. In smooth blocks, DC has a high weight, and the lowest frequencies are kept only for gradients, not
 * for noise. */
static void weights(const Plane *plane, float *weight) {
  for (int k = 0; k < DCTSIZE2; k++) {
    const float finer = (float)plane->made_step[k] / plane->table_step[k];
    weight[k] = finer * finer;
  }
}

/* True if a block is in a smooth area. Luma rows must precede chroma rows, because luma texture masks chroma errors. */
static int is_smooth(const Trellis *t, const Plane *plane, uint32_t x, uint32_t row, float energy) {
  const int quiet = block_is_quiet(energy);
  if (plane == &t->picture->plane[0] && !quiet) note_loud_place(t->smooth, t->picture, plane, x, row);
  return quiet && plane->smooth && !(plane->chroma && is_loud_place(t->smooth, t->picture, plane, x, row));
}

/* True if a low frequency belongs to a gradient: most neighbouring blocks have the same sign. Noise does not, and is
 * not worth its bits. */
static int is_gradient(JBLOCKROW in, uint32_t width, uint32_t x, int k) {
  const uint32_t from = x < GRADIENT_REACH ? 0 : x - GRADIENT_REACH,
                 to = x + GRADIENT_REACH < width ? x + GRADIENT_REACH : width - 1;
  int signs = 0;
  for (uint32_t i = from; i <= to; i++) signs += (in[i][k] > 0) - (in[i][k] < 0);
  return magnitude(signs) >= GRADIENT_AGREEMENT * (to - from + 1);
}

static void smooth_weights(JBLOCKROW in, uint32_t width, uint32_t x, const float *busy, float *weight) {
  weight[0] = SMOOTH_WEIGHT;
  weight[1] = is_gradient(in, width, x, 1) ? 1 : NOISE_WEIGHT * busy[1];
  weight[8] = is_gradient(in, width, x, 8) ? 1 : NOISE_WEIGHT * busy[8];
}

/* Writes the best path of a row's DC levels to its blocks. */
static void settle_dc(const DcStep *path, uint32_t width, JBLOCKROW out) {
  int best = 0;
  for (int c = 1; c < DC_CANDIDATES; c++)
    if (path[width - 1].cost[c] < path[width - 1].cost[best]) best = c;
  for (uint32_t x = width; x-- > 0;) {
    out[x][0] = path[x].level[best];
    best = path[x].from[best];
  }
}

void quantise_trellis(const Trellis *t, const Plane *plane, const Prices *prices, RowPlace at, JBLOCKROW in,
                      JBLOCKROW out) {
  float ratio[DCTSIZE2], step[DCTSIZE2], scaled[DCTSIZE2], shown[DCTSIZE2], busy[DCTSIZE2], smooth[DCTSIZE2];
  ratios(plane, ratio);
  weights(plane, busy);
  memcpy(smooth, busy, sizeof smooth);
  for (int k = 0; k < DCTSIZE2; k++) step[k] = plane->read_step[k];
  const int may_overshoot = !t->stays_within && !plane->chroma;
  DcStep *path = allocate(at.width * sizeof *path);
  for (uint32_t x = 0; x < at.width; x++) {
    round_block(in[x], ratio, scaled, out[x]);
    const float energy = ac_energy(in[x], step), lambda = lambda_of(t->error_weight, energy);
    const int is_gentle = at.smooth && is_smooth(t, plane, at.first + x, at.row, energy);
    if (is_gentle) smooth_weights(in, at.width, x, busy, smooth);
    const float *weight = is_gentle ? smooth : busy;
    if (may_overshoot && energy > 0 && shown_at_the_ends(in[x], plane->read_step, energy, shown)) {
      Search search = {.plane = plane, .prices = prices, .shown = shown, .weight = weight, .lambda = lambda};
      search_shown(&search, scaled);
      memcpy(out[x], search.level, sizeof search.level);
      scaled[0] = search.dc;
    } else {
      search_block(scaled, lambda, weight, prices, out[x]);
    }
    dc_step(&path[x], x ? &path[x - 1] : NULL, scaled[0], out[x][0], lambda * weight[0], prices);
  }
  settle_dc(path, at.width, out);
  free(path);
}
