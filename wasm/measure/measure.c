#include "measure.h"
#include "squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#define TAPS MEASURE_WINDOW
#define HALF (TAPS / 2)
#define BLOCK MEASURE_BLOCK
#define C1 6.5025f  /* (0.01 * 255)^2 */
#define C2 58.5225f /* (0.03 * 255)^2 */
#define CENTRE 128.f /* subtracted from luma: keeps single precision exact enough for variances */

/* Of each pixel: luma of both pictures, the sum of their squares, their product. */
enum { X, Y, JOINT, CROSS, QUANTITIES };

/* One background: the last eleven rows of the four quantities, `stride` apart, and the sums. */
typedef struct {
  float *ring[QUANTITIES];
  float *block_luma, *block_rgb; /* of the row of blocks that is open */
  double loss_sum, luma_sse, rgb_sse, worst_luma, worst_rgb;
} Plane;

struct Measure {
  uint32_t width, padded, stride, every, rows, block_rows; /* rows since the last break, and of the open row of blocks */
  uint32_t columns, counted_rows; /* pixels of a row, and rows since the break, that count */
  uint64_t windows, pixels;
  int planes;
  Plane plane[2];
  float *blur[QUANTITIES]; /* columns blurred vertically */
  uint32_t *raw;           /* of the last eleven rows, where both pictures are the same: their pixels */
  uint8_t *unlaid;         /* for each block of those rows: its quantities are not made of them yet, and may never be needed */
  uint32_t *equal_rows;    /* for each block across: rows up to the newest in which both pictures are the same there */
  uint32_t *opaque_rows;   /* and in which both are opaque there, so that the background does not matter */
  MeasureTile *tiles;      /* of the open row of blocks, when a part is measured */
  uint32_t tile_stride;
  float kernel[HALF + 1];
};

static uint32_t blocks_of(uint32_t width) { return width / BLOCK + 1; }

Measure *measure_open(uint32_t width, bool alpha) {
  Measure *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->width = width;
  m->stride = ((width < TAPS ? TAPS : width) + TAPS + 3) & ~3u; /* vectors may read past the last window */
  m->planes = alpha ? 2 : 1;
  m->every = 1;
  float sum = 0;
  for (int i = 0; i <= HALF; i++) {
    m->kernel[i] = expf(-(float)((i - HALF) * (i - HALF)) / 4.5f);
    sum += i < HALF ? 2 * m->kernel[i] : m->kernel[i];
  }
  for (int i = 0; i <= HALF; i++) m->kernel[i] /= sum;
  bool good = (m->equal_rows = calloc(blocks_of(m->stride), sizeof(uint32_t))) != NULL;
  good &= (m->opaque_rows = calloc(blocks_of(m->stride), sizeof(uint32_t))) != NULL;
  good &= (m->raw = calloc((size_t)m->stride * TAPS, sizeof *m->raw)) != NULL;
  good &= (m->unlaid = calloc((size_t)blocks_of(m->stride) * TAPS, 1)) != NULL;
  for (int p = 0; p < m->planes; p++) {
    for (int q = 0; q < QUANTITIES; q++) good &= (m->plane[p].ring[q] = calloc((size_t)m->stride * TAPS, sizeof(float))) != NULL;
    good &= (m->plane[p].block_luma = calloc(blocks_of(width), sizeof(float))) != NULL;
    good &= (m->plane[p].block_rgb = calloc(blocks_of(width), sizeof(float))) != NULL;
  }
  for (int q = 0; q < QUANTITIES; q++) good &= (m->blur[q] = calloc(m->stride, sizeof(float))) != NULL;
  if (good) {
    measure_reset(m);
    return m;
  }
  measure_close(m);
  return NULL;
}

void measure_close(Measure *m) {
  if (!m) return;
  for (int p = 0; p < 2; p++) {
    for (int q = 0; q < QUANTITIES; q++) free(m->plane[p].ring[q]);
    free(m->plane[p].block_luma);
    free(m->plane[p].block_rgb);
  }
  for (int q = 0; q < QUANTITIES; q++) free(m->blur[q]);
  free(m->equal_rows);
  free(m->opaque_rows);
  free(m->raw);
  free(m->unlaid);
  free(m);
}

void measure_every(Measure *m, uint32_t n) { m->every = n; }

static void run_begin(Measure *m, uint32_t width, uint32_t columns, uint32_t rows) {
  m->width = width;
  m->padded = width < TAPS ? TAPS : width;
  m->columns = columns;
  m->counted_rows = rows;
  m->rows = m->block_rows = 0;
  memset(m->equal_rows, 0, blocks_of(m->padded) * sizeof *m->equal_rows);
  memset(m->opaque_rows, 0, blocks_of(m->padded) * sizeof *m->opaque_rows);
}

