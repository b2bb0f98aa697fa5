#include "dct.h"

#include <wasm_simd128.h>

/* DCT basis[u][x] = c(u) / 2 · cos((2x + 1)uπ / 16), and its transpose turned[x][u]. The values are those of
 * wasi-libc's cosf() for single-precision angles. They differ from exact cosines in the last digits, and results depend
 * on them. */
static const float basis[8][8] = {
    {0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f},
    {0.49039263f, 0.4157348f, 0.2777851f, 0.09754512f, -0.09754516f, -0.27778518f, -0.41573483f, -0.49039266f},
    {0.46193975f, 0.19134171f, -0.19134176f, -0.4619398f, -0.46193975f, -0.19134156f, 0.1913418f, 0.46193978f},
    {0.4157348f, -0.09754516f, -0.49039266f, -0.277785f, 0.2777852f, 0.49039263f, 0.097545035f, -0.4157349f},
    {0.35355338f, -0.35355338f, -0.35355332f, 0.3535535f, 0.35355338f, -0.35355362f, -0.35355327f, 0.3535534f},
    {0.2777851f, -0.49039266f, 0.09754521f, 0.41573468f, -0.4157349f, -0.09754511f, 0.49039266f, -0.27778542f},
    {0.19134171f, -0.46193975f, 0.46193978f, -0.19134195f, -0.19134149f, 0.46193966f, -0.46193987f, 0.19134195f},
    {0.09754512f, -0.277785f, 0.41573468f, -0.4903926f, 0.4903927f, -0.4157348f, 0.27778557f, -0.09754577f},
};
static const float turned[8][8] = {
    {0.35355338f, 0.49039263f, 0.46193975f, 0.4157348f, 0.35355338f, 0.2777851f, 0.19134171f, 0.09754512f},
    {0.35355338f, 0.4157348f, 0.19134171f, -0.09754516f, -0.35355338f, -0.49039266f, -0.46193975f, -0.277785f},
    {0.35355338f, 0.2777851f, -0.19134176f, -0.49039266f, -0.35355332f, 0.09754521f, 0.46193978f, 0.41573468f},
    {0.35355338f, 0.09754512f, -0.4619398f, -0.277785f, 0.3535535f, 0.41573468f, -0.19134195f, -0.4903926f},
    {0.35355338f, -0.09754516f, -0.46193975f, 0.2777852f, 0.35355338f, -0.4157349f, -0.19134149f, 0.4903927f},
    {0.35355338f, -0.27778518f, -0.19134156f, 0.49039263f, -0.35355362f, -0.09754511f, 0.46193966f, -0.4157348f},
    {0.35355338f, -0.41573483f, 0.1913418f, 0.097545035f, -0.35355327f, 0.49039266f, -0.46193987f, 0.27778557f},
    {0.35355338f, -0.49039266f, 0.46193978f, -0.4157349f, 0.3535534f, -0.27778542f, 0.19134195f, -0.09754577f},
};

typedef struct {
  v128_t left, right;
} Row; /* eight floats in two vectors */

static inline Row row_times(Row row, float factor) {
  const v128_t all = wasm_f32x4_splat(factor);
  return (Row){wasm_f32x4_mul(row.left, all), wasm_f32x4_mul(row.right, all)};
}
static inline Row row_plus(Row a, Row b) {
  return (Row){wasm_f32x4_add(a.left, b.left), wasm_f32x4_add(a.right, b.right)};
}
static inline Row row_minus(Row a, Row b) {
  return (Row){wasm_f32x4_sub(a.left, b.left), wasm_f32x4_sub(a.right, b.right)};
}

/* Dequantises one row of coefficients. */
static inline Row dequantised(v128_t levels, const uint16_t *steps) {
  const v128_t step = wasm_v128_load(steps);
  const v128_t low = wasm_i32x4_mul(wasm_i32x4_extend_low_i16x8(levels), wasm_u32x4_extend_low_u16x8(step));
  const v128_t high = wasm_i32x4_mul(wasm_i32x4_extend_high_i16x8(levels), wasm_u32x4_extend_high_u16x8(step));
  return (Row){wasm_f32x4_convert_i32x4(low), wasm_f32x4_convert_i32x4(high)};
}

/* Vertical half of the inverse DCT, with `bias` added to all samples: columns[x][v] = Σu basis[u][x] · block[u][v].
 * Cosines are symmetric for even u and antisymmetric for odd u, so that half of the sums suffice. Zero rows are
 * skipped. */
