/* Sums of squared differences of a few pixels; single precision and 32 bits suffice for a block. */
#ifndef WHITTLE_SQUARES_H
#define WHITTLE_SQUARES_H

#include <stdint.h>
#include <wasm_simd128.h>

static inline float luma_squares_of(const float *x, const float *y, uint32_t count) {
  v128_t four = wasm_f32x4_splat(0);
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const v128_t d = wasm_f32x4_sub(wasm_v128_load(x + i), wasm_v128_load(y + i));
    four = wasm_f32x4_add(four, wasm_f32x4_mul(d, d));
  }
  float sum = wasm_f32x4_extract_lane(four, 0) + wasm_f32x4_extract_lane(four, 1) + wasm_f32x4_extract_lane(four, 2) +
              wasm_f32x4_extract_lane(four, 3);
  for (; i < count; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

/* Returns the sum of squared differences of `count` bytes. */
static inline uint32_t byte_squares_of(const uint8_t *a, const uint8_t *b, uint32_t count) {
  v128_t four = wasm_u32x4_splat(0);
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const v128_t x = wasm_v128_load(a + i), y = wasm_v128_load(b + i);
    const v128_t d = wasm_v128_or(wasm_u8x16_sub_sat(x, y), wasm_u8x16_sub_sat(y, x));
    four = wasm_i32x4_add(four, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extmul_low_u8x16(d, d)));
    four = wasm_i32x4_add(four, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extmul_high_u8x16(d, d)));
  }
  uint32_t sum = wasm_u32x4_extract_lane(four, 0) + wasm_u32x4_extract_lane(four, 1) +
                 wasm_u32x4_extract_lane(four, 2) + wasm_u32x4_extract_lane(four, 3);
  for (; i < count; i++) sum += (uint32_t)((a[i] - b[i]) * (a[i] - b[i]));
  return sum;
}

#endif
