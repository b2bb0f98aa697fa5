#include "changes.h"

#include <math.h>
#include <string.h>

#include "../common/allocate.h"
#include "gif.h"

void changes_begin(Gif *gif) {
  Changes *c = &gif->changes;
  const Canvas *canvas = &gif->canvas;
  if (!c->levels) {
    c->levels = allocate_zeroed(canvas_pixels(canvas));
    c->row_levels = allocate_zeroed(canvas->height);
    c->row_differs = allocate_zeroed(canvas->height);
    for (int i = 1; i < LEVEL_NEVER; i++) c->level_distances[i] = exp2((i - 1) / LEVELS_PER_OCTAVE);
    int level = 1;
    for (i32 d = 0; d < LEVEL_DISTANCES; d++) {
      while (level < LEVEL_NEVER && c->level_distances[level] < d) level++;
      c->level_of[d] = level;
    }
  }
  if (gif->encoder.lossy) flatness_begin(&gif->flatness, canvas, gif->colours.rgba);
  memset(c->row_differs, 1, canvas->height);
}

int changes_limit(const Gif *gif, double distance) {
  int level = 0;
  if (distance > 0)
    while (level + 1 < LEVEL_NEVER && gif->changes.level_distances[level + 1] <= distance) level++;
  return level;
}

/* Returns the difference level of a pixel. In flat and smooth areas a visible difference must be painted. */
static u8 level_of(const Gif *gif, size_t pixel, u16 target, u16 shown) {
  if (!gif->encoder.lossy || !target || !shown) return LEVEL_NEVER;
  const i32 d = colour_distance(gif->colours.rgba[target], gif->colours.rgba[shown]);
  if (is_flat(&gif->flatness, pixel)) return LEVEL_NEVER;
  if (d > gif->encoder.floors.smooth && is_smooth(&gif->flatness, pixel)) return LEVEL_NEVER;
  return d < LEVEL_DISTANCES ? gif->changes.level_of[d] : LEVEL_NEVER;
}

void changes_find(Gif *gif) {
  Changes *c = &gif->changes;
  const int width = gif->canvas.width;
  const u16 *target = gif->encoder.frame.numbers, *shown = gif->encoder.shown;
  u8 *levels = c->levels;
  c->box_limit = -1;
  if (gif->encoder.lossy) flatness_find(&gif->flatness, target);
  for (int y = 0; y < gif->canvas.height; y++) {
    const size_t line = (size_t)y * width;
    if (c->row_levels[y]) memset(levels + line, 0, width);
    c->row_levels[y] = 0;
    if (!c->row_differs[y]) continue;
    c->row_differs[y] = !same_numbers(target + line, shown + line, width);
    if (!c->row_differs[y]) continue;
    c->row_levels[y] = 1;
    for (size_t i = line; i < line + width; i++)
      if (target[i] != shown[i]) levels[i] = level_of(gif, i, target[i], shown[i]);
  }
}

/* True if the first frame must cover the whole canvas. Some viewers show the background colour in uncovered parts
 * unless the frame has transparency. */
static bool needs_whole_canvas(const Gif *gif) {
  const TargetFrame *frame = &gif->encoder.frame;
  if (gif->encoder.frames_written || !frame->transparent) return false;
  for (u32 i = 0; i < canvas_pixels(&gif->canvas); i++)
    if (!frame->numbers[i]) return true;
  return false;
}

/* True if the frame must cover this pixel, to paint it or to clear it afterwards. Clearing must reach every pixel that
 * is painted now and transparent in the next frame. */
static inline bool is_inside(const u8 *levels, int limit, const u16 *target, const u16 *cleared_next, size_t i) {
  return levels[i] > limit || (cleared_next && target[i] && !cleared_next[i]);
}

static Box find_box(const Gif *gif, int limit) {
  const int width = gif->canvas.width, height = gif->canvas.height;
  if (needs_whole_canvas(gif)) return (Box){0, 0, width, height};
  const TargetFrame *frame = &gif->encoder.frame;
  const u8 *levels = gif->changes.levels;
  const u16 *target = frame->numbers, *cleared_next = frame->disposal == 2 ? frame->next : NULL;
  int left = width, right = -1, top = height, bottom = -1;
  for (int y = 0; y < height; y++) {
    if (!gif->changes.row_levels[y] && !cleared_next) continue;
    const size_t line = (size_t)y * width;
    int first = 0, last = width - 1;
    while (first <= last && !is_inside(levels, limit, target, cleared_next, line + first)) first++;
    if (first > last) continue;
    while (!is_inside(levels, limit, target, cleared_next, line + last)) last--;
    if (first < left) left = first;
    if (last > right) right = last;
    if (top > y) top = y;
    bottom = y;
  }
  if (right < 0) return (Box){0, 0, 1, 1};
  return (Box){left, top, right - left + 1, bottom - top + 1};
}

Box changes_box(Gif *gif, int limit) {
  Changes *c = &gif->changes;
  if (c->box_limit != limit) {
    c->box = find_box(gif, limit);
    c->box_limit = limit;
  }
  return c->box;
}
