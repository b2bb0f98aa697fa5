/* SSIM of a row of windows: Wang, Bovik, Sheikh, Simoncelli, "Image Quality Assessment: From Error Visibility to
 * Structural Similarity", IEEE Trans. Image Processing 13 (4), 2004. Gaussian window of 11x11 with sigma 1.5, K1 =
 * 0.01, K2 = 0.03. The window is separable: eleven rows are blurred vertically, then the result horizontally. Four
 * quantities per pixel suffice, because the formula only needs the sum of both variances. */
#ifndef WHITTLE_WINDOW_H
#define WHITTLE_WINDOW_H

#include <stdint.h>
#include <wasm_simd128.h>

#define TAPS 11
#define HALF (TAPS / 2)
#define WINDOWS_AT_ONCE 32
#define CENTRE 128.f /* subtracted from luma, so that single precision is exact enough for variances */

/* Quantities per pixel: luma of picture A, luma of picture B, sum of their squares, their product. */
enum { X, Y, JOINT, CROSS, QUANTITIES };

/* Gaussian weights exp(-d*d / (2 * 1.5 * 1.5)) for d = 5 ... 0, normalised over eleven taps. */
static const float WEIGHTS[HALF + 1] = {0.00102838f, 0.00759876f, 0.03600077f, 0.10936069f, 0.21300554f, 0.26601172f};

/* Computes JOINT and CROSS of columns `from` to `to`; may write up to three columns more. */
static inline void window_products(const float *x, const float *y, float *joint, float *cross, uint32_t from,
                                   uint32_t to) {
  for (uint32_t i = from; i < to; i += 4) {
    const v128_t a = wasm_v128_load(x + i), b = wasm_v128_load(y + i);
    wasm_v128_store(joint + i, wasm_f32x4_add(wasm_f32x4_mul(a, a), wasm_f32x4_mul(b, b)));
    wasm_v128_store(cross + i, wasm_f32x4_mul(a, b));
  }
}

static inline v128_t window_centred(v128_t integers) {
  return wasm_f32x4_sub(wasm_f32x4_convert_i32x4(integers), wasm_f32x4_splat(CENTRE));
}

/* Computes all four quantities of 8-bit grey rows, eight pixels at a time. */
static inline void window_of_bytes(const uint8_t *a, const uint8_t *b, uint32_t pixels, float *const of[QUANTITIES]) {
  for (uint32_t i = 0; i < pixels; i += 8) {
    const v128_t eight_a = wasm_u16x8_load8x8(a + i), eight_b = wasm_u16x8_load8x8(b + i);
    const v128_t x[2] = {window_centred(wasm_u32x4_extend_low_u16x8(eight_a)),
                         window_centred(wasm_u32x4_extend_high_u16x8(eight_a))};
    const v128_t y[2] = {window_centred(wasm_u32x4_extend_low_u16x8(eight_b)),
                         window_centred(wasm_u32x4_extend_high_u16x8(eight_b))};
    for (int half = 0; half < 2; half++) {
      const uint32_t at = i + 4 * half;
      wasm_v128_store(of[X] + at, x[half]);
      wasm_v128_store(of[Y] + at, y[half]);
      wasm_v128_store(of[JOINT] + at,
                      wasm_f32x4_add(wasm_f32x4_mul(x[half], x[half]), wasm_f32x4_mul(y[half], y[half])));
      wasm_v128_store(of[CROSS] + at, wasm_f32x4_mul(x[half], y[half]));
    }
  }
}

/* Blurs columns `from` to `to` of eleven rows vertically; may write up to seven columns more. */
static inline void window_blur_down(const float *tap, const float *const row[TAPS], float *restrict out, uint32_t from,
                                    uint32_t to) {
  v128_t weight[HALF + 1];
  for (int t = 0; t <= HALF; t++) weight[t] = wasm_f32x4_splat(tap[t]);
  for (uint32_t i = from; i < to; i += 8) {
    v128_t left = wasm_f32x4_mul(wasm_v128_load(row[HALF] + i), weight[HALF]);
    v128_t right = wasm_f32x4_mul(wasm_v128_load(row[HALF] + i + 4), weight[HALF]);
#pragma clang loop unroll(full)
    for (int t = 0; t < HALF; t++) {
      const float *above = row[t] + i, *below = row[TAPS - 1 - t] + i;
      const v128_t left_pair = wasm_f32x4_add(wasm_v128_load(above), wasm_v128_load(below));
      left = wasm_f32x4_add(left, wasm_f32x4_mul(left_pair, weight[t]));
      const v128_t right_pair = wasm_f32x4_add(wasm_v128_load(above + 4), wasm_v128_load(below + 4));
      right = wasm_f32x4_add(right, wasm_f32x4_mul(right_pair, weight[t]));
    }
    wasm_v128_store(out + i, left);
    wasm_v128_store(out + i + 4, right);
  }
}

