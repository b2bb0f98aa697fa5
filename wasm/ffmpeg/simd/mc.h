/* Motion compensation and picture filters: replaces functions of x264's common/mc.c. */
#include "simd.h"

INLINE void average_rows(pixel *d, intptr_t sd, const pixel *a, intptr_t sa, const pixel *b, intptr_t sb, int width, int height) {
  if (width == 16)
    for (int y = 0; y < height; y++, d += sd, a += sa, b += sb) wasm_v128_store(d, wasm_u8x16_avgr(load16(a), load16(b)));
  else if (width == 8)
    for (int y = 0; y < height; y++, d += sd, a += sa, b += sb) wasm_v128_store64_lane(d, wasm_u8x16_avgr(load8(a), load8(b)), 0);
  else if (width == 4)
    for (int y = 0; y < height; y++, d += sd, a += sa, b += sb) wasm_v128_store32_lane(d, wasm_u8x16_avgr(load4(a), load4(b)), 0);
  else
    pixel_avg(d, sd, (pixel *)a, sa, (pixel *)b, sb, width, height);
}

/* Returns (a w + b v + 32) >> 6 for 8 pixels; v is 64 - w. */
INLINE v128_t weighted8(v128_t a, v128_t b, v128_t w, v128_t v) {
  return wasm_i16x8_shr(wasm_i16x8_add(wasm_i16x8_add(wasm_i16x8_mul(a, w), wasm_i16x8_mul(b, v)), wasm_i16x8_splat(32)), 6);
}
#define AVERAGE_SIMD(width, height)                                                                                                      \
  static void simd_avg_##width##x##height(pixel *d, intptr_t sd, pixel *a, intptr_t sa, pixel *b, intptr_t sb, int weight) {           \
    if (weight == 32) return average_rows(d, sd, a, sa, b, sb, width, height);                                                            \
    const v128_t w = wasm_i16x8_splat(weight), v = wasm_i16x8_splat(64 - weight);                                                         \
    for (int y = 0; y < height; y++, d += sd, a += sa, b += sb) {                                                                         \
      if (width == 16) {                                                                                                                  \
        const v128_t p = weighted8(wide8(a), wide8(b), w, v), q = weighted8(wide8(a + 8), wide8(b + 8), w, v);                            \
        wasm_v128_store(d, wasm_u8x16_narrow_i16x8(p, q));                                                                                \
      } else if (width == 8) {                                                                                                            \
        const v128_t p = weighted8(wide8(a), wide8(b), w, v);                                                                             \
        wasm_v128_store64_lane(d, wasm_u8x16_narrow_i16x8(p, p), 0);                                                                      \
      } else {                                                                                                                            \
        const v128_t p = weighted8(wide4(a), wide4(b), w, v);                                                                             \
        wasm_v128_store32_lane(d, wasm_u8x16_narrow_i16x8(p, p), 0);                                                                      \
      }                                                                                                                                   \
    }                                                                                                                                     \
  }
AVERAGE_SIMD(16, 16)
AVERAGE_SIMD(16, 8)
AVERAGE_SIMD(8, 16)
AVERAGE_SIMD(8, 8)
AVERAGE_SIMD(8, 4)
AVERAGE_SIMD(4, 16)
AVERAGE_SIMD(4, 8)
AVERAGE_SIMD(4, 4)
AVERAGE_SIMD(4, 2)