void measure_reset(Measure *m) {
  run_begin(m, m->width, m->width, UINT32_MAX);
  m->tiles = NULL;
  m->windows = m->pixels = 0;
  for (int p = 0; p < m->planes; p++) {
    Plane *plane = &m->plane[p];
    plane->loss_sum = plane->luma_sse = plane->rgb_sse = plane->worst_luma = plane->worst_rgb = 0;
    memset(plane->block_luma, 0, blocks_of(m->width) * sizeof(float));
    memset(plane->block_rgb, 0, blocks_of(m->width) * sizeof(float));
  }
}

void measure_part(Measure *m, uint32_t width, uint32_t columns, uint32_t rows, MeasureTile *tiles, uint32_t stride) {
  run_begin(m, width, columns, rows);
  m->tiles = tiles;
  m->tile_stride = stride;
  const uint32_t across = (columns + BLOCK - 1) / BLOCK, down = (rows + BLOCK - 1) / BLOCK;
  for (uint32_t y = 0; y < down; y++) memset(tiles + (size_t)y * stride, 0, across * sizeof *tiles);
}

/* Ends a row of blocks. Slivers at the edges count with the pixels of half a block, so that a few do not weigh too much. */
static void close_blocks(Measure *m) {
  if (!m->block_rows) return;
  for (int p = 0; p < m->planes; p++) {
    Plane *plane = &m->plane[p];
    for (uint32_t b = 0; b * BLOCK < m->width; b++) {
      uint32_t columns = m->width - b * BLOCK < BLOCK ? m->width - b * BLOCK : BLOCK, pixels = columns * m->block_rows;
      if (pixels < BLOCK * BLOCK / 2) pixels = BLOCK * BLOCK / 2;
      double luma = plane->block_luma[b] / pixels, rgb = plane->block_rgb[b] / (3.0 * pixels);
      if (luma > plane->worst_luma) plane->worst_luma = luma;
      if (rgb > plane->worst_rgb) plane->worst_rgb = rgb;
      plane->block_luma[b] = plane->block_rgb[b] = 0;
    }
  }
  m->block_rows = 0;
}

static bool is_opaque(const uint32_t *px, uint32_t n) {
  uint32_t i = 0;
  v128_t bits = wasm_u32x4_splat(0xffffffff);
  for (; i + 4 <= n; i += 4) bits = wasm_v128_and(bits, wasm_v128_load(px + i));
  bool opaque = wasm_i32x4_all_true(wasm_u32x4_gt(bits, wasm_u32x4_splat(0xfeffffff)));
  for (; i < n; i++) opaque &= px[i] >> 24 == 255;
  return opaque;
}

/* Luma of pixels on one background. */
static void lay(const uint32_t *row, uint32_t n, bool alpha, float white, float *luma) {
  if (!alpha) {
    for (uint32_t i = 0; i < n; i++) {
      uint32_t c = row[i];
      luma[i] = .299f * (c & 255) + .587f * (c >> 8 & 255) + .114f * (c >> 16 & 255) - CENTRE;
    }
  } else {
    for (uint32_t i = 0; i < n; i++) {
      uint32_t c = row[i];
      float a = (c >> 24) * (1 / 255.f);
      luma[i] = (.299f * (c & 255) + .587f * (c >> 8 & 255) + .114f * (c >> 16 & 255)) * a + white * (1 - a) - CENTRE;
    }
  }
}

/* Mirrors a row that is narrower than a window (half-sample symmetric, as numpy's "symmetric"). */
static void mirror(const Measure *m, float *luma) {
  const uint32_t n = m->width;
  for (uint32_t i = n; i < m->padded; i++) {
    uint32_t k = i % (2 * n);
    luma[i] = luma[k < n ? k : 2 * n - 1 - k];
  }
}