/* Blurs columns `from` to `to` horizontally; may write up to three columns more and read past the last window. */
static inline void window_blur_along(const float *tap, const float *in, float *restrict out, uint32_t from,
                                     uint32_t to) {
  v128_t weight[HALF + 1];
  for (int t = 0; t <= HALF; t++) weight[t] = wasm_f32x4_splat(tap[t]);
  for (uint32_t i = from; i < to; i += 4) {
    v128_t sum = wasm_f32x4_mul(wasm_v128_load(in + i + HALF), weight[HALF]);
#pragma clang loop unroll(full)
    for (int t = 0; t < HALF; t++) {
      const v128_t pair = wasm_f32x4_add(wasm_v128_load(in + i + t), wasm_v128_load(in + i + TAPS - 1 - t));
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pair, weight[t]));
    }
    wasm_v128_store(out + i - from, sum);
  }
}

/* Returns the sum of 1 - SSIM over windows `from` to `to` (at most WINDOWS_AT_ONCE) of a row whose columns are
 * blurred. */
static inline float window_loss(const float *tap, float *const blurred[QUANTITIES], uint32_t from, uint32_t to) {
  float mean[QUANTITIES][WINDOWS_AT_ONCE + 4];
  for (int q = 0; q < QUANTITIES; q++) window_blur_along(tap, blurred[q], mean[q], from, to);
  const v128_t c1 = wasm_f32x4_splat((.01f * 255) * (.01f * 255)), c2 = wasm_f32x4_splat((.03f * 255) * (.03f * 255));
  const v128_t centre = wasm_f32x4_splat(CENTRE), one = wasm_f32x4_splat(1);
  v128_t loss = wasm_f32x4_splat(0);
  for (uint32_t i = 0, count = to - from; i < count; i += 4) {
    v128_t x = wasm_v128_load(mean[X] + i), y = wasm_v128_load(mean[Y] + i);
    const v128_t product = wasm_f32x4_mul(x, y), squares = wasm_f32x4_add(wasm_f32x4_mul(x, x), wasm_f32x4_mul(y, y));
    const v128_t variances = wasm_f32x4_sub(wasm_v128_load(mean[JOINT] + i), squares);
    const v128_t covariance = wasm_f32x4_sub(wasm_v128_load(mean[CROSS] + i), product);
    x = wasm_f32x4_add(x, centre);
    y = wasm_f32x4_add(y, centre);
    const v128_t mean_product = wasm_f32x4_mul(x, y);
    const v128_t mean_squares = wasm_f32x4_add(wasm_f32x4_mul(x, x), wasm_f32x4_mul(y, y));
    const v128_t above = wasm_f32x4_mul(wasm_f32x4_add(wasm_f32x4_add(mean_product, mean_product), c1),
                                        wasm_f32x4_add(wasm_f32x4_add(covariance, covariance), c2));
    const v128_t below = wasm_f32x4_mul(wasm_f32x4_add(mean_squares, c1), wasm_f32x4_add(variances, c2));
    v128_t lost = wasm_f32x4_sub(one, wasm_f32x4_div(above, below));
    if (i + 4 > count) { /* the last vector has lanes without a window */
      static const uint32_t lane[4] = {0, 1, 2, 3};
      lost = wasm_v128_and(lost, wasm_u32x4_lt(wasm_v128_load(lane), wasm_u32x4_splat(count - i)));
    }
    loss = wasm_f32x4_add(loss, lost);
  }
  return wasm_f32x4_extract_lane(loss, 0) + wasm_f32x4_extract_lane(loss, 1) + wasm_f32x4_extract_lane(loss, 2) +
         wasm_f32x4_extract_lane(loss, 3);
}

#endif
