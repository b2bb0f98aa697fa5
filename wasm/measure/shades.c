#include "shades.h"
#include "texture.h"
#include "vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL 5          /* side of a cell in pixels */
#define ACROSS 3        /* cells per window side */
#define GROUP 4         /* adjacent cells that are computed together */
#define LEAST_PIXELS 75 /* smallest number of pixels that a window at an edge counts as */
#define PLANES 3        /* on black, on white, and alpha itself; results on greys lie in between */
/* Mean bend (texture.h) of a cell at which its errors have half weight. */
#define BUSY 2.5f
/* Share of the variance that is attributed to dithering grain. White noise of 25 pixels would leave 1/25; a step leaves
 * none. */
#define GRAIN .12f

/* Fields of a row of cells. First sums of errors in L, a and b, of squared L errors, of L times the distance from the
 * middle column and row, and of fourth powers. Then the contribution of a complete cell to the windows around it. */
enum { LIGHT, A, B, SQUARED, ACROSS_MIDDLE, DOWN_MIDDLE, FOURTHS, SUMS, STEP = SUMS, BAND, SPECK, FIELDS };
/* Sum over a cell of the squared distance from its middle column (or row). */
#define LEVER (CELL * (CELL * CELL - 1) / 12 * CELL)
typedef struct {
  uint32_t colour;
  float lab[3];
} Known;
#define KNOWN_BITS 12
typedef struct {
  float *row[ACROSS], cast, steps, bands, specks;
} Plane; /* largest squares, and largest fourth powers */

struct Shades {
  /* `width`: pixels of a row; `cells`: cells of a row; `padded`: cells rounded up to a multiple of four, plus spare
   * ones */
  uint32_t width, cells, padded;
  uint32_t rows; /* rows since the last break */
  /* `planes`: planes that are measured; only black while all pixels are opaque, because the other planes have the same
   * errors or none. `all_planes`: planes after the first translucent pixel. */
  int planes, all_planes;
  Plane plane[PLANES];
  Known *known[2]; /* cache of CIE Lab colours composited over black and over white */
  /* summed bends (texture.h) for each row of cells, and its number of pixel rows */
  uint32_t *bends[ACROSS], heights[ACROSS];
  bool differs[ACROSS];
  /* for each group of cells: true if the pictures differ in the newest row, and in each row of cells */
  uint8_t *row_differs, *group_differs[ACROSS];
  Texture texture;
  float *error[3];             /* errors of a row in L, a and b */
  float most_cast, most_steps; /* largest squared values of windows that are not recorded */
  uint32_t watched, all_rows;
  ShadesWindow windows[SHADES_MOST];
};

/* Contributions of each sample of red, green and blue to X, Y and Z of CIE 1931, relative to D65. */
static v4 xyz[3][256];

static void fill_xyz(void) {
  static const float share[3][3] = {
      {.433953f, .212671f, .017758f}, {.376219f, .715160f, .109477f}, {.189828f, .072169f, .872766f}};
  if (xyz[2][255][0] > 0) return;
  for (int i = 0; i < 256; i++) {
    const double v = i / 255., linear = v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4);
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++) xyz[c][i][k] = (float)(share[c][k] * linear);
  }
}

Shades *shades_open(uint32_t width, bool alpha) {
  Shades *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->width = width;
  s->cells = (width + CELL - 1) / CELL;
  s->padded = ((s->cells + 3) & ~3u) + 4;
  s->planes = 1;
  s->all_planes = alpha ? PLANES : 1;
  s->most_cast = s->most_steps = 1e30f;
  fill_xyz();
  bool good = texture_open(&s->texture, width) && (s->row_differs = calloc(s->padded / GROUP, 1)) != NULL;
  for (int c = 0; c < 3; c++) good &= (s->error[c] = calloc((size_t)s->padded * CELL, sizeof(float))) != NULL;
  for (int p = 0; p < (alpha ? 2 : 1); p++) {
    good &= (s->known[p] = malloc(sizeof(Known) << KNOWN_BITS)) != NULL;
    /* NaN marks an empty cache entry */
    for (uint32_t i = 0; s->known[p] && i < 1u << KNOWN_BITS; i++) s->known[p][i].lab[0] = NAN;
  }
  for (int r = 0; r < ACROSS; r++) {
    good &= (s->bends[r] = calloc(s->padded, sizeof **s->bends)) != NULL;
    good &= (s->group_differs[r] = calloc(s->padded / GROUP, 1)) != NULL;
    for (int p = 0; p < s->all_planes; p++)
      good &= (s->plane[p].row[r] = calloc((size_t)s->padded * FIELDS, sizeof(float))) != NULL;
  }
  if (good) return s;
  shades_close(s);
  return NULL;
}

