#include "fast_rows.h"

#include <stdbool.h>
#include <string.h>
#include <wasm_simd128.h>

#include "jdct.h"
#include "jdsample.h"
#include "jpegcomp.h"

/* ---- inverse DCT (jidctint.c): Loeffler, Ligtenberg, Moschytz with 13 bits of fraction ---- */

#define FRACTION 13
#define PASS_BITS 2

static inline v128_t plus(v128_t a, v128_t b) { return wasm_i32x4_add(a, b); }
static inline v128_t minus(v128_t a, v128_t b) { return wasm_i32x4_sub(a, b); }
static inline v128_t times(v128_t a, int factor) { return wasm_i32x4_mul(a, wasm_i32x4_splat(factor)); }
static inline v128_t descaled(v128_t a, int bits) {
  return wasm_i32x4_shr(plus(a, wasm_i32x4_splat(1 << (bits - 1))), bits);
}

/* Transforms four columns of eight values. */
static inline void transform(v128_t v[8], int bits) {
  const v128_t z1 = times(plus(v[2], v[6]), 4433);
  const v128_t low = plus(z1, times(v[6], -15137)), high = plus(z1, times(v[2], 6270));
  const v128_t sum = wasm_i32x4_shl(plus(v[0], v[4]), FRACTION), rest = wasm_i32x4_shl(minus(v[0], v[4]), FRACTION);
  const v128_t even[4] = {plus(sum, high), plus(rest, low), minus(rest, low), minus(sum, high)};
  const v128_t z5 = times(plus(plus(v[7], v[3]), plus(v[5], v[1])), 9633);
  const v128_t outer = times(plus(v[7], v[1]), -7373), inner = times(plus(v[5], v[3]), -20995);
  const v128_t z3 = plus(times(plus(v[7], v[3]), -16069), z5), z4 = plus(times(plus(v[5], v[1]), -3196), z5);
  const v128_t odd[4] = {plus(times(v[1], 12299), plus(outer, z4)), plus(times(v[3], 25172), plus(inner, z3)),
                         plus(times(v[5], 16819), plus(inner, z4)), plus(times(v[7], 2446), plus(outer, z3))};
  for (int k = 0; k < 4; k++) {
    v[k] = descaled(plus(even[k], odd[k]), bits);
    v[7 - k] = descaled(minus(even[k], odd[k]), bits);
  }
}

static inline void transpose_four(v128_t v[4]) {
  const v128_t a = wasm_i32x4_shuffle(v[0], v[1], 0, 4, 1, 5), b = wasm_i32x4_shuffle(v[2], v[3], 0, 4, 1, 5);
  const v128_t c = wasm_i32x4_shuffle(v[0], v[1], 2, 6, 3, 7), d = wasm_i32x4_shuffle(v[2], v[3], 2, 6, 3, 7);
  v[0] = wasm_i64x2_shuffle(a, b, 0, 2), v[1] = wasm_i64x2_shuffle(a, b, 1, 3);
  v[2] = wasm_i64x2_shuffle(c, d, 0, 2), v[3] = wasm_i64x2_shuffle(c, d, 1, 3);
}

/* Returns samples as libjpeg's range_limit does: values wrap at ten bits, then they are limited. */
static inline v128_t limited(v128_t v) {
  return plus(wasm_i32x4_shr(wasm_i32x4_shl(v, 22), 22), wasm_i32x4_splat(CENTERJSAMPLE));
}

