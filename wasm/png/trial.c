#include "trial.h"

#include "png.h"
#include "tuning.h"

/* ---- mapping of the sample ---- */

/* True if each pixel gets its nearest colour, independent of neighbours. */
static bool by_number(const Png *png) {
  return png->trials.numbered.numbers && png->remap.tolerance <= 0 && png->remap.dither <= 0;
}

static void sample_remap_begin(Png *png) {
  Numbered *n = &png->trials.numbered;
  numbered_try(n, &png->sample);
  if (!by_number(png)) {
    remap_begin(&png->remap, &png->palette, png->sample.width);
    return;
  }
  remap_follow(&png->remap, &png->palette);
  numbered_follow(n, &png->palette, png->remap.version);
}

/* Maps row `y` of the sample to palette indices. */
static void sample_remap(Png *png, u32 y, u8 *indices) {
  const Numbered *n = &png->trials.numbered;
  const Sample *s = &png->sample;
  if (by_number(png)) numbered_indices(n, numbers_of_row(n, s, y), s->width, indices);
  else remap_row(&png->remap, &png->palette, sample_row_at(s, y), s->width, indices);
}

void trial_map(Png *png) {
  Trials *t = &png->trials;
  const Sample *s = &png->sample;
  free(t->indices), free(t->near);
  t->near = NULL;
  t->indices = allocate((size_t)s->rows * s->width + 16);
  sample_remap_begin(png);
  for (u32 y = 0; y < s->rows; y++) sample_remap(png, y, t->indices + (size_t)y * s->width);
}

static void begin_trial_encode(Png *png) {
  encode_begin(&png->encoder, &png->layout, picture_of(png), true);
  encode_begin_frame(&png->encoder);
  encode_begin_rows(&png->encoder, png->sample.width);
}

double trial_near(Png *png) {
  Trials *t = &png->trials;
  const Sample *s = &png->sample;
  Hiding *hiding = &png->remap.hiding;
  free(t->indices);
  t->indices = NULL;
  if (!t->near) t->near = allocate((size_t)s->rows * s->width * 4);
  begin_trial_encode(png);
  near_begin(&png->near, hiding, &png->layout, s->width);
  for (u32 y = 0; y < s->rows; y++)
    encode_filtered(&png->encoder, near_row(&png->near, hiding, sample_row_at(s, y), t->near + (size_t)y * s->width));
  encode_end_frame(&png->encoder);
  return (double)png->encoder.bytes;
}

/* Returns row `y` of the sample as it will be displayed. `mapped` is a row buffer. */
static const u32 *mapped_row(const Png *png, u32 y, u32 *mapped) {
  const Trials *t = &png->trials;
  const u32 width = png->sample.width;
  if (t->near) return t->near + (size_t)y * width;
  if (!t->indices) host_fail(FAIL_MISUSE, "no sample is mapped");
  const u8 *indices = t->indices + (size_t)y * width;
  for (u32 i = 0; i < width; i++) mapped[i] = png->layout.palette[indices[i]];
  return mapped;
}

/* ---- SSIM and PSNR ---- */

/* Adds the squared errors of a pixel over black and over white: luma, and the sum of red, green and blue. */
static void pixel_errors(u32 a, u32 b, float luma[2], float rgb[2]) {
  if (a == b) return;
  const bool opaque = (a & b) >> 24 == 255;
  const float ca = (a >> 24) * (1 / 255.f), cb = (b >> 24) * (1 / 255.f);
  for (int w = 0; w < 2; w++) {
    const float base = w ? 255.f * (cb - ca) : 0;
    float e[3];
    for (int c = 0; c < 3; c++) e[c] = (a >> (8 * c) & 255) * ca - (b >> (8 * c) & 255) * cb + base;
    const float y = .299f * e[0] + .587f * e[1] + .114f * e[2], squares = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    luma[w] += y * y;
    rgb[w] += squares;
    if (!opaque) continue;
    luma[1] += y * y; /* opaque pixels have the same error on both backgrounds */
    rgb[1] += squares;
    return;
  }
}

/* Adds the squared errors of hard block `k` after mapping to the palette. */
static void block_errors(Png *png, u32 k, float luma[2], float rgb[2]) {
  u8 indices[BLOCK];
  const Numbered *n = &png->trials.numbered;
  const u16 *numbers = by_number(png) ? numbers_of_block(n, &png->sample, k) : NULL;
  const u32 *block = png->sample.hard.pixels + (size_t)k * BLOCK_PIXELS;
  remap_break(&png->remap, png->sample.width);
  for (u32 r = 0; r < BLOCK; r++) {
    const u32 *px = block + r * BLOCK;
    if (numbers) numbered_indices(n, numbers + r * BLOCK, BLOCK, indices);
    else remap_row(&png->remap, &png->palette, px, BLOCK, indices);
    for (u32 i = 0; i < BLOCK; i++) pixel_errors(px[i], png->layout.palette[indices[i]], luma, rgb);
  }
}

/* Replaces the values of the worst block by those of the worst hard block if these are worse. */
static void hard_trial(Png *png, Quality *q) {
  const HardBlocks *hard = &png->sample.hard;
  if (!hard->rows) return;
  for (u32 k = 0; k < HARD_BLOCKS; k++) {
    if (!hard->hardness[k]) continue;
    float luma[2] = {0}, rgb[2] = {0};
    block_errors(png, k, luma, rgb);
    for (int w = 0; w < 2; w++) {
      if (luma[w] / BLOCK_PIXELS > q->block_luma_mse) q->block_luma_mse = luma[w] / BLOCK_PIXELS;
      if (rgb[w] / (3 * BLOCK_PIXELS) > q->block_rgb_mse) q->block_rgb_mse = rgb[w] / (3 * BLOCK_PIXELS);
    }
  }
}

