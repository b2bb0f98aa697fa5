/* Figures of whole canvases, kept block by block (`MeasureTile`): a frame changes a part, and only that is measured anew. */
#include "engine.h"

static Measure *measure;
static bool measured_alpha, with_alpha;
static MeasureTile *kept, *parts; /* of the canvas; of the part that is measured */
static u32 across, down;          /* blocks */
static Box part;                  /* in blocks */

void similarity_begin(bool alpha) {
  across = (canvas_width + MEASURE_BLOCK - 1) / MEASURE_BLOCK;
  down = (canvas_height + MEASURE_BLOCK - 1) / MEASURE_BLOCK;
  if (!kept) {
    kept = allocate_zeroed((size_t)across * down * sizeof *kept);
    parts = allocate_zeroed((size_t)across * down * sizeof *parts);
  }
  memset(kept, 0, (size_t)across * down * sizeof *kept);
  part = (Box){0, 0, 0, 0};
  with_alpha = alpha;
}

void similarity_alpha(void) {
  if (with_alpha) return;
  with_alpha = true;
  for (u32 i = 0; i < across * down; i++) { /* black and white have given the same */
    kept[i].loss[1] = kept[i].loss[0];
    kept[i].luma[1] = kept[i].luma[0];
    kept[i].rgb[1] = kept[i].rgb[0];
  }
}

static int least(int a, int b) { return a < b ? a : b; }

Box similarity_open(Box changed, u32 every) {
  if (measure && with_alpha != measured_alpha) {
    free(measure);
    measure = NULL;
  }
  const PixelFormat rgba = {4, false, with_alpha};
  if (!measure) measure = measure_begin(allocate_zeroed(measure_bytes(canvas_width, rgba)), canvas_width, rgba);
  measured_alpha = with_alpha;
  /* Windows that start ten pixels before see the first changed one. */
  const int reach = MEASURE_WINDOW - 1, left = changed.x > reach ? changed.x - reach : 0, top = changed.y > reach ? changed.y - reach : 0;
  part.x = left / MEASURE_BLOCK;
  part.y = top / MEASURE_BLOCK;
  part.w = (changed.x + changed.w + MEASURE_BLOCK - 1) / MEASURE_BLOCK - part.x;
  part.h = (changed.y + changed.h + MEASURE_BLOCK - 1) / MEASURE_BLOCK - part.y;
  Box given;
  given.x = part.x * MEASURE_BLOCK;
  given.y = part.y * MEASURE_BLOCK;
  given.w = least(part.w * MEASURE_BLOCK + reach, canvas_width - given.x);
  given.h = least(part.h * MEASURE_BLOCK + reach, canvas_height - given.y);
  measure_every(measure, every);
  measure_part(measure, given.w, least(part.w * MEASURE_BLOCK, given.w), least(part.h * MEASURE_BLOCK, given.h), parts + (size_t)part.y * across + part.x, across);
  return given;
}

void similarity_row(const u32 *a, const u32 *b) { measure_row(measure, a, b); }

/* Of the worse background. Slivers at the edges count with the pixels of half a block, so that a few do not weigh too much. */
Quality similarity_close(void) {
  measure_break(measure);
  Quality worst = {1, 0, 0, 0, 0};
  const int reach = MEASURE_WINDOW - 1;
  const double windows = (canvas_width > reach ? canvas_width - reach : 1) * (double)(canvas_height > reach ? canvas_height - reach : 1);
  const double pixels = canvas_width * (double)canvas_height;
  for (int p = 0; p < (with_alpha ? 2 : 1); p++) {
    double loss = 0, luma = 0, rgb = 0;
    for (u32 y = 0; y < down; y++)
      for (u32 x = 0; x < across; x++) {
        const bool new = (int)x >= part.x && (int)x < part.x + part.w && (int)y >= part.y && (int)y < part.y + part.h;
        const MeasureTile *tile = (new ? parts : kept) + (size_t)y * across + x;
        loss += tile->loss[p];
        luma += tile->luma[p];
        rgb += tile->rgb[p];
        if (!tile->rgb[p]) continue;
        const double columns = least(MEASURE_BLOCK, canvas_width - x * MEASURE_BLOCK), rows = least(MEASURE_BLOCK, canvas_height - y * MEASURE_BLOCK);
        const double counted = fmax(columns * rows, MEASURE_BLOCK * MEASURE_BLOCK / 2);
        worst.block_luma_mse = fmax(worst.block_luma_mse, tile->luma[p] / counted);
        worst.block_rgb_mse = fmax(worst.block_rgb_mse, tile->rgb[p] / (3 * counted));
      }
    worst.ssim = fmin(worst.ssim, 1 - loss / windows);
    worst.luma_mse = fmax(worst.luma_mse, luma / pixels);
    worst.rgb_mse = fmax(worst.rgb_mse, rgb / (3 * pixels));
  }
  return worst;
}

void similarity_keep(void) {
  for (int y = part.y; y < part.y + part.h; y++)
    memcpy(kept + (size_t)y * across + part.x, parts + (size_t)y * across + part.x, part.w * sizeof *kept);
}