void shades_close(Shades *s) {
  if (!s) return;
  for (int r = 0; r < ACROSS; r++) {
    free(s->bends[r]), free(s->group_differs[r]);
    for (int p = 0; p < s->all_planes; p++) free(s->plane[p].row[r]);
  }
  for (int c = 0; c < 3; c++) free(s->error[c]);
  for (int p = 0; p < 2; p++) free(s->known[p]);
  free(s->row_differs);
  texture_close(&s->texture);
  free(s);
}

typedef struct {
  CubeRoot root;
  v4 least, slope, start, to_l, to_a, to_b;
} ToLab;

static inline ToLab lab_terms(void) {
  return (ToLab){cube_root_terms(), held(.008856f), held(7.787f), held(16 / 116.f), held(116), held(500), held(200)};
}

/* Function f of CIE Lab (CIE 15): cube root, linear near zero. */
static inline v4 lab_of(const ToLab *k, v4 t) {
  const i4 small = t < k->least;
  return (v4)((small & (i4)(k->slope * t + k->start)) | (~small & (i4)cube_root(&k->root, t)));
}

/* Composites a sample over a background, rounded. */
static inline uint32_t laid(uint32_t value, uint32_t alpha, uint32_t base) {
  return (value * alpha + base * (255 - alpha) + 127) / 255;
}

/* Returns the CIE Lab value of a colour on black (plane 0) or white. */
static const Known *look_up(const Shades *s, int plane, uint32_t colour) {
  Known *k = s->known[plane] + ((colour * 0x9E3779B1u) >> (32 - KNOWN_BITS));
  if (k->colour == colour && k->lab[0] == k->lab[0]) return k;
  const uint32_t alpha = colour >> 24, base = plane ? 255 : 0;
  v4 sum = {0};
  for (int c = 0; c < 3; c++) {
    const uint32_t v = colour >> (8 * c) & 255;
    sum += xyz[c][alpha == 255 ? v : laid(v, alpha, base)];
  }
  const ToLab terms = lab_terms();
  const v4 f = lab_of(&terms, sum);
  *k = (Known){colour, {116 * f[1], 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}};
  return k;
}

/* Computes function f of CIE Lab for X, Y and Z of four opaque colours. */
static inline void lab_of_four(const ToLab *terms, const uint32_t *px, v4 f[3]) {
  v4 p[4];
  for (int i = 0; i < 4; i++) p[i] = xyz[0][px[i] & 255] + xyz[1][px[i] >> 8 & 255] + xyz[2][px[i] >> 16 & 255];
  transpose(p, f);
  for (int c = 0; c < 3; c++) f[c] = lab_of(terms, f[c]);
}

/* Computes the errors of four opaque pixels. */
static inline void errors_of_four(const Shades *s, const ToLab *terms, const uint32_t *a, const uint32_t *b,
                                  uint32_t i) {
  v4 p[3], q[3];
  lab_of_four(terms, a + i, p);
  lab_of_four(terms, b + i, q);
  for (int c = 0; c < 3; c++) q[c] -= p[c];
  store(s->error[0] + i, terms->to_l * q[1]);
  store(s->error[1] + i, terms->to_a * (q[0] - q[1]));
  store(s->error[2] + i, terms->to_b * (q[1] - q[2]));
}

/* Computes the error of a pixel on one plane. For an opaque pixel, the error on white is a copy of the error on
 * black. */
static inline void error_of_one(Shades *s, uint32_t a, uint32_t b, int plane, uint32_t i) {
  float *const l = s->error[0] + i, *const x = s->error[1] + i, *const y = s->error[2] + i;
  if (a == b) {
    *l = *x = *y = 0;
  } else if (plane == 2) {
    *l = ((int)(b >> 24) - (int)(a >> 24)) * (100 / 255.f);
    *x = *y = 0;
  } else if (plane == 0 || (a & b) >> 24 != 255) {
    const Known p = *look_up(s, plane, a), *q = look_up(s, plane, b);
    *l = q->lab[0] - p.lab[0], *x = q->lab[1] - p.lab[1], *y = q->lab[2] - p.lab[2];
  }
}

