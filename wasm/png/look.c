/* What eyes see beyond SSIM and PSNR, of one comparison at a time: SSIMULACRA 2.1, colour casts and steps. */
#include "engine.h"

#include "../measure/score.h"

#define BACKGROUNDS 3
/* Scores take some 600 bytes a pixel of width and background: wider pictures have none, and nobody may claim that they look well. */
#define WIDEST_SCORED 32768u
/* Translucent pictures are scored on black and white. Where scales are missing, grey may be the worst ground, as it is measured for
 * receipts, too. */
#define WIDEST_ON_GREY 8192u
static const u32 GREYS[BACKGROUNDS] = {0, 255, 128};
static Score *scores[BACKGROUNDS]; /* none for pictures below SCORE_SMALLEST */
static Shades *shades;
static bool unscored;

void look_end(void) {
  for (int i = 0; i < BACKGROUNDS; i++) score_close(scores[i]), scores[i] = NULL;
  shades_close(shades), shades = NULL;
}

void look_begin(u32 height, bool alpha, int at) {
  look_end();
  bool good = true;
  if (at & LOOK_SHADES) good = (shades = shades_open(source.width, alpha)) != NULL;
  const int scales = score_scales(source.width, source.height);
  unscored = at & LOOK_SCORE && source.width > WIDEST_SCORED;
  if (at & LOOK_SCORE && !unscored && source.width >= SCORE_SMALLEST && height >= SCORE_SMALLEST)
    for (int i = 0; i < (!alpha ? 1 : scales < SCORE_SCALES && source.width <= WIDEST_ON_GREY ? 3 : 2); i++) good &= (scores[i] = score_open(source.width, height, scales)) && score_tiles(scores[i]);
  if (!good) host_fail(FAIL_MEMORY, "no memory to measure with");
}

void look_row(const u32 *a, const u32 *b) {
  if (shades) shades_row(shades, a, b);
  for (int i = 0; i < BACKGROUNDS; i++)
    if (scores[i]) score_row(scores[i], a, b, GREYS[i]);
}

void look_watch(float cast, float steps) { shades_watch(shades, cast, steps); }
const ShadesWindow *look_watched(u32 *count) { return shades_watched(shades, count); }

void look_break(void) {
  if (shades) shades_break(shades);
}

Seen look_result(void) {
  Seen found = {.score = unscored ? 0 : 100, .worst_tile = unscored ? 0 : 100};
  for (int i = 0; i < BACKGROUNDS; i++) {
    if (!scores[i]) continue;
    found.score = fmin(found.score, score_result(scores[i]));
    found.worst_tile = fmin(found.worst_tile, score_worst_tile(scores[i]));
  }
  look_break();
  if (shades) found.shades = shades_result(shades);
  return found;
}
