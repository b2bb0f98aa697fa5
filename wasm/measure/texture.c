#include "texture.h"

#include <stdlib.h>

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

static void to_luma(const uint32_t *px, uint32_t width, uint8_t *out) {
  for (uint32_t i = 0; i < width; i++) {
    const uint32_t c = px[i], alpha = c >> 24;
    const uint32_t y = (77 * (c & 255) + 150 * (c >> 8 & 255) + 29 * (c >> 16 & 255)) >> 8;
    out[i] = alpha == 255 ? y : (y * alpha + 128 * (255 - alpha)) / 255;
  }
}

void texture_row(Texture *t, const uint32_t *px, uint32_t width) {
  uint8_t *newest = t->luma[2];
  t->luma[2] = t->luma[1], t->luma[1] = t->luma[0], t->luma[0] = newest;
  to_luma(px, width, newest);
  const bool tall = ++t->rows > 2;
  const uint8_t *restrict y = newest, *restrict above = t->luma[1], *restrict top = t->luma[2];
  uint8_t *restrict out = t->bends;
  for (uint32_t i = 0; i < width; i++) {
    const int left = y[i ? i - 1 : 0], right = y[i + 1 < width ? i + 1 : i];
    int bend = abs(left - 2 * y[i] + right);
    if (tall) bend += abs(y[i] - 2 * above[i] + top[i]);
    out[i] = bend > 255 ? 255 : bend;
  }
}
