#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "src/dsp/dsp.h"
#include "webp.h"

/* Largest number of RGBA rows in a strip: 16, or 24 at the end of the picture. */
#define STRIP_ROWS 32

/* Copies alpha from `strip->a` to the RGBA rows of a strip. `keeps`: the last row is kept for the next strip. */
static void add_alpha(Webp *w, const VP8Io *strip, const uint8_t *end, int keeps) {
  const uint8_t *a = strip->a;
  uint8_t *to = w->rgba + 3;
  if (strip->mb_y)
    for (int x = 0; x < strip->width; x++, to += 4) *to = w->kept_a[x];
  for (; to < end; to += 4) *to = *a++;
  if (keeps) memcpy(w->kept_a, a, strip->width);
}

static int take_rows(const VP8Io *strip) {
  Webp *w = strip->opaque;
  const int width = strip->width, half = (width + 1) / 2, ys = strip->y_stride, cs = strip->uv_stride;
  const uint8_t *y = strip->y, *u = strip->u, *v = strip->v;
  const WebPUpsampleLinePairFunc convert = WebPUpsamplers[MODE_RGBA];
  const size_t line = (size_t)width * 4;
  uint8_t *out = w->rgba;
  int row = 1;
  if (!strip->mb_y) {
    convert(y, NULL, u, v, u, v, out, NULL, width);
    out += line;
  } else {
    convert(w->kept_y, y, w->kept_u, w->kept_v, u, v, out, out + line, width);
    out += 2 * line;
  }
  for (; row + 1 < strip->mb_h; row += 2, out += 2 * line, u += cs, v += cs)
    convert(y + row * ys, y + (row + 1) * ys, u, v, u + cs, v + cs, out, out + line, width);
  const int ends = strip->mb_y + strip->mb_h >= strip->height, left = row < strip->mb_h;
  if (left && ends) {
    convert(y + row * ys, NULL, u, v, u, v, out, NULL, width);
    out += line;
  }
  w->rgba_rows = (out - w->rgba) / line;
  if (strip->a) add_alpha(w, strip, out, left && !ends);
  if (!left || ends) return 1;
  memcpy(w->kept_y, y + row * ys, width);
  memcpy(w->kept_u, u, half);
  memcpy(w->kept_v, v, half);
  return 1;
}

int viewer_begin(Webp *w, const uint8_t *file, uint32_t length, int width, int height) {
  WebPInitUpsamplers();
  w->rgba = allocate((size_t)width * 4 * STRIP_ROWS);
  w->kept_y = allocate(width);
  w->kept_u = allocate(width);
  w->kept_v = allocate(width);
  w->kept_a = allocate(width);
  return strips_open(&w->strips, (LossyFile){file, length, width, height}, take_rows, w, 1) && strips_begin(&w->strips);
}

int viewer_next(Webp *w) {
  w->rgba_rows = 0;
  while (!w->rgba_rows) {
    const int decoded = strips_next(&w->strips);
    if (decoded <= 0) return decoded;
  }
  return w->rgba_rows;
}
