#include "ssimulacra2_tiles.h"

#include <math.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "tuning.h"

/* Grey levels of backgrounds for canvases with transparent pixels: black and white, and mid-grey if small canvases lack
 * scales. Receipts use the same. */
static const u32 GREYS[SCORE_BACKGROUNDS] = {0, 255, 128};

static int tiles_to(int pixels) { return (pixels + SCORE_TILE - 1) / SCORE_TILE; }
static int lesser(int a, int b) { return a < b ? a : b; }
static size_t tile_bytes(const ScoreTiles *t) { return (size_t)t->across * t->down * sizeof(ScoreTile); }

bool score_tiles_begin(ScoreTiles *t, int width, int height, bool with_alpha) {
  if (width < SCORED_SIDE_LEAST || height < SCORED_SIDE_LEAST) return false;
  if (width > SCORED_WIDTH_LIMIT || (u32)width * height > SCORED_PIXELS_LIMIT) return false;
  t->width = width;
  t->height = height;
  t->backgrounds = !with_alpha ? 1 : score_scales(width, height) < SCORE_SCALES ? 3 : 2;
  t->across = tiles_to(width);
  t->down = tiles_to(height);
  for (int i = 0; i < t->backgrounds; i++) {
    if (!t->kept[i]) {
      t->kept[i] = allocate_zeroed(tile_bytes(t));
      t->measured[i] = allocate_zeroed(tile_bytes(t));
    }
    memset(t->kept[i], 0, tile_bytes(t));
  }
  return true;
}

Box score_tiles_open(ScoreTiles *t, Box changed) {
  const int left = changed.x / SCORE_TILE, top = changed.y / SCORE_TILE;
  const int right = tiles_to(changed.x + changed.w), bottom = tiles_to(changed.y + changed.h);
  const int before = left > 0, above = top > 0; /* coarse scales of SSIMULACRA 2 extend beyond a tile */
  Box given = {(left - before) * SCORE_TILE, (top - above) * SCORE_TILE, 0, 0};
  given.w = lesser((right + 1) * SCORE_TILE, t->width) - given.x;
  given.h = lesser((bottom + 1) * SCORE_TILE, t->height) - given.y;
  for (int i = 0; i < t->backgrounds; i++) {
    memcpy(t->measured[i], t->kept[i], tile_bytes(t));
    Score *score = t->scores[i] = score_open(given.w, given.h, score_scales(t->width, t->height));
    if (!score || !score_tiles(score)) host_fail(FAIL_MEMORY, "no memory to measure with");
    ScoreTile *first = t->measured[i] + (size_t)top * t->across + left;
    score_keep_tiles(score, first, t->across, before, above, right - left, bottom - top);
  }
  return given;
}

void score_tiles_row(ScoreTiles *t, const u32 *a, const u32 *b) {
  for (int i = 0; i < t->backgrounds; i++) score_row(t->scores[i], a, b, GREYS[i]);
}

PerceptualScore score_tiles_close(ScoreTiles *t) {
  PerceptualScore worst = {100, 100};
  for (int i = 0; i < t->backgrounds; i++) {
    double tile;
    worst.score = fmin(worst.score, score_of_tiles(t->measured[i], t->width, t->height, &tile));
    worst.worst_tile = fmin(worst.worst_tile, tile);
    score_close(t->scores[i]);
  }
  return worst;
}

void score_tiles_keep(ScoreTiles *t) {
  for (int i = 0; i < t->backgrounds; i++) memcpy(t->kept[i], t->measured[i], tile_bytes(t));
}
