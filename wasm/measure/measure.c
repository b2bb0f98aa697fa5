#include "measure.h"
#include "squares.h"
#include "window.h"

#include <math.h>
#include <string.h>

#define BLOCK MEASURE_BLOCK
#define WIDEST (1u << 22) /* largest width in pixels for which sizes fit into 32 bits */

/* State for one background. The ring buffer has the quantities of the last eleven rows, grouped by row. */
typedef struct {
  float background;
  float *ring;
  float *block_luma, *block_rgb; /* squared errors of the current row of blocks */
  double loss_sum, luma_sse, rgb_sse, worst_luma, worst_rgb;
} Plane;

struct Measure {
  PixelFormat format;
  float tap[HALF + 1]; /* window weights in memory; otherwise the compiler rebuilds constant vectors for each pixel */
  uint32_t pixel_bytes, colours, width, padded, stride, every, rows,
      block_rows; /* `rows`: rows since the last break; `block_rows`: rows of the current row of blocks */
  /* `columns`: pixels of a row that count; `counted_rows`: rows since the break that count */
  uint32_t columns, counted_rows;
  uint64_t windows, pixels;
  int planes;
  Plane plane[2];
  float *blurred[QUANTITIES]; /* quantities of each column after the vertical blur */
  uint8_t *raw;               /* pixels of the last eleven rows, kept where both pictures are equal */
  /* For each block column: one bit per row of `raw` whose quantities are not computed yet. They are computed only if
   * needed. */
  uint16_t *unlaid;
  /* for each block column: number of rows up to the newest one in which both pictures are equal */
  uint32_t *equal_rows;
  /* for each block column: number of rows in which both pictures are opaque, so that the background does not matter */
  uint32_t *opaque_rows;
  MeasureTile *tiles; /* output tiles of the current row of blocks if a part is measured */
  uint32_t tile_stride;
};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t blocks_of(uint32_t width) { return width / BLOCK + 1; }
/* Allocated row length, with space for vectors that exceed the row. */
static uint32_t stride_of(uint32_t width) { return ((width < TAPS ? TAPS : width) + TAPS + 4 + 3) & ~3u; }

/* Returns the next part of `memory` and adds its size to `used`. `memory` NULL: only computes the size. */
static void *take(uint8_t *memory, size_t *used, size_t bytes) {
  void *part = memory ? memory + *used : NULL;
  *used += (bytes + 15) & ~(size_t)15;
  return part;
}

static size_t lay_out(Measure *m, uint8_t *memory, uint32_t width, PixelFormat format) {
  const size_t stride = stride_of(width), blocks = blocks_of(stride), row = stride * sizeof(float);
  size_t used = 0;
  take(memory, &used, sizeof *m);
  for (int p = 0; p < (format.translucent ? 2 : 1); p++) {
    m->plane[p].ring = take(memory, &used, row * TAPS * QUANTITIES);
    m->plane[p].block_luma = take(memory, &used, blocks * sizeof(float));
    m->plane[p].block_rgb = take(memory, &used, blocks * sizeof(float));
  }
  for (int q = 0; q < QUANTITIES; q++) m->blurred[q] = take(memory, &used, row);
  m->equal_rows = take(memory, &used, blocks * sizeof *m->equal_rows);
  m->opaque_rows = take(memory, &used, blocks * sizeof *m->opaque_rows);
  m->raw = take(memory, &used, stride * TAPS * pixels_bytes(format));
  m->unlaid = take(memory, &used, blocks * sizeof *m->unlaid);
  return used;
}

size_t measure_bytes(uint32_t width, PixelFormat format) {
  Measure unused;
  return width > WIDEST ? SIZE_MAX : lay_out(&unused, NULL, width, format);
}

/* Starts a run of adjacent rows. */
static void run_begin(Measure *m, uint32_t width, uint32_t columns, uint32_t rows) {
  m->width = width;
  m->padded = width < TAPS ? TAPS : width;
  m->columns = columns;
  m->counted_rows = rows;
  m->rows = m->block_rows = 0;
  memset(m->equal_rows, 0, blocks_of(m->padded) * sizeof *m->equal_rows);
  memset(m->opaque_rows, 0, blocks_of(m->padded) * sizeof *m->opaque_rows);
}