/* Like x264's `mc_luma` and `get_ref`: quarter-pixel positions are averages of two of the four half-pixel planes. */
static void simd_mc_luma(pixel *d, intptr_t sd, pixel *src[4], intptr_t s, int mvx, int mvy, int width, int height, const x264_weight_t *weight) {
  const int place = ((mvy & 3) << 2) + (mvx & 3);
  const intptr_t offset = (mvy >> 2) * s + (mvx >> 2);
  pixel *a = src[x264_hpel_ref0[place]] + offset + ((mvy & 3) == 3) * s;
  if (place & 5) {
    average_rows(d, sd, a, s, src[x264_hpel_ref1[place]] + offset + ((mvx & 3) == 3), s, width, height);
    if (weight->weightfn) mc_weight(d, sd, d, sd, weight, width, height);
  } else if (weight->weightfn)
    mc_weight(d, sd, a, s, weight, width, height);
  else if (width == 16)
    for (int y = 0; y < height; y++, d += sd, a += s) wasm_v128_store(d, load16(a));
  else if (width == 8)
    for (int y = 0; y < height; y++, d += sd, a += s) wasm_v128_store64_lane(d, load8(a), 0);
  else
    mc_copy(a, s, d, sd, width, height);
}
static pixel *simd_get_ref(pixel *d, intptr_t *sd, pixel *src[4], intptr_t s, int mvx, int mvy, int width, int height, const x264_weight_t *weight) {
  const int place = ((mvy & 3) << 2) + (mvx & 3);
  const intptr_t offset = (mvy >> 2) * s + (mvx >> 2);
  pixel *a = src[x264_hpel_ref0[place]] + offset + ((mvy & 3) == 3) * s;
  if (place & 5) {
    average_rows(d, *sd, a, s, src[x264_hpel_ref1[place]] + offset + ((mvx & 3) == 3), s, width, height);
    if (weight->weightfn) mc_weight(d, *sd, d, *sd, weight, width, height);
    return d;
  }
  if (weight->weightfn) {
    mc_weight(d, *sd, a, s, weight, width, height);
    return d;
  }
  *sd = s;
  return a;
}