static void inverse_dct_exact(j_decompress_ptr decoder, jpeg_component_info *component, JCOEFPTR block, JSAMPARRAY out,
                              JDIMENSION column) {
  (void)decoder;
  const ISLOW_MULT_TYPE *step = component->dct_table;
  v128_t half[2][8], any = wasm_i16x8_replace_lane(wasm_v128_load(block), 0, 0);
  for (int u = 1; u < 8; u++) any = wasm_v128_or(any, wasm_v128_load(block + u * 8));
  if (!wasm_v128_any_true(any)) {
    const v128_t sample = limited(wasm_i32x4_splat(((block[0] * step[0] << PASS_BITS) + 16) >> 5));
    const v128_t words = wasm_i16x8_narrow_i32x4(sample, sample);
    for (int y = 0; y < 8; y++) wasm_v128_store64_lane(out[y] + column, wasm_u8x16_narrow_i16x8(words, words), 0);
    return;
  }
  for (int h = 0; h < 2; h++) {
    for (int u = 0; u < 8; u++)
      half[h][u] = wasm_i32x4_mul(wasm_i32x4_load16x4(block + u * 8 + h * 4), wasm_v128_load(step + u * 8 + h * 4));
    transform(half[h], FRACTION - PASS_BITS);
    transpose_four(half[h]), transpose_four(half[h] + 4);
  }
  for (int g = 0; g < 2; g++) {
    v128_t v[8];
    for (int k = 0; k < 8; k++) v[k] = half[k / 4][4 * g + k % 4];
    transform(v, FRACTION + PASS_BITS + 3);
    for (int k = 0; k < 8; k++) v[k] = limited(v[k]);
    transpose_four(v), transpose_four(v + 4);
    for (int y = 0; y < 4; y++) {
      const v128_t words = wasm_i16x8_narrow_i32x4(v[y], v[y + 4]);
      wasm_v128_store64_lane(out[4 * g + y] + column, wasm_u8x16_narrow_i16x8(words, words), 0);
    }
  }
}

/* ---- chroma doubled in both directions (jdsample.c, h2v2_fancy_upsample) ---- */

#define PART 256 /* samples that are doubled at a time */

/* Doubles `count` samples. `sums`: those of both rows, with one neighbour on each side. */
static void double_part(const int16_t *sums, JSAMPROW out, uint32_t count) {
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const v128_t here = wasm_v128_load(sums + i + 1), three = wasm_i16x8_add(here, wasm_i16x8_add(here, here));
    const v128_t left = wasm_i16x8_add(wasm_i16x8_add(three, wasm_v128_load(sums + i)), wasm_i16x8_splat(8));
    const v128_t right = wasm_i16x8_add(wasm_i16x8_add(three, wasm_v128_load(sums + i + 2)), wasm_i16x8_splat(7));
    wasm_v128_store(out + 2 * i, wasm_v128_or(wasm_u16x8_shr(left, 4), wasm_i16x8_shl(wasm_u16x8_shr(right, 4), 8)));
  }
  for (; i < count; i++) {
    out[2 * i] = (3 * sums[i + 1] + sums[i] + 8) >> 4;
    out[2 * i + 1] = (3 * sums[i + 1] + sums[i + 2] + 7) >> 4;
  }
}

static void double_row(const JSAMPLE *near, const JSAMPLE *far, JSAMPROW out, uint32_t width) {
  int16_t sums[PART + 2];
  for (uint32_t from = 0; from < width; from += PART) {
    const uint32_t count = width - from < PART ? width - from : PART;
    for (uint32_t i = 0; i < count; i++) sums[i + 1] = 3 * near[from + i] + far[from + i];
    const uint32_t before = from ? from - 1 : 0, after = from + count < width ? from + count : width - 1;
    sums[0] = 3 * near[before] + far[before];
    sums[count + 1] = 3 * near[after] + far[after];
    double_part(sums, out + 2 * from, count);
  }
}

static void double_rows(j_decompress_ptr decoder, jpeg_component_info *component, JSAMPARRAY from, JSAMPARRAY *to) {
  for (int row = 0; row < decoder->max_v_samp_factor; row++)
    double_row(from[row / 2], row & 1 ? from[row / 2 + 1] : from[row / 2 - 1], (*to)[row],
               component->downsampled_width);
}

/* ---- RGB (jdcolor.c) ---- */

/* Returns the products of `value` and `other` with pairs of factors, added and divided by 65536, rounded. */
static inline v128_t part_of(v128_t value, v128_t other, v128_t factors) {
  const v128_t low = wasm_i32x4_dot_i16x8(wasm_i16x8_shuffle(value, other, 0, 8, 1, 9, 2, 10, 3, 11), factors);
  const v128_t high = wasm_i32x4_dot_i16x8(wasm_i16x8_shuffle(value, other, 4, 12, 5, 13, 6, 14, 7, 15), factors);
  return wasm_i16x8_narrow_i32x4(descaled(low, 16), descaled(high, 16));
}

