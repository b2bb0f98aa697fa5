#include "shades.h"
#include "texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL 5    /* pixels each way */
#define ACROSS 3  /* cells of a window each way */
#define LEAST_PIXELS 75 /* a window at an edge weighs as if it had as many */
#define PLANES 3 /* on black, on white, alpha itself; on greys in between, errors are in between */
/* Mean bend (texture.h) of a cell at which an error counts by a half. */
#define BUSY 2.5f
/* The grain of dithering leaves cells off by some of its variance (a 25th if it were white); a step has none. */
#define GRAIN .12f

typedef float v4 __attribute__((vector_size(16), aligned(4)));
typedef int32_t i4 __attribute__((vector_size(16), aligned(4)));

/* Summed errors in L, a, b, and the squares of those in L; L times the distance from the middle column, and row; fourth powers. */
typedef struct { float lab[3], squares, across, down, fourths; } Cell;
/* What that distance is squared, summed over a cell. */
#define LEVER (CELL * (CELL * CELL - 1) / 12 * CELL)
typedef struct { uint32_t colour; float lab[3]; } Known;
#define KNOWN_BITS 12
typedef struct { Cell *row[ACROSS]; float cast, steps, bands, specks; } Plane; /* the worst squares, and fourth powers */

struct Shades {
  uint32_t width, cells, rows; /* rows since the break */
  int planes;
  Plane plane[PLANES];
  Known *known[2]; /* colours that were met, laid on black and on white */
  uint32_t *bends[ACROSS], heights[ACROSS]; /* of rows of cells: summed bends, and their rows of pixels */
  bool differs[ACROSS];
  Texture texture;
  float *error[3]; /* of a row: L, a, b */
  float linear[256];
  float most_cast, most_steps; /* squared, of windows that are not watched */
  uint32_t watched, all_rows;
  ShadesWindow windows[SHADES_MOST];
};

Shades *shades_open(uint32_t width, bool alpha) {
  Shades *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->width = width;
  s->cells = (width + CELL - 1) / CELL;
  s->planes = alpha ? PLANES : 1;
  s->most_cast = s->most_steps = 1e30f;
  for (int i = 0; i < 256; i++) {
    const double v = i / 255.;
    s->linear[i] = (float)(v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4));
  }
  bool good = texture_open(&s->texture, width);
  for (int c = 0; c < 3; c++) good &= (s->error[c] = calloc((size_t)width + 8, sizeof(float))) != NULL;
  for (int p = 0; p < (alpha ? 2 : 1); p++) {
    good &= (s->known[p] = malloc(sizeof(Known) << KNOWN_BITS)) != NULL;
    for (uint32_t i = 0; s->known[p] && i < 1u << KNOWN_BITS; i++) s->known[p][i].lab[0] = NAN; /* none yet */
  }
  for (int r = 0; r < ACROSS; r++) {
    good &= (s->bends[r] = calloc(s->cells, sizeof **s->bends)) != NULL;
    for (int p = 0; p < s->planes; p++) good &= (s->plane[p].row[r] = calloc(s->cells, sizeof(Cell))) != NULL;
  }
  if (good) return s;
  shades_close(s);
  return NULL;
}

void shades_close(Shades *s) {
  if (!s) return;
  for (int r = 0; r < ACROSS; r++) {
    free(s->bends[r]);
    for (int p = 0; p < s->planes; p++) free(s->plane[p].row[r]);
  }
  for (int c = 0; c < 3; c++) free(s->error[c]);
  for (int p = 0; p < 2; p++) free(s->known[p]);
  texture_close(&s->texture);
  free(s);
}

/* f of CIE 15: the cube root, a line near zero. */
static inline v4 lab_of(v4 t) {
  v4 y = (v4)(__builtin_convertvector(__builtin_convertvector((i4)t, v4) * (1.f / 3), i4) + 0x2a5137a0);
  for (int k = 0; k < 2; k++) {
    const v4 cube = y * y * y;
    y = y * (cube + 2 * t) / (2 * cube + t);
  }
  const i4 small = t < .008856f;
  return (v4)((small & (i4)(7.787f * t + 16 / 116.f)) | (~small & (i4)y));
}