/* The quantities of columns `from` to `to` of a row of the ring. */
static void fill(Measure *m, uint32_t slot, const uint32_t *a, const uint32_t *b, bool opaque, uint32_t from, uint32_t to) {
  for (int p = 0; p < m->planes; p++) {
    float *row[QUANTITIES];
    for (int q = 0; q < QUANTITIES; q++) row[q] = m->plane[p].ring[q] + (size_t)slot * m->stride;
    const float white = p ? 255.f : 0.f;
    if (p && opaque) { /* as on black */
      for (int q = 0; q < QUANTITIES; q++)
        memcpy(row[q] + from, m->plane[0].ring[q] + (size_t)slot * m->stride + from, (m->width < m->padded ? m->padded : to - from) * sizeof(float));
      continue;
    }
    lay(a + from, to - from, !opaque, white, row[X] + from);
    if (a == b) memcpy(row[Y] + from, row[X] + from, (to - from) * sizeof(float));
    else lay(b + from, to - from, !opaque, white, row[Y] + from);
    if (m->width < m->padded) {
      mirror(m, row[X]);
      mirror(m, row[Y]);
    }
    const uint32_t end = m->width < m->padded ? m->padded : to;
    for (uint32_t i = from; i < end; i += 4) {
      const v128_t x = wasm_v128_load(row[X] + i), y = wasm_v128_load(row[Y] + i);
      wasm_v128_store(row[JOINT] + i, wasm_f32x4_add(wasm_f32x4_mul(x, x), wasm_f32x4_mul(y, y)));
      wasm_v128_store(row[CROSS] + i, wasm_f32x4_mul(x, y));
    }
  }
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Makes the quantities that are missing in columns `from` to `to` of the last eleven rows. */
static void fill_missing(Measure *m, uint32_t from, uint32_t to) {
  const uint32_t blocks = blocks_of(m->stride);
  for (uint32_t slot = 0; slot < TAPS; slot++)
    for (uint32_t k = from / BLOCK; k * BLOCK < to; k++) {
      uint8_t *unlaid = m->unlaid + (size_t)slot * blocks + k;
      if (!*unlaid) continue;
      *unlaid = 0;
      const uint32_t *row = m->raw + (size_t)slot * m->stride, end = least((k + 1) * BLOCK, m->width);
      fill(m, slot, row, row, m->planes == 1 || is_opaque(row + k * BLOCK, end - k * BLOCK), k * BLOCK, end);
    }
}

/* The four quantities of columns `from` to `to`, blurred down the last eleven rows. */
static void blur_columns(Measure *m, const Plane *p, uint32_t newest, uint32_t from, uint32_t to) {
  for (int q = 0; q < QUANTITIES; q++) {
    const float *row[TAPS];
    for (int t = 0; t < TAPS; t++) row[t] = p->ring[q] + (size_t)((newest + 1 + t) % TAPS) * m->stride;
    for (uint32_t i = from; i < to; i += 4) {
      v128_t sum = wasm_f32x4_mul(wasm_v128_load(row[HALF] + i), wasm_f32x4_splat(m->kernel[HALF]));
#pragma clang loop unroll(full)
      for (int t = 0; t < HALF; t++) {
        const v128_t pair = wasm_f32x4_add(wasm_v128_load(row[t] + i), wasm_v128_load(row[TAPS - 1 - t] + i));
        sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pair, wasm_f32x4_splat(m->kernel[t])));
      }
      wasm_v128_store(m->blur[q] + i, sum);
    }
  }
}

static inline v128_t blur_along(const Measure *m, int quantity, uint32_t at) {
  const float *b = m->blur[quantity] + at;
  v128_t sum = wasm_f32x4_mul(wasm_v128_load(b + HALF), wasm_f32x4_splat(m->kernel[HALF]));
#pragma clang loop unroll(full)
  for (int t = 0; t < HALF; t++) {
    const v128_t pair = wasm_f32x4_add(wasm_v128_load(b + t), wasm_v128_load(b + TAPS - 1 - t));
    sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pair, wasm_f32x4_splat(m->kernel[t])));
  }
  return sum;
}

/* 1 - SSIM over windows `from` to `to` of the row of windows whose columns are blurred. */
static float windows_loss(const Measure *m, uint32_t from, uint32_t to) {
  const v128_t c1 = wasm_f32x4_splat(C1), c2 = wasm_f32x4_splat(C2), centre = wasm_f32x4_splat(CENTRE), one = wasm_f32x4_splat(1);
  v128_t loss = wasm_f32x4_splat(0);
  for (uint32_t i = from; i < to; i += 4) {
    v128_t x = blur_along(m, X, i), y = blur_along(m, Y, i);
    const v128_t product = wasm_f32x4_mul(x, y), squares = wasm_f32x4_add(wasm_f32x4_mul(x, x), wasm_f32x4_mul(y, y));
    const v128_t variances = wasm_f32x4_sub(blur_along(m, JOINT, i), squares);
    const v128_t covariance = wasm_f32x4_sub(blur_along(m, CROSS, i), product);
    x = wasm_f32x4_add(x, centre);
    y = wasm_f32x4_add(y, centre);
    const v128_t mean_product = wasm_f32x4_mul(x, y), mean_squares = wasm_f32x4_add(wasm_f32x4_mul(x, x), wasm_f32x4_mul(y, y));
    const v128_t above = wasm_f32x4_mul(wasm_f32x4_add(wasm_f32x4_add(mean_product, mean_product), c1),
                                        wasm_f32x4_add(wasm_f32x4_add(covariance, covariance), c2));
    const v128_t below = wasm_f32x4_mul(wasm_f32x4_add(mean_squares, c1), wasm_f32x4_add(variances, c2));
    v128_t lost = wasm_f32x4_sub(one, wasm_f32x4_div(above, below));
    if (i + 4 > to) { /* the last lanes hold no window */
      static const uint32_t lane[4] = {0, 1, 2, 3};
      lost = wasm_v128_and(lost, wasm_u32x4_lt(wasm_v128_load(lane), wasm_u32x4_splat(to - i)));
    }
    loss = wasm_f32x4_add(loss, lost);
  }
  return wasm_f32x4_extract_lane(loss, 0) + wasm_f32x4_extract_lane(loss, 1) + wasm_f32x4_extract_lane(loss, 2) + wasm_f32x4_extract_lane(loss, 3);
}