/* Converts eight pixels to words of red, green and blue. Factors beyond 16 bits are split: 1.402 is 1 + 0.402. */
static inline void eight_to_rgb(v128_t y, v128_t cb, v128_t cr, v128_t rgb[3]) {
  const v128_t zero = wasm_i32x4_splat(0);
  cb = wasm_i16x8_sub(cb, wasm_i16x8_splat(128)), cr = wasm_i16x8_sub(cr, wasm_i16x8_splat(128));
  rgb[0] = wasm_i16x8_add(wasm_i16x8_add(y, cr), part_of(cr, zero, wasm_i32x4_splat(26345)));
  const v128_t green = part_of(cb, cr, wasm_i32x4_splat((int)(18734u << 16 | (-22554 & 0xffff))));
  rgb[1] = wasm_i16x8_add(wasm_i16x8_sub(y, cr), green);
  const v128_t blue = part_of(cb, zero, wasm_i32x4_splat(-14942 & 0xffff));
  rgb[2] = wasm_i16x8_add(wasm_i16x8_add(y, wasm_i16x8_add(cb, cb)), blue);
}

/* Converts sixteen pixels. */
static inline void sixteen_to_rgb(const JSAMPLE *y, const JSAMPLE *cb, const JSAMPLE *cr, JSAMPROW out) {
  v128_t words[2][3], c[3];
  for (int h = 0; h < 2; h++)
    eight_to_rgb(wasm_u16x8_load8x8(y + 8 * h), wasm_u16x8_load8x8(cb + 8 * h), wasm_u16x8_load8x8(cr + 8 * h),
                 words[h]);
  for (int i = 0; i < 3; i++) c[i] = wasm_u8x16_narrow_i16x8(words[0][i], words[1][i]);
  /* Pairs of red and green, then blue in between. */
  const v128_t rg[2] = {wasm_i8x16_shuffle(c[0], c[1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
                        wasm_i8x16_shuffle(c[0], c[1], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)};
  wasm_v128_store(out, wasm_i8x16_shuffle(rg[0], c[2], 0, 1, 16, 2, 3, 17, 4, 5, 18, 6, 7, 19, 8, 9, 20, 10));
  const v128_t middle = wasm_i8x16_shuffle(rg[0], rg[1], 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 0, 0, 0, 0, 0);
  wasm_v128_store(out + 16, wasm_i8x16_shuffle(middle, c[2], 0, 21, 1, 2, 22, 3, 4, 23, 5, 6, 24, 7, 8, 25, 9, 10));
  wasm_v128_store(out + 32,
                  wasm_i8x16_shuffle(rg[1], c[2], 26, 6, 7, 27, 8, 9, 28, 10, 11, 29, 12, 13, 30, 14, 15, 31));
}

static void to_rgb(j_decompress_ptr decoder, JSAMPIMAGE in, JDIMENSION row, JSAMPARRAY out, int rows) {
  const uint32_t width = decoder->output_width;
  for (int k = 0; k < rows; k++, row++) {
    uint32_t x = 0;
    for (; x + 16 <= width; x += 16) sixteen_to_rgb(in[0][row] + x, in[1][row] + x, in[2][row] + x, out[k] + 3 * x);
    if (x == width) continue;
    JSAMPLE last[3][16] = {{0}}, rgb[48];
    for (int c = 0; c < 3; c++) memcpy(last[c], in[c][row] + x, width - x);
    sixteen_to_rgb(last[0], last[1], last[2], rgb);
    memcpy(out[k] + 3 * x, rgb, 3 * (width - x));
  }
}

void fast_rows(j_decompress_ptr decoder) {
  struct jpeg_inverse_dct *transforms = decoder->idct;
  my_upsampler *upsampler = (my_upsampler *)decoder->upsample;
  const bool whole = decoder->_min_DCT_scaled_size == DCTSIZE;
  for (int i = 0; i < decoder->num_components; i++) {
    const jpeg_component_info *component = decoder->comp_info + i;
    if (!component->component_needed || component->_DCT_scaled_size != DCTSIZE) continue;
    transforms->inverse_DCT[i] = inverse_dct_exact;
    const bool halved = component->h_samp_factor * 2 == decoder->max_h_samp_factor &&
                        component->v_samp_factor * 2 == decoder->max_v_samp_factor;
    if (whole && halved && component->downsampled_width > 2) upsampler->methods[i] = double_rows;
  }
  if (decoder->jpeg_color_space == JCS_YCbCr && decoder->out_color_space == JCS_RGB && decoder->num_components == 3)
    decoder->cconvert->color_convert = to_rgb;
}
