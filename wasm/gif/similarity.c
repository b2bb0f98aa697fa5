#include "similarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"

/* Pixels that an SSIM window extends beyond its first pixel. */
#define REACH (MEASURE_WINDOW - 1)

static int least(int a, int b) { return a < b ? a : b; }
static int blocks_to(int pixels) { return (pixels + MEASURE_BLOCK - 1) / MEASURE_BLOCK; }

void similarity_begin(Similarity *s, int width, int height, bool with_alpha) {
  s->width = width;
  s->height = height;
  s->across = blocks_to(width);
  s->down = blocks_to(height);
  const size_t bytes = (size_t)s->across * s->down * sizeof *s->kept;
  if (!s->kept) {
    s->kept = allocate_zeroed(bytes);
    s->measured = allocate_zeroed(bytes);
  }
  memset(s->kept, 0, bytes);
  s->part = (Box){0, 0, 0, 0};
  s->with_alpha = with_alpha;
}

void similarity_add_alpha(Similarity *s) {
  if (s->with_alpha) return;
  s->with_alpha = true;
  /* all pixels were opaque so far: the errors on both backgrounds are equal */
  for (u32 i = 0; i < s->across * s->down; i++) {
    MeasureTile *tile = &s->kept[i];
    tile->loss[1] = tile->loss[0];
    tile->luma[1] = tile->luma[0];
    tile->rgb[1] = tile->rgb[0];
  }
}

static void open_measure(Similarity *s) {
  if (s->measure && s->with_alpha != s->measure_alpha) {
    free(s->measure);
    s->measure = NULL;
  }
  const PixelFormat rgba = {4, false, s->with_alpha};
  if (!s->measure) s->measure = measure_begin(allocate_zeroed(measure_bytes(s->width, rgba)), s->width, rgba);
  s->measure_alpha = s->with_alpha;
}

Box similarity_open(Similarity *s, Box changed, u32 every) {
  open_measure(s);
  /* An SSIM window that starts up to ten pixels before the change still includes it. */
  const int left = changed.x > REACH ? changed.x - REACH : 0, top = changed.y > REACH ? changed.y - REACH : 0;
  Box part = {left / MEASURE_BLOCK, top / MEASURE_BLOCK, 0, 0};
  part.w = blocks_to(changed.x + changed.w) - part.x;
  part.h = blocks_to(changed.y + changed.h) - part.y;
  s->part = part;
  Box given = {part.x * MEASURE_BLOCK, part.y * MEASURE_BLOCK, 0, 0};
  given.w = least(part.w * MEASURE_BLOCK + REACH, s->width - given.x);
  given.h = least(part.h * MEASURE_BLOCK + REACH, s->height - given.y);
  const u32 columns = least(part.w * MEASURE_BLOCK, given.w), rows = least(part.h * MEASURE_BLOCK, given.h);
  measure_every(s->measure, every);
  measure_part(s->measure, given.w, columns, rows, s->measured + (size_t)part.y * s->across + part.x, s->across);
  return given;
}

void similarity_row(Similarity *s, const u32 *a, const u32 *b) { measure_row(s->measure, a, b); }

static bool is_in_part(const Similarity *s, u32 x, u32 y) {
  const Box p = s->part;
  return (int)x >= p.x && (int)x < p.x + p.w && (int)y >= p.y && (int)y < p.y + p.h;
}

/* Merges the quality measured on one background into the worst quality. */
static void add_background(const Similarity *s, int background, Quality *worst) {
  const double windows =
      (s->width > REACH ? s->width - REACH : 1) * (double)(s->height > REACH ? s->height - REACH : 1);
  const double pixels = s->width * (double)s->height;
  double loss = 0, luma = 0, rgb = 0;
  for (u32 y = 0; y < s->down; y++)
    for (u32 x = 0; x < s->across; x++) {
      const MeasureTile *tile = (is_in_part(s, x, y) ? s->measured : s->kept) + (size_t)y * s->across + x;
      loss += tile->loss[background];
      luma += tile->luma[background];
      rgb += tile->rgb[background];
      if (!tile->rgb[background]) continue;
      const double columns = least(MEASURE_BLOCK, s->width - x * MEASURE_BLOCK);
      const double rows = least(MEASURE_BLOCK, s->height - y * MEASURE_BLOCK);
      /* Small blocks at the edges count as half a block, so that few pixels do not dominate the worst block. */
      const double counted = fmax(columns * rows, MEASURE_BLOCK * MEASURE_BLOCK / 2);
      worst->block_luma_mse = fmax(worst->block_luma_mse, tile->luma[background] / counted);
      worst->block_rgb_mse = fmax(worst->block_rgb_mse, tile->rgb[background] / (3 * counted));
    }
  worst->ssim = fmin(worst->ssim, 1 - loss / windows);
  worst->luma_mse = fmax(worst->luma_mse, luma / pixels);
  worst->rgb_mse = fmax(worst->rgb_mse, rgb / (3 * pixels));
}

/* Returns the values of the background with the lower quality. */
Quality similarity_close(Similarity *s) {
  measure_break(s->measure);
  Quality worst = {1, 0, 0, 0, 0};
  for (int background = 0; background < (s->with_alpha ? 2 : 1); background++) add_background(s, background, &worst);
  return worst;
}

void similarity_keep(Similarity *s) {
  const Box p = s->part;
  for (int y = p.y; y < p.y + p.h; y++) {
    const size_t at = (size_t)y * s->across + p.x;
    memcpy(s->kept + at, s->measured + at, p.w * sizeof *s->kept);
  }
}
