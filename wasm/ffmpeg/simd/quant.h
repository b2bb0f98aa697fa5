/* Quantisation and scanning of coefficients: replaces functions of x264's common/quant.c. */
#include "simd.h"

/* Quantises 8 coefficients: sign(c) * ((|c| + bias) * mf >> 16). */
INLINE v128_t quantise(v128_t c, v128_t mf, v128_t bias) {
  const v128_t sign = wasm_i16x8_shr(c, 15);
  const v128_t a = wasm_i16x8_add(wasm_i16x8_abs(c), bias);
  const v128_t low = wasm_u32x4_shr(wasm_u32x4_extmul_low_u16x8(a, mf), 16), high = wasm_u32x4_shr(wasm_u32x4_extmul_high_u16x8(a, mf), 16);
  const v128_t q = wasm_u16x8_narrow_i32x4(low, high);
  return wasm_i16x8_sub(wasm_v128_xor(q, sign), sign);
}
INLINE v128_t quantise_at(dctcoef *dct, const udctcoef *mf, const udctcoef *bias) {
  const v128_t q = quantise(wasm_v128_load(dct), wasm_v128_load(mf), wasm_v128_load(bias));
  wasm_v128_store(dct, q);
  return q;
}
INLINE int quantise_16(dctcoef *dct, const udctcoef *mf, const udctcoef *bias) {
  return wasm_v128_any_true(wasm_v128_or(quantise_at(dct, mf, bias), quantise_at(dct + 8, mf + 8, bias + 8)));
}
static int simd_quant_4x4(dctcoef dct[16], udctcoef mf[16], udctcoef bias[16]) { return quantise_16(dct, mf, bias); }
static int simd_quant_4x4x4(dctcoef dct[4][16], udctcoef mf[16], udctcoef bias[16]) {
  return quantise_16(dct[0], mf, bias) | quantise_16(dct[1], mf, bias) << 1 | quantise_16(dct[2], mf, bias) << 2 | quantise_16(dct[3], mf, bias) << 3;
}
static int simd_quant_8x8(dctcoef dct[64], udctcoef mf[64], udctcoef bias[64]) {
  v128_t any = wasm_i16x8_splat(0);
  for (int i = 0; i < 64; i += 8) any = wasm_v128_or(any, quantise_at(dct + i, mf + i, bias + i));
  return wasm_v128_any_true(any);
}
static int simd_quant_4x4_dc(dctcoef dct[16], int mf, int bias) {
  const v128_t m = wasm_i16x8_splat(mf), b = wasm_i16x8_splat(bias);
  const v128_t p = quantise(wasm_v128_load(dct), m, b), q = quantise(wasm_v128_load(dct + 8), m, b);
  wasm_v128_store(dct, p), wasm_v128_store(dct + 8, q);
  return wasm_v128_any_true(wasm_v128_or(p, q));
}
static int simd_quant_2x2_dc(dctcoef dct[4], int mf, int bias) {
  const v128_t q = quantise(wasm_v128_load64_zero(dct), wasm_i16x8_splat(mf), wasm_i16x8_splat(bias));
  wasm_v128_store64_lane(dct, q, 0);
  return wasm_i64x2_extract_lane(q, 0) != 0;
}

/* Multiplies 8 coefficients by 32-bit factors and shifts them. */
INLINE void dequantise(dctcoef *dct, const int *mf, int bits) {
  const v128_t c = wasm_v128_load(dct);
  v128_t low = wasm_i32x4_mul(wasm_i32x4_extend_low_i16x8(c), wasm_v128_load(mf));
  v128_t high = wasm_i32x4_mul(wasm_i32x4_extend_high_i16x8(c), wasm_v128_load(mf + 4));
  if (bits >= 0) {
    low = wasm_i32x4_shl(low, bits), high = wasm_i32x4_shl(high, bits);
  } else {
    const v128_t half = wasm_i32x4_splat(1 << (-bits - 1));
    low = wasm_i32x4_shr(wasm_i32x4_add(low, half), -bits), high = wasm_i32x4_shr(wasm_i32x4_add(high, half), -bits);
  }
  wasm_v128_store(dct, wasm_i16x8_narrow_i32x4(low, high));
}
static void simd_dequant_4x4(dctcoef dct[16], int mf[6][16], int qp) {
  for (int i = 0; i < 16; i += 8) dequantise(dct + i, mf[qp % 6] + i, qp / 6 - 4);
}
static void simd_dequant_8x8(dctcoef dct[64], int mf[6][64], int qp) {
  for (int i = 0; i < 64; i += 8) dequantise(dct + i, mf[qp % 6] + i, qp / 6 - 6);
}