Measure *measure_begin(void *memory, uint32_t width, PixelFormat format) {
  Measure *m = memory;
  memset(memory, 0, measure_bytes(width, format));
  lay_out(m, memory, width, format);
  m->format = format;
  m->pixel_bytes = pixels_bytes(format);
  m->colours = pixels_colours(format);
  m->stride = stride_of(width);
  m->planes = format.translucent ? 2 : 1;
  m->plane[1].background = 255;
  m->every = 1;
  memcpy(m->tap, WEIGHTS, sizeof m->tap);
  run_begin(m, width, width, UINT32_MAX);
  return m;
}

void measure_every(Measure *m, uint32_t n) { m->every = n; }

uint32_t measure_sampling(uint32_t width, uint32_t height) {
  const double pixels = (double)width * height;
  return pixels < 1e6 ? 1 : pixels < 8e6 ? 2 : 4;
}

void measure_part(Measure *m, uint32_t width, uint32_t columns, uint32_t rows, MeasureTile *tiles, uint32_t stride) {
  run_begin(m, width, columns, rows);
  m->tiles = tiles;
  m->tile_stride = stride;
  const uint32_t across = (columns + BLOCK - 1) / BLOCK, down = (rows + BLOCK - 1) / BLOCK;
  for (uint32_t y = 0; y < down; y++) memset(tiles + (size_t)y * stride, 0, across * sizeof *tiles);
}

/* Completes a row of blocks. Small blocks at the edges count with the pixels of half a block, so that few pixels do not
 * dominate. */
static void close_blocks(Measure *m) {
  if (!m->block_rows) return;
  for (int p = 0; p < m->planes; p++) {
    Plane *plane = &m->plane[p];
    for (uint32_t b = 0; b * BLOCK < m->width; b++) {
      uint32_t columns = m->width - b * BLOCK < BLOCK ? m->width - b * BLOCK : BLOCK, pixels = columns * m->block_rows;
      if (pixels < BLOCK * BLOCK / 2) pixels = BLOCK * BLOCK / 2;
      double luma = plane->block_luma[b] / pixels, rgb = plane->block_rgb[b] / ((double)m->colours * pixels);
      if (luma > plane->worst_luma) plane->worst_luma = luma;
      if (rgb > plane->worst_rgb) plane->worst_rgb = rgb;
      plane->block_luma[b] = plane->block_rgb[b] = 0;
    }
  }
  m->block_rows = 0;
}

/* Mirrors a row that is narrower than a window (half-sample symmetric, as numpy's "symmetric"). */
static void mirror(const Measure *m, float *luma) {
  const uint32_t n = m->width;
  for (uint32_t i = n; i < m->padded; i++) {
    const uint32_t k = i % (2 * n);
    luma[i] = luma[k < n ? k : 2 * n - 1 - k];
  }
}

static float *ring_row(const Measure *m, int p, uint32_t slot, int quantity) {
  return m->plane[p].ring + ((size_t)slot * QUANTITIES + quantity) * m->stride;
}

/* Computes the quantities of columns `from` to `to` of a ring buffer row. Both pictures may be the same. */
static void fill(Measure *m, uint32_t slot, const uint8_t *a, const uint8_t *b, bool opaque, uint32_t from,
                 uint32_t to) {
  const size_t at = (size_t)from * m->pixel_bytes;
  const uint32_t pixels = to - from, end = m->width < m->padded ? m->padded : to;
  if (m->pixel_bytes == 1 && pixels == BLOCK) {
    float *row = ring_row(m, 0, slot, 0) + from;
    window_of_bytes(a + from, b + from, BLOCK,
                    (float *[]){row, row + m->stride, row + 2 * m->stride, row + 3 * m->stride});
    return;
  }
  for (int p = 0; p < m->planes; p++) {
    float *x = ring_row(m, p, slot, X), *y = ring_row(m, p, slot, Y);
    if (p && opaque) { /* opaque pixels have the same values on white as on black */
      for (int q = 0; q < QUANTITIES; q++)
        memcpy(ring_row(m, p, slot, q) + from, ring_row(m, 0, slot, q) + from, (end - from) * sizeof(float));
      continue;
    }
    pixels_luma(m->format, a + at, pixels, opaque, m->plane[p].background, x + from);
    if (a == b) memcpy(y + from, x + from, pixels * sizeof(float));
    else pixels_luma(m->format, b + at, pixels, opaque, m->plane[p].background, y + from);
    if (m->width < m->padded) {
      mirror(m, x);
      mirror(m, y);
    }
    window_products(x, y, ring_row(m, p, slot, JOINT), ring_row(m, p, slot, CROSS), from, end);
  }
}

