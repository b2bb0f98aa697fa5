#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAPS 11
#define C1 6.5025f  /* (0.01 * 255)^2 */
#define C2 58.5225f /* (0.03 * 255)^2 */
#define BLOCK 32
#define CENTRE 128.f /* subtracted from luma: keeps single precision exact enough for variances */

/* One background: the last eleven rows of luma of both pictures, and the sums. */
typedef struct {
  float *ring[2]; /* TAPS rows of `stride` samples each */
  float *block_luma, *block_rgb; /* of the row of blocks that is open */
  double ssim_sum, luma_sse, rgb_sse, worst_luma, worst_rgb;
} Plane;

struct Measure {
  uint32_t width, padded, stride, every, rows, equal_run, block_rows; /* rows and equal rows since the last break */
  uint64_t windows, pixels;
  int planes;
  Plane plane[2];
  float *blur[5]; /* columns of x, y, xx, yy, xy, blurred vertically */
  float kernel[TAPS];
};

Measure *measure_open(uint32_t width, bool alpha) {
  Measure *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->width = width;
  m->padded = width < TAPS ? TAPS : width;
  m->stride = (m->padded + 3) & ~3u;
  m->planes = alpha ? 2 : 1;
  m->every = 1;
  float sum = 0;
  for (int i = 0; i < TAPS; i++) sum += m->kernel[i] = expf(-(float)((i - 5) * (i - 5)) / 4.5f);
  for (int i = 0; i < TAPS; i++) m->kernel[i] /= sum;
  bool good = true;
  for (int p = 0; p < m->planes; p++)
    for (int k = 0; k < 2; k++) good &= (m->plane[p].ring[k] = calloc((size_t)m->stride * TAPS, sizeof(float))) != NULL;
  for (int p = 0; p < m->planes; p++) {
    good &= (m->plane[p].block_luma = calloc(width / BLOCK + 1, sizeof(float))) != NULL;
    good &= (m->plane[p].block_rgb = calloc(width / BLOCK + 1, sizeof(float))) != NULL;
  }
  for (int k = 0; k < 5; k++) good &= (m->blur[k] = calloc(m->stride, sizeof(float))) != NULL;
  if (good) return m;
  measure_close(m);
  return NULL;
}

void measure_close(Measure *m) {
  if (!m) return;
  for (int p = 0; p < 2; p++) {
    for (int k = 0; k < 2; k++) free(m->plane[p].ring[k]);
    free(m->plane[p].block_luma);
    free(m->plane[p].block_rgb);
  }
  for (int k = 0; k < 5; k++) free(m->blur[k]);
  free(m);
}

void measure_every(Measure *m, uint32_t n) { m->every = n; }

