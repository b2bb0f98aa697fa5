/* Transforms of residuals: replaces functions of x264's common/dct.c. Coefficients are stored transposed, as in
 * x264. */
#include "simd.h"

/* Returns a row of source minus prediction, 8 or 4 pixels wide. */
INLINE v128_t residual8(const pixel *e, const pixel *d, int row) { return wasm_i16x8_sub(wide8(e + row * FENC_STRIDE), wide8(d + row * FDEC_STRIDE)); }
INLINE v128_t residual4(const pixel *e, const pixel *d, int row) { return wasm_i16x8_sub(wide4(e + row * FENC_STRIDE), wide4(d + row * FDEC_STRIDE)); }

#define DCT4(a, b, c, d)                                                            \
  do {                                                                              \
    const v128_t s03 = wasm_i16x8_add(a, d), s12 = wasm_i16x8_add(b, c);            \
    const v128_t d03 = wasm_i16x8_sub(a, d), d12 = wasm_i16x8_sub(b, c);            \
    (a) = wasm_i16x8_add(s03, s12), (c) = wasm_i16x8_sub(s03, s12);                 \
    (b) = wasm_i16x8_add(wasm_i16x8_add(d03, d03), d12);                            \
    (d) = wasm_i16x8_sub(d03, wasm_i16x8_add(d12, d12));                            \
  } while (0)

static void simd_sub4x4_dct(dctcoef dct[16], pixel *e, pixel *p) {
  v128_t a = residual4(e, p, 0), b = residual4(e, p, 1), c = residual4(e, p, 2), d = residual4(e, p, 3);
  DCT4(a, b, c, d);
  TRANSPOSE_4X4_TWICE(a, b, c, d);
  DCT4(a, b, c, d);
  wasm_v128_store(dct, low64(a, b));
  wasm_v128_store(dct + 8, low64(c, d));
}
/* Transforms two adjacent 4x4 blocks. */
INLINE void sub8x4_dct(dctcoef *left, dctcoef *right, const pixel *e, const pixel *p) {
  v128_t a = residual8(e, p, 0), b = residual8(e, p, 1), c = residual8(e, p, 2), d = residual8(e, p, 3);
  DCT4(a, b, c, d);
  TRANSPOSE_4X4_TWICE(a, b, c, d);
  DCT4(a, b, c, d);
  wasm_v128_store(left, low64(a, b));
  wasm_v128_store(left + 8, low64(c, d));
  wasm_v128_store(right, high64(a, b));
  wasm_v128_store(right + 8, high64(c, d));
}
static void simd_sub8x8_dct(dctcoef dct[4][16], pixel *e, pixel *p) {
  sub8x4_dct(dct[0], dct[1], e, p);
  sub8x4_dct(dct[2], dct[3], e + 4 * FENC_STRIDE, p + 4 * FDEC_STRIDE);
}
static void simd_sub16x16_dct(dctcoef dct[16][16], pixel *e, pixel *p) {
  simd_sub8x8_dct(&dct[0], e, p);
  simd_sub8x8_dct(&dct[4], e + 8, p + 8);
  simd_sub8x8_dct(&dct[8], e + 8 * FENC_STRIDE, p + 8 * FDEC_STRIDE);
  simd_sub8x8_dct(&dct[12], e + 8 * FENC_STRIDE + 8, p + 8 * FDEC_STRIDE + 8);
}

#define IDCT4(a, b, c, d)                                                               \
  do {                                                                                  \
    const v128_t s02 = wasm_i16x8_add(a, c), d02 = wasm_i16x8_sub(a, c);                \
    const v128_t s13 = wasm_i16x8_add(b, wasm_i16x8_shr(d, 1));                         \
    const v128_t d13 = wasm_i16x8_sub(wasm_i16x8_shr(b, 1), d);                         \
    (a) = wasm_i16x8_add(s02, s13), (b) = wasm_i16x8_add(d02, d13);                     \
    (c) = wasm_i16x8_sub(d02, d13), (d) = wasm_i16x8_sub(s02, s13);                     \
  } while (0)