static inline uint32_t laid(uint32_t value, uint32_t alpha, uint32_t base) { return (value * alpha + base * (255 - alpha) + 127) / 255; }

/* A colour on black (plane 0) or white. */
static const Known *look_up(const Shades *s, int plane, uint32_t colour) {
  Known *k = s->known[plane] + ((colour * 0x9E3779B1u) >> (32 - KNOWN_BITS));
  if (k->colour == colour && k->lab[0] == k->lab[0]) return k;
  const uint32_t alpha = colour >> 24, base = plane ? 255 : 0;
  float rgb[3];
  for (int c = 0; c < 3; c++) {
    const uint32_t v = colour >> (8 * c) & 255;
    rgb[c] = s->linear[alpha == 255 ? v : laid(v, alpha, base)];
  }
  const v4 xyz = lab_of((v4){.433953f, .212671f, .017758f, 0} * rgb[0] + (v4){.376219f, .715160f, .109477f, 0} * rgb[1] +
                        (v4){.189828f, .072169f, .872766f, 0} * rgb[2]);
  *k = (Known){colour, {116 * xyz[1], 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}};
  return k;
}

/* What a row is off on one of the planes. Opaque pixels are off on white as on black, which was there before. */
static void row_errors(Shades *s, const uint32_t *a, const uint32_t *b, int plane) {
  float *const l = s->error[0], *const x = s->error[1], *const y = s->error[2];
  for (uint32_t i = 0; i < s->width; i++) {
    if (a[i] == b[i]) {
      l[i] = x[i] = y[i] = 0;
    } else if (plane == 2) {
      l[i] = ((int)(b[i] >> 24) - (int)(a[i] >> 24)) * (100 / 255.f);
      x[i] = y[i] = 0;
    } else if (plane == 0 || (a[i] & b[i]) >> 24 != 255) {
      const Known p = *look_up(s, plane, a[i]), *q = look_up(s, plane, b[i]);
      l[i] = q->lab[0] - p.lab[0], x[i] = q->lab[1] - p.lab[1], y[i] = q->lab[2] - p.lab[2];
    }
  }
}

static void add_cells(Shades *s, Cell *cells) {
  const float *const l = s->error[0], *const x = s->error[1], *const y = s->error[2];
  const float down = (float)(s->rows % CELL) - CELL / 2;
  for (uint32_t k = 0, i = 0; k < s->cells; k++) {
    const uint32_t from = i, end = i + CELL < s->width ? i + CELL : s->width;
    Cell *const cell = cells + k;
    float sum = 0;
    for (; i < end; i++) {
      const float light = l[i] * l[i], all = light + .25f * (x[i] * x[i] + y[i] * y[i]);
      sum += l[i];
      cell->lab[1] += x[i];
      cell->lab[2] += y[i];
      cell->squares += light;
      cell->across += l[i] * ((float)(i - from) - CELL / 2);
      cell->fourths += all * all;
    }
    cell->lab[0] += sum;
    cell->down += sum * down;
  }
}

static uint32_t cell_width(const Shades *s, uint32_t k) { return s->width - k * CELL < CELL ? s->width - k * CELL : CELL; }

