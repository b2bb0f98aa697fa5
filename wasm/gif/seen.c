/* SSIMULACRA 2.1 of whole canvases from sums of their tiles: a frame changes a part, and only its tiles are measured anew. */
#include "engine.h"

#include "../measure/score.h"

#define BACKGROUNDS 3
/* Where something is clear, canvases are scored on black and white; where scales are missing on grey, too, as for receipts. */
static const u32 GREYS[BACKGROUNDS] = {0, 255, 128};
/* wasm/gif/gif.ts knows the same limits: what is kept takes 430 bytes a tile and background twice, a Score some 600 bytes a pixel of width. */
#define LEAST_SIDE 8
#define WIDEST 4096
#define MOST_PIXELS 4000000

static ScoreTile *kept[BACKGROUNDS], *found[BACKGROUNDS]; /* of the canvas; with the part that was measured last */
static Score *scores[BACKGROUNDS];
static u32 across, down; /* tiles */
static int backgrounds;

bool seen_begin(bool alpha) {
  if (canvas_width < LEAST_SIDE || canvas_height < LEAST_SIDE || canvas_width > WIDEST || (u32)canvas_width * canvas_height > MOST_PIXELS)
    return false;
  backgrounds = !alpha ? 1 : score_scales(canvas_width, canvas_height) < SCORE_SCALES ? 3 : 2;
  across = (canvas_width + SCORE_TILE - 1) / SCORE_TILE;
  down = (canvas_height + SCORE_TILE - 1) / SCORE_TILE;
  const size_t bytes = (size_t)across * down * sizeof(ScoreTile);
  for (int i = 0; i < backgrounds; i++) {
    if (!kept[i]) kept[i] = allocate_zeroed(bytes), found[i] = allocate_zeroed(bytes);
    memset(kept[i], 0, bytes);
  }
  return true;
}

static int tiles_to(int pixels) { return (pixels + SCORE_TILE - 1) / SCORE_TILE; }

Box seen_open(Box part) {
  const int left = part.x / SCORE_TILE, top = part.y / SCORE_TILE, right = tiles_to(part.x + part.w), bottom = tiles_to(part.y + part.h);
  /* Coarse scales look beyond a tile. */
  const int before = left > 0, above = top > 0;
  Box given = {(left - before) * SCORE_TILE, (top - above) * SCORE_TILE, 0, 0};
  const int end_x = (right + 1) * SCORE_TILE, end_y = (bottom + 1) * SCORE_TILE;
  given.w = (end_x < canvas_width ? end_x : canvas_width) - given.x;
  given.h = (end_y < canvas_height ? end_y : canvas_height) - given.y;
  for (int i = 0; i < backgrounds; i++) {
    memcpy(found[i], kept[i], (size_t)across * down * sizeof **found);
    scores[i] = score_open(given.w, given.h, score_scales(canvas_width, canvas_height));
    if (!scores[i] || !score_tiles(scores[i])) host_fail(FAIL_MEMORY, "no memory to measure with");
    score_keep_tiles(scores[i], found[i] + (size_t)top * across + left, across, before, above, right - left, bottom - top);
  }
  return given;
}

void seen_row(const u32 *a, const u32 *b) {
  for (int i = 0; i < backgrounds; i++) score_row(scores[i], a, b, GREYS[i]);
}

Seen seen_close(void) {
  Seen worst = {100, 100};
  for (int i = 0; i < backgrounds; i++) {
    double tile;
    worst.score = fmin(worst.score, score_of_tiles(found[i], canvas_width, canvas_height, &tile));
    worst.worst_tile = fmin(worst.worst_tile, tile);
    score_close(scores[i]);
  }
  return worst;
}

void seen_keep(void) {
  for (int i = 0; i < backgrounds; i++) memcpy(kept[i], found[i], (size_t)across * down * sizeof **kept);
}