/* Computes the errors of pixels `from` to `to` one by one. */
static void single_errors(Shades *s, const uint32_t *a, const uint32_t *b, int plane, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) error_of_one(s, a[i], b[i], plane, i);
}

/* Computes the errors of pixels `from` to `to`. */
static void part_errors(Shades *s, const uint32_t *a, const uint32_t *b, int plane, uint32_t from, uint32_t to) {
  const ToLab terms = lab_terms();
  uint32_t i = from;
  for (; i + 4 <= to; i += 4) {
    const v128_t four = wasm_v128_load(a + i), others = wasm_v128_load(b + i);
    if (!wasm_v128_any_true(wasm_v128_xor(four, others)))
      for (int c = 0; c < 3; c++) store(s->error[c] + i, (v4){0});
    else if (plane == 0 && are_opaque(wasm_v128_and(four, others))) errors_of_four(s, &terms, a, b, i);
    else single_errors(s, a, b, plane, i, i + 4);
  }
  if (i < to) single_errors(s, a, b, plane, i, to);
}

/* Returns the pixel after a group of cells. */
static uint32_t end_of_group(const Shades *s, uint32_t group) {
  const uint32_t end = (group + 1) * GROUP * CELL;
  return end < s->width ? end : s->width;
}

/* Finds the groups of cells in which the pictures differ in this row. Returns false if there are none. */
static bool find_groups(Shades *s, const uint32_t *a, const uint32_t *b, int r) {
  bool any = false;
  for (uint32_t g = 0, i = 0; i < s->width; g++) {
    uint32_t differ = 0;
    for (const uint32_t end = end_of_group(s, g); i < end; i++) differ |= a[i] ^ b[i];
    s->row_differs[g] = differ != 0;
    s->group_differs[r][g] |= differ != 0;
    any |= differ != 0;
  }
  return any;
}

/* Returns the same pixel of four adjacent cells. */
static inline v4 strided(const float *p) { return (v4){p[0], p[CELL], p[2 * CELL], p[3 * CELL]}; }

static void add_cells(Shades *s, float *fields) {
  const uint32_t n = s->padded;
  const float down = (float)(s->rows % CELL) - CELL / 2;
  for (uint32_t k = 0; k < s->cells; k += GROUP) {
    if (!s->row_differs[k / GROUP]) continue;
    float *const at = fields + k;
    v4 light = {0}, a = load(at + A * n), b = load(at + B * n), squares = load(at + SQUARED * n);
    v4 across = load(at + ACROSS_MIDDLE * n), fourths = load(at + FOURTHS * n);
    for (int i = 0; i < CELL; i++) {
      const v4 l = strided(s->error[0] + k * CELL + i), x = strided(s->error[1] + k * CELL + i);
      const v4 y = strided(s->error[2] + k * CELL + i);
      const v4 square = l * l, all = square + .25f * (x * x + y * y);
      light += l, a += x, b += y;
      squares += square;
      across += l * ((float)i - CELL / 2);
      fourths += all * all;
    }
    store(at + LIGHT * n, load(at + LIGHT * n) + light);
    store(at + A * n, a), store(at + B * n, b);
    store(at + SQUARED * n, squares);
    store(at + ACROSS_MIDDLE * n, across);
    store(at + DOWN_MIDDLE * n, load(at + DOWN_MIDDLE * n) + light * down);
    store(at + FOURTHS * n, fourths);
  }
}

static uint32_t cell_width(const Shades *s, uint32_t k) {
  return s->width - k * CELL < CELL ? s->width - k * CELL : CELL;
}

