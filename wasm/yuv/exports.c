/* Functions that the host calls to read the decoded picture. */
#include <stdlib.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "picture.h"

static Yuv *yuv;
static u8 *strip;
static int view_rows, strip_rows;

EXPORT(host_alloc) void *export_host_alloc(u32 bytes) { return allocate(bytes); }
EXPORT(host_free) void export_host_free(void *memory) { free(memory); }

/* Returns 0 width, 1 height, 2 bits, 3 and 4 whether chroma is halved across and down, 5 whether there is chroma,
 * 6 matrix, 7 full range, 8 primaries, 9 transfer. */
EXPORT(info) int export_info(int what) {
  const YuvPlanes *p = &decoded.planes;
  const int facts[] = {p->width,          p->height,       p->bits,        p->shift_x,
                       p->shift_y,        p->has_chroma,   decoded.matrix, decoded.full_range,
                       decoded.primaries, decoded.transfer};
  return what >= 0 && what < (int)(sizeof facts / sizeof *facts) ? facts[what] : -1;
}

/* Sets the view from the host's values, in the order of YuvView, and the rows of a strip. Returns 0 if it is invalid. */
EXPORT(set_view) int export_set_view(const i32 *values, float red_weight, float blue_weight) {
  const YuvView view = {.x = values[0],
                        .y = values[1],
                        .width = values[2],
                        .height = values[3],
                        .orientation = values[4],
                        .colours = (Colours)values[5],
                        .full_range = values[6],
                        .grey = values[7],
                        .wide = values[8],
                        .red_weight = red_weight,
                        .blue_weight = blue_weight};
  yuv_close(yuv);
  free(strip);
  strip = NULL;
  yuv = yuv_open(&decoded.planes, &view);
  strip_rows = values[9];
  if (!yuv || strip_rows < 1) return 0;
  const bool swaps = view.orientation >= 5;
  view_rows = swaps ? view.width : view.height;
  const size_t columns = swaps ? view.height : view.width;
  strip = allocate(columns * (view.grey ? 1 : 3) * (view.wide ? 2 : 1) * (size_t)strip_rows);
  return 1;
}

/* Converts rows from `first` on, at most a strip. Returns how many. They are at `strip_at`. */
EXPORT(next_strip) int export_next_strip(int first) {
  if (!yuv || first < 0 || first >= view_rows) return 0;
  const int count = view_rows - first < strip_rows ? view_rows - first : strip_rows;
  yuv_rows(yuv, first, count, strip);
  return count;
}

EXPORT(strip_at) const u8 *export_strip_at(void) { return strip; }
