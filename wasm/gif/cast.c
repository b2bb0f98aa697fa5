/* How far colours are off in the mean of small areas, in CIE Lab a and b: what an eye sees as another hue. */
#include "plan.h"

#define CELL 16
#define LEAST_PIXELS 64

typedef struct { u32 a[3], b[3], count; } Cell;
static Cell *cells;
static int rows, width;
static double worst;

void cast_open(int part_width) {
  if (!cells) cells = allocate_zeroed((canvas_width / CELL + 1) * sizeof *cells);
  width = part_width;
  rows = 0;
  worst = 0;
}

static double linear(double v) { return v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4); }
static double root(double t) { return t > 216. / 24389 ? cbrt(t) : t * (24389. / 27 / 116) + 16. / 116; }

/* IEC 61966-2-1 to CIE Lab, D65. */
static void to_lab_ab(const u32 *sum, u32 count, double *a, double *b) {
  const double r = linear(sum[0] / 255. / count), g = linear(sum[1] / 255. / count), l = linear(sum[2] / 255. / count);
  const double x = root((.4124564 * r + .3575761 * g + .1804375 * l) / .95047), y = root(.2126729 * r + .7151522 * g + .072175 * l);
  const double z = root((.0193339 * r + .119192 * g + .9503041 * l) / 1.08883);
  *a = 500 * (x - y);
  *b = 200 * (y - z);
}

static void settle_cells(void) {
  for (int k = 0; k * CELL < width; k++) {
    const Cell *c = &cells[k];
    bool near = c->count < LEAST_PIXELS;
    if (!near) {
      near = true;
      for (int i = 0; i < 3; i++) near &= (c->a[i] > c->b[i] ? c->a[i] - c->b[i] : c->b[i] - c->a[i]) < c->count; /* less than a step */
    }
    if (near) continue;
    double a[2], b[2];
    to_lab_ab(c->a, c->count, &a[0], &b[0]);
    to_lab_ab(c->b, c->count, &a[1], &b[1]);
    worst = fmax(worst, hypot(a[0] - a[1], b[0] - b[1]));
  }
  memset(cells, 0, (width / CELL + 1) * sizeof *cells);
  rows = 0;
}

void cast_row(const u32 *a, const u32 *b) {
  if (!rows) memset(cells, 0, (width / CELL + 1) * sizeof *cells);
  for (int x = 0; x < width; x++) {
    Cell *c = &cells[x / CELL];
    for (int i = 0; i < 3; i++) {
      c->a[i] += a[x] >> (8 * i) & 255;
      c->b[i] += b[x] >> (8 * i) & 255;
    }
    c->count++;
  }
  if (++rows == CELL) settle_cells();
}

double cast_close(void) {
  if (rows) settle_cells();
  return worst;
}