/* Computes the contribution of cells `k` to `k` + 3 to their windows; `pixels`: pixels in each cell. */
static inline void weigh(const Shades *s, float *fields, const uint32_t *bends, uint32_t k, v4 pixels) {
  const uint32_t n = s->padded;
  float *const at = fields + k;
  const v4 bent = {(float)bends[k], (float)bends[k + 1], (float)bends[k + 2], (float)bends[k + 3]};
  const v4 light = load(at + LIGHT * n), squares = load(at + SQUARED * n), across = load(at + ACROSS_MIDDLE * n),
           down = load(at + DOWN_MIDDLE * n);
  const v4 busy = bent / (pixels * BUSY), mean = light * light / pixels, calm = 1 / (1 + busy * busy);
  const v4 slope = (across * across + down * down) / LEVER;
  const i4 whole = pixels == CELL * CELL;
  store(at + STEP * n, positive(mean - GRAIN * (squares - mean)) * calm);
  store(at + BAND * n, (v4)(whole & (i4)(positive(slope - GRAIN * (squares - mean - slope)) * calm)));
  store(at + SPECK * n, load(at + FOURTHS * n) * (calm * calm));
}

static void weigh_row(Shades *s, int r) {
  const uint32_t last = s->cells - 1;
  for (uint32_t k = 0; s->differs[r] && k < s->cells; k += GROUP) {
    if (!s->group_differs[r][k / GROUP]) continue;
    v4 pixels = (v4){CELL, CELL, CELL, CELL} * (float)s->heights[r];
    if (last - k < 4) pixels[last - k] = cell_width(s, last) * s->heights[r];
    for (int p = 0; p < s->planes; p++) weigh(s, s->plane[p].row[r], s->bends[r], k, pixels);
  }
}

static void watch(Shades *s, uint32_t from) {
  const ShadesWindow w = {from * CELL, s->all_rows}, *last = s->windows + s->watched - 1;
  if (s->watched < SHADES_MOST && (!s->watched || last->x != w.x || last->y != w.y)) s->windows[s->watched++] = w;
}

static void window(Shades *s, uint32_t from, uint32_t across) {
  const uint32_t n = s->padded;
  for (int p = 0; p < s->planes; p++) {
    Plane *const plane = s->plane + p;
    float a = 0, b = 0, squares = 0, slopes = 0, fourths = 0;
    uint32_t pixels = 0;
    for (uint32_t r = 0; r < ACROSS; r++) {
      if (!s->heights[r]) continue;
      for (uint32_t k = from; k < from + across; k++) {
        const float *at = plane->row[r] + k;
        pixels += cell_width(s, k) * s->heights[r];
        a += at[A * n], b += at[B * n];
        squares += at[STEP * n], slopes += at[BAND * n], fourths += at[SPECK * n];
      }
    }
    if (pixels < LEAST_PIXELS) pixels = LEAST_PIXELS;
    const float cast = (a * a + b * b) / ((float)pixels * pixels), steps = squares / pixels;
    if (cast > s->most_cast || steps > s->most_steps) watch(s, from);
    plane->cast = fmaxf(plane->cast, cast);
    plane->steps = fmaxf(plane->steps, steps);
    plane->bands = fmaxf(plane->bands, slopes / pixels);
    plane->specks = fmaxf(plane->specks, fourths / pixels);
  }
}

static inline v4 in_window(const Plane *plane, uint32_t at) {
  v4 sum = {0};
  for (int r = 0; r < ACROSS; r++)
    for (int k = 0; k < ACROSS; k++) sum += load(plane->row[r] + at + k);
  return sum;
}

static inline bool any(i4 mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }
static inline float most_of(v4 v, float before) { return fmaxf(fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3])), before); }

/* Evaluates four windows of complete cells. Returns false, without any effect, if one of them must be recorded. */
static bool four_windows(Shades *s, uint32_t from) {
  const uint32_t n = s->padded;
  const float pixels = ACROSS * ACROSS * CELL * CELL;
  v4 cast[PLANES], steps[PLANES];
  for (int p = 0; p < s->planes; p++) {
    const Plane *plane = s->plane + p;
    const v4 a = in_window(plane, A * n + from), b = in_window(plane, B * n + from);
    cast[p] = (a * a + b * b) / (pixels * pixels), steps[p] = in_window(plane, STEP * n + from) / pixels;
    if (any((cast[p] > s->most_cast) | (steps[p] > s->most_steps))) return false;
  }
  for (int p = 0; p < s->planes; p++) {
    Plane *const plane = s->plane + p;
    plane->cast = most_of(cast[p], plane->cast);
    plane->steps = most_of(steps[p], plane->steps);
    plane->bands = most_of(in_window(plane, BAND * n + from) / pixels, plane->bands);
    plane->specks = most_of(in_window(plane, SPECK * n + from) / pixels, plane->specks);
  }
  return true;
}

