#include "colour_cast.h"

#include <math.h>
#include <string.h>

#include "../common/allocate.h"
#include "tuning.h"

void colour_cast_open(ColourCast *cast, int width, int widest) {
  if (!cast->cells) cast->cells = allocate_zeroed((widest / CAST_CELL + 1) * sizeof *cast->cells);
  cast->width = width;
  cast->rows = 0;
  cast->worst = 0;
}

/* Conversion of sRGB to linear light (IEC 61966-2-1), and the function f of CIE Lab (CIE 15). */
static double linear(double v) { return v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4); }
static double root(double t) { return t > 216. / 24389 ? cbrt(t) : t * (24389. / 27 / 116) + 16. / 116; }

/* Converts the mean colour of a sum to CIE Lab a and b, white point D65. */
static void to_lab_ab(const u32 *sum, u32 count, double *a, double *b) {
  const double red = linear(sum[0] / 255. / count);
  const double green = linear(sum[1] / 255. / count);
  const double blue = linear(sum[2] / 255. / count);
  const double x = root((.4124564 * red + .3575761 * green + .1804375 * blue) / .95047);
  const double y = root(.2126729 * red + .7151522 * green + .072175 * blue);
  const double z = root((.0193339 * red + .119192 * green + .9503041 * blue) / 1.08883);
  *a = 500 * (x - y);
  *b = 200 * (y - z);
}

/* True if both mean colours differ by less than 1/255 in each channel, or the area is too small to compare. */
static bool is_near(const CastCell *c) {
  if (c->count < CAST_PIXELS_LEAST) return true;
  for (int i = 0; i < 3; i++)
    if ((c->a[i] > c->b[i] ? c->a[i] - c->b[i] : c->b[i] - c->a[i]) >= c->count) return false;
  return true;
}

static void settle_cells(ColourCast *cast) {
  for (int k = 0; k * CAST_CELL < cast->width; k++) {
    const CastCell *c = &cast->cells[k];
    if (is_near(c)) continue;
    double a[2], b[2];
    to_lab_ab(c->a, c->count, &a[0], &b[0]);
    to_lab_ab(c->b, c->count, &a[1], &b[1]);
    cast->worst = fmax(cast->worst, hypot(a[0] - a[1], b[0] - b[1]));
  }
  memset(cast->cells, 0, (cast->width / CAST_CELL + 1) * sizeof *cast->cells);
  cast->rows = 0;
}

void colour_cast_row(ColourCast *cast, const u32 *a, const u32 *b) {
  const int width = cast->width;
  CastCell *cells = cast->cells;
  if (!cast->rows) memset(cells, 0, (width / CAST_CELL + 1) * sizeof *cells);
  for (int x = 0; x < width; x++) {
    CastCell *c = &cells[x / CAST_CELL];
    for (int i = 0; i < 3; i++) {
      c->a[i] += a[x] >> (8 * i) & 255;
      c->b[i] += b[x] >> (8 * i) & 255;
    }
    c->count++;
  }
  if (++cast->rows == CAST_CELL) settle_cells(cast);
}

double colour_cast_close(ColourCast *cast) {
  if (cast->rows) settle_cells(cast);
  return cast->worst;
}