static inline void columns_of(const JCOEF *block, const uint16_t *step, float bias, Row columns[8]) {
  const Row zero = {wasm_f32x4_splat(0), wasm_f32x4_splat(0)};
  Row sums[2][4] = {{zero, zero, zero, zero}, {zero, zero, zero, zero}};
  for (int u = 0; u < 8; u++) {
    const v128_t levels = wasm_v128_load(block + u * 8);
    if (u && !wasm_v128_any_true(levels)) continue;
    Row row = dequantised(levels, step + u * 8);
    if (!u) row.left = wasm_f32x4_add(row.left, wasm_f32x4_make(bias * 8, 0, 0, 0));
    for (int x = 0; x < 4; x++) sums[u & 1][x] = row_plus(sums[u & 1][x], row_times(row, basis[u][x]));
  }
  for (int x = 0; x < 4; x++) {
    columns[x] = row_plus(sums[0][x], sums[1][x]);
    columns[7 - x] = row_minus(sums[0][x], sums[1][x]);
  }
}

/* One frequency of a row times its cosines; `lane` must be a compile-time constant. */
#define TIMES(half, lane, u)                                                                                           \
  wasm_f32x4_mul(wasm_i32x4_shuffle(half, half, lane, lane, lane, lane), wasm_v128_load(basis[u]))

/* Horizontal half of the inverse DCT for one row. */
static inline Row across(Row row) {
  v128_t even = TIMES(row.left, 0, 0);
  v128_t odd = TIMES(row.left, 1, 1);
  even = wasm_f32x4_add(even, TIMES(row.left, 2, 2));
  odd = wasm_f32x4_add(odd, TIMES(row.left, 3, 3));
  even = wasm_f32x4_add(even, TIMES(row.right, 0, 4));
  odd = wasm_f32x4_add(odd, TIMES(row.right, 1, 5));
  even = wasm_f32x4_add(even, TIMES(row.right, 2, 6));
  odd = wasm_f32x4_add(odd, TIMES(row.right, 3, 7));
  const v128_t mirrored = wasm_f32x4_sub(even, odd);
  return (Row){wasm_f32x4_add(even, odd), wasm_i32x4_shuffle(mirrored, mirrored, 3, 2, 1, 0)};
}

static int only_dc(const JCOEF *block) {
  v128_t any = wasm_i16x8_replace_lane(wasm_v128_load(block), 0, 0);
  for (int u = 1; u < 8; u++) any = wasm_v128_or(any, wasm_v128_load(block + u * 8));
  return !wasm_v128_any_true(any);
}

void inverse_dct(const JCOEF *block, const uint16_t *step, uint8_t *out, uint32_t stride) {
  if (only_dc(block)) {
    int level = (int)floorf((float)(block[0] * (int)step[0]) * 0.125f + 128.5f);
    level = level < 0 ? 0 : level > 255 ? 255 : level;
    for (int y = 0; y < 8; y++) memset(out + y * stride, level, 8);
    return;
  }
  Row columns[8];
  columns_of(block, step, 128.5f, columns);
  for (int x = 0; x < 8; x++) {
    const Row row = across(columns[x]);
    const v128_t words =
        wasm_i16x8_narrow_i32x4(wasm_i32x4_trunc_sat_f32x4(row.left), wasm_i32x4_trunc_sat_f32x4(row.right));
    wasm_v128_store64_lane(out + x * stride, wasm_u8x16_narrow_i16x8(words, words), 0);
  }
}

void inverse_dct_float(const JCOEF *block, const uint16_t *step, float *out, uint32_t stride) {
  Row columns[8];
  columns_of(block, step, 0, columns);
  for (int x = 0; x < 8; x++) {
    const Row row = across(columns[x]);
    wasm_v128_store(out + x * stride, row.left);
    wasm_v128_store(out + x * stride + 4, row.right);
  }
}

