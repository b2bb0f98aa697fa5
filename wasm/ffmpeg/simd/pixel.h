/* SAD, SSD, Hadamard sums and SSIM sums: replaces functions of x264's common/pixel.c. */
#include "simd.h"

INLINE v128_t distance(v128_t a, v128_t b) { return wasm_v128_or(wasm_u8x16_sub_sat(a, b), wasm_u8x16_sub_sat(b, a)); }

/* Loads the 16 pixels of one step of `SAD_SIMD`: one row, two rows or four. */
INLINE v128_t rows_16(const uint8_t *p, intptr_t stride) { return (void)stride, load16(p); }
INLINE v128_t rows_8(const uint8_t *p, intptr_t stride) { return wasm_v128_load64_lane(p + stride, load8(p), 1); }
INLINE v128_t rows_4(const uint8_t *p, intptr_t stride) {
  v128_t v = wasm_v128_load32_lane(p + stride, load4(p), 1);
  v = wasm_v128_load32_lane(p + 2 * stride, v, 2);
  return wasm_v128_load32_lane(p + 3 * stride, v, 3);
}

#define SAD_SIMD(w, h)                                                                                                  \
  static int simd_sad_##w##x##h(pixel *a, intptr_t sa, pixel *b, intptr_t sb) {                                         \
    v128_t sum = wasm_i16x8_splat(0);                                                                                   \
    for (int y = 0; y < h; y += 16 / w, a += (16 / w) * sa, b += (16 / w) * sb)                                         \
      sum = wasm_i16x8_add(sum, wasm_u16x8_extadd_pairwise_u8x16(distance(rows_##w(a, sa), rows_##w(b, sb))));          \
    return sum16(sum);                                                                                                  \
  }
#define SADS_SIMD(w, h)                                                                                                \
  SAD_SIMD(w, h)                                                                                                      \
  static void simd_sad_x3_##w##x##h(pixel *f, pixel *a, pixel *b, pixel *c, intptr_t s, int scores[3]) {                \
    v128_t x = wasm_i16x8_splat(0), y = x, z = x;                                                                       \
    for (int i = 0; i < h; i += 16 / w, f += (16 / w) * FENC_STRIDE, a += (16 / w) * s, b += (16 / w) * s, c += (16 / w) * s) { \
      const v128_t e = rows_##w(f, FENC_STRIDE);                                                                        \
      x = wasm_i16x8_add(x, wasm_u16x8_extadd_pairwise_u8x16(distance(e, rows_##w(a, s))));                             \
      y = wasm_i16x8_add(y, wasm_u16x8_extadd_pairwise_u8x16(distance(e, rows_##w(b, s))));                             \
      z = wasm_i16x8_add(z, wasm_u16x8_extadd_pairwise_u8x16(distance(e, rows_##w(c, s))));                             \
    }                                                                                                                   \
    scores[0] = sum16(x), scores[1] = sum16(y), scores[2] = sum16(z);                                                   \
  }                                                                                                                     \
  static void simd_sad_x4_##w##x##h(pixel *f, pixel *a, pixel *b, pixel *c, pixel *d, intptr_t s, int scores[4]) {      \
    v128_t x = wasm_i16x8_splat(0), y = x, z = x, t = x;                                                                \
    for (int i = 0; i < h; i += 16 / w) {                                                                               \
      const v128_t e = rows_##w(f, FENC_STRIDE);                                                                        \
      x = wasm_i16x8_add(x, wasm_u16x8_extadd_pairwise_u8x16(distance(e, rows_##w(a, s))));                             \
      y = wasm_i16x8_add(y, wasm_u16x8_extadd_pairwise_u8x16(distance(e, rows_##w(b, s))));                             \
      z = wasm_i16x8_add(z, wasm_u16x8_extadd_pairwise_u8x16(distance(e, rows_##w(c, s))));                             \
      t = wasm_i16x8_add(t, wasm_u16x8_extadd_pairwise_u8x16(distance(e, rows_##w(d, s))));                             \
      f += (16 / w) * FENC_STRIDE, a += (16 / w) * s, b += (16 / w) * s, c += (16 / w) * s, d += (16 / w) * s;          \
    }                                                                                                                   \
    scores[0] = sum16(x), scores[1] = sum16(y), scores[2] = sum16(z), scores[3] = sum16(t);                             \
  }
SADS_SIMD(16, 16)
SADS_SIMD(16, 8)
SADS_SIMD(8, 16)
SADS_SIMD(8, 8)
SADS_SIMD(8, 4)
SAD_SIMD(4, 16)
SADS_SIMD(4, 8)
SADS_SIMD(4, 4)

INLINE v128_t squares(v128_t sum, v128_t a, v128_t b) {
  const v128_t d = wasm_i16x8_sub(wasm_u16x8_extend_low_u8x16(a), wasm_u16x8_extend_low_u8x16(b));
  const v128_t e = wasm_i16x8_sub(wasm_u16x8_extend_high_u8x16(a), wasm_u16x8_extend_high_u8x16(b));
  return wasm_i32x4_add(sum, wasm_i32x4_add(wasm_i32x4_dot_i16x8(d, d), wasm_i32x4_dot_i16x8(e, e)));
}
#define SSD_SIMD(w, h)                                                                                 \
  static int simd_ssd_##w##x##h(pixel *a, intptr_t sa, pixel *b, intptr_t sb) {                        \
    v128_t sum = wasm_i32x4_splat(0);                                                                  \
    for (int y = 0; y < h; y += 16 / w, a += (16 / w) * sa, b += (16 / w) * sb)                        \
      sum = squares(sum, rows_##w(a, sa), rows_##w(b, sb));                                            \
    return sum32(sum);                                                                                 \
  }
SSD_SIMD(16, 16)
SSD_SIMD(16, 8)
SSD_SIMD(8, 16)
SSD_SIMD(8, 8)
SSD_SIMD(8, 4)
SSD_SIMD(4, 16)
SSD_SIMD(4, 8)
SSD_SIMD(4, 4)

/* Half the sum of absolute values of two 4x4 Hadamard transforms. The last butterfly is omitted: |a+b| + |a-b| = 2
 * max(|a|, |b|), and the factor 2 cancels the halving. */
INLINE v128_t hadamard_4x4_twice(v128_t a, v128_t b, v128_t c, v128_t d) {
  const v128_t s = wasm_i16x8_add(a, b), t = wasm_i16x8_sub(a, b), u = wasm_i16x8_add(c, d), v = wasm_i16x8_sub(c, d);
  a = wasm_i16x8_add(s, u), b = wasm_i16x8_add(t, v), c = wasm_i16x8_sub(s, u), d = wasm_i16x8_sub(t, v);
  TRANSPOSE_4X4_TWICE(a, b, c, d);
  const v128_t e = wasm_i16x8_abs(wasm_i16x8_add(a, b)), f = wasm_i16x8_abs(wasm_i16x8_add(c, d));
  const v128_t g = wasm_i16x8_abs(wasm_i16x8_sub(a, b)), h = wasm_i16x8_abs(wasm_i16x8_sub(c, d));
  return wasm_i16x8_add(wasm_i16x8_max(e, f), wasm_i16x8_max(g, h));
}
INLINE v128_t satd_8x4(const pixel *a, intptr_t sa, const pixel *b, intptr_t sb) {
  return hadamard_4x4_twice(wasm_i16x8_sub(wide8(a), wide8(b)), wasm_i16x8_sub(wide8(a + sa), wide8(b + sb)),
                            wasm_i16x8_sub(wide8(a + 2 * sa), wide8(b + 2 * sb)), wasm_i16x8_sub(wide8(a + 3 * sa), wide8(b + 3 * sb)));
}
/* Returns the Hadamard sums of two 4x4 blocks, one below the other. */
INLINE v128_t satd_4x8(const pixel *a, intptr_t sa, const pixel *b, intptr_t sb) {
  return hadamard_4x4_twice(wasm_i16x8_sub(wide44(a, a + 4 * sa), wide44(b, b + 4 * sb)),
                            wasm_i16x8_sub(wide44(a + sa, a + 5 * sa), wide44(b + sb, b + 5 * sb)),
                            wasm_i16x8_sub(wide44(a + 2 * sa, a + 6 * sa), wide44(b + 2 * sb, b + 6 * sb)),
                            wasm_i16x8_sub(wide44(a + 3 * sa, a + 7 * sa), wide44(b + 3 * sb, b + 7 * sb)));
}
static int simd_satd_4x4(pixel *a, intptr_t sa, pixel *b, intptr_t sb) {
  return sum16(hadamard_4x4_twice(wasm_i16x8_sub(wide4(a), wide4(b)), wasm_i16x8_sub(wide4(a + sa), wide4(b + sb)),
                                  wasm_i16x8_sub(wide4(a + 2 * sa), wide4(b + 2 * sb)), wasm_i16x8_sub(wide4(a + 3 * sa), wide4(b + 3 * sb))));
}
#define SATD_SIMD(w, h, sub, sw, sh)                                                      \
  static int simd_satd_##w##x##h(pixel *a, intptr_t sa, pixel *b, intptr_t sb) {          \
    v128_t sum = wasm_i16x8_splat(0);                                                     \
    for (int y = 0; y < h; y += sh)                                                       \
      for (int x = 0; x < w; x += sw) sum = wasm_i16x8_add(sum, sub(a + y * sa + x, sa, b + y * sb + x, sb)); \
    return sum16(sum);                                                                    \
  }
SATD_SIMD(16, 16, satd_8x4, 8, 4)
SATD_SIMD(16, 8, satd_8x4, 8, 4)
SATD_SIMD(8, 16, satd_8x4, 8, 4)
SATD_SIMD(8, 8, satd_8x4, 8, 4)
SATD_SIMD(8, 4, satd_8x4, 8, 4)
SATD_SIMD(4, 16, satd_4x8, 4, 8)
SATD_SIMD(4, 8, satd_4x8, 4, 8)

INLINE void hadamard_8(v128_t v[8]) {
  for (int step = 1; step < 8; step *= 2)
    for (int i = 0; i < 8; i++)
      if (!(i & step)) {
        const v128_t a = v[i], b = v[i + step];
        v[i] = wasm_i16x8_add(a, b), v[i + step] = wasm_i16x8_sub(a, b);
      }
}
/* Returns half the sum of absolute values of an 8x8 Hadamard transform. */
INLINE int half_sa8d_8x8(const pixel *a, intptr_t sa, const pixel *b, intptr_t sb) {
  v128_t v[8], sum = wasm_i16x8_splat(0);
  for (int i = 0; i < 8; i++) v[i] = wasm_i16x8_sub(wide8(a + i * sa), wide8(b + i * sb));
  hadamard_8(v);
  transpose_8x8(v);
  for (int step = 1; step < 4; step *= 2)
    for (int i = 0; i < 8; i++)
      if (!(i & step)) {
        const v128_t p = v[i], q = v[i + step];
        v[i] = wasm_i16x8_add(p, q), v[i + step] = wasm_i16x8_sub(p, q);
      }
  for (int i = 0; i < 4; i++) sum = wasm_i16x8_add(sum, wasm_i16x8_max(wasm_i16x8_abs(v[i]), wasm_i16x8_abs(v[i + 4])));
  return sum16(sum);
}
static int simd_sa8d_8x8(pixel *a, intptr_t sa, pixel *b, intptr_t sb) { return (half_sa8d_8x8(a, sa, b, sb) + 1) >> 1; }
static int simd_sa8d_16x16(pixel *a, intptr_t sa, pixel *b, intptr_t sb) {
  const int sum = half_sa8d_8x8(a, sa, b, sb) + half_sa8d_8x8(a + 8, sa, b + 8, sb) + half_sa8d_8x8(a + 8 * sa, sa, b + 8 * sb, sb) +
                  half_sa8d_8x8(a + 8 * sa + 8, sa, b + 8 * sb + 8, sb);
  return (sum + 1) >> 1;
}

/* SSIM sums for two windows of 4x4: pixels of both pictures, squares, products. */
static void simd_ssim_4x4x2_core(const pixel *a, intptr_t sa, const pixel *b, intptr_t sb, int sums[2][4]) {
  v128_t s1 = wasm_i16x8_splat(0), s2 = s1, ss = s1, s12 = s1;
  for (int y = 0; y < 4; y++, a += sa, b += sb) {
    const v128_t p = wide8(a), q = wide8(b);
    s1 = wasm_i16x8_add(s1, p), s2 = wasm_i16x8_add(s2, q);
    ss = wasm_i32x4_add(ss, wasm_i32x4_add(wasm_i32x4_dot_i16x8(p, p), wasm_i32x4_dot_i16x8(q, q)));
    s12 = wasm_i32x4_add(s12, wasm_i32x4_dot_i16x8(p, q));
  }
  s1 = wasm_i32x4_extadd_pairwise_i16x8(s1), s2 = wasm_i32x4_extadd_pairwise_i16x8(s2);
  /* Each vector has half sums of window 0 in lanes 0+1 and of window 1 in lanes 2+3. */
  const v128_t a0 = low32(s1, s2), a1 = high32(s1, s2), b0 = low32(ss, s12), b1 = high32(ss, s12);
  wasm_v128_store(sums[0], wasm_i32x4_add(low64(a0, b0), high64(a0, b0)));
  wasm_v128_store(sums[1], wasm_i32x4_add(low64(a1, b1), high64(a1, b1)));
}

/* Adds the sum and the sum of squares of a block. x264 packs them with the squares in the high half. */
INLINE void gather(v128_t *sum, v128_t *square, v128_t pixels) {
  const v128_t low = wasm_u16x8_extend_low_u8x16(pixels), high = wasm_u16x8_extend_high_u8x16(pixels);
  *sum = wasm_i16x8_add(*sum, wasm_i16x8_add(low, high));
  *square = wasm_i32x4_add(*square, wasm_i32x4_add(wasm_i32x4_dot_i16x8(low, low), wasm_i32x4_dot_i16x8(high, high)));
}
#define VAR_SIMD(w, h)                                                                                    \
  static uint64_t simd_var_##w##x##h(pixel *p, intptr_t s) {                                              \
    v128_t sum = wasm_i16x8_splat(0), square = sum;                                                       \
    for (int y = 0; y < h; y += 16 / w, p += (16 / w) * s) gather(&sum, &square, rows_##w(p, s));         \
    return (uint32_t)sum16(sum) + ((uint64_t)(uint32_t)sum32(square) << 32);                              \
  }
VAR_SIMD(16, 16)
VAR_SIMD(8, 16)
VAR_SIMD(8, 8)

/* Squared differences of interleaved U and V, separately; a row has at most 8192 pixels. */
static void simd_ssd_nv12_core(pixel *a, intptr_t sa, pixel *b, intptr_t sb, int width, int height, uint64_t *ssd_u, uint64_t *ssd_v) {
  uint64_t us = 0, vs = 0;
  for (int y = 0; y < height; y++, a += sa, b += sb) {
    v128_t both = wasm_i32x4_splat(0), evens = both;
    int x = 0;
    for (; x + 4 <= width; x += 4) {
      const v128_t d = wasm_i16x8_sub(wide8(a + 2 * x), wide8(b + 2 * x)), e = wasm_v128_and(d, wasm_i32x4_splat(0xffff));
      both = wasm_i32x4_add(both, wasm_i32x4_dot_i16x8(d, d));
      evens = wasm_i32x4_add(evens, wasm_i32x4_dot_i16x8(e, e));
    }
    uint32_t u = sum32(evens), v = sum32(both) - u;
    for (; x < width; x++) {
      const int du = a[2 * x] - b[2 * x], dv = a[2 * x + 1] - b[2 * x + 1];
      u += du * du, v += dv * dv;
    }
    us += u, vs += v;
  }
  *ssd_u = us, *ssd_v = vs;
}

#define x264_pixel_sad_16x16 simd_sad_16x16
#define x264_pixel_sad_16x8 simd_sad_16x8
#define x264_pixel_sad_8x16 simd_sad_8x16
#define x264_pixel_sad_8x8 simd_sad_8x8
#define x264_pixel_sad_8x4 simd_sad_8x4
#define x264_pixel_sad_4x16 simd_sad_4x16
#define x264_pixel_sad_4x8 simd_sad_4x8
#define x264_pixel_sad_4x4 simd_sad_4x4
#define x264_pixel_ssd_16x16 simd_ssd_16x16
#define x264_pixel_ssd_16x8 simd_ssd_16x8
#define x264_pixel_ssd_8x16 simd_ssd_8x16
#define x264_pixel_ssd_8x8 simd_ssd_8x8
#define x264_pixel_ssd_8x4 simd_ssd_8x4
#define x264_pixel_ssd_4x16 simd_ssd_4x16
#define x264_pixel_ssd_4x8 simd_ssd_4x8
#define x264_pixel_ssd_4x4 simd_ssd_4x4
#define x264_pixel_satd_16x16 simd_satd_16x16
#define x264_pixel_satd_16x8 simd_satd_16x8
#define x264_pixel_satd_8x16 simd_satd_8x16
#define x264_pixel_satd_8x8 simd_satd_8x8
#define x264_pixel_satd_8x4 simd_satd_8x4
#define x264_pixel_satd_4x16 simd_satd_4x16
#define x264_pixel_satd_4x8 simd_satd_4x8
#define x264_pixel_satd_4x4 simd_satd_4x4
#define x264_pixel_sa8d_16x16 simd_sa8d_16x16
#define x264_pixel_sa8d_8x8 simd_sa8d_8x8

/* Registers the functions that x264's own macros do not set. */
static void simd_pixel_init(x264_pixel_function_t *f) {
#define EACH7(name) \
  f->name[PIXEL_16x16] = simd_##name##_16x16, f->name[PIXEL_16x8] = simd_##name##_16x8, f->name[PIXEL_8x16] = simd_##name##_8x16, \
  f->name[PIXEL_8x8] = simd_##name##_8x8, f->name[PIXEL_8x4] = simd_##name##_8x4, f->name[PIXEL_4x8] = simd_##name##_4x8, \
  f->name[PIXEL_4x4] = simd_##name##_4x4
  EACH7(sad_x3);
  EACH7(sad_x4);
#undef EACH7
  f->ssim_4x4x2_core = simd_ssim_4x4x2_core;
  f->ssd_nv12_core = simd_ssd_nv12_core;
  f->var[PIXEL_16x16] = simd_var_16x16;
  f->var[PIXEL_8x16] = simd_var_8x16;
  f->var[PIXEL_8x8] = simd_var_8x8;
}
