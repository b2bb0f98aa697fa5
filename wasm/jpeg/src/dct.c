/* 8×8 DCTs in floating point (ITU-T T.81, A.3.3), written so that the compiler can use vectors. */
#include "engine.h"
#include <wasm_simd128.h>

static float basis[8][8]; /* basis[u][x] = c(u) / 2 · cos((2x + 1)uπ / 16) */

void dct_prepare(void) {
  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++) basis[u][x] = (u ? 0.5f : 0.35355339f) * cosf((2 * x + 1) * u * 3.14159265358979f / 16);
}

typedef struct { v128_t left, right; } Row; /* eight floats */

static inline Row row_times(Row row, float factor) {
  const v128_t all = wasm_f32x4_splat(factor);
  return (Row){wasm_f32x4_mul(row.left, all), wasm_f32x4_mul(row.right, all)};
}
static inline Row row_plus(Row a, Row b) { return (Row){wasm_f32x4_add(a.left, b.left), wasm_f32x4_add(a.right, b.right)}; }
static inline Row row_minus(Row a, Row b) { return (Row){wasm_f32x4_sub(a.left, b.left), wasm_f32x4_sub(a.right, b.right)}; }

/* One row of coefficients, dequantised. */
static inline Row dequantised(v128_t levels, const uint16_t *steps) {
  const v128_t step = wasm_v128_load(steps);
  return (Row){wasm_f32x4_convert_i32x4(wasm_i32x4_mul(wasm_i32x4_extend_low_i16x8(levels), wasm_u32x4_extend_low_u16x8(step))),
               wasm_f32x4_convert_i32x4(wasm_i32x4_mul(wasm_i32x4_extend_high_i16x8(levels), wasm_u32x4_extend_high_u16x8(step)))};
}

/*
 * Vertical half, with `bias` added to all samples: columns[x][v] = Σu basis[u][x] · block[u][v]. Cosines of even u are the
 * same from both ends, those of odd u have opposite signs, so half of the sums do. Rows of zeros are skipped.
 */
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

/* Horizontal half of one row, in the same way. */
static inline Row across(Row row) {
  v128_t even = wasm_f32x4_mul(wasm_i32x4_shuffle(row.left, row.left, 0, 0, 0, 0), wasm_v128_load(basis[0]));
  v128_t odd = wasm_f32x4_mul(wasm_i32x4_shuffle(row.left, row.left, 1, 1, 1, 1), wasm_v128_load(basis[1]));
  even = wasm_f32x4_add(even, wasm_f32x4_mul(wasm_i32x4_shuffle(row.left, row.left, 2, 2, 2, 2), wasm_v128_load(basis[2])));
  odd = wasm_f32x4_add(odd, wasm_f32x4_mul(wasm_i32x4_shuffle(row.left, row.left, 3, 3, 3, 3), wasm_v128_load(basis[3])));
  even = wasm_f32x4_add(even, wasm_f32x4_mul(wasm_i32x4_shuffle(row.right, row.right, 0, 0, 0, 0), wasm_v128_load(basis[4])));
  odd = wasm_f32x4_add(odd, wasm_f32x4_mul(wasm_i32x4_shuffle(row.right, row.right, 1, 1, 1, 1), wasm_v128_load(basis[5])));
  even = wasm_f32x4_add(even, wasm_f32x4_mul(wasm_i32x4_shuffle(row.right, row.right, 2, 2, 2, 2), wasm_v128_load(basis[6])));
  odd = wasm_f32x4_add(odd, wasm_f32x4_mul(wasm_i32x4_shuffle(row.right, row.right, 3, 3, 3, 3), wasm_v128_load(basis[7])));
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
    const v128_t words = wasm_i16x8_narrow_i32x4(wasm_i32x4_trunc_sat_f32x4(row.left), wasm_i32x4_trunc_sat_f32x4(row.right));
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

void forward_dct(const float *pixels, uint32_t stride, JCOEF *block) {
  float columns[8][8] = {{0}};
  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++)
      for (int y = 0; y < 8; y++) columns[u][y] += basis[u][x] * pixels[x * stride + y];
  for (int u = 0; u < 8; u++)
    for (int v = 0; v < 8; v++) {
      float sum = 0;
      for (int y = 0; y < 8; y++) sum += columns[u][y] * basis[v][y];
      block[u * 8 + v] = (JCOEF)(sum + (sum < 0 ? -0.5f : 0.5f));
    }
}