/* Forward DCT: combines sums and differences of opposite rows into rows of frequencies, then transforms each row. */
void forward_dct_float(const float *pixels, uint32_t stride, float *out) {
  Row folded[2][4];
  for (int x = 0; x < 4; x++) {
    const float *one = pixels + x * stride, *other = pixels + (7 - x) * stride;
    const Row near = {wasm_v128_load(one), wasm_v128_load(one + 4)},
              far = {wasm_v128_load(other), wasm_v128_load(other + 4)};
    folded[0][x] = row_plus(near, far);
    folded[1][x] = row_minus(near, far);
  }
  for (int u = 0; u < 8; u++) {
    Row row = row_times(folded[u & 1][0], basis[u][0]);
    for (int x = 1; x < 4; x++) row = row_plus(row, row_times(folded[u & 1][x], basis[u][x]));
    float samples[8];
    wasm_v128_store(samples, row.left);
    wasm_v128_store(samples + 4, row.right);
    Row sums = {wasm_f32x4_splat(0), wasm_f32x4_splat(0)};
    for (int y = 0; y < 8; y++)
      sums = row_plus(sums, row_times((Row){wasm_v128_load(turned[y]), wasm_v128_load(turned[y] + 4)}, samples[y]));
    wasm_v128_store(out + u * 8, sums.left);
    wasm_v128_store(out + u * 8 + 4, sums.right);
  }
}

void forward_dct(const float *pixels, uint32_t stride, JCOEF *block) {
  float exact[DCTSIZE2];
  forward_dct_float(pixels, stride, exact);
  for (int k = 0; k < DCTSIZE2; k++) block[k] = (JCOEF)(exact[k] + (exact[k] < 0 ? -0.5f : 0.5f));
}

/* Overflow limit of libjpeg's fast inverse DCT (jidctfst.c). With 16-bit words it multiplies values of 13 bits plus
 * sign, of which 5 bits are the fraction. The code below finds the largest of the five sums and differences that it
 * multiplies in a column, for eight columns at once. */
#define FAST_MOST 255.0f /* 13 bits (2^13) without 5 fraction bits (32) */

static inline Row largest(Row a, Row b) {
  return (Row){wasm_f32x4_pmax(a.left, wasm_f32x4_abs(b.left)), wasm_f32x4_pmax(a.right, wasm_f32x4_abs(b.right))};
}

static Row multiplied(const Row s[8]) {
  Row sum[4], difference[4];
  for (int x = 0; x < 4; x++) {
    sum[x] = row_plus(s[x], s[7 - x]);
    difference[x] = row_minus(s[x], s[7 - x]);
  }
  const Row outer = row_plus(difference[0], difference[1]), inner = row_plus(difference[3], difference[2]);
  const Row even = row_plus(row_minus(sum[0], sum[3]), row_minus(sum[1], sum[2]));
  Row most = largest(row_times(even, 0.17677670f), row_times(row_plus(difference[1], difference[2]), 0.35355339f));
  most = largest(most, row_minus(row_times(outer, 0.09567086f), row_times(inner, 0.23096988f)));
  most = largest(most, row_plus(row_times(outer, 0.23096988f), row_times(inner, 0.09567086f)));
  return largest(most, row_plus(row_times(outer, 0.13529903f), row_times(inner, 0.32664074f)));
}

int overflows_fast_transform(const JCOEF *block, const uint16_t *step) {
  Row columns[8], turned_samples[8];
  float samples[DCTSIZE2], turned_one[DCTSIZE2], most[8];
  columns_of(block, step, 0, columns);
  for (int x = 0; x < 8; x++) {
    const Row row = across(columns[x]);
    wasm_v128_store(samples + x * 8, row.left);
    wasm_v128_store(samples + x * 8 + 4, row.right);
    /* jidctfst.c scales frequencies by cos(vπ / 16) / 2, except for v = 0 */
    columns[x].left =
        wasm_f32x4_mul(columns[x].left, wasm_f32x4_make(0.35355339f, 0.49039264f, 0.46193977f, 0.41573481f));
    columns[x].right =
        wasm_f32x4_mul(columns[x].right, wasm_f32x4_make(0.35355339f, 0.27778512f, 0.19134172f, 0.09754516f));
  }
  for (int i = 0; i < DCTSIZE2; i++) turned_one[i] = samples[(i & 7) * 8 + (i >> 3)];
  for (int x = 0; x < 8; x++)
    turned_samples[x] = (Row){wasm_v128_load(turned_one + x * 8), wasm_v128_load(turned_one + x * 8 + 4)};
  const Row all = largest(multiplied(columns), multiplied(turned_samples));
  wasm_v128_store(most, all.left);
  wasm_v128_store(most + 4, all.right);
  for (int i = 0; i < 8; i++)
    if (most[i] > FAST_MOST) return 1;
  return 0;
}