/* Interpolates interleaved U and V at 1/8 pixel: horizontally first, then vertically. */
INLINE v128_t chroma_across(v128_t a, v128_t b, int dx) {
  return wasm_i16x8_add(wasm_i16x8_mul(a, wasm_i16x8_splat(8 - dx)), wasm_i16x8_mul(b, wasm_i16x8_splat(dx)));
}
INLINE v128_t chroma_down(v128_t above, v128_t below, int dy) {
  const v128_t sum = wasm_i16x8_add(wasm_i16x8_mul(above, wasm_i16x8_splat(8 - dy)), wasm_i16x8_mul(below, wasm_i16x8_splat(dy)));
  return wasm_u16x8_shr(wasm_i16x8_add(sum, wasm_i16x8_splat(32)), 6);
}
static void simd_mc_chroma(pixel *u, pixel *v, intptr_t sd, pixel *src, intptr_t s, int mvx, int mvy, int width, int height) {
  const int dx = mvx & 7, dy = mvy & 7;
  src += (mvy >> 3) * s + (mvx >> 3) * 2;
  if (width == 8) {
    v128_t left = chroma_across(wide8(src), wide8(src + 2), dx), right = chroma_across(wide8(src + 8), wide8(src + 10), dx);
    for (int y = 0; y < height; y++, u += sd, v += sd) {
      src += s;
      const v128_t l = chroma_across(wide8(src), wide8(src + 2), dx), r = chroma_across(wide8(src + 8), wide8(src + 10), dx);
      const v128_t both = wasm_u8x16_narrow_i16x8(chroma_down(left, l, dy), chroma_down(right, r, dy));
      const v128_t apart = wasm_i8x16_shuffle(both, both, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
      wasm_v128_store64_lane(u, apart, 0);
      wasm_v128_store64_lane(v, apart, 1);
      left = l, right = r;
    }
  } else if (width == 4) {
    v128_t row = chroma_across(wide8(src), wide8(src + 2), dx);
    for (int y = 0; y < height; y++, u += sd, v += sd) {
      src += s;
      const v128_t next = chroma_across(wide8(src), wide8(src + 2), dx);
      const v128_t sum = chroma_down(row, next, dy), both = wasm_u8x16_narrow_i16x8(sum, sum);
      const v128_t apart = wasm_i8x16_shuffle(both, both, 0, 2, 4, 6, 1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7);
      wasm_v128_store32_lane(u, apart, 0);
      wasm_v128_store32_lane(v, apart, 1);
      row = next;
    }
  } else
    mc_chroma(u, v, sd, src - (mvy >> 3) * s - (mvx >> 3) * 2, s, mvx, mvy, width, height);
}

/* Half-pixel planes by the 6-tap filter 1 -5 20 20 -5 1: horizontal (h), vertical (v) and both (c). */
INLINE v128_t six_taps(v128_t a, v128_t b, v128_t c, v128_t d, v128_t e, v128_t f) {
  const v128_t outer = wasm_i16x8_add(a, f), middle = wasm_i16x8_add(b, e), inner = wasm_i16x8_add(c, d);
  return wasm_i16x8_add(outer, wasm_i16x8_sub(wasm_i16x8_mul(inner, wasm_i16x8_splat(20)), wasm_i16x8_mul(middle, wasm_i16x8_splat(5))));
}
INLINE v128_t six_taps_8(const pixel *p, intptr_t step) {
  return six_taps(wide8(p - 2 * step), wide8(p - step), wide8(p), wide8(p + step), wide8(p + 2 * step), wide8(p + 3 * step));
}
INLINE v128_t shift5(v128_t v) { return wasm_i16x8_shr(wasm_i16x8_add(v, wasm_i16x8_splat(16)), 5); }
INLINE v128_t six_taps_wide(const int16_t *b) {
  const v128_t outer = wasm_i16x8_make(1, -5, 1, -5, 1, -5, 1, -5), inner = wasm_i16x8_splat(20), last = wasm_i16x8_make(-5, 1, -5, 1, -5, 1, -5, 1);
  const v128_t p = wasm_v128_load(b - 2), q = wasm_v128_load(b - 1), r = wasm_v128_load(b), s = wasm_v128_load(b + 1), t = wasm_v128_load(b + 2),
               u = wasm_v128_load(b + 3);
  v128_t low = wasm_i32x4_dot_i16x8(low16(p, q), outer), high = wasm_i32x4_dot_i16x8(high16(p, q), outer);
  low = wasm_i32x4_add(low, wasm_i32x4_add(wasm_i32x4_dot_i16x8(low16(r, s), inner), wasm_i32x4_dot_i16x8(low16(t, u), last)));
  high = wasm_i32x4_add(high, wasm_i32x4_add(wasm_i32x4_dot_i16x8(high16(r, s), inner), wasm_i32x4_dot_i16x8(high16(t, u), last)));
  const v128_t half = wasm_i32x4_splat(512);
  return wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(wasm_i32x4_add(low, half), 10), wasm_i32x4_shr(wasm_i32x4_add(high, half), 10));
}
/* `buf` holds a row of vertical sums, plus five. */
static void simd_hpel_filter(pixel *h, pixel *v, pixel *c, pixel *src, intptr_t stride, int width, int height, int16_t *buf) {
  for (int y = 0; y < height; y++, h += stride, v += stride, c += stride, src += stride) {
    int x = -2;
    for (; x + 8 <= width + 3; x += 8) {
      const v128_t sum = six_taps_8(src + x, stride), out = shift5(sum);
      wasm_v128_store(buf + 2 + x, sum);
      wasm_v128_store64_lane(v + x, wasm_u8x16_narrow_i16x8(out, out), 0);
    }
    for (; x < width + 3; x++) {
      const int sum = TAPFILTER(src, stride);
      v[x] = x264_clip_pixel((sum + 16) >> 5);
      buf[x + 2] = sum;
    }
    for (x = 0; x + 8 <= width; x += 8) {
      const v128_t out = six_taps_wide(buf + 2 + x), across = shift5(six_taps_8(src + x, 1));
      wasm_v128_store64_lane(c + x, wasm_u8x16_narrow_i16x8(out, out), 0);
      wasm_v128_store64_lane(h + x, wasm_u8x16_narrow_i16x8(across, across), 0);
    }
    for (; x < width; x++) {
      c[x] = x264_clip_pixel((TAPFILTER(buf + 2, 1) + 512) >> 10);
      h[x] = x264_clip_pixel((TAPFILTER(src, 1) + 16) >> 5);
    }
  }
}

INLINE v128_t evens(v128_t a, v128_t b) {
  const v128_t low = wasm_i16x8_splat(255);
  return wasm_u8x16_narrow_i16x8(wasm_v128_and(a, low), wasm_v128_and(b, low));
}
INLINE v128_t odds(v128_t a, v128_t b) { return wasm_u8x16_narrow_i16x8(wasm_u16x8_shr(a, 8), wasm_u16x8_shr(b, 8)); }
/* Computes the four half-size planes for x264's look-ahead. Rows are padded, so that whole vectors of 16 can be
 * written. */