void measure_reset(Measure *m) {
  m->rows = m->equal_run = m->block_rows = 0;
  m->windows = m->pixels = 0;
  for (int p = 0; p < m->planes; p++) {
    Plane *plane = &m->plane[p];
    plane->ssim_sum = plane->luma_sse = plane->rgb_sse = plane->worst_luma = plane->worst_rgb = 0;
    memset(plane->block_luma, 0, (m->width / BLOCK + 1) * sizeof(float));
    memset(plane->block_rgb, 0, (m->width / BLOCK + 1) * sizeof(float));
  }
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

/* SSIM of the row of windows that ends with the newest row of the ring. */
static double window_row(Measure *m, const Plane *p, uint32_t newest) {
  const uint32_t n = m->padded, stride = m->stride;
  float *restrict bx = m->blur[0], *restrict by = m->blur[1], *restrict bxx = m->blur[2], *restrict byy = m->blur[3],
        *restrict bxy = m->blur[4];
  for (int k = 0; k < 5; k++) memset(m->blur[k], 0, stride * sizeof(float));
  for (int t = 0; t < TAPS; t++) {
    uint32_t row = (newest + 1 + t) % TAPS; /* oldest first; the kernel is symmetric */
    const float *restrict x = p->ring[0] + (size_t)row * stride, *restrict y = p->ring[1] + (size_t)row * stride;
    const float w = m->kernel[t];
    for (uint32_t i = 0; i < stride; i++) {
      float wx = w * x[i], wy = w * y[i];
      bx[i] += wx;
      by[i] += wy;
      bxx[i] += wx * x[i];
      byy[i] += wy * y[i];
      bxy[i] += wx * y[i];
    }
  }
  double sum = 0;
  float part[256];
  for (uint32_t from = 0; from + TAPS <= n; from += 256) {
    uint32_t count = n - TAPS + 1 - from;
    if (count > 256) count = 256;
    for (uint32_t i = 0; i < count; i++) {
      float s[5];
      const uint32_t at = from + i;
#pragma clang loop unroll(full)
      for (int k = 0; k < 5; k++) {
        const float *restrict b = m->blur[k] + at;
        s[k] = m->kernel[5] * b[5];
#pragma clang loop unroll(full)
        for (int t = 0; t < 5; t++) s[k] += m->kernel[t] * (b[t] + b[10 - t]);
      }
      float vx = s[2] - s[0] * s[0], vy = s[3] - s[1] * s[1], cov = s[4] - s[0] * s[1];
      float mx = s[0] + CENTRE, my = s[1] + CENTRE;
      part[i] = ((2 * mx * my + C1) * (2 * cov + C2)) / ((mx * mx + my * my + C1) * (vx + vy + C2));
    }
    float chunk = 0;
    for (uint32_t i = 0; i < count; i++) chunk += part[i];
    sum += chunk;
  }
  return sum;
}

/* Counts the windows that end with the newest row, if there are any. */
static void close_row(Measure *m) {
  uint32_t newest = m->rows % TAPS;
  m->rows++;
  if (m->rows < TAPS || (m->rows - TAPS) % m->every) return;
  uint32_t count = m->padded - TAPS + 1;
  m->windows += count;
  for (int p = 0; p < m->planes; p++)
    m->plane[p].ssim_sum += m->equal_run >= TAPS ? count : window_row(m, &m->plane[p], newest);
}

/* Luma of one row on one background into the ring; mirrors narrow rows (half-sample symmetric, as numpy's "symmetric"). */
static void lay(const Measure *m, const uint32_t *row, bool alpha, float white, float *luma) {
  const uint32_t n = m->width;
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
  for (uint32_t i = n; i < m->padded; i++) {
    uint32_t k = i % (2 * n);
    luma[i] = luma[k < n ? k : 2 * n - 1 - k];
  }
}

void measure_row(Measure *m, const uint32_t *a, const uint32_t *b) {
  const uint32_t n = m->width, slot = m->rows % TAPS;
  m->pixels += n;
  bool equal = !memcmp(a, b, (size_t)n * 4);
  for (int p = 0; p < m->planes; p++) {
    Plane *plane = &m->plane[p];
    const float white = p ? 255.f : 0.f;
    float *x = plane->ring[0] + (size_t)slot * m->stride, *y = plane->ring[1] + (size_t)slot * m->stride;
    lay(m, a, m->planes > 1, white, x);
    if (equal) {
      memcpy(y, x, (size_t)m->stride * sizeof(float));
      continue;
    }
    lay(m, b, m->planes > 1, white, y);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t c = a[i], d = b[i];
      if (c == d) continue;
      float e = x[i] - y[i], ca = 1, da = 1, base = 0;
      plane->block_luma[i / BLOCK] += e * e;
      plane->luma_sse += e * e;
      if (m->planes > 1) {
        ca = (c >> 24) * (1 / 255.f);
        da = (d >> 24) * (1 / 255.f);
        base = white * (da - ca); /* white * (1 - ca) - white * (1 - da) */
      }
      float r = (c & 255) * ca - (d & 255) * da + base, g = (c >> 8 & 255) * ca - (d >> 8 & 255) * da + base,
            l = (c >> 16 & 255) * ca - (d >> 16 & 255) * da + base;
      float sum = r * r + g * g + l * l;
      plane->block_rgb[i / BLOCK] += sum;
      plane->rgb_sse += sum;
    }
  }
  if (++m->block_rows == BLOCK) close_blocks(m);
  m->equal_run = equal ? m->equal_run + 1 : 0;
  close_row(m);
}

void measure_break(Measure *m) {
  close_blocks(m);
  const uint32_t rows = m->rows;
  if (rows && rows < TAPS) {
    for (uint32_t r = rows; r < TAPS; r++) {
      uint32_t k = r % (2 * rows), from = k < rows ? k : 2 * rows - 1 - k;
      for (int p = 0; p < m->planes; p++)
        for (int side = 0; side < 2; side++) {
          float *ring = m->plane[p].ring[side];
          memcpy(ring + (size_t)r * m->stride, ring + (size_t)from * m->stride, m->stride * sizeof(float));
        }
      m->equal_run = m->equal_run == r ? r + 1 : 0; /* mirrored rows are as equal as all of them */
      close_row(m);
    }
  }
  m->rows = m->equal_run = 0;
}

Quality measure_result(const Measure *m) {
  Quality worst = {1, 0, 0, 0, 0};
  for (int p = 0; p < m->planes; p++) {
    const Plane *plane = &m->plane[p];
    double ssim = m->windows ? plane->ssim_sum / m->windows : 1;
    double pixels = m->pixels ? m->pixels : 1;
    if (ssim < worst.ssim) worst.ssim = ssim;
    if (plane->luma_sse / pixels > worst.luma_mse) worst.luma_mse = plane->luma_sse / pixels;
    if (plane->rgb_sse / (3 * pixels) > worst.rgb_mse) worst.rgb_mse = plane->rgb_sse / (3 * pixels);
    if (plane->worst_luma > worst.block_luma_mse) worst.block_luma_mse = plane->worst_luma;
    if (plane->worst_rgb > worst.block_rgb_mse) worst.block_rgb_mse = plane->worst_rgb;
  }
  return worst;
}