static void window(Shades *s, uint32_t from, uint32_t across, uint32_t down) {
  for (int p = 0; p < s->planes; p++) {
    float a = 0, b = 0, squares = 0, slopes = 0, fourths = 0;
    uint32_t pixels = 0;
    for (uint32_t r = 0; r < down; r++) {
      if (!s->heights[r]) continue;
      for (uint32_t k = from; k < from + across; k++) {
        const uint32_t n = cell_width(s, k) * s->heights[r];
        const Cell *cell = s->plane[p].row[r] + k;
        const float *e = cell->lab, busy = s->bends[r][k] / (n * BUSY), mean = e[0] * e[0] / n;
        const float calm = 1 / (1 + busy * busy), step = mean - GRAIN * (cell->squares - mean);
        pixels += n;
        a += e[1], b += e[2];
        if (step > 0) squares += step * calm;
        fourths += cell->fourths * (calm * calm);
        if (n < CELL * CELL) continue;
        const float slope = (cell->across * cell->across + cell->down * cell->down) / LEVER;
        const float band = slope - GRAIN * (cell->squares - mean - slope);
        if (band > 0) slopes += band * calm;
      }
    }
    if (pixels < LEAST_PIXELS) pixels = LEAST_PIXELS;
    const float cast = (a * a + b * b) / ((float)pixels * pixels), steps = squares / pixels;
    if ((cast > s->most_cast || steps > s->most_steps) && s->watched < SHADES_MOST && (!s->watched || s->windows[s->watched - 1].x != from * CELL || s->windows[s->watched - 1].y != s->all_rows))
      s->windows[s->watched++] = (ShadesWindow){from * CELL, s->all_rows};
    if (cast > s->plane[p].cast) s->plane[p].cast = cast;
    if (steps > s->plane[p].steps) s->plane[p].steps = steps;
    s->plane[p].bands = fmaxf(s->plane[p].bands, slopes / pixels);
    s->plane[p].specks = fmaxf(s->plane[p].specks, fourths / pixels);
  }
}

/* A row of cells is whole: the windows that end with it. The oldest row of cells is emptied for the next. */
static void close_cells(Shades *s) {
  bool differs = false;
  for (int r = 0; r < ACROSS; r++) differs |= s->differs[r];
  if (differs && s->rows > CELL * (ACROSS - 1)) {
    const uint32_t across = s->cells < ACROSS ? s->cells : ACROSS;
    for (uint32_t k = 0; k + across <= s->cells; k++) window(s, k, across, ACROSS);
  }
}

static int newest(const Shades *s) { return (s->rows / CELL) % ACROSS; }

static void empty_cells(Shades *s, int r) {
  memset(s->bends[r], 0, s->cells * sizeof **s->bends);
  for (int p = 0; p < s->planes; p++) memset(s->plane[p].row[r], 0, s->cells * sizeof(Cell));
  s->heights[r] = 0;
  s->differs[r] = false;
}

void shades_row(Shades *s, const uint32_t *a, const uint32_t *b) {
  const int r = newest(s);
  if (s->rows % CELL == 0) empty_cells(s, r);
  texture_row(&s->texture, a, s->width);
  for (uint32_t i = 0; i < s->width; i++) s->bends[r][i / CELL] += s->texture.bends[i];
  s->heights[r]++;
  if (memcmp(a, b, (size_t)s->width * sizeof *a)) {
    s->differs[r] = true;
    for (int p = 0; p < s->planes; p++) {
      row_errors(s, a, b, p);
      add_cells(s, s->plane[p].row[r]);
    }
  }
  s->rows++;
  s->all_rows++;
  if (s->rows % CELL == 0) close_cells(s);
}

void shades_break(Shades *s) {
  if (s->rows && (s->rows % CELL || s->rows < CELL * ACROSS)) {
    if (s->rows <= CELL * (ACROSS - 1)) s->rows = CELL * (ACROSS - 1) + 1; /* lower than a window: all there is */
    close_cells(s);
  }
  for (int r = 0; r < ACROSS; r++) empty_cells(s, r);
  texture_break(&s->texture);
  s->rows = 0;
}

ShadesFound shades_result(const Shades *s) {
  Plane worst = {0};
  for (int p = 0; p < s->planes; p++) {
    worst.cast = fmaxf(worst.cast, s->plane[p].cast);
    worst.steps = fmaxf(worst.steps, s->plane[p].steps);
    worst.bands = fmaxf(worst.bands, s->plane[p].bands);
    worst.specks = fmaxf(worst.specks, s->plane[p].specks);
  }
  return (ShadesFound){sqrtf(worst.cast), sqrtf(worst.steps), sqrtf(worst.bands), sqrtf(sqrtf(worst.specks))};
}

void shades_watch(Shades *s, float cast, float steps) {
  s->most_cast = cast * cast;
  s->most_steps = steps * steps;
}

const ShadesWindow *shades_watched(const Shades *s, uint32_t *count) {
  *count = s->watched;
  return s->windows;
}