void trial_measure(Png *png) {
  const Sample *s = &png->sample;
  Quality *q = &png->trials.quality;
  Measure *m = measure_rgba_rows(picture_of(png), sample_is_translucent(s));
  u32 *mapped = allocate((size_t)s->width * 4);
  measure_every(m, TRIAL_SSIM_EVERY);
  for (u32 y = 0; y < s->rows; y++) {
    if (sample_gap_at(s, y)) measure_break(m);
    measure_row(m, sample_row_at(s, y), mapped_row(png, y, mapped));
  }
  measure_break(m);
  *q = measure_result(m);
  free(m);
  free(mapped);
  if (sample_has_gaps(s) && !png->trials.near) hard_trial(png, q);
}

/* ---- perceptual measurements ---- */

#define WINDOW_PIXELS 15 /* window side in pixels, as in shades.h */
#define CELL_PIXELS 5    /* side of a cell in pixels, as in shades.h */

/* Raises the weight of colours in a window that the palette reproduces badly. */
static void weigh_window(Png *png, ShadesWindow w) {
  const Sample *s = &png->sample;
  for (u32 y = w.y > WINDOW_PIXELS ? w.y - WINDOW_PIXELS : 0; y < w.y && y < s->rows; y++)
    for (u32 x = w.x; x < w.x + WINDOW_PIXELS && x < s->width; x++) {
      const u32 c = sample_row_at(s, y)[x];
      float at[COORDINATES] __attribute__((aligned(16))), distance;
      coordinates_of(c, at);
      nearest_colour(&png->palette, at, &distance);
      if (distance > MISSING_DISTANCE && weigh_up(&png->histogram, c)) quantise_forget(&png->quantiser);
    }
}

/* Returns true if the sample holds the whole cell of row `y`, on the picture's grid. On another grid, single errors
 * fall into calmer cells, and specks were measured twice as large as in the whole picture. */
static bool is_whole_cell(const Sample *s, u32 y) {
  const u32 in_group = y % s->group_rows, in_cell = sample_picture_row(s, y) % CELL_PIXELS;
  return in_cell <= in_group && in_group - in_cell + CELL_PIXELS <= s->group_rows;
}

void trial_shades(Png *png, float most_cast, float most_steps) {
  const Sample *s = &png->sample;
  Perceptual *p = &png->perceptual;
  u32 *mapped = allocate((size_t)s->width * 4);
  perceptual_begin(p, picture_of(png), s->rows, sample_is_translucent(s), PERCEPTUAL_SHADES);
  const bool watches = most_cast > 0; /* recorded windows count all rows of the sample */
  if (watches) shades_watch(p->shades, most_cast, most_steps);
  for (u32 y = 0; y < s->rows; y++) {
    if (sample_gap_at(s, y)) perceptual_break(p);
    if (!watches && sample_has_gaps(s) && !is_whole_cell(s, y)) continue;
    perceptual_row(p, sample_row_at(s, y), mapped_row(png, y, mapped));
  }
  png->trials.shades = perceptual_figures(p);
  if (watches) {
    u32 count;
    const ShadesWindow *windows = shades_watched(p->shades, &count);
    for (u32 i = 0; i < count; i++) weigh_window(png, windows[i]);
  }
  perceptual_end(p);
  free(mapped);
}

/* Scores the chosen groups of rows as if they were one picture, although rows are missing between groups. */
void trial_score(Png *png) {
  const Sample *s = &png->sample;
  Perceptual *p = &png->perceptual;
  u32 *mapped = allocate((size_t)s->width * 4);
  u32 every = (u32)((u64)s->rows * s->width / SCORED_PIXELS), rows = 0;
  if (!every) every = 1;
  for (u32 y = 0; y < s->rows; y++) rows += y / SAMPLE_GROUP_ROWS % every == 0;
  perceptual_begin(p, picture_of(png), rows, sample_is_translucent(s), PERCEPTUAL_SCORE);
  for (u32 y = 0; y < s->rows; y++)
    if (y / SAMPLE_GROUP_ROWS % every == 0) perceptual_row(p, sample_row_at(s, y), mapped_row(png, y, mapped));
  png->trials.score = perceptual_figures(p);
  perceptual_end(p);
  free(mapped);
}

/* ---- size estimate of the sample ---- */

double trial_bytes(Png *png, bool mapped, bool gray, u32 every) {
  const Sample *s = &png->sample;
  Encoder *e = &png->encoder;
  if (!mapped) layout_set(&png->layout, gray ? GRAY_ALPHA : sample_is_translucent(s) ? RGB_ALPHA : RGB, 8);
  u8 *indices = allocate((size_t)s->width + 4), *packed = allocate((size_t)s->width * 4 + 64);
  if (mapped) sample_remap_begin(png);
  if (s->rows < 2 * every * s->group_rows) every = 1;
  u32 taken = 0;
  begin_trial_encode(png);
  for (u32 y = 0; y < s->rows; y++) {
    if (y / s->group_rows % every != every / 2) continue;
    taken++;
    if (mapped) {
      sample_remap(png, y, indices);
      pack_indices(&png->layout, indices, s->width, packed);
    } else {
      pack_direct(&png->layout, sample_row_at(s, y), s->width, packed);
    }
    encode_row(e, packed);
  }
  encode_end_frame(e);
  free(indices), free(packed);
  return (double)e->bytes * s->rows / taken;
}