/* Whether windows that start in block b of the newest row see nothing but such pixels: `rows` is equal_rows or opaque_rows. */
static bool all(const Measure *m, const uint32_t *rows, uint32_t b) {
  return rows[b] >= TAPS && ((b + 1) * BLOCK >= m->padded || rows[b + 1] >= TAPS);
}
static bool all_equal(const Measure *m, uint32_t b) { return all(m, m->equal_rows, b); }

static void add_loss(Measure *m, int p, uint32_t row, uint32_t b, float loss) {
  if (m->tiles) m->tiles[(size_t)(row / BLOCK) * m->tile_stride + b].loss[p] += loss * m->every;
  else m->plane[p].loss_sum += loss;
}

/* Counts the windows that end with the newest row, if there are any. */
static void close_row(Measure *m) {
  const uint32_t newest = m->rows % TAPS, first = m->rows + 1 - TAPS; /* row in which those windows start */
  m->rows++;
  if (m->rows < TAPS || first % m->every || first >= m->counted_rows) return;
  const uint32_t count = m->padded - TAPS + 1 < m->columns ? m->padded - TAPS + 1 : m->columns;
  m->windows += count;
  for (uint32_t b = 0; b * BLOCK < count; b++) {
    if (all_equal(m, b)) continue;
    uint32_t end = b + 1;
    while (end * BLOCK < count && !all_equal(m, end)) end++;
    const uint32_t to = end * BLOCK < count ? end * BLOCK : count;
    fill_missing(m, b * BLOCK, least(to + TAPS + 2, m->width));
    int planes = 1; /* black and white may give the same */
    for (uint32_t k = b; k < end && planes < m->planes; k++)
      if (!all(m, m->opaque_rows, k)) planes = m->planes;
    for (int p = 0; p < planes; p++) {
      blur_columns(m, &m->plane[p], newest, b * BLOCK, to + TAPS - 1);
      for (uint32_t k = b; k < end; k++) {
        const float loss = windows_loss(m, k * BLOCK, k + 1 < end ? (k + 1) * BLOCK : to);
        add_loss(m, p, first, k, loss);
        if (planes < m->planes) add_loss(m, 1, first, k, loss);
      }
    }
    b = end;
  }
}

static float rgb_squares_over(const uint32_t *a, const uint32_t *b, uint32_t n, float white) {
  float sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t c = a[i], d = b[i];
    if (c == d) continue;
    const float ca = (c >> 24) * (1 / 255.f), da = (d >> 24) * (1 / 255.f), base = white * (da - ca); /* white * (1 - ca) - white * (1 - da) */
    for (int s = 0; s < 24; s += 8) {
      const float e = (c >> s & 255) * ca - (d >> s & 255) * da + base;
      sum += e * e;
    }
  }
  return sum;
}

static bool same(const uint32_t *a, const uint32_t *b, uint32_t n) {
  uint32_t i = 0;
  v128_t bits = wasm_u32x4_splat(0);
  for (; i + 4 <= n; i += 4) bits = wasm_v128_or(bits, wasm_v128_xor(wasm_v128_load(a + i), wasm_v128_load(b + i)));
  if (wasm_v128_any_true(bits)) return false;
  for (; i < n; i++)
    if (a[i] != b[i]) return false;
  return true;
}