/* Adds (v + 32) >> 6 to 8 pixels. */
INLINE void add_row8(pixel *p, v128_t v) {
  v = wasm_i16x8_shr(wasm_i16x8_add(v, wasm_i16x8_splat(32)), 6);
  v = wasm_i16x8_add(v, wide8(p));
  wasm_v128_store64_lane(p, wasm_u8x16_narrow_i16x8(v, v), 0);
}
INLINE void add_row4(pixel *p, v128_t v) {
  v = wasm_i16x8_shr(wasm_i16x8_add(v, wasm_i16x8_splat(32)), 6);
  v = wasm_i16x8_add(v, wide4(p));
  wasm_v128_store32_lane(p, wasm_u8x16_narrow_i16x8(v, v), 0);
}
static void simd_add4x4_idct(pixel *p, dctcoef dct[16]) {
  const v128_t x = wasm_v128_load(dct), y = wasm_v128_load(dct + 8);
  v128_t a = x, b = high64(x, x), c = y, d = high64(y, y);
  IDCT4(a, b, c, d);
  TRANSPOSE_4X4_TWICE(a, b, c, d);
  IDCT4(a, b, c, d);
  add_row4(p, a), add_row4(p + FDEC_STRIDE, b), add_row4(p + 2 * FDEC_STRIDE, c), add_row4(p + 3 * FDEC_STRIDE, d);
}
INLINE void add8x4_idct(pixel *p, const dctcoef *left, const dctcoef *right) {
  const v128_t w = wasm_v128_load(left), x = wasm_v128_load(left + 8), y = wasm_v128_load(right), z = wasm_v128_load(right + 8);
  v128_t a = low64(w, y), b = high64(w, y), c = low64(x, z), d = high64(x, z);
  IDCT4(a, b, c, d);
  TRANSPOSE_4X4_TWICE(a, b, c, d);
  IDCT4(a, b, c, d);
  add_row8(p, a), add_row8(p + FDEC_STRIDE, b), add_row8(p + 2 * FDEC_STRIDE, c), add_row8(p + 3 * FDEC_STRIDE, d);
}
static void simd_add8x8_idct(pixel *p, dctcoef dct[4][16]) {
  add8x4_idct(p, dct[0], dct[1]);
  add8x4_idct(p + 4 * FDEC_STRIDE, dct[2], dct[3]);
}
static void simd_add16x16_idct(pixel *p, dctcoef dct[16][16]) {
  simd_add8x8_idct(p, &dct[0]);
  simd_add8x8_idct(p + 8, &dct[4]);
  simd_add8x8_idct(p + 8 * FDEC_STRIDE, &dct[8]);
  simd_add8x8_idct(p + 8 * FDEC_STRIDE + 8, &dct[12]);
}

INLINE void dct_8(v128_t v[8]) {
  const v128_t s07 = wasm_i16x8_add(v[0], v[7]), s16 = wasm_i16x8_add(v[1], v[6]), s25 = wasm_i16x8_add(v[2], v[5]), s34 = wasm_i16x8_add(v[3], v[4]);
  const v128_t d07 = wasm_i16x8_sub(v[0], v[7]), d16 = wasm_i16x8_sub(v[1], v[6]), d25 = wasm_i16x8_sub(v[2], v[5]), d34 = wasm_i16x8_sub(v[3], v[4]);
  const v128_t a0 = wasm_i16x8_add(s07, s34), a1 = wasm_i16x8_add(s16, s25), a2 = wasm_i16x8_sub(s07, s34), a3 = wasm_i16x8_sub(s16, s25);
  const v128_t a4 = wasm_i16x8_add(wasm_i16x8_add(d16, d25), wasm_i16x8_add(d07, wasm_i16x8_shr(d07, 1)));
  const v128_t a5 = wasm_i16x8_sub(wasm_i16x8_sub(d07, d34), wasm_i16x8_add(d25, wasm_i16x8_shr(d25, 1)));
  const v128_t a6 = wasm_i16x8_sub(wasm_i16x8_add(d07, d34), wasm_i16x8_add(d16, wasm_i16x8_shr(d16, 1)));
  const v128_t a7 = wasm_i16x8_add(wasm_i16x8_sub(d16, d25), wasm_i16x8_add(d34, wasm_i16x8_shr(d34, 1)));
  v[0] = wasm_i16x8_add(a0, a1), v[4] = wasm_i16x8_sub(a0, a1);
  v[1] = wasm_i16x8_add(a4, wasm_i16x8_shr(a7, 2)), v[7] = wasm_i16x8_sub(wasm_i16x8_shr(a4, 2), a7);
  v[2] = wasm_i16x8_add(a2, wasm_i16x8_shr(a3, 1)), v[6] = wasm_i16x8_sub(wasm_i16x8_shr(a2, 1), a3);
  v[3] = wasm_i16x8_add(a5, wasm_i16x8_shr(a6, 2)), v[5] = wasm_i16x8_sub(a6, wasm_i16x8_shr(a5, 2));
}
static void simd_sub8x8_dct8(dctcoef dct[64], pixel *e, pixel *p) {
  v128_t v[8];
  for (int i = 0; i < 8; i++) v[i] = residual8(e, p, i);
  dct_8(v);
  transpose_8x8(v);
  dct_8(v);
  for (int i = 0; i < 8; i++) wasm_v128_store(dct + 8 * i, v[i]);
}
static void simd_sub16x16_dct8(dctcoef dct[4][64], pixel *e, pixel *p) {
  simd_sub8x8_dct8(dct[0], e, p);
  simd_sub8x8_dct8(dct[1], e + 8, p + 8);
  simd_sub8x8_dct8(dct[2], e + 8 * FENC_STRIDE, p + 8 * FDEC_STRIDE);
  simd_sub8x8_dct8(dct[3], e + 8 * FENC_STRIDE + 8, p + 8 * FDEC_STRIDE + 8);
}