static void simd_frame_init_lowres_core(pixel *src, pixel *d, pixel *h, pixel *v, pixel *c, intptr_t stride, intptr_t low_stride, int width, int height) {
  for (int y = 0; y < height; y++, src += 2 * stride, d += low_stride, h += low_stride, v += low_stride, c += low_stride)
    for (int x = 0; x < width; x += 16) {
      const pixel *p = src + 2 * x, *q = p + stride, *r = q + stride;
      const v128_t a = wasm_u8x16_avgr(load16(p), load16(q)), b = wasm_u8x16_avgr(load16(p + 16), load16(q + 16));
      const v128_t e = wasm_u8x16_avgr(load16(q), load16(r)), f = wasm_u8x16_avgr(load16(q + 16), load16(r + 16));
      const v128_t a2 = wasm_u8x16_avgr(load16(p + 2), load16(q + 2)), b2 = wasm_u8x16_avgr(load16(p + 18), load16(q + 18));
      const v128_t e2 = wasm_u8x16_avgr(load16(q + 2), load16(r + 2)), f2 = wasm_u8x16_avgr(load16(q + 18), load16(r + 18));
      wasm_v128_store(d + x, wasm_u8x16_avgr(evens(a, b), odds(a, b)));
      wasm_v128_store(h + x, wasm_u8x16_avgr(odds(a, b), evens(a2, b2)));
      wasm_v128_store(v + x, wasm_u8x16_avgr(evens(e, f), odds(e, f)));
      wasm_v128_store(c + x, wasm_u8x16_avgr(odds(e, f), evens(e2, f2)));
    }
}

static void simd_store_interleave_chroma(pixel *d, intptr_t sd, pixel *u, pixel *v, int height) {
  for (int y = 0; y < height; y++, d += sd, u += FDEC_STRIDE, v += FDEC_STRIDE) wasm_v128_store(d, low8(load8(u), load8(v)));
}
INLINE void deinterleave_chroma(pixel *u, pixel *v, intptr_t sd, const pixel *src, intptr_t s, int height) {
  for (int y = 0; y < height; y++, u += sd, v += sd, src += s) {
    const v128_t both = load16(src), apart = wasm_i8x16_shuffle(both, both, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    wasm_v128_store64_lane(u, apart, 0);
    wasm_v128_store64_lane(v, apart, 1);
  }
}
static void simd_load_deinterleave_chroma_fenc(pixel *d, pixel *src, intptr_t s, int height) {
  deinterleave_chroma(d, d + FENC_STRIDE / 2, FENC_STRIDE, src, s, height);
}
static void simd_load_deinterleave_chroma_fdec(pixel *d, pixel *src, intptr_t s, int height) {
  deinterleave_chroma(d, d + FDEC_STRIDE / 2, FDEC_STRIDE, src, s, height);
}

static void simd_mc_init(x264_mc_functions_t *f) {
  f->mc_luma = simd_mc_luma;
  f->get_ref = simd_get_ref;
  f->mc_chroma = simd_mc_chroma;
  f->hpel_filter = simd_hpel_filter;
  f->frame_init_lowres_core = simd_frame_init_lowres_core;
  f->store_interleave_chroma = simd_store_interleave_chroma;
  f->load_deinterleave_chroma_fenc = simd_load_deinterleave_chroma_fenc;
  f->load_deinterleave_chroma_fdec = simd_load_deinterleave_chroma_fdec;
  f->avg[PIXEL_16x16] = simd_avg_16x16;
  f->avg[PIXEL_16x8] = simd_avg_16x8;
  f->avg[PIXEL_8x16] = simd_avg_8x16;
  f->avg[PIXEL_8x8] = simd_avg_8x8;
  f->avg[PIXEL_8x4] = simd_avg_8x4;
  f->avg[PIXEL_4x16] = simd_avg_4x16;
  f->avg[PIXEL_4x8] = simd_avg_4x8;
  f->avg[PIXEL_4x4] = simd_avg_4x4;
  f->avg[PIXEL_4x2] = simd_avg_4x2;
}