/* Returns true if the pictures are equal in the windows that start at cells `from` to `from` + 3. */
static bool are_equal(const Shades *s, uint32_t from) {
  const uint32_t last = from + GROUP + ACROSS - 2 < s->cells ? from + GROUP + ACROSS - 2 : s->cells - 1;
  for (uint32_t g = from / GROUP; g <= last / GROUP; g++)
    for (int r = 0; r < ACROSS; r++)
      if (s->group_differs[r][g]) return false;
  return true;
}

static int newest(const Shades *s) { return (s->rows / CELL) % ACROSS; }

/* Evaluates the windows that end with the newest complete row of cells. */
static void close_cells(Shades *s) {
  bool differs = false, whole = true;
  for (int r = 0; r < ACROSS; r++) differs |= s->differs[r], whole &= s->heights[r] == CELL;
  if (!differs || s->rows <= CELL * (ACROSS - 1)) return;
  const uint32_t across = s->cells < ACROSS ? s->cells : ACROSS, full = s->width / CELL;
  for (uint32_t k = 0; k + across <= s->cells;) {
    if (are_equal(s, k)) k += GROUP;
    else if (whole && k + 3 + ACROSS <= full && four_windows(s, k)) k += GROUP;
    else window(s, k++, across);
  }
}

static void empty_cells(Shades *s, int r) {
  memset(s->bends[r], 0, s->padded * sizeof **s->bends);
  memset(s->group_differs[r], 0, s->padded / GROUP);
  for (int p = 0; p < s->planes; p++) memset(s->plane[p].row[r], 0, (size_t)s->padded * FIELDS * sizeof(float));
  s->heights[r] = 0;
  s->differs[r] = false;
}

static bool is_opaque(const Shades *s, const uint32_t *a, const uint32_t *b) {
  uint32_t both = ~0u;
  for (uint32_t i = 0; i < s->width; i++) both &= a[i] & b[i];
  return both >> 24 == 255;
}

/* Starts the planes on white and of alpha. So far, white has the errors of black, and alpha has none. */
static void measure_all_planes(Shades *s) {
  const size_t bytes = (size_t)s->padded * FIELDS * sizeof(float);
  Plane *const black = s->plane, *const white = s->plane + 1, *const alpha = s->plane + 2;
  s->planes = s->all_planes;
  for (int r = 0; r < ACROSS; r++) {
    memcpy(white->row[r], black->row[r], bytes);
    memset(alpha->row[r], 0, bytes);
  }
  white->cast = black->cast, white->steps = black->steps, white->bands = black->bands, white->specks = black->specks;
}

void shades_row(Shades *s, const uint32_t *a, const uint32_t *b) {
  const int r = newest(s);
  if (s->rows % CELL == 0) empty_cells(s, r);
  texture_row(&s->texture, a, s->width);
  for (uint32_t k = 0; k < s->cells; k++) { /* the bends (texture.h) after the last pixel of a row are zero */
    const uint8_t *bends = s->texture.bends + k * CELL;
    s->bends[r][k] += bends[0] + bends[1] + bends[2] + bends[3] + bends[4];
  }
  s->heights[r]++;
  if (find_groups(s, a, b, r)) {
    s->differs[r] = true;
    if (s->planes < s->all_planes && !is_opaque(s, a, b)) measure_all_planes(s);
    for (int p = 0; p < s->planes; p++) {
      for (uint32_t g = 0; g * GROUP < s->cells; g++)
        if (s->row_differs[g]) part_errors(s, a, b, p, g * GROUP * CELL, end_of_group(s, g));
      add_cells(s, s->plane[p].row[r]);
    }
  }
  s->rows++;
  s->all_rows++;
  if (s->rows % CELL) return;
  weigh_row(s, r);
  close_cells(s);
}

void shades_break(Shades *s) {
  if (s->rows && (s->rows % CELL || s->rows < CELL * ACROSS)) {
    weigh_row(s, newest(s));
    /* picture lower than a window: use all rows there are */
    if (s->rows <= CELL * (ACROSS - 1)) s->rows = CELL * (ACROSS - 1) + 1;
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