static uint8_t *raw_row(const Measure *m, uint32_t slot) { return m->raw + (size_t)slot * m->stride * m->pixel_bytes; }

/* Computes the missing quantities of columns `from` to `to` in the last eleven rows. */
static void fill_missing(Measure *m, uint32_t from, uint32_t to) {
  for (uint32_t k = from / BLOCK; k * BLOCK < to; k++)
    for (; m->unlaid[k]; m->unlaid[k] &= m->unlaid[k] - 1) {
      const uint32_t slot = __builtin_ctz(m->unlaid[k]);
      const uint8_t *row = raw_row(m, slot);
      const uint32_t end = least((k + 1) * BLOCK, m->width);
      const bool opaque = pixels_opaque(m->format, row + (size_t)k * BLOCK * m->pixel_bytes, end - k * BLOCK);
      fill(m, slot, row, row, opaque, k * BLOCK, end);
    }
}

/* Blurs the four quantities of columns `from` to `to` vertically over the last eleven rows. */
static void blur_columns(Measure *m, int p, uint32_t newest, uint32_t from, uint32_t to) {
  for (int q = 0; q < QUANTITIES; q++) {
    const float *row[TAPS];
    for (int t = 0; t < TAPS; t++) row[t] = ring_row(m, p, (newest + 1 + t) % TAPS, q);
    window_blur_down(m->tap, row, m->blurred[q], from, to);
  }
}

/* True if all windows that start in block b of the newest row consist of such pixels. `rows`: equal_rows or
 * opaque_rows. */
static bool all(const Measure *m, const uint32_t *rows, uint32_t b) {
  return rows[b] >= TAPS && ((b + 1) * BLOCK >= m->padded || rows[b + 1] >= TAPS);
}
static bool all_equal(const Measure *m, uint32_t b) { return all(m, m->equal_rows, b); }

static void add_loss(Measure *m, int p, uint32_t row, uint32_t b, float loss) {
  if (m->tiles) m->tiles[(size_t)(row / BLOCK) * m->tile_stride + b].loss[p] += loss * m->every;
  else m->plane[p].loss_sum += loss;
}

/* Measures the windows that end with the newest row, if any. */
static void close_row(Measure *m) {
  const uint32_t newest = m->rows % TAPS, first = m->rows + 1 - TAPS; /* row in which the windows that end here start */
  m->rows++;
  if (m->rows < TAPS || !m->every || first % m->every || first >= m->counted_rows) return;
  const uint32_t count = m->padded - TAPS + 1 < m->columns ? m->padded - TAPS + 1 : m->columns;
  m->windows += count;
  for (uint32_t b = 0; b * BLOCK < count; b++) {
    if (all_equal(m, b)) continue;
    uint32_t end = b + 1;
    while (end * BLOCK < count && !all_equal(m, end)) end++;
    const uint32_t to = end * BLOCK < count ? end * BLOCK : count;
    fill_missing(m, b * BLOCK, least(to + TAPS + 2, m->width));
    int planes = 1; /* number of backgrounds to measure; 1 if both give the same result */
    for (uint32_t k = b; k < end && planes < m->planes; k++)
      if (!all(m, m->opaque_rows, k)) planes = m->planes;
    for (int p = 0; p < planes; p++) {
      blur_columns(m, p, newest, b * BLOCK, to + TAPS - 1);
      for (uint32_t k = b; k < end; k++) {
        const float loss = window_loss(m->tap, m->blurred, k * BLOCK, k + 1 < end ? (k + 1) * BLOCK : to);
        add_loss(m, p, first, k, loss);
        if (planes < m->planes) add_loss(m, 1, first, k, loss);
      }
    }
    b = end;
  }
}

