#include "shades.h"
#include "texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL 5    /* pixels each way */
#define ACROSS 3  /* cells of a window each way */
#define LEAST_PIXELS 75 /* a window at an edge weighs as if it had as many */
#define BACKGROUNDS 3
/* Mean bend (texture.h) of a cell at which an error counts by a half. */
#define BUSY 2.5f

typedef float v4 __attribute__((vector_size(16), aligned(4)));
typedef int32_t i4 __attribute__((vector_size(16), aligned(4)));

typedef struct { float lab[3]; } Cell; /* summed errors in L, a, b */
typedef struct { Cell *row[ACROSS]; float cast, steps; } Plane; /* the worst squares */

struct Shades {
  uint32_t width, cells, rows; /* rows since the break */
  int planes;
  Plane plane[BACKGROUNDS];
  uint32_t *bends[ACROSS], heights[ACROSS]; /* of rows of cells: summed bends, and their rows of pixels */
  bool differs[ACROSS];
  Texture texture;
  float *error[3]; /* of a row: L, a, b */
  float linear[256];
  float limit; /* squared */
  uint32_t watched, all_rows;
  ShadesWindow windows[SHADES_MOST];
};

Shades *shades_open(uint32_t width, bool alpha) {
  Shades *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->width = width;
  s->cells = (width + CELL - 1) / CELL;
  s->planes = alpha ? BACKGROUNDS : 1;
  s->limit = 1e30f;
  for (int i = 0; i < 256; i++) {
    const double v = i / 255.;
    s->linear[i] = (float)(v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4));
  }
  bool good = texture_open(&s->texture, width);
  for (int c = 0; c < 3; c++) good &= (s->error[c] = calloc((size_t)width + 8, sizeof(float))) != NULL;
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

/* Four pixels on a grey. */
static void to_lab(const Shades *s, const uint32_t *px, uint32_t base, v4 out[3]) {
  v4 rgb[3];
  for (int i = 0; i < 4; i++) {
    const uint32_t alpha = px[i] >> 24;
    for (int c = 0; c < 3; c++) {
      const uint32_t v = px[i] >> (8 * c) & 255;
      rgb[c][i] = s->linear[alpha == 255 ? v : laid(v, alpha, base)];
    }
  }
  const v4 x = lab_of(.433953f * rgb[0] + .376219f * rgb[1] + .189828f * rgb[2]);
  const v4 y = lab_of(.212671f * rgb[0] + .715160f * rgb[1] + .072169f * rgb[2]);
  const v4 z = lab_of(.017758f * rgb[0] + .109477f * rgb[1] + .872766f * rgb[2]);
  out[0] = 116 * y;
  out[1] = 500 * (x - y);
  out[2] = 200 * (y - z);
}

/* What a row is off, laid on a grey; only what translucent pixels change, when another grey was there before. */
static void row_errors(Shades *s, const uint32_t *a, const uint32_t *b, uint32_t base, bool first) {
  for (uint32_t i = 0; i < s->width; i += 4) {
    uint32_t x[4] = {0}, y[4] = {0};
    const uint32_t count = s->width - i < 4 ? s->width - i : 4;
    memcpy(x, a + i, count * sizeof *a);
    memcpy(y, b + i, count * sizeof *b);
    const uint32_t opaque = x[0] & x[1] & x[2] & x[3] & y[0] & y[1] & y[2] & y[3];
    if (!first && opaque >> 24 == 255) continue;
    v4 p[3] = {0}, q[3] = {0};
    if (memcmp(x, y, sizeof x)) {
      to_lab(s, x, base, p);
      to_lab(s, y, base, q);
    }
    for (int c = 0; c < 3; c++) *(v4 *)(s->error[c] + i) = q[c] - p[c];
  }
}

static void add_cells(Shades *s, Cell *cells) {
  for (uint32_t k = 0, i = 0; k < s->cells; k++) {
    const uint32_t end = i + CELL < s->width ? i + CELL : s->width;
    for (; i < end; i++)
      for (int c = 0; c < 3; c++) cells[k].lab[c] += s->error[c][i];
  }
}

static uint32_t cell_width(const Shades *s, uint32_t k) { return s->width - k * CELL < CELL ? s->width - k * CELL : CELL; }

static void window(Shades *s, uint32_t from, uint32_t across, uint32_t down) {
  for (int p = 0; p < s->planes; p++) {
    float a = 0, b = 0, squares = 0;
    uint32_t pixels = 0;
    for (uint32_t r = 0; r < down; r++) {
      if (!s->heights[r]) continue;
      for (uint32_t k = from; k < from + across; k++) {
        const uint32_t n = cell_width(s, k) * s->heights[r];
        const float *e = s->plane[p].row[r][k].lab, busy = s->bends[r][k] / (n * BUSY);
        pixels += n;
        a += e[1], b += e[2];
        squares += e[0] * e[0] / (n * (1 + busy * busy));
      }
    }
    if (pixels < LEAST_PIXELS) pixels = LEAST_PIXELS;
    const float cast = (a * a + b * b) / ((float)pixels * pixels), steps = squares / pixels;
    if (cast > s->limit && s->watched < SHADES_MOST && (!s->watched || s->windows[s->watched - 1].x != from * CELL || s->windows[s->watched - 1].y != s->all_rows))
      s->windows[s->watched++] = (ShadesWindow){from * CELL, s->all_rows};
    if (cast > s->plane[p].cast) s->plane[p].cast = cast;
    if (steps > s->plane[p].steps) s->plane[p].steps = steps;
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
      row_errors(s, a, b, p == 0 ? 0 : p == 1 ? 255 : 128, p == 0);
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
  float cast = 0, steps = 0;
  for (int p = 0; p < s->planes; p++) {
    cast = fmaxf(cast, s->plane[p].cast);
    steps = fmaxf(steps, s->plane[p].steps);
  }
  return (ShadesFound){sqrtf(cast), sqrtf(steps)};
}

void shades_watch(Shades *s, float cast) { s->limit = cast * cast; }

const ShadesWindow *shades_watched(const Shades *s, uint32_t *count) {
  *count = s->watched;
  return s->windows;
}