INLINE void idct_8(v128_t v[8]) {
  const v128_t a0 = wasm_i16x8_add(v[0], v[4]), a2 = wasm_i16x8_sub(v[0], v[4]);
  const v128_t a4 = wasm_i16x8_sub(wasm_i16x8_shr(v[2], 1), v[6]), a6 = wasm_i16x8_add(wasm_i16x8_shr(v[6], 1), v[2]);
  const v128_t b0 = wasm_i16x8_add(a0, a6), b2 = wasm_i16x8_add(a2, a4), b4 = wasm_i16x8_sub(a2, a4), b6 = wasm_i16x8_sub(a0, a6);
  const v128_t a1 = wasm_i16x8_sub(wasm_i16x8_sub(v[5], v[3]), wasm_i16x8_add(v[7], wasm_i16x8_shr(v[7], 1)));
  const v128_t a3 = wasm_i16x8_sub(wasm_i16x8_add(v[1], v[7]), wasm_i16x8_add(v[3], wasm_i16x8_shr(v[3], 1)));
  const v128_t a5 = wasm_i16x8_add(wasm_i16x8_sub(v[7], v[1]), wasm_i16x8_add(v[5], wasm_i16x8_shr(v[5], 1)));
  const v128_t a7 = wasm_i16x8_add(wasm_i16x8_add(v[3], v[5]), wasm_i16x8_add(v[1], wasm_i16x8_shr(v[1], 1)));
  const v128_t b1 = wasm_i16x8_add(wasm_i16x8_shr(a7, 2), a1), b3 = wasm_i16x8_add(a3, wasm_i16x8_shr(a5, 2));
  const v128_t b5 = wasm_i16x8_sub(wasm_i16x8_shr(a3, 2), a5), b7 = wasm_i16x8_sub(a7, wasm_i16x8_shr(a1, 2));
  v[0] = wasm_i16x8_add(b0, b7), v[7] = wasm_i16x8_sub(b0, b7);
  v[1] = wasm_i16x8_add(b2, b5), v[6] = wasm_i16x8_sub(b2, b5);
  v[2] = wasm_i16x8_add(b4, b3), v[5] = wasm_i16x8_sub(b4, b3);
  v[3] = wasm_i16x8_add(b6, b1), v[4] = wasm_i16x8_sub(b6, b1);
}
static void simd_add8x8_idct8(pixel *p, dctcoef dct[64]) {
  v128_t v[8];
  for (int i = 0; i < 8; i++) v[i] = wasm_v128_load(dct + 8 * i);
  idct_8(v);
  transpose_8x8(v);
  idct_8(v);
  for (int i = 0; i < 8; i++) add_row8(p + i * FDEC_STRIDE, v[i]);
}
static void simd_add16x16_idct8(pixel *p, dctcoef dct[4][64]) {
  simd_add8x8_idct8(p, dct[0]);
  simd_add8x8_idct8(p + 8, dct[1]);
  simd_add8x8_idct8(p + 8 * FDEC_STRIDE, dct[2]);
  simd_add8x8_idct8(p + 8 * FDEC_STRIDE + 8, dct[3]);
}

/* `v` has one value for each pixel of a row of 8 or 16. */
INLINE void add_flat8(pixel *p, v128_t v) {
  for (int y = 0; y < 4; y++, p += FDEC_STRIDE) {
    const v128_t sum = wasm_i16x8_add(v, wide8(p));
    wasm_v128_store64_lane(p, wasm_u8x16_narrow_i16x8(sum, sum), 0);
  }
}
INLINE v128_t flat_pair(int left, int right) {
  return wasm_i16x8_shr(wasm_i16x8_add(low64(wasm_i16x8_splat(left), wasm_i16x8_splat(right)), wasm_i16x8_splat(32)), 6);
}
static void simd_add8x8_idct_dc(pixel *p, dctcoef dct[4]) {
  add_flat8(p, flat_pair(dct[0], dct[1]));
  add_flat8(p + 4 * FDEC_STRIDE, flat_pair(dct[2], dct[3]));
}
static void simd_add16x16_idct_dc(pixel *p, dctcoef dct[16]) {
  for (int i = 0; i < 16; i += 4, p += 4 * FDEC_STRIDE) {
    add_flat8(p, flat_pair(dct[i], dct[i + 1]));
    add_flat8(p + 8, flat_pair(dct[i + 2], dct[i + 3]));
  }
}

static void simd_dct_init(x264_dct_function_t *f) {
  f->sub4x4_dct = simd_sub4x4_dct;
  f->sub8x8_dct = simd_sub8x8_dct;
  f->sub16x16_dct = simd_sub16x16_dct;
  f->add4x4_idct = simd_add4x4_idct;
  f->add8x8_idct = simd_add8x8_idct;
  f->add16x16_idct = simd_add16x16_idct;
  f->sub8x8_dct8 = simd_sub8x8_dct8;
  f->sub16x16_dct8 = simd_sub16x16_dct8;
  f->add8x8_idct8 = simd_add8x8_idct8;
  f->add16x16_idct8 = simd_add16x16_idct8;
  f->add8x8_idct_dc = simd_add8x8_idct_dc;
  f->add16x16_idct_dc = simd_add16x16_idct_dc;
}