/* Returns a bit mask of the non-zero ones among 16 coefficients. */
INLINE uint32_t nonzero_16(const dctcoef *c) {
  const v128_t v = wasm_i8x16_narrow_i16x8(wasm_v128_load(c), wasm_v128_load(c + 8));
  return wasm_i8x16_bitmask(wasm_i8x16_ne(v, wasm_i8x16_splat(0)));
}
INLINE uint64_t nonzero_64(const dctcoef *c) {
  return nonzero_16(c) | nonzero_16(c + 16) << 16 | (uint64_t)(nonzero_16(c + 32) | nonzero_16(c + 48) << 16) << 32;
}
INLINE int last_of(uint32_t mask) { return mask ? 31 - __builtin_clz(mask) : -1; }
static int simd_coeff_last16(dctcoef *c) { return last_of(nonzero_16(c)); }
/* Ignores the 16th coefficient, which belongs to the next block. */
static int simd_coeff_last15(dctcoef *c) { return last_of(nonzero_16(c) & 0x7fff); }
static int simd_coeff_last64(dctcoef *c) {
  const uint64_t mask = nonzero_64(c);
  return mask ? 63 - __builtin_clzll(mask) : -1;
}
INLINE int runs_in(const dctcoef *c, x264_run_level_t *out, uint32_t mask) {
  int total = 0;
  out->last = last_of(mask);
  out->mask = mask;
  for (; mask; total++) {
    const int at = last_of(mask);
    out->level[total] = c[at];
    mask ^= 1u << at;
  }
  return total;
}
static int simd_coeff_level_run16(dctcoef *c, x264_run_level_t *out) { return runs_in(c, out, nonzero_16(c)); }
static int simd_coeff_level_run15(dctcoef *c, x264_run_level_t *out) { return runs_in(c, out, nonzero_16(c) & 0x7fff); }

/* True if any of 16 coefficients is outside -1 to 1. */
INLINE int large_16(const dctcoef *c) {
  const v128_t v = wasm_i8x16_abs(wasm_i8x16_narrow_i16x8(wasm_v128_load(c), wasm_v128_load(c + 8)));
  return wasm_v128_any_true(wasm_u8x16_gt(v, wasm_i8x16_splat(1)));
}
static int simd_decimate_score16(dctcoef *c) {
  if (large_16(c)) return 9;
  int score = 0;
  for (uint32_t mask = nonzero_16(c); mask;) {
    const int at = last_of(mask);
    mask ^= 1u << at;
    score += x264_decimate_table4[at - 1 - last_of(mask)];
  }
  return score;
}
static int simd_decimate_score64(dctcoef *c) {
  for (int i = 0; i < 64; i += 16)
    if (large_16(c + i)) return 9;
  int score = 0;
  for (uint64_t mask = nonzero_64(c); mask;) {
    const int at = 63 - __builtin_clzll(mask);
    mask ^= 1ull << at;
    score += x264_decimate_table8[at - 1 - (mask ? 63 - __builtin_clzll(mask) : -1)];
  }
  return score;
}

static void simd_quant_init(x264_quant_function_t *f) {
  f->quant_8x8 = simd_quant_8x8;
  f->quant_4x4 = simd_quant_4x4;
  f->quant_4x4x4 = simd_quant_4x4x4;
  f->quant_4x4_dc = simd_quant_4x4_dc;
  f->quant_2x2_dc = simd_quant_2x2_dc;
  f->dequant_4x4 = simd_dequant_4x4;
  f->dequant_8x8 = simd_dequant_8x8;
  f->decimate_score16 = simd_decimate_score16;
  f->decimate_score64 = simd_decimate_score64;
  f->coeff_last[DCT_LUMA_AC] = simd_coeff_last15;
  f->coeff_last[DCT_LUMA_4x4] = simd_coeff_last16;
  f->coeff_last[DCT_LUMA_8x8] = simd_coeff_last64;
  f->coeff_level_run[DCT_LUMA_AC] = simd_coeff_level_run15;
  f->coeff_level_run[DCT_LUMA_4x4] = simd_coeff_level_run16;
}
