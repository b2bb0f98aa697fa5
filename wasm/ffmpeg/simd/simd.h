/* WebAssembly SIMD versions of x264's inner loops, in place of its assembly. They are bit-exact with the C functions
 * that they replace, so that the encoder writes the same stream. x264's own files include this header after the C
 * versions (see x264.patch). */
#ifndef WHITTLE_SIMD_H
#define WHITTLE_SIMD_H
#include <wasm_simd128.h>

#define INLINE static inline __attribute__((always_inline))

/* Load 16, 8 or 4 pixels; wide…: widened to 16 bits. */
INLINE v128_t load16(const uint8_t *p) { return wasm_v128_load(p); }
INLINE v128_t load8(const uint8_t *p) { return wasm_v128_load64_zero(p); }
INLINE v128_t load4(const uint8_t *p) { return wasm_v128_load32_zero(p); }
INLINE v128_t wide8(const uint8_t *p) { return wasm_u16x8_load8x8(p); }
INLINE v128_t wide4(const uint8_t *p) { return wasm_u16x8_extend_low_u8x16(load4(p)); }
/* Loads 4 pixels from each of two rows, widened to 16 bits. */
INLINE v128_t wide44(const uint8_t *p, const uint8_t *q) { return wasm_u16x8_extend_low_u8x16(wasm_v128_load32_lane(q, load4(p), 1)); }

INLINE v128_t low16(v128_t a, v128_t b) { return wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
INLINE v128_t high16(v128_t a, v128_t b) { return wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
INLINE v128_t low32(v128_t a, v128_t b) { return wasm_i32x4_shuffle(a, b, 0, 4, 1, 5); }
INLINE v128_t high32(v128_t a, v128_t b) { return wasm_i32x4_shuffle(a, b, 2, 6, 3, 7); }
INLINE v128_t low64(v128_t a, v128_t b) { return wasm_i64x2_shuffle(a, b, 0, 2); }
INLINE v128_t high64(v128_t a, v128_t b) { return wasm_i64x2_shuffle(a, b, 1, 3); }
INLINE v128_t low8(v128_t a, v128_t b) { return wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23); }
INLINE v128_t high8(v128_t a, v128_t b) { return wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31); }

INLINE int sum32(v128_t v) {
  v = wasm_i32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
  return wasm_i32x4_extract_lane(v, 0) + wasm_i32x4_extract_lane(v, 1);
}
/* Returns the sum of eight unsigned 16-bit lanes. */
INLINE int sum16(v128_t v) { return sum32(wasm_u32x4_extadd_pairwise_u16x8(v)); }

/* Transposes two adjacent 4x4 blocks: columns become vectors, and the rows of each block its lanes. */
#define TRANSPOSE_4X4_TWICE(a, b, c, d)                                     \
  do {                                                                      \
    const v128_t t0 = low16(a, b), t1 = low16(c, d);                        \
    const v128_t t2 = high16(a, b), t3 = high16(c, d);                      \
    const v128_t u0 = low32(t0, t1), u1 = high32(t0, t1);                   \
    const v128_t u2 = low32(t2, t3), u3 = high32(t2, t3);                   \
    (a) = low64(u0, u2), (b) = high64(u0, u2);                              \
    (c) = low64(u1, u3), (d) = high64(u1, u3);                              \
  } while (0)

INLINE void transpose_8x8(v128_t v[8]) {
  v128_t a[8], b[8];
  for (int i = 0; i < 4; i++) a[2 * i] = low16(v[i], v[i + 4]), a[2 * i + 1] = high16(v[i], v[i + 4]);
  for (int i = 0; i < 4; i++) b[2 * i] = low16(a[i], a[i + 4]), b[2 * i + 1] = high16(a[i], a[i + 4]);
  for (int i = 0; i < 4; i++) v[2 * i] = low16(b[i], b[i + 4]), v[2 * i + 1] = high16(b[i], b[i + 4]);
}
#endif
