#include "perceptual.h"

#include <math.h>

#include "tuning.h"

static const u32 GREYS[BACKGROUNDS] = {0, 255, 128};

/* Returns the number of backgrounds for the score. Translucent pictures are scored on black and white. Grey is added
 * for small pictures that lack coarse scales, as in receipts. */
static int backgrounds_of(const Picture *picture, bool alpha, int scales) {
  if (!alpha) return 1;
  return scales < SCORE_SCALES && picture->width <= WIDEST_SCORED_ON_GREY ? 3 : 2;
}

void perceptual_end(Perceptual *p) {
  for (int i = 0; i < BACKGROUNDS; i++) score_close(p->scores[i]), p->scores[i] = NULL;
  shades_close(p->shades), p->shades = NULL;
}

void perceptual_begin(Perceptual *p, const Picture *picture, u32 height, bool alpha, int measured) {
  perceptual_end(p);
  bool good = true;
  const u32 width = picture->width;
  if (measured & PERCEPTUAL_SHADES) good = (p->shades = shades_open(width, alpha)) != NULL;
  const int scales = score_scales(width, picture->height);
  p->unscored = measured & PERCEPTUAL_SCORE && width > WIDEST_SCORED;
  if (measured & PERCEPTUAL_SCORE && !p->unscored && width >= SCORE_SMALLEST && height >= SCORE_SMALLEST)
    for (int i = 0; i < backgrounds_of(picture, alpha, scales); i++)
      good &= (p->scores[i] = score_open(width, height, scales)) && score_tiles(p->scores[i]);
  if (!good) host_fail(FAIL_MEMORY, "no memory to measure with");
}

void perceptual_row(Perceptual *p, const u32 *a, const u32 *b) {
  if (p->shades) shades_row(p->shades, a, b);
  for (int i = 0; i < BACKGROUNDS; i++)
    if (p->scores[i]) score_row(p->scores[i], a, b, GREYS[i]);
}

void perceptual_break(Perceptual *p) {
  if (p->shades) shades_break(p->shades);
}

PerceptualFigures perceptual_figures(Perceptual *p) {
  const double unmeasured = p->unscored ? 0 : 100;
  PerceptualFigures found = {.score = unmeasured, .worst_tile = unmeasured};
  for (int i = 0; i < BACKGROUNDS; i++) {
    if (!p->scores[i]) continue;
    found.score = fmin(found.score, score_result(p->scores[i]));
    found.worst_tile = fmin(found.worst_tile, score_worst_tile(p->scores[i]));
  }
  perceptual_break(p);
  if (p->shades) found.shades = shades_result(p->shades);
  return found;
}

Measure *measure_rgba_rows(const Picture *picture, bool alpha) {
  const PixelFormat rgba = {4, false, alpha};
  return measure_begin(allocate(measure_bytes(picture->width, rgba)), picture->width, rgba);
}