static bool same(const uint8_t *a, const uint8_t *b, uint32_t bytes) {
  uint32_t i = 0;
  v128_t bits = wasm_u32x4_splat(0);
  for (; i + 16 <= bytes; i += 16)
    bits = wasm_v128_or(bits, wasm_v128_xor(wasm_v128_load(a + i), wasm_v128_load(b + i)));
  if (wasm_v128_any_true(bits)) return false;
  for (; i < bytes; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static void add_errors(Measure *m, int p, uint32_t b, float luma, float rgb) {
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

/* Adds the squared errors of the counted pixels in block b of the newest row. */
static void find_errors(Measure *m, uint32_t b, const uint8_t *a, const uint8_t *other, bool opaque) {
  const uint32_t from = b * BLOCK, slot = m->rows % TAPS;
  if (from >= m->columns || m->rows >= m->counted_rows) return;
  const uint32_t n = least(m->columns - from, BLOCK);
  const size_t at = (size_t)from * m->pixel_bytes;
  float luma = 0, rgb = 0;
  for (int p = 0; p < m->planes; p++) {
    if (!p || !opaque) { /* opaque pixels have the same errors on white as on black */
      rgb = pixels_squares(m->format, a + at, other + at, n, opaque, m->plane[p].background);
      luma = m->pixel_bytes == 1 ? rgb
                                 : luma_squares_of(ring_row(m, p, slot, X) + from, ring_row(m, p, slot, Y) + from, n);
    }
    add_errors(m, p, b, luma, rgb);
  }
}

void measure_row(Measure *m, const void *row_a, const void *row_b) {
  const uint8_t *a = row_a, *b = row_b;
  const uint32_t n = m->width, slot = m->rows % TAPS;
  m->pixels += n;
  for (uint32_t k = 0; k * BLOCK < n; k++) {
    const uint32_t from = k * BLOCK, to = least(from + BLOCK, n), bytes = (to - from) * m->pixel_bytes;
    const size_t at = (size_t)from * m->pixel_bytes;
    const bool equal = same(a + at, b + at, bytes);
    const bool opaque =
        pixels_opaque(m->format, a + at, to - from) && (equal || pixels_opaque(m->format, b + at, to - from));
    m->equal_rows[k] = equal ? m->equal_rows[k] + 1 : 0;
    m->opaque_rows[k] = opaque ? m->opaque_rows[k] + 1 : 0;
    m->unlaid[k] = (m->unlaid[k] & ~(1u << slot)) | (uint32_t)equal << slot;
    if (equal) memcpy(raw_row(m, slot) + at, a + at, bytes);
    else {
      if (m->every) fill(m, slot, a, b, opaque, from, to);
      find_errors(m, k, a, b, opaque);
    }
  }
  if (!m->tiles && ++m->block_rows == BLOCK) close_blocks(m);
  close_row(m);
}

/* Fills row r by mirroring, for a run lower than a window. */
static void mirror_down(Measure *m, uint32_t rows, uint32_t r) {
  const uint32_t k = r % (2 * rows), from = k < rows ? k : 2 * rows - 1 - k;
  for (int p = 0; p < m->planes; p++)
    memcpy(ring_row(m, p, r, 0), ring_row(m, p, from, 0), (size_t)QUANTITIES * m->stride * sizeof(float));
  memcpy(raw_row(m, r), raw_row(m, from), (size_t)m->stride * m->pixel_bytes);
  for (uint32_t b = 0; b * BLOCK < m->width; b++) { /* a mirrored row is equal or opaque if all source rows are */
    m->equal_rows[b] = m->equal_rows[b] == r ? r + 1 : 0;
    m->opaque_rows[b] = m->opaque_rows[b] == r ? r + 1 : 0;
    m->unlaid[b] = (m->unlaid[b] & ~(1u << r)) | (uint32_t)(m->unlaid[b] >> from & 1) << r;
  }
}

void measure_break(Measure *m) {
  if (!m->tiles) close_blocks(m);
  const uint32_t rows = m->rows;
  for (uint32_t r = rows; rows && r < TAPS; r++) {
    mirror_down(m, rows, r);
    close_row(m);
  }
  run_begin(m, m->width, m->columns, m->counted_rows);
}

Quality measure_result(const Measure *m) {
  Quality worst = {m->every ? 1 : NAN, 0, 0, 0, 0};
  const double pixels = m->pixels ? m->pixels : 1;
  for (int p = 0; p < m->planes; p++) {
    const Plane *plane = &m->plane[p];
    const double ssim = m->windows ? 1 - plane->loss_sum / m->windows : 1;
    if (ssim < worst.ssim) worst.ssim = ssim;
    worst.luma_mse = fmax(worst.luma_mse, plane->luma_sse / pixels);
    worst.rgb_mse = fmax(worst.rgb_mse, plane->rgb_sse / (m->colours * pixels));
    worst.block_luma_mse = fmax(worst.block_luma_mse, plane->worst_luma);
    worst.block_rgb_mse = fmax(worst.block_rgb_mse, plane->worst_rgb);
  }
  return worst;
}