/* Sums of the pixels of block b that count, which differ. */
static void add_errors(Measure *m, int p, uint32_t b, const uint32_t *a, const uint32_t *other, bool opaque, const float *x, const float *y) {
  const uint32_t from = b * BLOCK;
  if (from >= m->columns || m->rows >= m->counted_rows) return;
  const uint32_t n = m->columns - from < BLOCK ? m->columns - from : BLOCK;
  const float luma = luma_squares_of(x + from, y + from, n);
  const float rgb = opaque ? opaque_squares_of((const uint8_t *)(a + from), (const uint8_t *)(other + from), n) : rgb_squares_over(a + from, other + from, n, p ? 255.f : 0.f);
  if (m->tiles) {
    MeasureTile *tile = &m->tiles[(size_t)(m->rows / BLOCK) * m->tile_stride + b];
    tile->luma[p] += luma;
    tile->rgb[p] += rgb;
    return;
  }
  Plane *plane = &m->plane[p];
  plane->block_luma[b] += luma;
  plane->block_rgb[b] += rgb;
  plane->luma_sse += luma;
  plane->rgb_sse += rgb;
}

void measure_row(Measure *m, const uint32_t *a, const uint32_t *b) {
  const uint32_t n = m->width, slot = m->rows % TAPS;
  m->pixels += n;
  for (uint32_t k = 0; k * BLOCK < n; k++) {
    const uint32_t from = k * BLOCK, to = least(from + BLOCK, n);
    const bool equal = same(a + from, b + from, to - from);
    m->equal_rows[k] = equal ? m->equal_rows[k] + 1 : 0;
    m->unlaid[(size_t)slot * blocks_of(m->stride) + k] = equal;
    if (equal) {
      memcpy(m->raw + (size_t)slot * m->stride + from, a + from, (to - from) * sizeof *a);
      m->opaque_rows[k] = m->planes == 1 || is_opaque(a + from, to - from) ? m->opaque_rows[k] + 1 : 0;
      continue;
    }
    const bool opaque = m->planes == 1 || (is_opaque(a + from, to - from) && is_opaque(b + from, to - from));
    m->opaque_rows[k] = opaque ? m->opaque_rows[k] + 1 : 0;
    fill(m, slot, a, b, opaque, from, to);
    for (int p = 0; p < m->planes; p++) {
      float *const *ring = m->plane[p].ring;
      add_errors(m, p, k, a, b, opaque, ring[X] + (size_t)slot * m->stride, ring[Y] + (size_t)slot * m->stride);
    }
  }
  if (!m->tiles && ++m->block_rows == BLOCK) close_blocks(m);
  close_row(m);
}

void measure_break(Measure *m) {
  if (!m->tiles) close_blocks(m);
  const uint32_t rows = m->rows;
  if (rows && rows < TAPS) {
    for (uint32_t r = rows; r < TAPS; r++) {
      uint32_t k = r % (2 * rows), from = k < rows ? k : 2 * rows - 1 - k;
      for (int p = 0; p < m->planes; p++)
        for (int q = 0; q < QUANTITIES; q++) {
          float *ring = m->plane[p].ring[q];
          memcpy(ring + (size_t)r * m->stride, ring + (size_t)from * m->stride, m->stride * sizeof(float));
        }
      memcpy(m->raw + (size_t)r * m->stride, m->raw + (size_t)from * m->stride, m->stride * sizeof *m->raw);
      memcpy(m->unlaid + (size_t)r * blocks_of(m->stride), m->unlaid + (size_t)from * blocks_of(m->stride), blocks_of(m->stride));
      for (uint32_t b = 0; b * BLOCK < m->width; b++) { /* mirrored rows are as equal, and as opaque, as all of them */
        m->equal_rows[b] = m->equal_rows[b] == r ? r + 1 : 0;
        m->opaque_rows[b] = m->opaque_rows[b] == r ? r + 1 : 0;
      }
      close_row(m);
    }
  }
  run_begin(m, m->width, m->columns, m->counted_rows);
}

Quality measure_result(const Measure *m) {
  Quality worst = {1, 0, 0, 0, 0};
  for (int p = 0; p < m->planes; p++) {
    const Plane *plane = &m->plane[p];
    double ssim = m->windows ? 1 - plane->loss_sum / m->windows : 1;
    double pixels = m->pixels ? m->pixels : 1;
    if (ssim < worst.ssim) worst.ssim = ssim;
    if (plane->luma_sse / pixels > worst.luma_mse) worst.luma_mse = plane->luma_sse / pixels;
    if (plane->rgb_sse / (3 * pixels) > worst.rgb_mse) worst.rgb_mse = plane->rgb_sse / (3 * pixels);
    if (plane->worst_luma > worst.block_luma_mse) worst.block_luma_mse = plane->worst_luma;
    if (plane->worst_rgb > worst.block_rgb_mse) worst.block_rgb_mse = plane->worst_rgb;
  }
  return worst;
}
