#include "filters.h"

#include <wasm_simd128.h>

/* Reverses the filters sub, average and Paeth for pixels of three or four bytes, one pixel at a time. */
static inline __attribute__((always_inline)) void unfilter_pixels(int filter, u8 *row, const u8 *up, u32 n,
                                                                  const u32 step) {
  v128_t left = wasm_i16x8_splat(0), corner = left;
  for (u32 i = 0; i + step <= n; i += step) { /* may read past the row, which is followed by spare bytes */
    const v128_t raw = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(row + i));
    const v128_t over = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(up + i));
    v128_t predicted = left;
    if (filter == FILTER_AVERAGE) predicted = wasm_u16x8_shr(wasm_i16x8_add(left, over), 1);
    if (filter == FILTER_PAETH) {
      const v128_t to_up = wasm_i16x8_sub(over, corner), to_left = wasm_i16x8_sub(left, corner);
      const v128_t a = wasm_i16x8_abs(to_up), b = wasm_i16x8_abs(to_left);
      const v128_t c = wasm_i16x8_abs(wasm_i16x8_add(to_up, to_left));
      const v128_t not_left = wasm_v128_or(wasm_i16x8_gt(a, b), wasm_i16x8_gt(a, c));
      predicted = wasm_v128_bitselect(wasm_v128_bitselect(corner, over, wasm_i16x8_gt(b, c)), left, not_left);
    }
    left = wasm_v128_and(wasm_i16x8_add(raw, predicted), wasm_i16x8_splat(255));
    corner = over;
    const u32 pixel = wasm_u32x4_extract_lane(wasm_u8x16_narrow_i16x8(left, left), 0);
    memcpy(row + i, &pixel, step);
  }
}

void unfilter_row(int filter, u8 *restrict row, const u8 *restrict up, u32 n, u32 step) {
  u32 i;
  const u32 head = step < n ? step : n;
  if ((step == 3 || step == 4) && n % step == 0) {
    switch (filter << 3 | step) {
      case FILTER_SUB << 3 | 3: unfilter_pixels(FILTER_SUB, row, up, n, 3); return;
      case FILTER_SUB << 3 | 4: unfilter_pixels(FILTER_SUB, row, up, n, 4); return;
      case FILTER_AVERAGE << 3 | 3: unfilter_pixels(FILTER_AVERAGE, row, up, n, 3); return;
      case FILTER_AVERAGE << 3 | 4: unfilter_pixels(FILTER_AVERAGE, row, up, n, 4); return;
      case FILTER_PAETH << 3 | 3: unfilter_pixels(FILTER_PAETH, row, up, n, 3); return;
      case FILTER_PAETH << 3 | 4: unfilter_pixels(FILTER_PAETH, row, up, n, 4); return;
    }
  }
  switch (filter) {
    case FILTER_NONE: break;
    case FILTER_SUB:
      for (i = step; i < n; i++) row[i] += row[i - step];
      break;
    case FILTER_UP:
      for (i = 0; i < n; i++) row[i] += up[i];
      break;
    case FILTER_AVERAGE:
      for (i = 0; i < head; i++) row[i] += up[i] >> 1;
      for (; i < n; i++) row[i] += (row[i - step] + up[i]) >> 1;
      break;
    case FILTER_PAETH:
      for (i = 0; i < head; i++) row[i] += up[i];
      for (; i < n; i++) row[i] += paeth(row[i - step], up[i], up[i - step]);
      break;
    default: host_fail(FAIL_DAMAGED, "a row with an unknown filter");
  }
}

void filter_row(int filter, u8 *restrict d, const u8 *restrict row, const u8 *restrict up, u32 n, u32 step) {
  const u32 head = step < n ? step : n;
  u32 i = 0;
  *d++ = filter;
  switch (filter) {
    case FILTER_NONE: memcpy(d, row, n); break;
    case FILTER_SUB:
      for (; i < head; i++) d[i] = row[i];
      for (; i < n; i++) d[i] = row[i] - row[i - step];
      break;
    case FILTER_UP:
      for (; i < n; i++) d[i] = row[i] - up[i];
      break;
    case FILTER_AVERAGE:
      for (; i < head; i++) d[i] = row[i] - (up[i] >> 1);
      for (; i < n; i++) d[i] = row[i] - ((row[i - step] + up[i]) >> 1);
      break;
    case FILTER_PAETH:
      for (; i < head; i++) d[i] = row[i] - up[i];
      for (; i < n; i++) d[i] = row[i] - paeth(row[i - step], up[i], up[i - step]);
  }
}
