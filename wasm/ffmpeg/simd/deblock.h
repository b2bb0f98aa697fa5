/* Deblocking filter (ITU-T H.264, 8.7): replaces functions of x264's common/deblock.c. Filters 16 pixels of an edge at
 * a time. */
#include "simd.h"

INLINE v128_t apart(v128_t a, v128_t b) { return wasm_v128_or(wasm_u8x16_sub_sat(a, b), wasm_u8x16_sub_sat(b, a)); }
INLINE v128_t below(v128_t a, v128_t limit) { return wasm_u8x16_lt(a, limit); }
/* Returns (a + b) >> 1 for 16 bytes. */
INLINE v128_t floor_average(v128_t a, v128_t b) {
  return wasm_i8x16_sub(wasm_u8x16_avgr(a, b), wasm_v128_and(wasm_v128_xor(a, b), wasm_i8x16_splat(1)));
}

/* Filters luma edges with bS < 4: pixels p2 p1 p0 | q0 q1 q2, clipped by tc0 (one per 4 pixels; negative: not
 * filtered). */
INLINE void filter_luma(v128_t *pp1, v128_t *pp0, v128_t *qq0, v128_t *qq1, v128_t p2, v128_t q2, int alpha, int beta, const int8_t *tc0) {
  const v128_t p1 = *pp1, p0 = *pp0, q0 = *qq0, q1 = *qq1;
  const v128_t a = wasm_i8x16_splat(alpha), b = wasm_i8x16_splat(beta);
  const v128_t four = wasm_v128_load32_splat(tc0);
  const v128_t t = wasm_i8x16_shuffle(four, four, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  v128_t on = wasm_v128_and(below(apart(p0, q0), a), wasm_v128_and(below(apart(p1, p0), b), below(apart(q1, q0), b)));
  on = wasm_v128_and(on, wasm_i8x16_ge(t, wasm_i8x16_splat(0)));
  const v128_t tc0s = wasm_v128_and(t, on);
  const v128_t near_p = wasm_v128_and(on, below(apart(p2, p0), b)), near_q = wasm_v128_and(on, below(apart(q2, q0), b));
  const v128_t middle = wasm_u8x16_avgr(p0, q0);
  const v128_t tp = wasm_v128_and(tc0s, near_p), tq = wasm_v128_and(tc0s, near_q);
  /* p1' = p1 + clip(((p2 + avg) >> 1) - p1): the average, limited to p1 ± tc0. */
  *pp1 = wasm_u8x16_min(wasm_u8x16_max(floor_average(p2, middle), wasm_u8x16_sub_sat(p1, tp)), wasm_u8x16_add_sat(p1, tp));
  *qq1 = wasm_u8x16_min(wasm_u8x16_max(floor_average(q2, middle), wasm_u8x16_sub_sat(q1, tq)), wasm_u8x16_add_sat(q1, tq));
  const v128_t tc = wasm_i8x16_sub(wasm_i8x16_sub(tc0s, near_p), near_q);
  /* The masks are -1, so that subtracting both adds up to 2 to tc0. Outside `on`, tc is zero. */
  v128_t delta[2];
  for (int half = 0; half < 2; half++) {
#define HALF(v) (half ? wasm_u16x8_extend_high_u8x16(v) : wasm_u16x8_extend_low_u8x16(v))
    const v128_t limit = HALF(tc);
    v128_t d = wasm_i16x8_shl(wasm_i16x8_sub(HALF(q0), HALF(p0)), 2);
    d = wasm_i16x8_add(wasm_i16x8_add(d, wasm_i16x8_sub(HALF(p1), HALF(q1))), wasm_i16x8_splat(4));
    d = wasm_i16x8_shr(d, 3);
    delta[half] = wasm_i16x8_max(wasm_i16x8_min(d, limit), wasm_i16x8_neg(limit));
#undef HALF
  }
  *pp0 = wasm_u8x16_narrow_i16x8(wasm_i16x8_add(wasm_u16x8_extend_low_u8x16(p0), delta[0]), wasm_i16x8_add(wasm_u16x8_extend_high_u8x16(p0), delta[1]));
  *qq0 = wasm_u8x16_narrow_i16x8(wasm_i16x8_sub(wasm_u16x8_extend_low_u8x16(q0), delta[0]), wasm_i16x8_sub(wasm_u16x8_extend_high_u8x16(q0), delta[1]));
}

static void simd_deblock_v_luma(pixel *pix, intptr_t s, int alpha, int beta, int8_t *tc0) {
  v128_t p1 = load16(pix - 2 * s), p0 = load16(pix - s), q0 = load16(pix), q1 = load16(pix + s);
  filter_luma(&p1, &p0, &q0, &q1, load16(pix - 3 * s), load16(pix + 2 * s), alpha, beta, tc0);
  wasm_v128_store(pix - 2 * s, p1), wasm_v128_store(pix - s, p0), wasm_v128_store(pix, q0), wasm_v128_store(pix + s, q1);
}

/* Transposes 16 rows of 8 pixels into 8 vectors of 16. */
INLINE void columns_8x16(v128_t out[8], const pixel *p, intptr_t s) {
  v128_t a[8], b[8], c[8];
  /* a[i]: rows i and i + 8 of the block */
  for (int i = 0; i < 8; i++) a[i] = low8(load8(p + i * s), load8(p + (i + 8) * s));
  for (int i = 0; i < 4; i++) b[2 * i] = low8(a[i], a[i + 4]), b[2 * i + 1] = high8(a[i], a[i + 4]);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) c[4 * i + 2 * k] = low8(b[2 * i + k], b[2 * i + 4 + k]), c[4 * i + 2 * k + 1] = high8(b[2 * i + k], b[2 * i + 4 + k]);
  for (int k = 0; k < 4; k++) out[2 * k] = low8(c[k], c[4 + k]), out[2 * k + 1] = high8(c[k], c[4 + k]);
}
static void simd_deblock_h_luma(pixel *pix, intptr_t s, int alpha, int beta, int8_t *tc0) {
  v128_t v[8];
  columns_8x16(v, pix - 4, s);
  filter_luma(&v[2], &v[3], &v[4], &v[5], v[1], v[6], alpha, beta, tc0);
  /* Transposes p1 p0 q0 q1 back to rows of 4. */
  const v128_t a = low8(v[2], v[3]), b = high8(v[2], v[3]), c = low8(v[4], v[5]), d = high8(v[4], v[5]);
  const v128_t rows[4] = {low16(a, c), high16(a, c), low16(b, d), high16(b, d)};
  for (int i = 0; i < 4; i++) {
    pixel *at = pix - 2 + 4 * i * s;
    wasm_v128_store32_lane(at, rows[i], 0);
    wasm_v128_store32_lane(at + s, rows[i], 1);
    wasm_v128_store32_lane(at + 2 * s, rows[i], 2);
    wasm_v128_store32_lane(at + 3 * s, rows[i], 3);
  }
}

static void simd_deblock_init(x264_deblock_function_t *f) {
  f->deblock_luma[1] = simd_deblock_v_luma;
  f->deblock_luma[0] = simd_deblock_h_luma;
}
