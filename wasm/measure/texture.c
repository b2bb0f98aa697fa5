#include "texture.h"

#include <stdlib.h>
#include <wasm_simd128.h>

bool texture_open(Texture *t, uint32_t width) {
  *t = (Texture){0};
  uint8_t **rows[] = {&t->luma[0], &t->luma[1], &t->luma[2], &t->bends};
  bool good = true;
  for (int i = 0; i < 4; i++) good &= (*rows[i] = calloc((size_t)width + 32, 1)) != NULL;
  if (!good) texture_close(t);
  return good;
}

void texture_close(Texture *t) {
  for (int i = 0; i < 3; i++) free(t->luma[i]);
  free(t->bends);
  *t = (Texture){0};
}

void texture_break(Texture *t) { t->rows = 0; }

/* Returns the luma of four opaque pixels, times 256. */
static inline v128_t luma_of_four(const uint32_t *px) {
  const v128_t four = wasm_v128_load(px);
  return wasm_i32x4_add(
      wasm_i32x4_dot_i16x8(wasm_v128_and(four, wasm_i32x4_splat(0x00ff00ff)), wasm_i32x4_splat(29 << 16 | 77)),
      wasm_i32x4_dot_i16x8(wasm_v128_and(wasm_u32x4_shr(four, 8), wasm_i32x4_splat(255)), wasm_i32x4_splat(150)));
}

static void to_luma(const uint32_t *px, uint32_t width, uint8_t *out) {
  uint32_t opaque = ~0u;
  for (uint32_t i = 0; i < width; i++) opaque &= px[i];
  if (opaque >> 24 == 255) {
    uint32_t i = 0;
    for (; i + 8 <= width; i += 8) {
      const v128_t eight = wasm_u16x8_shr(wasm_u16x8_narrow_i32x4(luma_of_four(px + i), luma_of_four(px + i + 4)), 8);
      wasm_v128_store64_lane(out + i, wasm_u8x16_narrow_i16x8(eight, eight), 0);
    }
    for (; i < width; i++) out[i] = (77 * (px[i] & 255) + 150 * (px[i] >> 8 & 255) + 29 * (px[i] >> 16 & 255)) >> 8;
    return;
  }
  for (uint32_t i = 0; i < width; i++) {
    const uint32_t c = px[i], alpha = c >> 24;
    const uint32_t y = (77 * (c & 255) + 150 * (c >> 8 & 255) + 29 * (c >> 16 & 255)) >> 8;
    out[i] = alpha == 255 ? y : (y * alpha + 128 * (255 - alpha)) / 255;
  }
}

static inline uint16_t off(uint16_t left, uint16_t middle, uint16_t right) {
  const int16_t bend = (int16_t)(left - 2 * middle + right);
  return (uint16_t)(bend < 0 ? -bend : bend);
}

static inline uint8_t capped(uint16_t bend) { return bend > 255 ? 255 : bend; }

void texture_row(Texture *t, const uint32_t *px, uint32_t width) {
  uint8_t *newest = t->luma[2];
  t->luma[2] = t->luma[1], t->luma[1] = t->luma[0], t->luma[0] = newest;
  to_luma(px, width, newest);
  const bool tall = ++t->rows > 2;
  /* At the top, missing rows are replaced by the newest row. */
  const uint8_t *restrict y = newest, *restrict above = tall ? t->luma[1] : newest;
  const uint8_t *restrict top = tall ? t->luma[2] : newest;
  uint8_t *restrict out = t->bends;
  const uint32_t last = width - 1;
  out[0] = capped(off(y[0], y[0], y[last ? 1 : 0]) + off(y[0], above[0], top[0]));
  if (last) out[last] = capped(off(y[last - 1], y[last], y[last]) + off(y[last], above[last], top[last]));
  for (uint32_t i = 1; i < last; i++) out[i] = capped(off(y[i - 1], y[i], y[i + 1]) + off(y[i], above[i], top[i]));
}
