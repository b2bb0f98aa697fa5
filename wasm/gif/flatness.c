#include "flatness.h"

#include "../common/allocate.h"
#include "colours.h"
#include "tuning.h"

/* Three neighbouring rows of colour numbers. */
typedef struct {
  const u16 *above, *row, *below;
} Rows;

void flatness_begin(Flatness *f, const Canvas *canvas, const u32 *rgba) {
  if (f->flat) return;
  const size_t bytes = ((size_t)canvas_pixels(canvas) + 7) >> 3;
  f->canvas = canvas;
  f->rgba = rgba;
  f->flat = allocate_zeroed(bytes);
  f->smooth = allocate_zeroed(bytes);
  f->cores = allocate_zeroed(3 * (size_t)canvas->width);
}

/* Returns row `y`. Rows outside the canvas repeat its edge row. */
static const u16 *row_at(const Flatness *f, const u16 *numbers, int y) {
  const int height = f->canvas->height;
  return numbers + (size_t)(y < 0 ? 0 : y >= height ? height - 1 : y) * f->canvas->width;
}
static Rows rows_around(const Flatness *f, const u16 *numbers, int y) {
  return (Rows){row_at(f, numbers, y - 1), row_at(f, numbers, y), row_at(f, numbers, y + 1)};
}

static void find_cores(Flatness *f, const u16 *numbers, int y) {
  const int width = f->canvas->width;
  const Rows r = rows_around(f, numbers, y);
  const u16 *above = r.above, *row = r.row, *below = r.below;
  u8 *core = f->cores + (size_t)((y + 3) % 3) * width;
  for (int x = 0; x < width; x++) {
    const int left = x ? x - 1 : 0, right = x + 1 < width ? x + 1 : x;
    const u16 c = row[x];
    core[x] = c && row[left] == c && row[right] == c && above[left] == c && above[x] == c && above[right] == c &&
              below[left] == c && below[x] == c && below[right] == c;
  }
}

static bool smooth_at(const Flatness *f, const Rows *r, int x) {
  const u16 *row = r->row;
  const int left = x ? x - 1 : 0, right = x + 1 < f->canvas->width ? x + 1 : x;
  const u16 around[8] = {row[left],      row[right],      r->above[x],    r->below[x],
                         r->above[left], r->above[right], r->below[left], r->below[right]};
  const u32 c = f->rgba[row[x]];
  u16 last = row[x];
  for (int k = 0; k < 8; k++) {
    if (around[k] == row[x] || around[k] == last) continue;
    if (!around[k] || colour_distance(c, f->rgba[around[k]]) > SMOOTH_DISTANCE) return false;
    last = around[k];
  }
  return true;
}

static inline void put_bit(u8 *bits, size_t i, bool value) {
  bits[i >> 3] = (bits[i >> 3] & ~(1 << (i & 7))) | value << (i & 7);
}

/* A pixel is flat if some 3 x 3 area of one colour contains it. Thin lines are therefore not flat, and areas are flat
 * up to their edges. */
void flatness_find(Flatness *f, const u16 *numbers) {
  const int width = f->canvas->width, height = f->canvas->height;
  const u8 *first = f->cores, *second = first + width, *third = second + width;
  u8 *flat = f->flat, *smooth = f->smooth;
  find_cores(f, numbers, -1);
  find_cores(f, numbers, 0);
  for (int y = 0; y < height; y++) {
    find_cores(f, numbers, y + 1);
    const Rows rows = rows_around(f, numbers, y);
    const size_t line = (size_t)y * width;
    u8 before = 0, here = first[0] | second[0] | third[0];
    for (int x = 0; x < width; x++) {
      const u8 after = x + 1 < width ? first[x + 1] | second[x + 1] | third[x + 1] : 0;
      /* A neighbouring core in the row above or below always has this pixel's colour, because its 3 x 3 area includes
       * this pixel. */
      put_bit(flat, line + x, rows.row[x] && (before | here | after));
      put_bit(smooth, line + x, rows.row[x] && smooth_at(f, &rows, x));
      before = here;
      here = after;
    }
  }
}
