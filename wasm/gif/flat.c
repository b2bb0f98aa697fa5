/* Where a frame is flat or smooth: there a colour that is off shows as dirt, however little it weighs in the mean. */
#include "plan.h"

static u8 *flat, *smooth; /* a bit for each pixel of the canvas */
static u8 *cores;         /* of three rows: the 3 x 3 pixels around are one colour */

/* Squared distance to each neighbour that a smooth pixel keeps. */
#define SMOOTH 40

void flat_begin(void) {
  if (flat || !lossy) return;
  const size_t bytes = ((size_t)canvas_width * canvas_height + 7) >> 3;
  flat = allocate_zeroed(bytes);
  smooth = allocate_zeroed(bytes);
  cores = allocate_zeroed(3 * (size_t)canvas_width);
}

static const u16 *row_of(int y) { /* outside of the canvas its edge goes on */
  return wanted + (size_t)(y < 0 ? 0 : y >= canvas_height ? canvas_height - 1 : y) * canvas_width;
}

static void find_cores(int y) {
  const u16 *above = row_of(y - 1), *row = row_of(y), *below = row_of(y + 1);
  u8 *core = cores + (size_t)((y + 3) % 3) * canvas_width;
  for (int x = 0; x < canvas_width; x++) {
    const int l = x ? x - 1 : 0, r = x + 1 < canvas_width ? x + 1 : x;
    const u16 c = row[x];
    core[x] = c && row[l] == c && row[r] == c && above[l] == c && above[x] == c && above[r] == c && below[l] == c && below[x] == c && below[r] == c;
  }
}

static bool is_smooth(const u16 *above, const u16 *row, const u16 *below, int x) {
  const int l = x ? x - 1 : 0, r = x + 1 < canvas_width ? x + 1 : x;
  const u16 around[8] = {row[l], row[r], above[x], below[x], above[l], above[r], below[l], below[r]};
  const u32 c = colour_of[row[x]];
  u16 last = row[x];
  for (int k = 0; k < 8; k++) {
    if (around[k] == row[x] || around[k] == last) continue;
    if (!around[k] || distance(c, colour_of[around[k]]) > SMOOTH) return false;
    last = around[k];
  }
  return true;
}

static inline void put(u8 *bits, size_t i, bool value) { bits[i >> 3] = (bits[i >> 3] & ~(1 << (i & 7))) | value << (i & 7); }

/* Flat is what lies in 3 x 3 pixels of one colour; so thin lines are not, and areas are up to their edges. */
void flat_find(void) {
  if (!lossy) return;
  find_cores(-1);
  find_cores(0);
  for (int y = 0; y < canvas_height; y++) {
    find_cores(y + 1);
    const u16 *above = row_of(y - 1), *row = row_of(y), *below = row_of(y + 1);
    const size_t line = (size_t)y * canvas_width;
    u8 before = 0, here = cores[0] | cores[canvas_width] | cores[2 * (size_t)canvas_width];
    for (int x = 0; x < canvas_width; x++) {
      const u8 after = x + 1 < canvas_width ? cores[x + 1] | cores[canvas_width + x + 1] | cores[2 * (size_t)canvas_width + x + 1] : 0;
      /* A core of a row above or below is of this colour, or it would not be one. */
      put(flat, line + x, row[x] && (before | here | after));
      put(smooth, line + x, row[x] && is_smooth(above, row, below, x));
      before = here;
      here = after;
    }
  }
}

bool is_flat(size_t i) { return flat[i >> 3] >> (i & 7) & 1; }
bool is_smooth_at(size_t i) { return smooth[i >> 3] >> (i & 7) & 1; }
